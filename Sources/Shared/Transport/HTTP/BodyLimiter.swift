/// Decides how much of a request's body is accepted, when its head is complete and no byte of the body is kept yet.
@Loop
package protocol BodyLimiter: AnyObject {
    /// Returns the length limit of a request's body, and the budget for its bytes.
    func allowance(for head: HTTPHead, from peer: ConnectionPeer) -> (limit: Int, budget: BodyBudget)
    /// Returns the answer to a request whose body is not accepted.
    func refusal(of head: HTTPHead, from peer: ConnectionPeer, because reason: BodyRefusal) -> HTTPRefusal
}

/// The reason for which a request is not accepted.
package enum BodyRefusal: Sendable, Hashable {
    /// Programs may disagree about the end of the request, or its host. The text follows after "the request's head".
    case badHead(String)
    /// The chunks do not follow the grammar. The text follows after "the request's body".
    case badBody(String)
    case tooLong(limit: Int)
    /// Too much is being received. There may be room later.
    case noRoom
    /// The body arrives too slowly (`MinimumBodyRate`).
    case tooSlow
    /// Too many connections are open, in all or from the client's address. The head has not been read.
    case tooManyConnections
}

/// The slowest rate at which a body may arrive, on average. An announced body keeps its room until its last byte arrives, so single bytes now and then
/// are not enough. The same rate applies to a client that takes a long answer. A head only has the time `first`, from its first byte to its last.
///
/// The rate grows with the length of the body, because a long body takes more room for a longer time.
package struct MinimumBodyRate: Sendable, Hashable {
    /// The time that every head and every body has.
    let first: Duration
    /// The number of bytes that add one second.
    let bytesPerSecond: Int
    /// The longest time of a whole body, `first` included.
    let whole: Duration

    package init(first: Duration, bytesPerSecond: Int, whole: Duration = .seconds(300)) {
        (self.first, self.bytesPerSecond, self.whole) = (first, bytesPerSecond, whole)
    }

    /// 4 KiB/s after 20 s, and five minutes for a whole body.
    package static let usual = MinimumBodyRate(first: .seconds(20), bytesPerSecond: 4 << 10)

    /// Returns how long a body may have taken when `count` of its `total` bytes have arrived.
    func limit(after count: Int, of total: Int) -> Duration {
        first + min(.milliseconds(Int64(count) * 1000 / Int64(bytesPerSecond)), (whole - first) * count / max(total, 1))
    }
}

/// The answer to a request that was not accepted. Its connection is closed.
package struct HTTPRefusal: Sendable {
    let status: Int
    let headers: [(String, String)]
    let body: [UInt8]

    package init(status: Int, headers: [(String, String)], body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// An answer with a line of text.
    init(_ status: Int, _ text: String) { self.init(status: status, headers: [("Content-Type", "text/plain")], body: Array("\(text)\n".utf8)) }

    var bytes: [UInt8] {
        var text = "HTTP/1.1 \(status) \(HTTPStatus.reason(status))\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}

/// Accepts every body. The server refuses bodies above its own limit.
@Loop
final class UnboundedBodyLimiter: BodyLimiter {
    private let budget = BodyBudget(.max)

    func allowance(for head: HTTPHead, from peer: ConnectionPeer) -> (limit: Int, budget: BodyBudget) { (.max / 2, budget) }
    func refusal(of head: HTTPHead, from peer: ConnectionPeer, because reason: BodyRefusal) -> HTTPRefusal {
        switch reason {
        case .badHead(let flaw): HTTPRefusal(400, "the request's head \(flaw)")
        case .badBody(let flaw): HTTPRefusal(400, "the request's body \(flaw)")
        case .tooSlow: HTTPRefusal(status: 408, headers: [], body: [])
        case .tooLong, .noRoom: HTTPRefusal(status: 413, headers: [], body: [])
        case .tooManyConnections: HTTPRefusal(status: 503, headers: [("Retry-After", "1")], body: [])
        }
    }
}

/// The limit for the bytes of bodies that are in memory or announced at one time.
@Loop
package final class BodyBudget {
    package let limit: Int
    package fileprivate(set) var used = 0

    package init(_ limit: Int) { self.limit = limit }
}

/// The room of one body in a budget, until it is released.
@Loop
package final class BodyReservation {
    private let budget: BodyBudget
    private(set) var bytes = 0

    package init(_ budget: BodyBudget) { self.budget = budget }

    /// Takes room for `count` bytes in all.
    /// - Returns: false if there is not enough room. Nothing has changed then.
    package func grow(to count: Int) -> Bool {
        let more = max(0, count - bytes)
        guard more <= budget.limit - budget.used else { return false }
        bytes += more
        budget.used += more
        return true
    }

    isolated deinit { budget.used -= bytes }
}
