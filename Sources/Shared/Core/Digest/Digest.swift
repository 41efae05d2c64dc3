import CCrypto

/// SHA-256 by OpenSSL: for whole messages, or piece by piece while bytes arrive. For any thread, one at a time.
package struct Digest: ~Copyable {
    private let context: OpaquePointer
    /// Looked up once: OpenSSL 3 searches its providers for `EVP_sha256()` at every start. Never changed, so any thread may read it.
    private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

    package init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        self.context = context
        EVP_DigestInit_ex(context, Self.algorithm, nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    package consuming func finish() -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &result, nil)
        return result
    }

    /// The first hexadecimal digits of the SHA-256 of `bytes`: all 64, or an even number of them.
    package static func sha256Hex(_ bytes: some Collection<UInt8>, digits: Int = 64) -> String { hex(sha256(bytes).prefix(digits / 2)) }

    /// The first characters of the SHA-256 of `bytes` in Base64: a multiple of four, of six bits each.
    package static func sha256Base64(_ bytes: some Collection<UInt8>, characters: Int) -> String {
        Base64.text(of: Array(sha256(bytes).prefix(characters / 4 * 3)))
    }

    private static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digest = Digest()
        if bytes.withContiguousStorageIfAvailable({ digest.update(UnsafeRawBufferPointer($0)) }) == nil {
            Array(bytes).withUnsafeBytes { digest.update($0) }
        }
        return digest.finish()
    }

    /// Lower-case hexadecimal digits.
    package static func hex(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var count = 0
            for byte in bytes {
                text[count] = digit(byte >> 4)
                text[count + 1] = digit(byte & 15)
                count += 2
            }
            return count
        }
    }

    /// Returns the bytes of hexadecimal digits, two for each; nil for other text.
    package static func bytes(hex text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap { value(ofDigit: $0) }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The value of a hexadecimal digit.
    static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x57
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }

    /// Returns an unguessable identifier: random bytes of the kernel in hexadecimal digits.
    package static func randomHex(bytes count: Int = 16) -> String {
        var generator = SystemRandomNumberGenerator()
        // The generator asks the kernel for each number: eight bytes cost as much as one.
        let words = (0..<(count + 7) / 8).map { _ in generator.next() as UInt64 }
        return words.withUnsafeBytes { hex($0.prefix(count)) }
    }
}

extension Digest {
    /// Returns the 40 hexadecimal digits of SHA-1, by which Redis knows a script. Not for anything that must resist forgery.
    package static func sha1Hex(_ bytes: [UInt8]) -> String {
        var result = [UInt8](repeating: 0, count: 20)
        EVP_Digest(bytes, bytes.count, &result, nil, EVP_sha1(), nil)
        return hex(result)
    }
}

extension Digest {
    /// Returns the 64 hexadecimal digits of HMAC-SHA256.
    package static func hmacSHA256Hex(key: [UInt8], _ message: [UInt8]) -> String { hex(hmacSHA256(key: key, message)) }

    /// Returns the 32 bytes of HMAC-SHA256 (RFC 2104).
    package static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let key = key.count > 64 ? sha256(key) : key
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        return sha256(block.map { $0 ^ 0x5c } + sha256(block.map { $0 ^ 0x36 } + message))
    }

    /// Whether two digests are equal. The time depends on their lengths only, so that a guess shows nothing.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in one.indices { difference |= one[index] ^ other[index] }
        return difference == 0
    }
}
