package import TintypeCore

/// The framing of messages on a connection. The answers use the same.
package enum MessageFraming: Sendable, Hashable {
    /// One message per line, ended by LF or CRLF.
    case lines
    /// `Content-Length: N`, an empty line, N bytes, as in the Language Server Protocol.
    case headers

    package func framed(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .lines: message + [10]
        case .headers: Array("Content-Length: \(message.count)\r\n\r\n".utf8) + message
        }
    }
}

/// Splits a stream of bytes into messages. Pure: the pieces do not depend on the boundaries at which the bytes arrive.
///
/// The first byte decides the framing: `{` or `[` for one message per line, `C` or `c` for a header. The work is linear in the bytes, even if they
/// arrive one by one, because no byte is searched twice.
package struct MessageSplitter: Sendable {
    /// A piece of the stream.
    package enum Piece: Sendable, Hashable {
        case message([UInt8])
        /// Tell the client and stop reading: the start of the next message is unknown.
        case broken(TintypeError)
    }

    package private(set) var framing: MessageFraming?
    private let maxMessageBytes: Int
    private var buffer: [UInt8] = []
    /// The length of `buffer` that was searched for the end of a line or header.
    private var searched = 0
    /// The length of the body that is being received, in header framing.
    private var bodyLength: Int?
    private var isBroken = false

    private static let maxHeaderBytes = 8192

    /// - Parameter maxMessageBytes: the maximum length; a longer message breaks the stream.
    package init(maxMessageBytes: Int = 4 << 20) { self.maxMessageBytes = maxMessageBytes }

    /// Bytes received that are not a complete message yet.
    package var pendingBytes: Int { buffer.count }

    /// Adds the next bytes and passes on every piece that they complete.
    package mutating func append(_ bytes: some Collection<UInt8>, _ body: (Piece) -> Void) {
        guard !isBroken, !bytes.isEmpty else { return }
        buffer.append(contentsOf: bytes)
        if framing == nil {
            switch buffer[0] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): framing = .lines
            case UInt8(ascii: "C"), UInt8(ascii: "c"): framing = .headers
            default:
                return fail(.parseError, "a connection must begin with { or [ (one message a line) or with Content-Length", body)
            }
        }
        if framing == .lines { splitLines(body) } else { splitHeaders(body) }
    }

    private mutating func fail(_ name: ErrorName, _ message: String, _ body: (Piece) -> Void) {
        isBroken = true
        buffer = []
        body(.broken(TintypeError(name, .admission, message)))
    }

    private mutating func splitLines(_ body: (Piece) -> Void) {
        var start = 0
        while let end = buffer[max(searched, start)...].firstIndex(of: 10) {
            var line = buffer[start..<end]
            if line.last == 13 { line = line.dropLast() }
            start = end + 1
            searched = start
            guard line.count <= maxMessageBytes else { return tooLong(body) }
            if line.contains(where: { $0 != 32 && $0 != 9 }) { body(.message(Array(line))) }
        }
        if start > 0 { buffer.removeFirst(start) }
        searched = buffer.count
        // A CR may still be part of the line's end.
        if buffer.count > maxMessageBytes + 1 { tooLong(body) }
    }

    private mutating func tooLong(_ body: (Piece) -> Void) {
        fail(.invalidRequest, "the message is longer than \(maxMessageBytes) bytes", body)
    }

    private mutating func splitHeaders(_ body: (Piece) -> Void) {
        var start = 0
        while true {
            if let length = bodyLength {
                guard buffer.count - start >= length else { break }
                body(.message(Array(buffer[start..<start + length])))
                start += length
                bodyLength = nil
            }
            guard let end = endOfHeader(from: start) else {
                if buffer.count - start > Self.maxHeaderBytes {
                    return fail(.parseError, "the header is longer than \(Self.maxHeaderBytes) bytes", body)
                }
                break
            }
            guard let length = Self.contentLength(buffer[start..<end]) else {
                return fail(.parseError, "the header has no valid Content-Length", body)
            }
            guard length <= maxMessageBytes else { return tooLong(body) }
            start = end
            searched = end
            bodyLength = length
        }
        // Once for all pieces of a chunk: removing each one would move the other bytes each time.
        buffer.removeFirst(start)
        searched = bodyLength == nil ? buffer.count : 0
    }

    /// Returns the index after the empty line, whose line breaks may be LF or CRLF.
    private func endOfHeader(from start: Int) -> Int? {
        var index = max(searched, start + 1)
        while index < buffer.count {
            if buffer[index] == 10 {
                let previous = buffer[index - 1]
                if previous == 10 || (previous == 13 && index - start >= 2 && buffer[index - 2] == 10) { return index + 1 }
            }
            index += 1
        }
        return nil
    }

    private static func contentLength(_ header: ArraySlice<UInt8>) -> Int? {
        var found: Int?
        for line in header.split(separator: 10) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2 else { continue }
            guard String(decoding: parts[0], as: UTF8.self).lowercased() == "content-length" else { continue }
            let digits = String(decoding: parts[1].filter { $0 != 32 && $0 != 13 && $0 != 9 }, as: UTF8.self)
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits), found == nil || found == value else { return nil }
            found = value
        }
        return found
    }
}
