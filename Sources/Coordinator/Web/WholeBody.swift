package import TintypeCore
package import TintypeTransport

/// Refuses two kinds of bodies that are not the bytes to keep: a part of them (RFC 9110 §14.5), and an encoded form of them. The latter would be
/// served, or decoded, without its encoding.
package enum WholeBody {
    /// Returns the refusal of a request; nil if its body is what it seems.
    /// - Parameters:
    ///   - whole: what is expected in place of a part.
    ///   - plain: what is expected in place of an encoded body.
    @Loop package static func refusal(_ exchange: HTTPExchange, _ whole: String, _ plain: String) -> WebAnswer? {
        if let range = exchange.header("Content-Range") {
            return .failure(400, .invalidParams(path: "Content-Range", value: .string(range), expected: whole))
        }
        if let encoding = exchange.list("Content-Encoding"), encoding.lowercased() != "identity" {
            return .failure(415, .invalidParams(path: "Content-Encoding", value: .string(encoding), expected: plain))
        }
        return nil
    }
}

/// The hash of its body that a client names in `Content-Digest` (RFC 9530 §2): `sha-256=:BASE64:`. Hashes by other algorithms are not checked. Pure.
package enum ContentDigest {
    private static let form = "sha-256=:BASE64:, with the Base64 of 32 bytes"

    /// Returns the SHA-256 in hexadecimal; nil if the header names none.
    /// - Throws: `invalidParams` for a hash that cannot be read.
    package static func sha256(_ header: String?) throws(TintypeError) -> String? {
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
