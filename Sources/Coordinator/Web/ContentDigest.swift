import TintypeCore

/// The hash of its body that a client names in `Content-Digest` (RFC 9530 §2): `sha-256=:BASE64:`. Hashes by other algorithms are not checked. Pure.
enum ContentDigest {
    private static let form = "sha-256=:BASE64:, with the Base64 of 32 bytes"

    /// Returns the SHA-256 in hexadecimal; nil if the header names none.
    /// - Throws: `invalidParams` for a hash that cannot be read.
    static func sha256(_ header: String?) throws(TintypeError) -> String? {
        for member in (header ?? "").split(separator: ",") {
            let parts = member.split(separator: "=", maxSplits: 1).map(\.trimmed)
            guard parts.first?.lowercased() == "sha-256" else { continue }
            let text = parts.count == 2 ? parts[1] : ""
            guard text.utf8.count > 2, text.hasPrefix(":"), text.hasSuffix(":"), let bytes = Base64.bytes(of: Array(text.utf8.dropFirst().dropLast())),
                bytes.count == 32
            else { throw .invalidParams(path: "Content-Digest", value: .string(String(member)), expected: form) }
            return Digest.hex(bytes)
        }
        return nil
    }
}
