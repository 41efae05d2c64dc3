import Foundation

/// A certificate authority of a test's own.
package enum TestAuthority {
    /// Makes an authority, `ca.pem`, and a key and a certificate for localhost and 127.0.0.1, `key.pem` and `cert.pem`.
    package static func make(in path: String) async throws {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try await openssl(["req", "-x509", "-days", "2", "-subj", "/CN=Test Authority", "-keyout", path + "/ca.key", "-out", path + "/ca.pem"] + key)
        try await openssl(["req", "-subj", "/CN=localhost", "-keyout", path + "/key.pem", "-out", path + "/request.pem"] + key)
        try "subjectAltName=DNS:localhost,IP:127.0.0.1".write(toFile: path + "/names", atomically: true, encoding: .utf8)
        try await openssl([
            "x509", "-req", "-days", "2", "-in", path + "/request.pem", "-CA", path + "/ca.pem", "-CAkey", path + "/ca.key", "-CAcreateserial",
            "-extfile", path + "/names", "-out", path + "/cert.pem",
        ])
    }

    private static func openssl(_ arguments: [String]) async throws {
        let child = try ChildProcess("openssl", arguments)
        guard await child.finished() == 0 else { throw TestFailure("openssl: \(child.errors)") }
    }
}
