import CCrypto

/// AES with 256-bit keys, by OpenSSL, to decrypt bodies from others.
package enum Cipher: String, Sendable, CaseIterable {
    /// A nonce of 12 bytes, the text, a tag of 16 bytes.
    case gcm = "aes-256-gcm"
    /// An initialization vector of 16 bytes, then the text, padded as in PKCS #7.
    case cbc = "aes-256-cbc"

    package static let keyLength = 32
    private static let tagLength = 16

    /// - Parameter piece: the most bytes for one OpenSSL call, which counts them in 32 bits.
    /// - Returns: nil if the bytes were not encrypted with this key.
    package func decrypt(_ bytes: [UInt8], key: [UInt8], piece: Int = 1 << 30) -> [UInt8]? {
        let (start, tail) = self == .gcm ? (12, Self.tagLength) : (16, 0)
        guard key.count == Self.keyLength, bytes.count >= start + tail, let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        let vector = Array(bytes[..<start])
        guard EVP_DecryptInit_ex(context, self == .gcm ? EVP_aes_256_gcm() : EVP_aes_256_cbc(), nil, key, vector) == 1 else { return nil }
        if self == .gcm {
            var tag = Array(bytes.suffix(Self.tagLength))
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else { return nil }
        }
        let text = bytes[start..<(bytes.count - tail)]
        var plain = [UInt8](repeating: 0, count: text.count + 16)
        var written = 0
        let isFine = text.withUnsafeBufferPointer { input in
            plain.withUnsafeMutableBufferPointer { output in
                var count: Int32 = 0
                for start in stride(from: 0, to: input.count, by: piece) {
                    let length = Int32(min(piece, input.count - start))
                    let target = output.baseAddress.map { $0 + written }
                    guard EVP_DecryptUpdate(context, target, &count, input.baseAddress.map { $0 + start }, length) == 1 else { return false }
                    written += Int(count)
                }
                guard EVP_DecryptFinal_ex(context, output.baseAddress.map { $0 + written }, &count) == 1 else { return false }
                written += Int(count)
                return true
            }
        }
        guard isFine else { return nil }
        plain.removeSubrange(written...)
        return plain
    }
}
