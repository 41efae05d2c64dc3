import TintypeCore

/// The name of a file that a result is saved as, with tokens for what is known later: `{stem}-{width}.{extension}`. A pure value.
///
/// Its letters mean nothing to a file system or a bucket, and so do the words of tokens. No name leads out of its place. The limits of length hold for the
/// longest words of its tokens.
package struct SaveName: Sendable, Hashable {
    package enum Token: String, Sendable, CaseIterable, Hashable {
        case rendition, receipt, stem, host, sha256, `extension`, width, height

        /// The bytes it stands for at most.
        var mostBytes: Int {
            switch self {
            case .rendition, .sha256: 64
            case .receipt, .stem, .host: 100
            case .extension, .width, .height: 8
            }
        }
    }

    package let text: String
    /// Those that nothing stands for yet.
    package let tokens: Set<Token>

    static let mostBytes = 900
    private static let maxPart = 255
    private static let maxParts = 8

    /// - Returns: nil for what could be no name.
    package init?(_ text: String) {
        var (tokens, length): (Set<Token>, Int) = ([], text.utf8.count)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= Self.maxParts else { return nil }
        for part in parts {
            guard let found = Self.tokens(in: part), !part.isEmpty, part.first != "." else { return nil }
            let more = found.reduce(0) { $0 + $1.mostBytes - $1.rawValue.utf8.count - 2 }
            guard part.utf8.count + more <= Self.maxPart else { return nil }
            tokens.formUnion(found)
            length += more
        }
        guard length <= Self.mostBytes else { return nil }
        (self.text, self.tokens) = (text, tokens)
    }

    /// - Returns: nil for other letters than may be, and for tokens that are none.
    private static func tokens(in part: Substring) -> [Token]? {
        var (found, open): ([Token], String.Index?) = ([], nil)
        for index in part.utf8.indices {
            switch part.utf8[index] {
            case UInt8(ascii: "{") where open == nil: open = part.utf8.index(after: index)
            case UInt8(ascii: "}"):
                guard let start = open, let token = Token(rawValue: String(part[start..<index])) else { return nil }
                found.append(token)
                open = nil
            case let byte: guard byte.isPlain else { return nil }
            }
        }
        return open == nil ? found : nil
    }

    /// The name with what some of its tokens stand for.
    package func filled(_ words: [Token: String]) -> SaveName {
        var text = text
        for (token, word) in words where tokens.contains(token) { text = text.replacing("{\(token.rawValue)}", with: Self.plain(word, token.mostBytes)) }
        // It was held to the longest that may come of it.
        return SaveName(text) ?? self
    }

    /// A word of letters that may be: an underscore for each other one, and for a dot at its beginning.
    private static func plain(_ word: String, _ most: Int) -> String {
        var plain = ""
        for scalar in word.unicodeScalars.prefix(most) {
            let stays = scalar.isASCII && UInt8(scalar.value).isPlain && !(plain.isEmpty && scalar == ".")
            plain.unicodeScalars.append(stays ? scalar : "_")
        }
        return plain.isEmpty ? "_" : plain
    }

    /// Returns the name of a URL's file without its ending.
    static func stem(of url: String) -> String {
        let whole = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let text = String(Substring(whole))
        guard let scheme = text.firstRange(of: "://") else { return String(text.prefix { $0 != ":" }) }
        let path = text[scheme.upperBound...].drop { $0 != "/" }
        let name = path.split(separator: "/").last ?? ""
        let decoded = PercentText.bytes(of: name.utf8).flatMap { String(validating: $0, as: UTF8.self) } ?? String(name)
        let stem = decoded.lastIndex(of: ".").map { decoded[..<$0] } ?? decoded[...]
        return stem.isEmpty ? "image" : String(stem)
    }
}
