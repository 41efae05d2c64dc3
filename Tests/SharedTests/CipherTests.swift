import Foundation
import TintypeCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CipherTests {
    private static let key = (0..<32).map { UInt8($0) }
    private static func bytes(_ hex: String) -> [UInt8] { stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16)! } }

    @Test func `text that OpenSSL has encrypted is decrypted`() async throws {
        let folder = try TemporaryFolder()
        let plain = Data("a picture of sorts".utf8)
        try plain.write(to: URL(fileURLWithPath: folder.path + "/plain"))
        let vector = String(repeating: "0a", count: 16)
        let child = try ChildProcess(
            "openssl",
            ["enc", "-aes-256-cbc", "-K", Digest.hex(Self.key), "-iv", vector, "-in", folder.path + "/plain", "-out", folder.path + "/secret"])
        #expect(await child.finished() == 0, "\(child.errors)")
        let secret = Self.bytes(vector) + [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/secret")))
        #expect(Cipher.cbc.decrypt(secret, key: Self.key) == [UInt8](plain))
        #expect(Cipher.cbc.decrypt(Array(secret.dropLast()), key: Self.key) == nil)
        #expect(Cipher.cbc.decrypt([], key: Self.key) == nil)
        // OpenSSL counts in 32 bits: a longer text is decrypted piece by piece.
        for piece in [1, 7, 16, 17, 100] { #expect(Cipher.cbc.decrypt(secret, key: Self.key, piece: piece) == [UInt8](plain)) }
    }

    /// NIST's GCM test cases 13 and 14 (AES-256).
    @Test(arguments: [
        ("", "530f8afbc74536b9a963b4f1c4cb738b", ""),
        ("cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919", "00000000000000000000000000000000"),
    ])
    func `the examples of the standard are decrypted, and changed ones are refused`(text: String, tag: String, plain: String) {
        let key = [UInt8](repeating: 0, count: 32)
        let secret = [UInt8](repeating: 0, count: 12) + Self.bytes(text + tag)
        #expect(Cipher.gcm.decrypt(secret, key: key) == Self.bytes(plain))
        for piece in [1, 5, 15, 16] { #expect(Cipher.gcm.decrypt(secret, key: key, piece: piece) == Self.bytes(plain)) }
        for index in secret.indices {
            var touched = secret
            touched[index] ^= 1
            #expect(Cipher.gcm.decrypt(touched, key: key) == nil)
        }
        #expect(Cipher.gcm.decrypt(secret, key: Self.key) == nil && Cipher.gcm.decrypt(Array(secret.prefix(20)), key: key) == nil)
    }
}
