import Coordinator
import TintypeCore
import TintypeTransport

/// The limits for requests at the picture door: they have no bodies.
@Loop
final class DoorLimiter: BodyLimiter {
    private let budget = BodyBudget(0)
    private let counters: DoorCounters

    init(_ counters: DoorCounters) { self.counters = counters }

    func allowance(for head: HTTPHead, from peer: ConnectionPeer) -> (limit: Int, budget: BodyBudget) { (0, budget) }

    func refusal(of head: HTTPHead, from peer: ConnectionPeer, because reason: BodyRefusal) -> HTTPRefusal {
        var answer =
            switch reason {
            case .badHead(let flaw): WebAnswer.malformed("head", flaw)
            case .badBody(let flaw): WebAnswer.malformed("body", flaw)
            // Without a body it is the head that is too long, and the target is the only part of it that grows.
            case .tooLong where head.length == 0: WebAnswer.longTarget
            case .tooLong, .noRoom: WebAnswer.tooLong(0)
            case .tooSlow: WebAnswer.tooSlow
            case .tooManyConnections: WebAnswer.tooManyConnections
            }
        answer.headers.append(("Cache-Control", "no-store"))
        // A connection that is one too many was closed before a request was read.
        if reason != .tooManyConnections { counters.count(refused: answer.status) }
        return HTTPRefusal(status: answer.status, headers: answer.headers, body: Array(answer.body))
    }
}

extension WebAnswer {
    fileprivate static var longTarget: WebAnswer {
        json(414, ["error": ["name": "limitExceeded", "message": "the URL with its headers is too long: at most 32 KiB are read"]])
    }
}
