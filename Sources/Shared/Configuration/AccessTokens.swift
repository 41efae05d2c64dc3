/// The tokens by which clients are let in: a file of one a line, several while they are being changed. Only their digests are held.
package struct AccessTokens: Sendable {
    private let digests: [[UInt8]]

    /// - Throws: what is wrong in which line, without the token.
    package init(text: String, path: String) throws(SettingMistake) {
        digests = try Self.lines(of: text, path: path).map { Self.digest($0) }
    }

    /// The tokens in the file at `path`; nil without one: everybody is let in.
    package static func read(_ path: String?) throws(SettingMistake) -> AccessTokens? {
        guard let path else { return nil }
        return try AccessTokens(text: ConfigurationFile.read(path), path: path)
    }

    /// What a client shows of the file at `path`: the first token in it.
    package static func first(in path: String) throws(SettingMistake) -> String {
        // Never empty.
        try lines(of: ConfigurationFile.read(path), path: path)[0]
    }

    /// At least one.
    private static func lines(of text: String, path: String) throws(SettingMistake) -> [String] {
        var tokens: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let token = line.trimmed
            guard !token.isEmpty, !token.hasPrefix("#") else { continue }
            guard isToken(token) else { throw SettingMistake("\(path):\(index + 1): expected a token of 8 to 4096 visible characters") }
            tokens.append(String(token))
        }
        guard !tokens.isEmpty else { throw SettingMistake("\(path): expected a token, one a line") }
        return tokens
    }

    /// What travels in a header.
    private static func isToken(_ text: Substring) -> Bool {
        (8...4096).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// What a session remembers of the token it has brought.
    package static func digest(_ token: String) -> [UInt8] { Array(Digest.sha256Hex(Array(token.utf8)).utf8) }

    /// Whether it is one of them. Takes as long for any: how far a guess is right does not show.
    package func admit(_ digest: [UInt8]) -> Bool {
        var matches = 0
        for known in digests {
            var difference = UInt8(known.count == digest.count ? 0 : 1)
            for (one, other) in zip(known, digest) { difference |= one ^ other }
            matches += difference == 0 ? 1 : 0
        }
        return matches > 0
    }
}
