import TintypeCore

/// The client behind a request, as queues and logs know it. Never the token.
package struct ClientIdentity: Sendable, Hashable {
    /// 1 to 64 of A–Z a–z 0–9 . _ -; the same at every coordinator. Two tokens with one `name` are one client.
    package let key: String
    /// The `name` of the line of its token or certificate; nil where it has none.
    package let name: String?

    /// Every client of a coordinator without tokens.
    package static let anyone = ClientIdentity(key: "anyone", name: nil)

    /// - Parameters:
    ///   - name: what the operator calls the client.
    ///   - digest: the digest of the token (`AccessTokens.digest`).
    init(name: String?, digest: [UInt8]) {
        // The hash of a hash: the key is in Redis, and shows nothing that could be used to test guesses of a token.
        self = name.map { ClientIdentity.named($0) } ?? ClientIdentity(key: "t-" + Digest.sha256Hex(digest, digits: 16), name: nil)
    }

    private init(key: String, name: String?) { (self.key, self.name) = (key, name) }

    /// Returns the client of a name, whichever token or certificate it uses.
    package static func named(_ name: String) -> ClientIdentity { ClientIdentity(key: "n-\(name)", name: name) }

    /// Identifies the client where limits are shared. It is a digest, so that no list shows the client.
    package var sharer: String { Digest.sha256Hex("client \(key)".utf8, digits: 12) }

    /// For log lines.
    package var shown: String { name ?? key }
}
