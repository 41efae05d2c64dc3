import Foundation

/// A private haproxy with the configuration of `deploy/`, in front of two coordinators.
package final class HAProxy: Sendable {
    package let rpcPort: UInt16
    package let httpPort: UInt16
    private let process: ChildProcess

    package init(before one: ServiceProcess, and two: ServiceProcess) async throws {
        (rpcPort, httpPort) = (try FreePort.find(), try FreePort.find())
        var environment = ["TINTYPE_PROXY_HOST": "127.0.0.1", "TINTYPE_PROXY_RPC": "\(rpcPort)", "TINTYPE_PROXY_HTTP": "\(httpPort)"]
        for (number, coordinator) in [(1, one), (2, two)] {
            environment["TINTYPE_RPC_\(number)"] = "127.0.0.1:\(coordinator.rpcPort)"
            environment["TINTYPE_HTTP_\(number)"] = "127.0.0.1:\(coordinator.httpPort)"
            environment["TINTYPE_READY_\(number)"] = "\(coordinator.httpPort)"
        }
        process = try ChildProcess("haproxy", ["-db", "-f", "deploy/haproxy.cfg"], environment: environment)
        TestScope.ends(process)
        let (port, process) = (rpcPort, process)
        try await Gate.until("haproxy listens") {
            if let status = process.exitStatus { throw TestFailure("haproxy ended with \(status): \(process.errors)") }
            return (try? LoopbackSocket(port: port)) != nil
        }
    }
}
