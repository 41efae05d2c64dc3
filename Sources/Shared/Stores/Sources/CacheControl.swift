/// The directives of the Cache-Control fields of a response (RFC 9111 §5.2). A pure value.
struct CacheControl: Sendable, Hashable {
    /// By name in lower case; the first of two of a name counts.
    private var directives: [String: String] = [:]

    init(_ fields: [String]) {
        for field in fields {
            for part in Self.parts(field) {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = Self.trimmed(pair[0]).lowercased()
                guard !name.isEmpty, directives[name] == nil else { continue }
                directives[name] = pair.count > 1 ? Self.unquoted(pair[1]) : ""
            }
        }
    }

    func has(_ name: String) -> Bool { directives[name] != nil }

    /// The seconds a directive gives; 0 for a number that is none, so that what is broken is stale, not fresh. nil without the directive.
    func seconds(_ name: String) -> Double? {
        guard let text = directives[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        // What does not fit is as long as RFC 9111 §1.2.2 says.
        return min(Double(text) ?? Self.longest, Self.longest)
    }

    /// The value of an Age field: of a list the first counts (RFC 9111 §5.1); 0 for what is none.
    static func seconds(inAge field: String) -> Double {
        let first = trimmed(field.prefix { $0 != "," })
        guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Double(first) ?? longest, longest)
    }

    private static let longest = 2_147_483_648.0

    /// A field at its commas, but for those within quotes.
    private static func parts(_ field: String) -> [Substring] {
        var isQuoted = false
        return field.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> String {
        let text = trimmed(text)
        return String(text.count >= 2 && text.first == "\"" && text.last == "\"" ? text.dropFirst().dropLast() : text)
    }
}
