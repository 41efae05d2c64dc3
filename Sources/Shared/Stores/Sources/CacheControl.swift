/// The directives of the Cache-Control fields of a response (RFC 9111 §5.2). A pure value.
struct CacheControl: Sendable, Hashable {
    /// The values by name in lower case. The first of two with one name counts.
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

    /// Returns the seconds of a directive; 0 for an invalid number, so that a broken value is stale, not fresh. nil without the directive.
    func seconds(_ name: String) -> Double? {
        guard let text = directives[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        // A number that does not fit counts as the maximum of RFC 9111 §1.2.2.
        return min(Double(text) ?? Self.longest, Self.longest)
    }

    /// Returns the value of an Age field: the first one of a list (RFC 9111 §5.1); 0 for an invalid one.
    static func seconds(inAge field: String) -> Double {
        let first = trimmed(field.prefix { $0 != "," })
        guard !first.isEmpty, first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Double(first) ?? longest, longest)
    }

    private static let longest = 2_147_483_648.0

    /// Splits a field at its commas, except inside of quotes.
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
