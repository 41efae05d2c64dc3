/// The head of an answer: its status line, headers, and the framing of its body. Pure.
struct AnswerHead {
    /// The end of the body.
    enum Length: Hashable {
        case known(Int)
        case chunked
        /// The end of the connection, or no body at all.
        case none
    }

    let status: Int
    let lines: HeaderLines
    let length: Length
    /// Whether the request is of version 1.0.
    let isOld: Bool
    /// Whether the connection ends with the answer.
    let closes: Bool

    /// - Parameter date: the line with the date.
    func bytes(_ date: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.bytes.count + 192)
        Self.add(isOld ? "HTTP/1.0 " : "HTTP/1.1 ", to: &bytes)
        Self.add(status, to: &bytes)
        bytes.append(32)
        Self.add(HTTPStatus.reason(status), to: &bytes)
        Self.add("\r\n", to: &bytes)
        bytes.append(contentsOf: lines.bytes)
        if !isOld, !lines.hasDate { bytes.append(contentsOf: date) }
        if closes {
            Self.add("Connection: close\r\n", to: &bytes)
        } else if isOld {
            Self.add("Connection: keep-alive\r\n", to: &bytes)
        }
        switch length {
        case .known(let count) where !lines.hasLength:
            Self.add("Content-Length: ", to: &bytes)
            Self.add(count, to: &bytes)
            Self.add("\r\n", to: &bytes)
        case .chunked: Self.add("Transfer-Encoding: chunked\r\n", to: &bytes)
        case .known, .none: break
        }
        Self.add("\r\n", to: &bytes)
        return bytes
    }

    /// Returns whether answers of this status have a body (RFC 9110 §6.4.1).
    static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 && status >= 200 }

    private static func add(_ text: StaticString, to bytes: inout [UInt8]) { bytes.append(contentsOf: ASCII.bytes(of: text)) }

    private static func add(_ number: Int, to bytes: inout [UInt8]) {
        if number >= 10 { add(number / 10, to: &bytes) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}

/// An answer that is sent in pieces: the piece on its way.
@Loop
final class AnswerPieces {
    /// False if the method or the status has no body. Pieces are dropped then.
    let hasBody: Bool
    /// Whether each piece is a chunk, because the length is unknown.
    let isChunked: Bool
    private var taken: (@Loop (Bool) -> Void)?

    init(hasBody: Bool, isChunked: Bool) { (self.hasBody, self.isChunked) = (hasBody, isChunked) }

    /// Whether the client has not taken the last piece yet.
    var isSending: Bool { taken != nil }

    /// - Parameter taken: called once with whether the client has taken the piece.
    func begin(_ taken: @escaping @Loop (Bool) -> Void) { self.taken = taken }

    /// Notes that the kernel has taken all bytes, or that the client has gone.
    func end(isTaken: Bool) {
        let taken = taken
        self.taken = nil
        taken?(isTaken)
    }
}

/// The client of an answer in pieces has closed its connection or taken the pieces too slowly, or the server was closed.
package struct HTTPClientGone: Error {}

/// The header lines of an answer as bytes, made once for any number of answers. Pure.
package struct HeaderLines: Sendable {
    /// Each line with its end.
    private(set) var bytes: [UInt8] = []
    /// Whether the connection ends with the answer. The line itself is written by `AnswerHead`.
    private(set) var closes = false
    private(set) var hasLength = false
    private(set) var hasDate = false

    package init(_ headers: [(String, String)] = []) {
        for (name, value) in headers { add(name, value) }
    }

    /// Adds a line. A name or value that would end the line is left out, so that no text of a client becomes a header.
    package mutating func add(_ name: String, _ value: String) {
        guard !name.isEmpty, Self.isHarmless(name), Self.isHarmless(value) else { return }
        switch name.utf8.count {
        case 4 where ASCII.isSame(Array(name.utf8), ASCII.bytes(of: "date")): hasDate = true
        case 10 where ASCII.isSame(Array(name.utf8), ASCII.bytes(of: "connection")):
            closes = ASCII.isSame(Array(value.utf8), ASCII.bytes(of: "close"))
            return
        case 14 where ASCII.isSame(Array(name.utf8), ASCII.bytes(of: "content-length")): hasLength = true
        default: break
        }
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: [UInt8(ascii: ":"), 32])
        bytes.append(contentsOf: value.utf8)
        bytes.append(contentsOf: [13, 10])
    }

    private static func isHarmless(_ text: String) -> Bool { text.utf8.allSatisfy { $0 != 10 && $0 != 13 && $0 != 0 } }
}
