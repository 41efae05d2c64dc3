package import TintypeCore

/// The tokens by which clients are let in: a file of one a line, several while they are being changed. Only their digests are held.
///
///     TOKEN [role=load|put|admin] [scope=SCOPE] [queue=NAME,…] [name=NAME]
package struct AccessTokens: Sendable {
    private struct Entry: Sendable {
        let digest: [UInt8]
        let grant: AccessGrant
    }

    private let entries: [Entry]

    /// - Throws: what is wrong in which line, without the token.
    package init(text: String, path: String) throws(SettingMistake) {
        var entries: [Entry] = []
        for line in try Self.lines(of: text, path: path) {
            let digest = Self.digest(line.token)
            guard !entries.contains(where: { $0.digest == digest }) else { throw SettingMistake("\(line.place): the token is in a line before it") }
            let grant: AccessGrant
            do throws(SettingMistake) {
                grant = try TokenOptions(line.options).grant(digest)
            } catch {
                throw SettingMistake("\(line.place): \(error.message)")
            }
            entries.append(Entry(digest: digest, grant: grant))
        }
        self.entries = entries
    }

    /// The tokens in the file at `path`; nil without one: everybody is let in.
    package static func read(_ path: String?) throws(SettingMistake) -> AccessTokens? {
        guard let path else { return nil }
        return try AccessTokens(text: ConfigurationFile.read(path), path: path)
    }

    /// What a client shows of the file at `path`: the first token in it.
    package static func first(in path: String) throws(SettingMistake) -> String {
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
    private static func lines(of text: String, path: String) throws(SettingMistake) -> [Line] {
        var lines: [Line] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let token = words.first, !token.hasPrefix("#") else { continue }
            guard isToken(token) else { throw SettingMistake("\(path):\(index + 1): expected a token of 8 to 4096 visible characters") }
            lines.append(Line(token: String(token), options: Array(words.dropFirst()), place: "\(path):\(index + 1)"))
        }
        guard !lines.isEmpty else { throw SettingMistake("\(path): expected a token, one a line") }
        return lines
    }

    /// What travels in a header.
    private static func isToken(_ text: Substring) -> Bool {
        (8...4096).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
    }

    /// What a session remembers of the token it has brought.
    package static func digest(_ token: String) -> [UInt8] { Array(Digest.sha256Hex(Array(token.utf8)).utf8) }

    /// What the token of this digest lets its bearer do; nil if it is none of them. Takes as long for any: how far a guess is right does not show.
    package func grant(_ digest: [UInt8]) -> AccessGrant? {
        var found: AccessGrant?
        for known in entries {
            var difference = UInt8(known.digest.count == digest.count ? 0 : 1)
            for (one, other) in zip(known.digest, digest) { difference |= one ^ other }
            found = difference == 0 ? known.grant : found
        }
        return found
    }
}
