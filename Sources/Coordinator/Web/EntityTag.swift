/// Entity tags as images are served with them (RFC 9110 §8.8.3, §13.1.2). Pure.
enum EntityTag {
    static func text(sha256: String) -> String { "\"\(sha256)\"" }

    /// Whether an `If-None-Match` header names the tag: then the client has the body already.
    static func matches(_ header: String?, _ tag: String) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { candidate in
            var text = candidate.drop { $0 == " " || $0 == "\t" }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            if text == "*" { return true }
            // Weak comparison: the prefix does not matter.
            if text.hasPrefix("W/") { text = text.dropFirst(2) }
            return text == tag
        }
    }
}
