import Foundation

/// A private stunnel: TLS by another program, in front of a server or of a client.
package final class StunnelProxy: Sendable {
    package let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Takes TLS with `cert.pem` and `key.pem` of a folder, and speaks without TLS to a port on loopback.
    package convenience init(before port: UInt16, certificates: String) async throws {
        try await self.init(to: port, "client = no\ncert = \(certificates)/cert.pem\nkey = \(certificates)/key.pem")
    }

    /// Takes bytes without TLS, and speaks TLS to a port on loopback, whose certificate has to be one for 127.0.0.1 from the folder's authority.
    /// - Parameter shown: the name of the certificate and the key that it shows; nil for none.
    package convenience init(toTLS port: UInt16, certificates: String, showing shown: String?) async throws {
        let trust = "client = yes\nCAfile = \(certificates)/ca.pem\nverifyChain = yes\ncheckIP = 127.0.0.1"
        let pair = shown.map { "\ncert = \(certificates)/\($0).pem\nkey = \(certificates)/\($0).key" } ?? ""
        try await self.init(to: port, trust + pair)
    }

    private init(to target: UInt16, _ service: String) async throws {
        folder = try TemporaryFolder("stunnel")
        port = try FreePort.find()
        let text = """
            foreground = yes
            pid =
            syslog = no
            [test]
            \(service)
            accept = 127.0.0.1:\(port)
            connect = 127.0.0.1:\(target)
            """
        try text.write(toFile: folder.path + "/conf", atomically: true, encoding: .utf8)
        process = try ChildProcess("stunnel4", [folder.path + "/conf"])
        TestScope.ends(process)
        let (port, process) = (port, process)
        try await Gate.until("stunnel listens") {
            if let status = process.exitStatus { throw TestFailure("stunnel ended with \(status): \(process.errors)") }
            return (try? LoopbackSocket(port: port)) != nil
        }
    }

    /// The log of the proxy.
    package var log: String { process.errors }
}
