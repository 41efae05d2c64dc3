import Foundation
import Synchronization

/// A Redis with two replicas and three sentinels, all real processes on loopback: what a URL of `sentinel:` leads to.
///
/// The servers have the settings of `deploy/`: a primary without a replica in touch refuses writes. Sentinels give a silent primary up after a second.
package final class SentinelSite: Sendable {
    /// The name of the Redis at its sentinels.
    package static let name = "main"

    /// One sentinel.
    package final class Sentinel: Sendable {
        private let port: UInt16
        /// The port by which others know it.
        package let known: UInt16
        private let login: [String]
        private let folder: TemporaryFolder
        private let process: ChildProcess

        fileprivate init(of primary: UInt16, password: String?, redisPassword: String?, network: Network?, authority: TemporaryFolder?) throws {
            folder = try TemporaryFolder("sentinel")
            let port = try FreePort.find()
            self.port = port
            known = try network?.gate(to: port) ?? port
            let files = authority.map { ["--tls", "--cacert", $0.path + "/ca.pem", "--cert", $0.path + "/cert.pem", "--key", $0.path + "/key.pem"] } ?? []
            login = files + (password.map { ["--no-auth-warning", "-a", $0] } ?? [])
            let options = authority.map { TestAuthority.redisOptions($0.path, port: port) } ?? []
            let secure = stride(from: 0, to: options.count, by: 2).map { "\(options[$0].dropFirst(2)) \(options[$0 + 1])" }
            var lines =
                secure + [
                    "port \(authority == nil ? port : 0)", "bind 127.0.0.1", "dir \(folder.path)",
                    "sentinel monitor \(SentinelSite.name) 127.0.0.1 \(primary) 2",
                    "sentinel down-after-milliseconds \(SentinelSite.name) 1000", "sentinel failover-timeout \(SentinelSite.name) 5000",
                    "sentinel announce-ip 127.0.0.1", "sentinel announce-port \(known)",
                ]
            if let password { lines.append("requirepass \(password)") }
            if let redisPassword { lines.append("sentinel auth-pass \(SentinelSite.name) \(redisPassword)") }
            // A sentinel writes what it learns into its own file.
            let path = folder.path + "/sentinel.conf"
            try lines.joined(separator: "\n").appending("\n").write(toFile: path, atomically: true, encoding: .utf8)
            process = try ChildProcess("redis-server", [path, "--sentinel"])
        }

        /// Runs one command through redis-cli.
        package func command(_ words: String...) async throws -> String {
            let child = try ChildProcess("redis-cli", ["-p", "\(port)"] + login + words)
            guard await child.finished() == 0 else { throw TestFailure("redis-cli: \(child.errors)") }
            return child.output.trimmingCharacters(in: .newlines)
        }

        package var isUp: Bool { process.exitStatus == nil }

        /// The port of the primary as this sentinel knows it; nil if it does not answer.
        package func primary() async -> UInt16? {
            let answer = try? await command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SentinelSite.name)
            return answer?.split(separator: "\n").last.flatMap { UInt16($0) }
        }

        package func kill9() async {
            process.signal(SIGKILL)
            await process.exit()
        }

        package var member: Network.Member { Network.Member(process.identifier, gate: known) }
    }

    package let servers: [RedisServer]
    package let sentinels: [Sentinel]
    /// The network between all servers, sentinels and services, if the test asked for one.
    package let network: Network?
    /// The ports by which others know the servers.
    private let ports: [UInt16]
    private let isSecure: Bool
    private let place = Mutex(0)

    /// Returns when every sentinel knows the replicas and the other sentinels.
    /// - Parameters:
    ///   - password: the password of the servers.
    ///   - sentinelPassword: the password of the sentinels.
    ///   - network: whose gates are the only way to the servers and the sentinels.
    ///   - authority: the folder of an authority (`TestAuthority.make`). With it, everybody speaks TLS.
    package init(
        password: String? = nil, sentinelPassword: String? = nil, network: Network? = nil, authority: TemporaryFolder? = nil
    ) async throws {
        let own = try (0..<3).map { _ in try FreePort.find() }
        let ports = try own.map { try network?.gate(to: $0) ?? $0 }
        (self.ports, self.network, isSecure) = (ports, network, authority != nil)
        var servers: [RedisServer] = []
        for (listening, port) in zip(own, ports) {
            let secure = authority.map { TestAuthority.redisOptions($0.path, port: listening) }
            var options =
                (secure ?? []) + [
                    "--port", "\(secure == nil ? listening : 0)", "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0", "--min-replicas-to-write", "1",
                    "--min-replicas-max-lag", "2", "--replica-announce-ip", "127.0.0.1", "--replica-announce-port", "\(port)",
                ]
            if let password { options += ["--requirepass", password, "--masterauth", password] }
            if port != ports[0] { options += ["--replicaof", "127.0.0.1 \(ports[0])"] }
            servers.append(try await RedisServer(options: options, password: password, isCluster: false))
        }
        for replica in servers.dropFirst() {
            try await Gate.until("the replica is in step") { try await replica.command("INFO", "replication").contains("master_link_status:up") }
        }
        self.servers = servers
        let primary = ports[0]
        sentinels = try (0..<3).map { _ in
            try Sentinel(of: primary, password: sentinelPassword, redisPassword: password, network: network, authority: authority)
        }
        TestScope.atEnd { [sentinels] in for sentinel in sentinels { await sentinel.kill9() } }
        for sentinel in sentinels {
            try await Gate.until("the sentinel knows them all") {
                guard let fields = try? await sentinel.command("SENTINEL", "MASTER", Self.name).split(separator: "\n").map(String.init) else { return false }
                func count(_ name: String) -> String? { fields.firstIndex(of: name).map { fields[$0 + 1] } }
                return count("num-slaves") == "2" && count("num-other-sentinels") == "2"
            }
        }
    }

    /// The URL for `--redis`, with the login of neither.
    package var url: String { url(of: sentinels) }

    /// A URL that names only these sentinels.
    package func url(of sentinels: [Sentinel], login: String = "", options: String = TestTimes.option) -> String {
        "\(isSecure ? "sentinels" : "sentinel")://\(login)\(sentinels.map { "127.0.0.1:\($0.known)" }.joined(separator: ","))/\(Self.name)\(options)"
    }

    /// The primary as the test knows it: the first server, until `untilSwitched`.
    package var primary: RedisServer { servers[place.withLock { $0 }] }
    /// Its address, as metrics write it.
    package var address: String { "127.0.0.1:\(ports[place.withLock { $0 }])" }

    /// Tells a sentinel to switch to another primary.
    package func failOver() async throws {
        try await Gate.until("a sentinel begins a switch") {
            for sentinel in sentinels where sentinel.isUp {
                if try await sentinel.command("SENTINEL", "FAILOVER", Self.name) == "OK" { return true }
            }
            return false
        }
    }

    /// A server as a member of the network.
    package func member(_ server: RedisServer) -> Network.Member {
        Network.Member(server.processIdentifier, gate: servers.firstIndex { $0 === server }.map { ports[$0] } ?? 0)
    }

    /// Returns when all live sentinels, or these, name another primary than before.
    package func untilSwitched(by sentinels: [Sentinel]? = nil) async throws {
        let before = place.withLock { $0 }
        try await Gate.until("another server is the primary") {
            await self.lookAgain(at: sentinels)
            return self.place.withLock { $0 } != before
        }
    }

    /// Takes as the primary the server that all live sentinels, or these, name; if they differ, the primary stays the same.
    package func lookAgain(at asked: [Sentinel]? = nil) async {
        var named: Set<UInt16?> = []
        for sentinel in asked ?? sentinels where sentinel.isUp { named.insert(await sentinel.primary()) }
        guard named.count == 1, let port = named.first, let index = ports.firstIndex(where: { $0 == port }) else { return }
        place.withLock { $0 = index }
    }
}
