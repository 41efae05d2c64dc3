package import Shared

/// How encrypted sources are read: by the names that requests call them. Holds keys: never logged.
package struct DecryptionKeys: Sendable {
    private struct Entry: Sendable {
        let cipher: Cipher
        let key: [UInt8]
    }

    private var entries: [String: Entry] = [:]
    /// Needs no key.
    static let base64 = "base64"

    package init() {}

    /// Reads a file of lines `name: cipher hexadecimal-key`.
    /// - Throws: what is wrong in which line, without the key.
    package init(text: String, path: String) throws(SettingMistake) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            let name = String(first.dropLast())
            guard words.count == 3, first.hasSuffix(":"), FetchOptions.isName(name), name != Self.base64, entries[name] == nil else {
                throw SettingMistake("\(path):\(index + 1): expected `name: cipher key`, each name once and none of them base64")
            }
            guard let cipher = Cipher(rawValue: words[1].lowercased()) else {
                throw SettingMistake("\(path):\(index + 1): expected one of \(Cipher.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            guard let key = Self.bytes(words[2]), key.count == Cipher.keyLength else {
                throw SettingMistake("\(path):\(index + 1): expected a key of \(Cipher.keyLength * 2) hexadecimal digits")
            }
            entries[name] = Entry(cipher: cipher, key: key)
        }
    }

    private static func bytes(_ hex: Substring) -> [UInt8]? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// What a body holds that was encrypted in the way called `name`.
    /// - Throws: `decryptFailed`.
    func decrypt(_ bytes: [UInt8], _ name: String) throws(TintypeError) -> [UInt8] {
        if name == Self.base64 {
            guard let plain = Base64.bytes(of: bytes) else { throw Self.failure("the body is not base64") }
            return plain
        }
        guard let entry = entries[name] else { throw Self.failure("this worker knows no key called \(name): see --decryption-keys") }
        guard let plain = entry.cipher.decrypt(bytes, key: entry.key) else {
            throw Self.failure("the body was not encrypted by \(entry.cipher.rawValue) with the key called \(name), or is damaged")
        }
        return plain
    }

    private static func failure(_ reason: String) -> TintypeError { TintypeError(.decryptFailed, .download, reason) }
}
