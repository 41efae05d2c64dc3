/// A media type or a range of them: `image/png`, `image/*`, `*/*`. A pure value.
package struct MediaRange: Sendable, Hashable, CustomStringConvertible {
    /// The range in lower case, without parameters.
    package let description: String

    /// Reads a range; nil for any other text. Parameters, as in `text/html; charset=utf-8`, are dropped.
    package init?(_ text: String) {
        let essence = text.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        let halves = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, essence.utf8.count <= 128, halves[0] != "*" || halves[1] == "*",
            halves.allSatisfy({ $0 == "*" || !$0.isEmpty && $0.utf8.allSatisfy(Self.isToken) })
        else { return nil }
        description = essence
    }

    package func contains(_ contentType: String) -> Bool {
        guard description != "*/*" else { return true }
        guard let other = MediaRange(contentType) else { return false }
        return description.hasSuffix("/*") ? other.description.hasPrefix(description.dropLast()) : other == self
    }

    /// Returns whether a byte may be in a token (RFC 9110 §5.6.2), except the star, which has a meaning here.
    private static func isToken(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || "!#$%&'+-.^_`|~".utf8.contains(byte)
    }
}
