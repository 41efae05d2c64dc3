import Foundation

/// A private haproxy with two ports.
package final class HAProxy: Sendable {
    package let rpcPort: UInt16
    package let httpPort: UInt16
    private let process: ChildProcess

    /// Starts the configuration of `deploy/`, in front of two coordinators.
    package convenience init(before one: ServiceProcess, and two: ServiceProcess) async throws {
        var environment: [String: String] = [:]
        for (number, coordinator) in [(1, one), (2, two)] {
            environment["TINTYPE_RPC_\(number)"] = "127.0.0.1:\(coordinator.rpcPort)"
            environment["TINTYPE_HTTP_\(number)"] = "127.0.0.1:\(coordinator.httpPort)"
            environment["TINTYPE_READY_\(number)"] = "\(coordinator.httpPort)"
        }
        try await self.init("deploy/haproxy.cfg", environment)
    }

    /// Starts a configuration of its own, and returns when it listens.
    /// - Parameters:
    ///   - file: its file. The environment has the ports as `TINTYPE_PROXY_RPC` and `TINTYPE_PROXY_HTTP`.
    ///   - environment: other variables for it.
    package init(_ file: String, _ environment: [String: String] = [:]) async throws {
        (rpcPort, httpPort) = (try FreePort.find(), try FreePort.find())
        let ports = ["TINTYPE_PROXY_HOST": "127.0.0.1", "TINTYPE_PROXY_RPC": "\(rpcPort)", "TINTYPE_PROXY_HTTP": "\(httpPort)"]
        process = try ChildProcess("haproxy", ["-db", "-f", file], environment: environment.merging(ports) { $1 })
        TestScope.ends(process)
        let (port, process) = (rpcPort, process)
        try await Gate.until("haproxy listens") {
            if let status = process.exitStatus { throw TestFailure("haproxy ended with \(status): \(process.errors)") }
            return (try? LoopbackSocket(port: port)) != nil
        }
    }
}
