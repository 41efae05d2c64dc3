/// Entity tags of images (RFC 9110 §8.8.3, §13.1). Pure.
package enum EntityTag {
    package static func text(sha256: String) -> String { "\"\(sha256)\"" }

    /// Returns whether an `If-None-Match` header names the tag, which means that the client has the body already.
    /// - Parameter isStrong: Whether tags are compared as for `If-Match`, where a weak tag never matches.
    package static func matches(_ header: String?, _ tag: String, isStrong: Bool = false) -> Bool {
        guard let header else { return false }
        // Most clients name the one tag that they have.
        if header == tag { return true }
        return header.split(separator: ",").contains { candidate in
            var text = candidate.drop { $0 == " " || $0 == "\t" }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            if text == "*" { return true }
            // The prefix does not matter in a weak comparison.
            if text.hasPrefix("W/"), !isStrong { text = text.dropFirst(2) }
            return text == tag
        }
    }

    /// Returns whether a conditional write may replace the current image.
    /// - Parameter there: The tag of the current image; nil if there is none.
    static func allowsWrite(ifMatch: String?, ifNoneMatch: String?, there: String?) -> Bool {
        if let ifMatch, there.map({ !matches(ifMatch, $0, isStrong: true) }) ?? true { return false }
        return there.map { !matches(ifNoneMatch, $0) } ?? true
    }
}
