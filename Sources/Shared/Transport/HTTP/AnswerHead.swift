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
