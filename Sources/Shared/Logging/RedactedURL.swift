/// A URL as it may be shown: without user name, password, query values and fragment.
///
/// Every URL in a log line, an error or a list goes through this. It works on what people really send, malformed URLs
/// included, and when in doubt it shows less: an authority whose port is not a number is taken for `user:password` and
/// dropped up to the last `@`. Names of query parameters stay (they say which URL it was), values become `***`.
package struct RedactedURL: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// The longest text shown; the rest becomes `…`.
    private static let limit = 300

    package init(_ url: String) {
        description = Self.shortened(Self.redacted(url))
    }

    private static func redacted(_ url: String) -> String {
        guard let colon = url.firstIndex(of: ":") else { return redactedRest(url) }
        let scheme = url[..<colon]
        guard isScheme(scheme) else { return redactedRest(url) }
        if scheme.lowercased() == "data" {
            return "data:" + url[url.index(after: colon)...].prefix { $0 != "," && $0 != ";" }.prefix(60) + ",***"
        }
        let body = url[url.index(after: colon)...]
        let slashes = body.prefix { $0 == "/" || $0 == "\\" }
        return scheme + ":" + slashes + redactedRest(String(body[slashes.endIndex...]))
    }

    /// `user:password@host:port/path?query#fragment` and everything that resembles it.
    private static func redactedRest(_ rest: String) -> String {
        var rest = Substring(rest)
        let authority = rest.prefix { !"/\\?#".contains($0) }
        if let at = authority.lastIndex(of: "@") {
            rest = rest[rest.index(after: at)...]
        } else if !hasNumericPort(authority) {
            guard let at = rest.lastIndex(of: "@") else { return authority.prefix { $0 != ":" } + ":***" }
            rest = rest[rest.index(after: at)...]
        }
        rest = rest.prefix { $0 != "#" }
        guard let mark = rest.firstIndex(of: "?") else { return String(rest) }
        let pairs = rest[rest.index(after: mark)...].split(separator: "&").prefix(20).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return "***" }
            return String(pair[..<equals]) + "=***"
        }
        return String(rest[...mark]) + pairs.joined(separator: "&")
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    /// True for `host`, `host:80` and `[::1]:80`; false for what can only be `user:password`.
    private static func hasNumericPort(_ authority: Substring) -> Bool {
        let afterBrackets = authority.lastIndex(of: "]").map { authority[authority.index(after: $0)...] } ?? authority
        guard let colon = afterBrackets.lastIndex(of: ":") else { return true }
        return afterBrackets[afterBrackets.index(after: colon)...].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func shortened(_ text: String) -> String {
        text.utf8.count <= limit || text.count <= limit ? text : text.prefix(limit) + "…"
    }
}
