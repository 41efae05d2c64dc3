/// The parts of a request's head on which accepting the body depends. Pure.
///
/// The head is read in addition to evhttp, which shows no request before it is complete. The answer is made from evhttp's reading. A client that makes
/// the two readings differ gets at most another allowance, one that the `BodyLimiter` gives to any client with such a head.
package struct HTTPHead: Sendable, Hashable {
    /// The method as it was sent; empty if there is none.
    package let method: String
    /// The path of the target as it was sent.
    package let path: String
    /// The value of the last `Authorization`.
    package let authorization: String?
    /// The announced length of the body, the largest one if there are several; 0 without a valid number; nil for a chunked body.
    package let length: Int?
    /// An ambiguity in the head, if there is one. Another program before this server may have understood the start of the next request, or the host,
    /// differently (RFC 9112 §11.2).
    package let flaw: String?

    /// - Parameter bytes: all lines, with or without the empty one at the end.
    init(_ bytes: some Collection<UInt8>) {
        let raw = bytes.split(separator: 10, omittingEmptySubsequences: true)
        // Byte by byte, as evhttp reads: for Swift a colon with an accent is another Character, and the Kelvin sign lowercases to k.
        flaw = HTTPHeadDefect.find(in: raw.map { line in String(decoding: line.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self) })
        let lines = raw.map { String(decoding: $0, as: UTF8.self).trimmed }
        let words = (lines.first ?? "").split(separator: " ")
        method = words.first.map(String.init) ?? ""
        path = words.dropFirst().first.map { Self.path(of: $0) } ?? ""
        var (authorization, length, isChunked): (String?, Int, Bool) = (nil, 0, false)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...]).trimmed
            switch line[..<colon].lowercased() {
            case "authorization": authorization = value
            // evhttp itself refuses a value that is no number.
            case "content-length": length = max(length, Int(value) ?? 0)
            case "transfer-encoding": isChunked = isChunked || value.lowercased() == "chunked"
            default: break
            }
        }
        self.authorization = authorization
        self.length = isChunked ? nil : length
    }

    /// Returns the path without query and, for an absolute URL (RFC 9112 §3.2.2), without scheme and host.
    private static func path(of target: Substring) -> String {
        let path = target.prefix { $0 != "?" }
        guard !path.hasPrefix("/"), let slashes = path.firstRange(of: "://") else { return String(path) }
        let place = path[slashes.upperBound...].drop { $0 != "/" }
        return place.isEmpty ? "/" : String(place)
    }

    /// Finds the end of a head in bytes that arrive in pieces, and keeps the head.
    struct Scanner {
        /// More than evhttp accepts.
        static let limit = 40 << 10
        /// evhttp counts lines without their ends. A head that it accepts is never longer than this.
        static let longest = 128 << 10
        private var bytes: [UInt8] = []
        private var isAtLineStart = true
        /// The number of bytes that have arrived.
        private(set) var count = 0

        /// Reads a piece.
        /// - Returns: how many of its bytes belong to the head, once the head is complete; nil before.
        mutating func take(_ piece: some Collection<UInt8>) -> Int? {
            var taken = 0
            for byte in piece {
                taken += 1
                count += 1
                if bytes.count < Self.limit { bytes.append(byte) }
                // For evhttp a line that begins with NUL is empty too.
                if byte == 10 || byte == 0, isAtLineStart { return taken }
                if byte != 13 { isAtLineStart = byte == 10 }
            }
            return nil
        }

        var head: HTTPHead { HTTPHead(bytes) }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
