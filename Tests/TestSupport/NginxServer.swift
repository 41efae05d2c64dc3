package import Foundation

/// A private nginx with a configuration from the test, with its files in a temporary folder.
package final class NginxServer: Sendable {
    package let folder: TemporaryFolder
    package let port: UInt16
    private let process: ChildProcess

    /// Starts the server and returns when it answers.
    /// - Parameters:
    ///   - server: the lines of its `server` block. `PORT` stands for its port, `FOLDER` for its folder.
    ///   - before: lines before the `server` block, with the same words.
    ///   - isTLS: whether to make an authority and a certificate for localhost in its folder (`TestAuthority`).
    ///   - stranger: a file with a certificate that it sends besides its own, and that is not part of its chain.
    ///   - files: contents by name, below `FOLDER/files`, which is the root.
    package init(_ server: String, before: String = "", isTLS: Bool = false, alsoShowing stranger: String? = nil, files: [String: Data] = [:]) async throws {
        folder = try TemporaryFolder("nginx")
        port = try FreePort.find()
        let path = folder.path
        try FileManager.default.createDirectory(atPath: path + "/files", withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: path + "/files/" + name)) }
        if isTLS { try await TestAuthority.make(in: path) }
        if let stranger {
            let chain = try ["\(path)/cert.pem", stranger].map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
            try chain.write(toFile: path + "/cert.pem", atomically: true, encoding: .utf8)
        }
        let place = "127.0.0.1:\(port)"
        let filled = { (text: String) in text.replacingOccurrences(of: "PORT", with: place).replacingOccurrences(of: "FOLDER", with: path) }
        let text = """
            daemon off; worker_processes 1; pid \(path)/pid; error_log stderr warn; \(geteuid() == 0 ? "user root;" : "")
            events { worker_connections 512; }
            http {
            access_log off; client_body_temp_path \(path)/t1; proxy_temp_path \(path)/t2; fastcgi_temp_path \(path)/t3;
            uwsgi_temp_path \(path)/t4; scgi_temp_path \(path)/t5;
            types { image/png png; application/json json; text/plain txt; }
            \(filled(before))
            server { root \(path)/files;
            \(filled(server))
            } }
            """
        try text.write(toFile: path + "/nginx.conf", atomically: true, encoding: .utf8)
        process = try ChildProcess("/usr/sbin/nginx", ["-c", path + "/nginx.conf", "-p", path])
        TestScope.ends(process)
        let limit = ContinuousClock.now + .seconds(20)
        let url = (isTLS ? "https" : "http") + "://127.0.0.1:\(port)/"
        while ContinuousClock.now < limit {
            if let status = process.exitStatus { throw TestFailure("nginx ended with \(status): \(process.errors)") }
            if (try? await HTTP.get(url, ["-k"])) != nil { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("nginx did not answer within 20 s")
    }

    /// Returns the `sha256//…` of a public key, as curl needs it.
    /// - Parameter file: the certificate, in this folder; the server's own by default.
    package func pin(of file: String = "cert.pem") async throws -> String {
        let command = "openssl x509 -in \(folder.path)/\(file) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64"
        let child = try ChildProcess("sh", ["-c", command])
        guard await child.finished() == 0 else { throw TestFailure("openssl: \(child.errors)") }
        return "sha256//" + child.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
