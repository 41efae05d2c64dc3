import Foundation

/// A private tinyproxy: an HTTP proxy that opens tunnels by CONNECT.
package final class TinyProxy: Sendable {
    package let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts the proxy and returns when it answers.
    /// - Parameter configuration: more lines of its configuration.
    package init(_ configuration: String = "") async throws {
        folder = try TemporaryFolder("tinyproxy")
        port = try FreePort.find()
        let text = "Port \(port)\nListen 127.0.0.1\nTimeout 60\nLogLevel Connect\n\(configuration)\n"
        try text.write(toFile: folder.path + "/conf", atomically: true, encoding: .utf8)
        process = try ChildProcess("tinyproxy", ["-d", "-c", folder.path + "/conf"])
        TestScope.ends(process)
        let limit = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < limit {
            if let status = process.exitStatus { throw TestFailure("tinyproxy ended with \(status): \(process.errors)\(process.output)") }
            if (try? await HTTP.get("http://127.0.0.1:\(port)/")) != nil { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("tinyproxy did not answer within 20 s")
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// Method and target of all requests so far, except those of its start.
    package var requests: [String] {
        process.output.split(separator: "\n").compactMap { line in
            guard line.contains("Request (file"), let start = line.range(of: "): ") else { return nil }
            let words = line[start.upperBound...].split(separator: " ").prefix(2).joined(separator: " ")
            return words == "GET /" ? nil : words
        }
    }
}
