package import TintypeCore

/// The tokens and certificates that authenticate clients, from a file with one entry a line. Several tokens allow a change without a break. Only digests
/// of tokens are kept.
///
///     TOKEN [role=load|put|admin] [scope=SCOPE] [queue=NAME,…] [name=NAME] [certificate=NAME,…] [perSecond=N] [burst=N] [running=N] [queued=N]
///           [uploads=SIZE]
///     certificate=NAME,… [the same]
package struct AccessTokens: Sendable {
    private struct Entry: Sendable {
        let digest: [UInt8]
        let grant: AccessGrant
        let sessionKey: [UInt8]
    }

    private var entries: [Entry] = []
    /// The key of each token for the sessions of browsers, which no other digest of the token shows.
    package var sessionKeys: [(token: [UInt8], key: [UInt8])] { entries.map { ($0.digest, $0.sessionKey) } }
    private var certificates: [String: AccessGrant] = [:]
    /// All names, with their limits. A name may have no limit.
    package private(set) var names: [String: NameLimits] = [:]

    /// - Throws: the mistake and its line, without the token.
    package init(text: String, path: String) throws(SettingError) {
        for line in try Self.lines(of: text, path: path) {
            do throws(SettingError) {
                try add(line)
            } catch {
                throw SettingError("\(line.place): \(error.message)")
            }
        }
    }

    private mutating func add(_ line: Line) throws(SettingError) {
        let options = try TokenOptions(line.options)
        let digest = Self.digest(line.token ?? "certificate \(options.certificates.first ?? "")")
        let grant = options.grant(digest)
        if let token = line.token {
            guard !entries.contains(where: { $0.digest == digest }) else { throw SettingError("the token is in a line before it") }
            entries.append(
                Entry(digest: digest, grant: grant, sessionKey: Digest.hmacSHA256(key: Array(token.utf8), Array("tintype session of a browser".utf8))))
        }
        for certificate in options.certificates {
            guard certificates.updateValue(grant, forKey: certificate) == nil else { throw SettingError("a certificate is in a line before it") }
        }
        guard let name = options.name else { return }
        let known = names[name] ?? .unlimited
        guard known == .unlimited || options.limits == .unlimited || known == options.limits else {
            throw SettingError("a line before it has other limits for the name \(name): write the limits of a name once")
        }
        names[name] = known == .unlimited ? options.limits : known
    }

    /// Reads the entries of the file at `path`; nil without a path: every client is accepted.
    package static func read(_ path: String?) throws(SettingError) -> AccessTokens? {
        guard let path else { return nil }
        return try AccessTokens(text: ConfigurationFile.read(path), path: path)
    }

    /// Returns the token that a client uses: the first one in the file at `path`.
    package static func first(in path: String) throws(SettingError) -> String {
        for line in try lines(of: ConfigurationFile.read(path), path: path) {
            if let token = line.token { return token }
        }
        throw SettingError("\(path): expected a token, one a line")
    }

    private struct Line {
        /// nil for a line that begins with `certificate=`.
        let token: String?
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
            let hasToken = !token.hasPrefix("certificate=")
            guard !hasToken || isToken(token) else { throw SettingError("\(path):\(index + 1): expected a token of 8 to 4096 visible characters") }
            lines.append(Line(token: hasToken ? String(token) : nil, options: Array(words.dropFirst(hasToken ? 1 : 0)), place: "\(path):\(index + 1)"))
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

    /// Returns the rights of a client; nil for an unknown one. A token decides alone: a certificate counts only for a client without a token.
    /// - Parameters:
    ///   - token: the digest of its token; nil without one.
    ///   - certificate: the names in its certificate; nil without one. The first name in the file decides.
    package func grant(token: [UInt8]?, certificate: CertificateNames?) -> AccessGrant? {
        if let token { return grant(token) }
        guard let certificate, !certificates.isEmpty else { return nil }
        return certificate.inOrder.lazy.compactMap { certificates[$0] }.first
    }

    /// Returns the rights of the token with this digest; nil for an unknown token. All entries are compared, each in constant time, so that a guess shows
    /// nothing.
    package func grant(_ digest: [UInt8]) -> AccessGrant? {
        var found = -1
        for index in entries.indices { found = Digest.areEqual(entries[index].digest, digest) ? index : found }
        return found < 0 ? nil : entries[found].grant
    }
}
