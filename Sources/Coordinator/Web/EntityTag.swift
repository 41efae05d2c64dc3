/// Entity tags as images are served with them (RFC 9110 §8.8.3, §13.1). Pure.
enum EntityTag {
    static func text(sha256: String) -> String { "\"\(sha256)\"" }

    /// Whether an `If-None-Match` header names the tag: then the client has the body already.
    /// - Parameter isStrong: as `If-Match` is compared: a tag that is said to be weak names nothing.
    static func matches(_ header: String?, _ tag: String, isStrong: Bool = false) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { candidate in
            var text = candidate.drop { $0 == " " || $0 == "\t" }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            if text == "*" { return true }
            // Weak comparison: the prefix does not matter.
            if text.hasPrefix("W/"), !isStrong { text = text.dropFirst(2) }
            return text == tag
        }
    }

    /// Whether a write is meant for what is there.
    /// - Parameter there: the tag of what the write would replace; nil: nothing is there.
    static func allowsWrite(ifMatch: String?, ifNoneMatch: String?, there: String?) -> Bool {
        if let ifMatch, there.map({ !matches(ifMatch, $0, isStrong: true) }) ?? true { return false }
        return there.map { !matches(ifNoneMatch, $0) } ?? true
    }
}
