import Foundation

/// One of this package's executables, started for real with ports that the kernel chooses.
package final class ServiceProcess: Sendable {
    package let process: ChildProcess
    /// The `name=value` words of the ready line: rpc, http, pid, worker…
    package let ready: [String: String]

    /// The folder in which SwiftPM put the executables: beside the test bundle.
    package static var productsFolder: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
    }

    /// Returns the full path of an executable of this package.
    package static func path(_ name: String) -> String {
        ProcessInfo.processInfo.environment["TINTYPE_PRODUCTS"].map { "\($0)/\(name)" } ?? "\(productsFolder)/\(name)"
    }

    /// Starts `name` and returns when it has printed its ready line.
    /// - Parameter descriptors: the limit of its open files, soft and hard; nil for the limits of this process.
    package init(_ name: String, _ arguments: [String], environment: [String: String] = [:], descriptors: (soft: Int, hard: Int)? = nil) async throws {
        var (program, given) = (ServiceProcess.path(name), arguments)
        if let descriptors {
            given = ["-c", "ulimit -Sn \(descriptors.soft); ulimit -Hn \(descriptors.hard); exec \"$0\" \"$@\"", program] + arguments
            program = "/bin/sh"
        }
        process = try ChildProcess(program, given, environment: environment)
        let line = try await process.line(beginning: "ready ")
        var words: [String: String] = [:]
        for word in line.split(separator: " ").dropFirst() {
            let pair = word.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { words[String(pair[0])] = String(pair[1]) }
        }
        ready = words
        TestScope.atEnd { [self] in
            await stop()
            TestScope.judgeTurns(of: self)
        }
    }

    /// Starts a coordinator on ports that the kernel chooses.
    package static func coordinator(redis: String, _ more: [String] = [], environment: [String: String] = [:]) async throws -> ServiceProcess {
        try await ServiceProcess(
            "tintype-coordinator", ["--redis", redis, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"] + TestTimes.added(to: more), environment: environment
        )
    }

    /// Starts a worker that may fetch from loopback, where the tests' origins are.
    package static func worker(redis: String, _ more: [String] = [], environment: [String: String] = [:]) async throws -> ServiceProcess {
        try await ServiceProcess(
            "tintype-worker", ["--redis", redis, "--allow-addresses", "127.0.0.0/8,::1/128"] + TestTimes.added(to: more), environment: environment)
    }

    /// Starts the scripted web server of the tests.
    package static func origin(_ arguments: [String] = []) async throws -> ServiceProcess {
        try await ServiceProcess("origin", arguments)
    }

    /// `http://127.0.0.1:port` of a service with an HTTP port.
    package var base: String { "http://\(ready["http"] ?? "127.0.0.1:0")" }
    /// The port for clients of JSON-RPC.
    package var rpcPort: UInt16 { UInt16(ready["rpc"]?.split(separator: ":").last ?? "") ?? 0 }
    package var httpPort: UInt16 { UInt16(ready["http"]?.split(separator: ":").last ?? "") ?? 0 }

    /// The processes that it has started, from any of its threads.
    package var children: [Int32] { ChildProcess.children(of: process.identifier) }

    /// Returns a value of its own metrics; 0 if they do not have it.
    /// - Parameter metric: name and labels, as the metrics write them.
    package func value(of metric: String) async throws -> Int {
        let text = String(decoding: try await HTTP.get(base + "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(metric + " ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// Freezes the process: its connections stay open, and no request is answered.
    package func freeze() { process.signal(SIGSTOP) }
    /// Continues a frozen process.
    package func thaw() { process.signal(SIGCONT) }

    package func kill9() async {
        process.signal(SIGKILL)
        await process.exit()
    }

    /// Sends SIGTERM and waits for the end.
    @discardableResult
    package func stop() async -> Int32 {
        process.signal(SIGTERM)
        return await process.exit()
    }
}
