import Foundation

/// A private varnish in front of one server, with VCL from the test.
package final class VarnishServer: Sendable {
    package let folder: TemporaryFolder
    package let port: UInt16
    private let process: ChildProcess

    /// Starts the server and returns when it answers.
    /// - Parameters:
    ///   - backend: the port of the server behind it, on loopback.
    ///   - rules: more VCL, after the backend.
    package init(before backend: UInt16, rules: String = "") async throws {
        folder = try TemporaryFolder("varnish")
        port = try FreePort.find()
        let text = """
            vcl 4.1;
            backend default { .host = "127.0.0.1"; .port = "\(backend)"; }
            \(rules)
            """
        try text.write(toFile: folder.path + "/test.vcl", atomically: true, encoding: .utf8)
        process = try ChildProcess(
            "/usr/sbin/varnishd",
            ["-F", "-a", "127.0.0.1:\(port)", "-f", folder.path + "/test.vcl", "-n", folder.path + "/state", "-s", "malloc,16m", "-j", "none", "-T", "none"])
        TestScope.ends(process)
        let limit = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < limit {
            if let status = process.exitStatus { throw TestFailure("varnishd ended with \(status): \(process.errors)") }
            if (try? await HTTP.get("http://127.0.0.1:\(port)/")) != nil { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("varnishd did not answer within 30 s: \(process.errors)")
    }
}
