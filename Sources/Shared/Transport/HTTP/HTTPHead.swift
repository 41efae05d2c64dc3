/// What a request says before its body, as far as taking the body in depends on it. Pure.
///
/// Read beside evhttp, which shows no request before it is whole. evhttp's own reading is the one that the answer is made from: whoever
/// makes this one read something else gets another allowance at most, and only what the `BodyDoor` gives anybody who says the same.
package struct HTTPHead: Sendable, Hashable {
    /// As it was sent; empty if there is none.
    package let method: String
    /// The path of the target, as it was sent.
    package let path: String
    /// The value of the last `Authorization`.
    package let authorization: String?
    /// The announced length of the body, the largest if there are several; 0 if it is said by nobody or no number; nil if it comes in chunks.
    package let length: Int?
    /// What in it may be read in two ways, if there is any: where the next request begins, or for which host it is, somebody before this server
    /// may have understood otherwise (RFC 9112, §11.2).
    package let flaw: String?

    /// - Parameter bytes: all lines, without or with the empty one at the end.
    init(_ bytes: some Collection<UInt8>) {
        let raw = bytes.split(separator: 10, omittingEmptySubsequences: true)
        // Byte by byte, as evhttp reads it: to Swift a colon with an accent is none, and the sign for kelvin is a k.
        flaw = HTTPHeadFlaw.find(in: raw.map { line in String(decoding: line.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self) })
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
            // evhttp itself refuses what is no number.
            case "content-length": length = max(length, Int(value) ?? 0)
            case "transfer-encoding": isChunked = isChunked || value.lowercased() == "chunked"
            default: break
            }
        }
        self.authorization = authorization
        self.length = isChunked ? nil : length
    }

    /// Without query and, of a whole address (RFC 9112, §3.2.2), without scheme and host.
    private static func path(of target: Substring) -> String {
        let path = target.prefix { $0 != "?" }
        guard !path.hasPrefix("/"), let slashes = path.firstRange(of: "://") else { return String(path) }
        let place = path[slashes.upperBound...].drop { $0 != "/" }
        return place.isEmpty ? "/" : String(place)
    }

    /// Finds the end of a head in bytes that come in pieces, and keeps the head.
    struct Scanner {
        /// More than evhttp takes.
        static let limit = 40 << 10
        /// evhttp counts lines without their ends: nothing that it takes for a head is longer than this, so it is none.
        static let longest = 128 << 10
        private var bytes: [UInt8] = []
        private var isAtLineStart = true
        /// How many bytes have come.
        private(set) var count = 0

        /// - Returns: how many of the bytes belong to the head, once it is complete; nil while it is not.
        mutating func take(_ piece: some Collection<UInt8>) -> Int? {
            var taken = 0
            for byte in piece {
                taken += 1
                count += 1
                if bytes.count < Self.limit { bytes.append(byte) }
                // To evhttp a line that begins with NUL is empty, too.
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
