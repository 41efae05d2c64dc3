/// A URL as it may be shown: without user name, password, query values and fragment.
///
/// Every URL in a log line, an error or a list goes through this. It works on what people really send, malformed URLs
/// included, and when in doubt it shows less: an authority whose port is not a number is taken for `user:password` and
/// dropped up to the last `@`; so is one with two colons. `user:password@` in a segment of the path is a user name with a slash in it. Names of query parameters stay (they say which URL it was), values become `***`. It cuts at bytes, as those do who
/// connect: a letter that joins the one before it would hide a delimiter.
package struct RedactedURL: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The longest text shown, in Unicode scalars; the rest becomes `…`.
    private static let limit = 300

    package init(_ url: String) {
        description = Self.shortened(Self.redacted(url))
    }

    private static func redacted(_ url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(Substring(bytes[..<colon])) else { return redactedBody(bytes[...]) }
        let scheme = Substring(bytes[..<colon])
        let body = bytes[colon...].dropFirst()
        if scheme.lowercased() == "data" {
            let type = Substring(body.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") })
            return "data:" + String(String.UnicodeScalarView(type.unicodeScalars.prefix(60))) + ",***"
        }
        return scheme + ":" + redactedBody(body)
    }

    /// `//user:password@host…`, with any number of slashes: a reference relative to a scheme has an authority, too (RFC 3986 §4.2).
    private static func redactedBody(_ body: Substring.UTF8View) -> String {
        let slashes = body.prefix { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let rest = body[slashes.endIndex...]
        // Of a scheme without slashes nobody knows whether it is a user's name, and what behind it is the password.
        if slashes.isEmpty, !rest.prefix(while: isInAuthority).contains(UInt8(ascii: "@")), holds(rest, atSigns) { return "***" }
        return text(slashes) + redactedRest(rest)
    }

    /// `user:password@host:port/path?query#fragment` and everything that resembles it.
    private static func redactedRest(_ rest: Substring.UTF8View) -> String {
        var rest = rest
        let authority = rest.prefix(while: isInAuthority)
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            rest = rest[at...].dropFirst()
        } else if authority.contains(where: isInNoHost), rest.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "@") }) {
            // The true authority may stand behind it, and before it a name and a password.
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

    /// Without segments that resemble `user:password@host`, escaped or with wide letters. The first segment is the authority.
    private static func path(_ bytes: Substring.UTF8View) -> String {
        bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).enumerated().map { place, segment in
            guard place > 0, holds(segment, atSigns), holds(segment, colons) else { return text(segment) }
            return "***" + text(segment[(segment.lastIndex(of: UInt8(ascii: "@")) ?? segment.endIndex)...])
        }.joined(separator: "/")
    }

    private static func isInAuthority(_ byte: UInt8) -> Bool {
        ![UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte)
    }

    /// As they are written, escaped, and in wide letters.
    private static let atSigns = ["@", "%40", "\u{ff20}"]
    private static let colons = [":", "%3a", "%3A", "\u{ff1a}"]

    /// Byte by byte: a letter that joins the one before it hides none of them.
    private static func holds(_ bytes: Substring.UTF8View, _ spellings: [String]) -> Bool { spellings.contains { bytes.contains($0.utf8) } }

    private static func text(_ bytes: Substring.UTF8View) -> String { String(Substring(bytes)) }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    /// No host has a space or an escape, nor is it written with what is not ASCII.
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
