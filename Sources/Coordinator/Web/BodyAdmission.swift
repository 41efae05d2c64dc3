import TintypeCore
package import TintypeTransport
import TintypeImages

/// The limits for request bodies on the HTTP port, decided by the head before any byte of the body is kept.
///
/// A body is completely in memory before it is handled. So unauthenticated clients have a small budget of their own and cannot crowd out
/// authenticated ones. Images and uploads cannot crowd out messages or each other either. Requests beyond a budget are refused for the moment.
@Loop
package final class BodyAdmission: BodyLimiter {
    /// The longest image that can be put.
    nonisolated static let maxImage = 64 << 20
    /// The longest JSON-RPC message, as on TCP.
    nonisolated static let maxMessage = 4 << 20
    /// The longest body of an unauthenticated client, and of routes that need no body.
    package nonisolated static let maxOther = 64 << 10
    /// The label in metrics for unknown paths.
    nonisolated static let nowhere = "other"

    private let routes: RouteTable<WebAction>
    private let access: AccessControl
    private let metrics: Metrics
    private let images = BodyBudget(4 * maxImage)
    private let messages = BodyBudget(16 * maxMessage)
    private let strangers = BodyBudget(16 << 20)
    private let bodies: [String: BodyBudget]

    /// - Parameter bodies: the budgets of routes with one of their own, by the name of the route.
    init(_ routes: RouteTable<WebAction>, _ access: AccessControl, _ metrics: Metrics, bodies: [String: BodyBudget]) {
        (self.routes, self.access, self.metrics, self.bodies) = (routes, access, metrics, bodies)
    }

    package func allowance(for head: HTTPHead, from peer: ConnectionPeer) -> (limit: Int, budget: BodyBudget) {
        // Most requests have no body.
        guard head.length != 0, let grant = access.grant(head, from: peer) else { return (Self.maxOther, strangers) }
        // A request that the role does not permit is refused by its head (`refusal`), or when its small body has arrived.
        guard case .route(let route) = routes.match(head.method, head.path), (try? route.check(grant, for: head.method)) != nil else {
            return (Self.maxOther, messages)
        }
        return (route.maxBody, budget(of: route))
    }

    private func budget(of route: Route<WebAction>) -> BodyBudget {
        bodies[route.name] ?? (route.maxBody > Self.maxMessage ? images : messages)
    }

    package func refusal(of head: HTTPHead, from peer: ConnectionPeer, because reason: BodyRefusal) -> HTTPRefusal {
        let answer =
            switch reason {
            case .badHead(let flaw): WebAnswer.malformed("head", flaw)
            case .badBody(let flaw): WebAnswer.malformed("body", flaw)
            case .tooLong(let limit): counted(head, peer) { tooLong(head, $0, limit) }
            case .noRoom: counted(head, peer) { _ in WebAnswer.noRoom }
            case .tooSlow: counted(head, peer) { _ in WebAnswer.tooSlow }
            case .tooManyConnections: WebAnswer.tooManyConnections
            }
        // A connection that is one too many was closed before a request was read.
        if reason != .tooManyConnections { metrics.add(.httpRequests, labels: routes.name(of: head.path) ?? Self.nowhere, "\(answer.status)") }
        return HTTPRefusal(status: answer.status, headers: answer.headers, body: Array(answer.body))
    }

    /// Counts the token of a request that ends at its head, if it is wrong. Its answer could tell a right token from a wrong one. The token of a head that
    /// has not arrived to its end may be cut, so the answer does not depend on it.
    private func counted(_ head: HTTPHead, _ peer: ConnectionPeer, _ answer: (AccessGrant?) -> WebAnswer) -> WebAnswer {
        guard access.isGuarded, head.isWhole else { return answer(.everything) }
        let attempt = access.attempt(head, from: peer)
        if case .throttled(let error) = attempt { return .refused(error) }
        return answer(attempt.grant)
    }

    private func tooLong(_ head: HTTPHead, _ grant: AccessGrant?, _ limit: Int) -> WebAnswer {
        guard let grant else { return .unauthenticated }
        do throws(TintypeError) {
            // Only the method decides: the path of a head is not decoded yet, and may be a spelling of this route's path.
            try routes.routes.first { $0.methods.contains(head.method) }?.check(grant, for: head.method)
            return .tooLong(limit)
        } catch {
            return .failure(403, error)
        }
    }
}
