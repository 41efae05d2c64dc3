import TintypeCore

/// One HTTP request and the answer to it. Lives on the loop. It must be answered exactly once: by `respond`, or in pieces by `begin`, `send` and `end`.
/// Answering after the client has gone is harmless.
@Loop
package final class HTTPExchange {
    /// GET, HEAD, POST, PUT or DELETE.
    package let method: String
    /// The client, as its connection shows it, or as a trusted proxy names it.
    package let peer: ConnectionPeer
    /// The whole request body, until the request is answered or the client has gone.
    package private(set) var body: [UInt8]
    /// Called once when the client's connection closes before the answer is complete.
    package var onClosed: (@Loop () -> Void)?

    let head: HTTPHead
    /// The room of the body in the server's budget, as long as the body is there.
    private var reservation: BodyReservation?
    /// nil once answered to the last byte, or when the client has gone or the server was closed.
    private(set) var connection: HTTPConnection?
    /// The answer in pieces, while it is under way.
    var pieces: AnswerPieces?
    /// Whether the whole answer was handed over.
    private(set) var isAnswered = false

    init(_ head: HTTPHead, _ method: String, _ body: [UInt8], _ reservation: BodyReservation?, from peer: ConnectionPeer, on connection: HTTPConnection) {
        (self.head, self.method, self.body, self.reservation, self.peer, self.connection) = (head, method, body, reservation, peer, connection)
    }

    /// The path, percent-decoded.
    package private(set) lazy var path = {
        let path = head.path
        return path.utf8.contains(UInt8(ascii: "%")) ? PercentText.decoded(path) : path
    }()

    /// The path with all that follows, byte for byte as it was sent: for signatures.
    package var target: ArraySlice<UInt8> { head.target }

    /// The names and values of the query, percent-decoded. The last of equal names wins.
    package private(set) lazy var query: [String: String] = {
        var values: [String: String] = [:]
        for pair in (head.query ?? "").split(separator: "&") {
            let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[PercentText.decoded(form: words[0].utf8)] = words.count == 2 ? PercentText.decoded(form: words[1].utf8) : ""
        }
        return values
    }()

    /// The socket of the connection; -1 once answered, or when it is closed.
    var descriptor: Int32 { connection?.wire.descriptor ?? -1 }

    /// Bytes of the current piece of the answer that the kernel has not taken yet.
    package var pendingOutput: Int { connection?.pendingOutput ?? 0 }

    /// Bytes of the answer that the kernel has not taken yet.
    package var unsent: Int { connection?.unsent ?? 0 }

    /// The value of the last `Authorization`.
    package var authorization: String? { head.authorization }

    /// Returns the value of a request header; names are compared without case.
    package func header(_ name: String) -> String? { head.header(name) }

    /// Returns a list that may be spread over several headers of one name (RFC 9110 §5.3), in their order; nil without any.
    package func list(_ name: String) -> String? { head.list(name) }

    /// Returns the headers whose names begin with `prefix`, without the prefix, in their order.
    package func headers(after prefix: String) -> [(name: String, value: String)] { head.headers(after: prefix) }

    /// Returns the method if it is known here. Each route says which of them it serves (RFC 9110 §9.1).
    static func method(_ name: String) -> String? {
        switch name {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS": name
        default: nil
        }
    }

    /// Notes that the whole answer is handed over. From now on it does not matter whether the client leaves.
    func complete() {
        (isAnswered, pieces, onClosed) = (true, nil, nil)
        releaseBody()
    }

    /// Drops the body of the request, which is not needed once the answer has begun.
    func releaseBody() { (body, reservation) = ([], nil) }

    /// Notes that the kernel has the whole answer.
    func ended() { connection = nil }

    /// Notes that the connection ends before the answer was complete or sent. The producer of an answer in pieces learns of the end twice: from the
    /// piece that it waits for, and by `onClosed`.
    func closed() {
        connection = nil
        releaseBody()
        let (callback, unfinished) = (onClosed, pieces)
        (onClosed, pieces) = (nil, nil)
        unfinished?.end(isTaken: false)
        callback?()
    }
}
