import TintypeCore
import TintypeTransport
import TintypeImages

/// How much of a request's body the HTTP port takes in: decided by the head, before any of it is kept.
///
/// A body is in memory whole before it is looked at. So strangers, where tokens are asked for, have little room, and of their own: they
/// crowd out nobody who has shown a token. Nor do images crowd out messages. What is sent beyond the room there is is refused for the moment.
@Loop
final class BodyAdmission: BodyDoor {
    /// The longest image that can be put.
    nonisolated static let maxImage = 64 << 20
    /// The longest message of JSON-RPC, as on TCP.
    nonisolated static let maxMessage = 4 << 20
    /// The longest body of whoever has shown no token, and of what has no use for one.
    nonisolated static let maxOther = 64 << 10
    /// The name in metrics of what lies at no path.
    nonisolated static let nowhere = "other"

    private let routes: RouteTable<WebAction>
    private let door: Door
    private let metrics: Metrics
    private let images = BodyBudget(4 * maxImage)
    private let messages = BodyBudget(16 * maxMessage)
    private let strangers = BodyBudget(16 << 20)

    init(_ routes: RouteTable<WebAction>, _ door: Door, _ metrics: Metrics) { (self.routes, self.door, self.metrics) = (routes, door, metrics) }

    func allowance(for head: HTTPHead) -> (limit: Int, budget: BodyBudget) {
        guard let grant = door.grant(head) else { return (Self.maxOther, strangers) }
        // What the role does not reach is refused by its head (`refusal`), or when its little is there.
        guard case .route(let route) = routes.match(head.method, head.path), (try? route.check(grant, for: head.method)) != nil else {
            return (Self.maxOther, messages)
        }
        return (route.maxBody, route.maxBody > Self.maxMessage ? images : messages)
    }

    func refusal(of head: HTTPHead, because reason: BodyRefusal) -> HTTPRefusal {
        let answer =
            switch reason {
            case .badHead(let flaw): WebAnswer.malformed("head", flaw)
            case .badBody(let flaw): WebAnswer.malformed("body", flaw)
            case .tooLong(let limit): tooLong(head, limit)
            case .noRoom: WebAnswer.noRoom
            case .tooSlow: WebAnswer.tooSlow
            case .tooManyConnections: WebAnswer.tooManyConnections
            }
        // Of a connection that is one too many no request was read.
        if reason != .tooManyConnections { metrics.add(.httpRequests, labels: routes.name(of: head.path) ?? Self.nowhere, "\(answer.status)") }
        return HTTPRefusal(status: answer.status, headers: answer.headers, body: Array(answer.body))
    }

    private func tooLong(_ head: HTTPHead, _ limit: Int) -> WebAnswer {
        guard let grant = door.grant(head) else { return .unauthenticated }
        do throws(TintypeError) {
            // By the method alone: the path of a head is not decoded, and may be one of the row's in another spelling.
            try routes.routes.first { $0.methods.contains(head.method) }?.check(grant, for: head.method)
            return .tooLong(limit)
        } catch {
            return .failure(403, error)
        }
    }
}
