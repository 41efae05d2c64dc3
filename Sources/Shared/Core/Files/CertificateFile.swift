/// Checks files of certificates and keys in PEM form: with an invalid file, every download that needs it would fail.
package enum CertificateFile {
    /// The most bytes to check. OpenSSL reads what follows the first certificate.
    private static let most = 1 << 20

    /// - Throws: if the file has no certificate.
    package static func check(_ path: String) throws(SettingError) {
        guard holdsCertificate(try lines(of: path)) else { throw SettingError("\(path) has no certificate in PEM form") }
    }

    /// - Throws: if the file has no private key, or only one with a passphrase.
    package static func checkKey(_ path: String) throws(SettingError) {
        let lines = try lines(of: path)
        guard lines.contains(where: { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("PRIVATE KEY-----") && !$0.contains("ENCRYPTED") }),
            !lines.contains(where: { $0.hasPrefix("Proc-Type:") && $0.contains("ENCRYPTED") })
        else { throw SettingError("\(path) has no private key in PEM form without a passphrase") }
    }

    private static func lines(of path: String) throws(SettingError) -> [Substring] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileCalls.read(path, upTo: most).bytes
        } catch {
            throw SettingError("cannot read \(path): \(error.words)")
        }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0).trimmed }
    }

    /// Whether a block with a name that OpenSSL accepts contains a whole DER sequence.
    private static func holdsCertificate(_ lines: [Substring]) -> Bool {
        let names = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        var block: (name: String, text: String)?
        for line in lines {
            if let name = names.first(where: { line == "-----BEGIN \($0)-----" }) {
                block = (String(name), "")
            } else if let whole = block, line == "-----END \(whole.name)-----" {
                if let bytes = Base64.bytes(of: Array(whole.text.utf8)), isSequence(bytes) { return true }
                block = nil
            } else {
                block?.text += line
            }
        }
        return false
    }

    /// Whether bytes are a sequence. A certificate has some hundred bytes, so its length takes two bytes or more.
    private static func isSequence(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes[0] == 0x30, case let count = Int(bytes[1] & 0x7f), bytes[1] > 0x80, (1...3).contains(count) else { return false }
        return bytes[2..<2 + count].reduce(0) { $0 << 8 | Int($1) } + 2 + count <= bytes.count
    }
}
