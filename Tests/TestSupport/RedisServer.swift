import Foundation
import Synchronization

/// A private `redis-server` on a socket in its own temporary folder, and on a loopback port if requested.
///
/// A test can kill, freeze and restart it on the same socket.
///
/// As a cluster it is the only server of a Redis Cluster and has all slots. It redirects nobody, and refuses what no cluster can do: a command or script
/// with keys of two slots (CROSSSLOT), and SELECT. So it shows whether keys and channels fit a cluster, without a client that knows slots.
package final class RedisServer: Sendable {
    /// Whether servers are clusters where the test does not say: `TINTYPE_TEST_REDIS=cluster`.
    package static let isClusterByDefault = ProcessInfo.processInfo.environment["TINTYPE_TEST_REDIS"] == "cluster"

    private let isCluster: Bool
    package let folder: TemporaryFolder
    private let arguments: [String]
    let password: String?
    private let process: Mutex<ChildProcess?>
    private let isFrozen = Mutex(false)

    /// Starts the server and returns when it answers PING.
    /// - Parameters:
    ///   - appendOnly: keep an append-only file (`everysec`), so that a killed server comes back with its data.
    ///   - options: more arguments for redis-server, such as `["--maxmemory", "8mb"]`.
    ///   - password: the password that the options set, for `command`.
    ///   - isCluster: whether it is a cluster. Such a server takes two seconds to start.
    package init(
        appendOnly: Bool = false, options: [String] = [], password: String? = nil, isCluster: Bool = RedisServer.isClusterByDefault
    ) async throws {
        self.password = password
        self.isCluster = isCluster
        folder = try TemporaryFolder("redis")
        arguments =
            [
                "--port", "0", "--unixsocket", folder.path + "/redis.sock", "--dir", folder.path, "--save", "",
                "--appendonly", appendOnly ? "yes" : "no", "--appendfsync", appendOnly ? "always" : "everysec", "--loglevel", "warning",
                "--maxmemory-policy", "noeviction",
            ] + (isCluster ? ["--cluster-enabled", "yes", "--cluster-port", "\(try FreePort.find())", "--bind", "127.0.0.1"] : []) + options
        process = Mutex(nil)
        try await start()
        if isCluster { try await command("CLUSTER", "ADDSLOTSRANGE", "0", "16383") }
        try await untilServing()
        TestScope.atEnd { [self] in await kill9() }
    }

    package var socketPath: String { folder.path + "/redis.sock" }
    /// The URL for `--redis`.
    package var url: String { "unix://\(socketPath)\(TestTimes.option)" }
    package var processIdentifier: Int32 { process.withLock { $0?.identifier ?? -1 } }

    /// Starts the server again (after `kill9` or `stop`) and returns when it answers. With users, the answer may be that a password is required.
    package func restart() async throws {
        try await start()
        try await untilServing()
    }

    /// Waits until a cluster has all its slots; a server alone has none.
    private func untilServing() async throws {
        guard isCluster else { return }
        try await Gate.until("the cluster serves") { try await self.command("CLUSTER", "INFO").contains("cluster_state:ok") }
    }

    private func start() async throws {
        let child = try ChildProcess("redis-server", arguments)
        process.withLock { $0 = child }
        isFrozen.withLock { $0 = false }
        let clock = ContinuousClock()
        let limit = clock.now + .seconds(20)
        while clock.now < limit {
            if let status = child.exitStatus { throw TestFailure("redis-server ended with \(status): \(child.output)") }
            if let answer = try? await command("PING"), answer == "PONG" || answer.hasPrefix("NOAUTH") { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("redis-server did not answer within 20 s")
    }

    /// Kills the server, which cannot save anything, and returns when it is gone.
    package func kill9() async {
        let child = process.withLock { $0 }
        child?.signal(SIGKILL)
        await child?.exit()
    }

    /// Freezes the server: connections stay open, and no command is answered.
    package func freeze() {
        isFrozen.withLock { $0 = true }
        process.withLock { $0 }?.signal(SIGSTOP)
    }

    /// Continues a frozen server.
    package func thaw() {
        process.withLock { $0 }?.signal(SIGCONT)
        isFrozen.withLock { $0 = false }
    }

    /// Whether the server runs and would answer.
    package var isUp: Bool { !isFrozen.withLock { $0 } && process.withLock { $0 }.map { $0.exitStatus == nil } == true }

    deinit { process.withLock { $0 }?.signal(SIGKILL) }
}
