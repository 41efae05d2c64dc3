import TintypeCore
import TintypeTransport
import TintypeQueue
import Testing

@Suite(.timeLimit(.minutes(1))) struct DigestTests {
    /// FIPS 180-4 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 matches the standard`(text: String, digest: String) {
        #expect(Digest.sha256Hex(Array(text.utf8)) == digest)
        #expect(Digest.sha256Hex(text.utf8.reversed().reversed()) == digest)
        #expect(Digest.sha256Hex(("x" + text).utf8.dropFirst()) == digest)
    }

    @Test func `A digest by pieces is the digest of the whole`() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        for size in [1, 7, 63, 64, 65, 1000] {
            var digest = Digest()
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { digest.update($0) }
            }
            digest.update(UnsafeRawBufferPointer(start: nil, count: 0))
            #expect(Digest.hex(digest.finish()) == Digest.sha256Hex(bytes))
        }
    }

    @Test func `SHA-1 names scripts as Redis does`() {
        #expect(Digest.sha1Hex(Array("return 1".utf8)) == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
    }

    /// RFC 4231, test cases 1 to 3, 6 and 7: keys shorter and longer than a block.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm."
                    .utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `HMAC-SHA256 matches the standard`(key: [UInt8], message: [UInt8], code: String) {
        #expect(Digest.hmacSHA256Hex(key: key, message) == code)
    }

    @Test func `Random text has its length and does not repeat`() {
        let texts = (0..<1000).map { _ in Digest.randomHex(bytes: 12) }
        #expect(Set(texts).count == 1000)
        #expect(texts.allSatisfy { $0.utf8.count == 24 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
    }
}
