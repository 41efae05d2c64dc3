package import TintypeCore

/// The tokens that authenticate clients, from a file with one token a line. Several tokens allow a change without a break. Only digests are kept.
///
///     TOKEN [role=load|put|admin] [scope=SCOPE] [queue=NAME,…] [name=NAME]
package struct AccessTokens: Sendable {
    private struct Entry: Sendable {
        let digest: [UInt8]
        let grant: AccessGrant
    }

    private let entries: [Entry]

    /// - Throws: the mistake and its line, without the token.
    package init(text: String, path: String) throws(SettingError) {
        var entries: [Entry] = []
        for line in try Self.lines(of: text, path: path) {
            let digest = Self.digest(line.token)
            guard !entries.contains(where: { $0.digest == digest }) else { throw SettingError("\(line.place): the token is in a line before it") }
            let grant: AccessGrant
            do throws(SettingError) {
                grant = try TokenOptions(line.options).grant(digest)
            } catch {
                throw SettingError("\(line.place): \(error.message)")
            }
            entries.append(Entry(digest: digest, grant: grant))
        }
        self.entries = entries
    }

    /// Reads the tokens in the file at `path`; nil without a path: every client is accepted.
    package static func read(_ path: String?) throws(SettingError) -> AccessTokens? {
        guard let path else { return nil }
        return try AccessTokens(text: ConfigurationFile.read(path), path: path)
    }

    /// Returns the token that a client uses: the first one in the file at `path`.
    package static func first(in path: String) throws(SettingError) -> String {
        // Never empty.
        try lines(of: ConfigurationFile.read(path), path: path)[0].token
    }

    private struct Line {
        let token: String
        let options: [Substring]
        /// `path:number`
        let place: String
    }

    /// At least one.
    private static func lines(of text: String, path: String) throws(SettingError) -> [Line] {
        var lines: [Line] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let token = words.first, !token.hasPrefix("#") else { continue }
            guard isToken(token) else { throw SettingError("\(path):\(index + 1): expected a token of 8 to 4096 visible characters") }
            lines.append(Line(token: String(token), options: Array(words.dropFirst()), place: "\(path):\(index + 1)"))
        }
        guard !lines.isEmpty else { throw SettingError("\(path): expected a token, one a line") }
        return lines
    }

    /// Whether a text can be sent in a header.
    private static func isToken(_ text: Substring) -> Bool {
        (8...4096).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// Returns the digest that a session keeps of its token.
    package static func digest(_ token: String) -> [UInt8] { Array(Digest.sha256Hex(Array(token.utf8)).utf8) }

    /// Returns the rights of the token with this digest; nil for an unknown token. Takes equally long for any digest, so that a guess shows nothing.
    package func grant(_ digest: [UInt8]) -> AccessGrant? {
        var found: AccessGrant?
        for known in entries { found = Digest.areEqual(known.digest, digest) ? known.grant : found }
        return found
    }
}
