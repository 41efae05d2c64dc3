package import Foundation

/// A private Apache httpd that requires digest authentication (RFC 7616) for its files. nginx does not support that.
package final class ApacheServer: Sendable {
    package let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts the server and returns when it answers.
    /// - Parameters:
    ///   - user: its only user, who has a password.
    ///   - files: contents by name.
    package init(user: String, password: String, files: [String: Data]) async throws {
        folder = try TemporaryFolder("apache")
        port = try FreePort.find()
        let path = folder.path
        try FileManager.default.createDirectory(atPath: path + "/files", withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: path + "/files/" + name)) }
        let hash = try ChildProcess("sh", ["-c", "printf %s '\(user):pictures:\(password)' | openssl dgst -md5 -r"])
        guard await hash.finished() == 0 else { throw TestFailure("openssl: \(hash.errors)") }
        try "\(user):pictures:\(hash.output.prefix(32))\n".write(toFile: path + "/users", atomically: true, encoding: .utf8)
        let modules = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_digest"]
            .map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n")
        let text = """
            \(modules)
            ServerName localhost
            Listen 127.0.0.1:\(port)
            DefaultRuntimeDir \(path)
            PidFile \(path)/pid
            ErrorLog /dev/stderr
            \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
            DocumentRoot \(path)/files
            <Directory \(path)/files>
            AuthType Digest
            AuthName pictures
            AuthDigestProvider file
            AuthUserFile \(path)/users
            Require valid-user
            </Directory>
            """
        try text.write(toFile: path + "/apache.conf", atomically: true, encoding: .utf8)
        // Its child processes do not run as root, and read files here too.
        chmod(path, 0o755)
        process = try ChildProcess("/usr/sbin/apache2", ["-f", path + "/apache.conf", "-DFOREGROUND"])
        TestScope.ends(process)
        let limit = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < limit {
            if let status = process.exitStatus { throw TestFailure("apache2 ended with \(status): \(process.errors)") }
            if (try? await HTTP.get(url("/"))) != nil { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("apache2 did not answer within 20 s: \(process.errors)")
    }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}
