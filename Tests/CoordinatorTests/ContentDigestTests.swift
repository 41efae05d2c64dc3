import TintypeCore
import Testing

@testable import Coordinator

struct ContentDigestTests {
    /// The SHA-256 of "hello".
    private static let base64 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
    private static let hex = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test(arguments: [
        (nil, nil), ("", nil), ("sha-512=:AAAA:", nil), ("sha-256=:\(base64):", hex), ("SHA-256=:\(base64):", hex),
        ("sha-512=:AAAA:, sha-256=:\(base64):", hex), ("  sha-256 = :\(base64):  ", hex),
    ])
    func `the SHA-256 is read among others`(header: String?, expected: String?) throws {
        #expect(try ContentDigest.sha256(header) == expected)
    }

    @Test(arguments: [
        "sha-256", "sha-256=", "sha-256=::", "sha-256=\(base64)", "sha-256=:\(base64)", "sha-256=:AAAA:", "sha-256=:é:", "sha-256=:", "sha-256=1",
    ])
    func `a hash that cannot be read is refused with the expected form`(header: String) {
        let error = #expect(throws: TintypeError.self) { try ContentDigest.sha256(header) }
        #expect(error?.name == .invalidParams && error?.message.contains("sha-256=:BASE64:") == true)
    }
}
