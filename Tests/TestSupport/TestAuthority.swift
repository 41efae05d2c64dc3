import Foundation

/// A certificate authority of a test's own.
package enum TestAuthority {
    /// Makes an authority, `ca.pem`, and a key and a certificate for localhost and 127.0.0.1, `key.pem` and `cert.pem`.
    package static func make(in path: String) async throws {
        try await openssl(["req", "-x509", "-days", "2", "-subj", "/CN=Test Authority", "-keyout", path + "/ca.key", "-out", path + "/ca.pem"] + key)
        try await issue("cert", key: "key.pem", names: "DNS:localhost,IP:127.0.0.1", in: path)
    }

    /// Makes a certificate of the authority in a folder, `NAME.pem`, and its key.
    /// - Parameters:
    ///   - key: the name of the key's file; `NAME.key` by default.
    ///   - names: the names of the certificate, as openssl writes them: `DNS:a,URI:spiffe://b`; nil for none.
    ///   - days: the days until the certificate expires. With a negative number it has expired already.
    package static func issue(_ name: String, key keyName: String? = nil, names: String?, days: Int = 2, in path: String) async throws {
        let (request, extensions) = ("\(path)/\(name).request", "\(path)/\(name).names")
        try await openssl(["req", "-subj", "/CN=\(name)", "-keyout", "\(path)/\(keyName ?? name + ".key")", "-out", request] + key)
        try (names.map { "subjectAltName=\($0)" } ?? "basicConstraints=CA:FALSE").write(toFile: extensions, atomically: true, encoding: .utf8)
        // As a tool that replaces certificates does: a server never reads half of one.
        let target = "\(path)/\(name).pem"
        try await openssl([
            "x509", "-req", "-days", "\(days)", "-in", request, "-CA", path + "/ca.pem", "-CAkey", path + "/ca.key", "-CAcreateserial",
            "-extfile", extensions, "-out", target + ".new",
        ])
        guard rename(target + ".new", target) == 0 else { throw TestFailure("rename: errno \(errno)") }
    }

    /// The options by which a Redis speaks TLS at a port, also to other servers, and asks for certificates. The folder is that of `make`.
    package static func redisOptions(_ path: String, port: UInt16) -> [String] {
        [
            "--tls-port", "\(port)", "--tls-cert-file", path + "/cert.pem", "--tls-key-file", path + "/key.pem", "--tls-ca-cert-file", path + "/ca.pem",
            "--tls-replication", "yes",
        ]
    }

    private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    private static func openssl(_ arguments: [String]) async throws {
        let child = try ChildProcess("openssl", arguments)
        guard await child.finished() == 0 else { throw TestFailure("openssl: \(child.errors)") }
    }
}
