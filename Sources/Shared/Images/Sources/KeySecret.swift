package import TintypeCore

/// The secret of a fleet that makes keys of sources and results unpredictable. Without a secret, keys are plain digests.
package struct KeySecret: Sendable {
    private let secret: [UInt8]?

    /// Keys are plain digests of the request.
    package static let none = KeySecret(nil)

    private init(_ secret: [UInt8]?) { self.secret = secret }

    /// - Throws: `SettingError` for a secret of fewer than 32 or more than 4096 bytes, without white space at its ends.
    package init(text: String, path: String) throws(SettingError) {
        let words = String(text.trimmed)
        guard (32...4096).contains(words.utf8.count) else {
            throw SettingError("\(path): expected a secret of 32 to 4096 bytes, such as `openssl rand -hex 32` writes")
        }
        secret = Array(words.utf8)
    }

    /// Reads the secret in the file at `path`; `none` without a path.
    package static func read(_ path: String?) throws(SettingError) -> KeySecret {
        guard let path else { return .none }
        return try KeySecret(text: ConfigurationFile.read(path), path: path)
    }

    /// Returns the key for a digest of 40 hexadecimal digits: the digest itself, or as many digits of its HMAC-SHA-256.
    package func key(_ digest: String) -> String {
        guard let secret else { return digest }
        return String(Digest.hmacSHA256Hex(key: secret, Array(digest.utf8)).prefix(40))
    }
}
