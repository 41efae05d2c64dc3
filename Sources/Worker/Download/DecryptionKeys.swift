package import TintypeCore
import TintypeImages
import TintypeTransport

/// The keys that decrypt sources, by the names that requests use. Holds keys: never logged.
///
///     name: aes-256-gcm KEY hosts=example.org,*.example.org
///     name: aes-256-cbc KEY legacy-cbc hosts=…
///
/// Each key names its hosts. A key without hosts would decrypt the bodies of any server, without anybody having said so.
package struct DecryptionKeys: Sendable {
    private struct Entry: Sendable {
        let cipher: Cipher
        let key: [UInt8]
        /// The hosts whose bodies the key decrypts. A pattern for any host includes files, but never bytes that a client brings itself.
        let hosts: [HostPattern]
    }

    private var entries: [String: Entry] = [:]
    /// The name of the encoding that needs no key.
    static let base64 = "base64"
    private static let legacy = "legacy-cbc"

    package init() {}

    /// Reads a file of lines `name: cipher hexadecimal-key [word…]`.
    /// - Throws: the mistake and its line, without the key.
    package init(text: String, path: String) throws(SettingError) {
        entries = try NamedLines.read(
            text, path: path, expected: "`name: cipher key`, each name once and none of them base64", reserved: [Self.base64], entry: Self.entry)
    }

    /// - Parameter words: cipher, key and options.
    private static func entry(_ words: ArraySlice<Substring>) throws(SettingError) -> Entry {
        guard words.count >= 2 else { throw SettingError("expected `name: cipher key`, each name once and none of them base64") }
        let (cipherWord, keyWord, rest) = (words[words.startIndex], words[words.startIndex + 1], words.dropFirst(2))
        guard let cipher = Cipher(rawValue: cipherWord.lowercased()) else {
            throw SettingError("expected one of \(Cipher.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let key = Digest.bytes(hex: keyWord), key.count == Cipher.keyLength else {
            throw SettingError("expected a key of \(Cipher.keyLength * 2) hexadecimal digits")
        }
        var hosts: [HostPattern]?
        var isLegacy = false
        for word in rest {
            if word == legacy, !isLegacy {
                isLegacy = true
            } else if word.hasPrefix("hosts="), hosts == nil {
                hosts = try NamedLines.hosts(word)
            } else {
                throw SettingError("expected \(legacy) or hosts=HOST,… behind the key, each once")
            }
        }
        guard cipher == .cbc || !isLegacy else { throw SettingError("\(legacy) is only for \(Cipher.cbc.rawValue)") }
        if cipher == .cbc, !isLegacy {
            throw SettingError(
                "\(Cipher.cbc.rawValue) does not detect altered bytes: encrypt again with \(Cipher.gcm.rawValue), or put \(legacy) "
                    + "behind the key for bodies that are already encrypted")
        }
        guard let named = hosts else { throw SettingError("expected hosts=HOST,… behind the key: the hosts it is for; hosts=* is any server and files") }
        return Entry(cipher: cipher, key: key, hosts: named)
    }

    /// Decrypts a body with the key of this name.
    /// - Parameters:
    ///   - bytes: the body.
    ///   - url: the URL that answered, after all redirects. Must not contain secrets.
    /// - Throws: `decryptFailed`; `forbidden` if the key is not for this host.
    func decrypt(_ bytes: [UInt8], _ name: String, from url: String) throws(TintypeError) -> [UInt8] {
        if name == Self.base64 {
            guard let plain = Base64.bytes(of: bytes) else { throw Self.failure("the body is not base64") }
            return plain
        }
        guard let entry = entries[name] else { throw Self.failure("this worker knows no key called \(name): see --decryption-keys") }
        // Bytes that a client brings are never decrypted: the client could try any ciphertext that it has seen or altered.
        let place = TransferURL(url)
        guard let place, !["data", "upload"].contains(place.scheme), entry.hosts.contains(where: { $0.matches(place.plainHost ?? "") }) else {
            throw TintypeError(.forbidden, .download, "the key called \(name) is not for this host; the operator names its hosts in --decryption-keys")
        }
        guard let plain = entry.cipher.decrypt(bytes, key: entry.key) else {
            throw Self.failure("the body was not encrypted by \(entry.cipher.rawValue) with the key called \(name), or is damaged")
        }
        return plain
    }

    private static func failure(_ reason: String) -> TintypeError { TintypeError(.decryptFailed, .download, reason) }
}
