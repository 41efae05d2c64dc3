/// Says how much of a request's body is taken in, when its head is complete and nothing of the body is kept yet.
@Loop
package protocol BodyDoor: AnyObject {
    /// How long the body of a request may be, and out of which budget its bytes come.
    func allowance(for head: HTTPHead) -> (limit: Int, budget: BodyBudget)
    /// What a request is answered whose body is not taken.
    func refusal(of head: HTTPHead, because reason: BodyRefusal) -> HTTPRefusal
}

/// Why a request is not taken.
package enum BodyRefusal: Sendable, Hashable {
    /// Nobody can be sure where it ends, or for whom it is: "the request's head" and then this.
    case badHead(String)
    /// Its chunks are not framed by the grammar: "the request's body" and then this.
    case badBody(String)
    case tooLong(limit: Int)
    /// Too much is being received: later, there may be room.
    case noRoom
    /// It comes too slowly (`BodyPace`).
    case tooSlow
    /// Too many connections are open, in all or from the address of this one. Its head has not been read.
    case tooManyConnections
}

/// How slowly a body may come, over all: what is announced holds its room until the last byte is there, so a byte now and then must not do.
/// Likewise how slowly a long answer may be taken. A head has the first time alone, from its first byte to its last.
package struct BodyPace: Sendable, Hashable {
    /// The time that every head has, and every body.
    let first: Duration
    /// What it has a second more for.
    let bytesPerSecond: Int

    package init(first: Duration, bytesPerSecond: Int) { (self.first, self.bytesPerSecond) = (first, bytesPerSecond) }

    /// 4 KiB/s after twenty seconds.
    package static let usual = BodyPace(first: .seconds(20), bytesPerSecond: 4 << 10)

    /// How long a body may have taken of which so many bytes are there.
    func limit(after count: Int) -> Duration { first + .milliseconds(Int64(count) * 1000 / Int64(bytesPerSecond)) }
}

/// The answer to a request that was not let in. Its connection is closed.
package struct HTTPRefusal: Sendable {
    let status: Int
    let headers: [(String, String)]
    let body: [UInt8]

    package init(status: Int, headers: [(String, String)], body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    var bytes: [UInt8] {
        var text = "HTTP/1.1 \(status) \(HTTPStatus.reason(status))\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}

/// Lets every body in; evhttp refuses what is longer than its own limit.
@Loop
final class OpenBodyDoor: BodyDoor {
    private let budget = BodyBudget(.max)

    func allowance(for head: HTTPHead) -> (limit: Int, budget: BodyBudget) { (.max / 2, budget) }
    func refusal(of head: HTTPHead, because reason: BodyRefusal) -> HTTPRefusal {
        switch reason {
        case .badHead(let flaw): HTTPRefusal(status: 400, headers: [("Content-Type", "text/plain")], body: Array("the request's head \(flaw)\n".utf8))
        case .badBody(let flaw): HTTPRefusal(status: 400, headers: [("Content-Type", "text/plain")], body: Array("the request's body \(flaw)\n".utf8))
        case .tooSlow: HTTPRefusal(status: 408, headers: [], body: [])
        case .tooLong, .noRoom: HTTPRefusal(status: 413, headers: [], body: [])
        case .tooManyConnections: HTTPRefusal(status: 503, headers: [("Retry-After", "1")], body: [])
        }
    }
}

/// How many bytes of bodies may be in memory at one time, or be announced.
@Loop
package final class BodyBudget {
    package let limit: Int
    package fileprivate(set) var used = 0

    package init(_ limit: Int) { self.limit = limit }
}

/// The room that one body has in a budget, until it is released.
@Loop
package final class BodyRoom {
    private let budget: BodyBudget
    private(set) var bytes = 0

    package init(_ budget: BodyBudget) { self.budget = budget }

    /// - Returns: false if there is not so much room; then nothing has changed.
    package func grow(to count: Int) -> Bool {
        let more = max(0, count - bytes)
        guard more <= budget.limit - budget.used else { return false }
        bytes += more
        budget.used += more
        return true
    }

    isolated deinit { budget.used -= bytes }
}
