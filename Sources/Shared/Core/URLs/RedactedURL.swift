/// A URL that may be shown: without user name, password, query values and fragment.
///
/// Every URL in a log line, an error or a list goes through this. It accepts malformed URLs too, and in doubt it shows less:
///
/// - A text without a colon that begins with no slash is no URL, and may be a token in the wrong place. It becomes `***`.
/// - An authority whose port is not a number counts as `user:password` and is dropped up to the last `@`. The same holds for two colons.
/// - `user:password@` in a segment of the path counts as a user name with a slash in it.
/// - Names of query parameters stay, since they identify the URL; values become `***`.
///
/// The cuts are made at bytes, as a connecting program makes them: a combining letter would hide a delimiter.
package struct RedactedURL: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The longest text, in Unicode scalars; the remainder becomes `…`.
    private static let limit = 300
    /// The digits of an upload's id that are shown: enough to tell two apart in a log.
    private static let shownOfUpload = 8

    package init(_ url: String) {
        description = Self.shortened(Self.redacted(url))
    }

    private static func redacted(_ url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return bytes.isEmpty || isPath(bytes) ? redactedBody(bytes[...]) : "***" }
        guard isScheme(Substring(bytes[..<colon])) else { return redactedBody(bytes[...]) }
        let scheme = Substring(bytes[..<colon])
        let body = bytes[colon...].dropFirst()
        if scheme.lowercased() == "data" {
            let type = Substring(body.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") })
            return "data:" + String(String.UnicodeScalarView(type.unicodeScalars.prefix(60))) + ",***"
        }
        // The id of an upload is the right to use it.
        if scheme.lowercased() == "upload" { return "upload:" + text(body.prefix(Self.shownOfUpload)) + "***" }
        // A color has no fragment, and letters that hide nothing.
        if scheme.lowercased() == "color", body.allSatisfy({ $0.isLetter || $0.isDigit || "#,".utf8.contains($0) }) { return url }
        return scheme + ":" + redactedBody(body)
    }

    /// Redacts `//user:password@host…`, with any number of slashes: a reference relative to a scheme has an authority too (RFC 3986 §4.2).
    private static func redactedBody(_ body: Substring.UTF8View) -> String {
        let slashes = body.prefix { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let rest = body[slashes.endIndex...]
        // A scheme without slashes may be a user name, with the password after it.
        if slashes.isEmpty, !rest.prefix(while: isInAuthority).contains(UInt8(ascii: "@")), holds(rest, atSigns) { return "***" }
        return text(slashes) + redactedRest(rest)
    }

    /// Redacts `user:password@host:port/path?query#fragment` and everything similar.
    private static func redactedRest(_ rest: Substring.UTF8View) -> String {
        var rest = rest
        let authority = rest.prefix(while: isInAuthority)
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            rest = rest[at...].dropFirst()
        } else if authority.contains(where: isInNoHost), rest.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "@") }) {
            // The true authority may come later, with a name and a password before it.
            return "***"
        } else if !hasNumericPort(authority) {
            guard let at = rest.lastIndex(of: UInt8(ascii: "@")) else { return text(authority.prefix { $0 != UInt8(ascii: ":") }) + ":***" }
            rest = rest[at...].dropFirst()
        }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = rest.firstIndex(of: UInt8(ascii: "?")) else { return path(rest) }
        let pairs = rest[mark...].dropFirst().split(separator: UInt8(ascii: "&")).prefix(20).map { pair -> String in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return "***" }
            return text(pair[..<equals]) + "=***"
        }
        return path(rest[...mark]) + pairs.joined(separator: "&")
    }

    /// Returns the path without segments that resemble `user:password@host`, escaped or with wide letters. The first segment is the authority.
    private static func path(_ bytes: Substring.UTF8View) -> String {
        bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).enumerated().map { place, segment in
            guard place > 0, holds(segment, atSigns), holds(segment, colons) else { return text(segment) }
            return "***" + text(segment[(segment.lastIndex(of: UInt8(ascii: "@")) ?? segment.endIndex)...])
        }.joined(separator: "/")
    }

    private static func isInAuthority(_ byte: UInt8) -> Bool {
        ![UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte)
    }

    /// The at sign as written, escaped, and in wide letters.
    private static let atSigns = ["@", "%40", "\u{ff20}"]
    private static let colons = [":", "%3a", "%3A", "\u{ff1a}"]

    /// Searches byte by byte: a combining letter hides none of them.
    private static func holds(_ bytes: Substring.UTF8View, _ spellings: [String]) -> Bool { spellings.contains { bytes.contains($0.utf8) } }

    private static func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)) }

    private static func isScheme(_ text: Substring) -> Bool {
        text.utf8.first?.isLetter == true && text.utf8.allSatisfy(WebAddress.isOfScheme)
    }

    private static func isPath(_ bytes: String.UTF8View) -> Bool { bytes.first == UInt8(ascii: "/") || bytes.first == UInt8(ascii: "\\") }

    /// Whether a byte occurs in no host: a space, an escape, or anything outside ASCII.
    private static func isInNoHost(_ byte: UInt8) -> Bool { byte <= 0x20 || byte >= 0x7f || byte == UInt8(ascii: "%") }

    /// True for `host`, `host:80` and `[::1]:80`; false for what can only be `user:password`.
    private static func hasNumericPort(_ authority: Substring.UTF8View) -> Bool {
        let afterBrackets = authority.lastIndex(of: UInt8(ascii: "]")).map { authority[$0...].dropFirst() } ?? authority
        guard let colon = afterBrackets.firstIndex(of: UInt8(ascii: ":")) else { return true }
        return colon > authority.startIndex && afterBrackets[colon...].dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= limit || text.unicodeScalars.count <= limit
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) + "…"
    }
}
