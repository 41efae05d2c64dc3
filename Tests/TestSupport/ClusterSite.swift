import Foundation

/// A Redis Cluster of several real servers on loopback: what a URL of `cluster:` leads to. A silent primary is given up after a second.
package final class ClusterSite: Sendable {
    /// The servers: first the primaries, each with a third of the slots, then their replicas, and last those without slots.
    package let servers: [RedisServer]
    package let ports: [UInt16]
    /// The ports for TLS, if the site has them.
    private let securePorts: [UInt16]

    /// Returns when all servers agree.
    /// - Parameters:
    ///   - authority: the folder of an authority (`TestAuthority.make`). With it, services and servers speak TLS to all servers.
    ///   - replicas: the number of replicas of each of the three primaries, 0 or 1.
    ///   - spare: the number of servers without slots. They belong to the cluster only after `admit`.
    package init(replicas: Int = 0, spare: Int = 0, authority: TemporaryFolder? = nil) async throws {
        let members = 3 * (1 + replicas)
        let ports = try (0..<members + spare).map { _ in try FreePort.find() }
        let securePorts = try authority == nil ? [] : ports.map { _ in try FreePort.find() }
        var servers: [RedisServer] = []
        for (index, port) in ports.enumerated() {
            let secure = authority.map { TestAuthority.redisOptions($0.path, port: securePorts[index]) + ["--tls-cluster", "yes"] } ?? []
            servers.append(
                try await RedisServer(
                    options: [
                        "--port", "\(port)", "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-port", "\(try FreePort.find())",
                        "--cluster-node-timeout", "1000", "--repl-diskless-sync-delay", "0",
                    ] + secure, isCluster: false))
        }
        (self.servers, self.ports, self.securePorts) = (servers, ports, securePorts)
        // `redis-cli --cluster create` expects the bus at another port.
        for (index, server) in servers.prefix(3).enumerated() {
            try await server.command("CLUSTER", "ADDSLOTSRANGE", "\(index * 16384 / 3)", "\((index + 1) * 16384 / 3 - 1)")
        }
        for (index, server) in servers.prefix(members).enumerated() { try await server.command("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)") }
        for index in 1..<members { try await admit(index) }
        for index in 3..<members {
            let primary = try await identifier(index - 3)
            try await Gate.until("the replica knows its primary") { (try? await servers[index].command("CLUSTER", "REPLICATE", primary)) == "OK" }
        }
        for server in servers.prefix(members) {
            try await Gate.until("the cluster serves") {
                let lines = try await server.command("CLUSTER", "NODES").split(separator: "\n")
                guard lines.count == members, !lines.contains(where: { $0.contains("handshake") }), lines.count(where: { $0.contains("slave") }) == members - 3
                else { return false }
                return try await server.command("CLUSTER", "INFO").contains("cluster_state:ok")
            }
        }
        for server in servers.prefix(members).dropFirst(3) {
            try await Gate.until("the replica is in step") { try await server.command("INFO", "replication").contains("master_link_status:up") }
        }
    }

    /// Makes a server a member of the cluster.
    package func admit(_ index: Int) async throws {
        let fields = try await servers[index].command("CLUSTER", "NODES").split(separator: " ")
        guard fields.count > 1, let bus = fields[1].split(separator: ",")[0].split(separator: "@").last else { throw TestFailure("no node of its own") }
        try await servers[0].command("CLUSTER", "MEET", "127.0.0.1", "\((securePorts.isEmpty ? ports : securePorts)[index])", String(bus))
        try await Gate.until("it knows the cluster") {
            try await self.servers[index].command("CLUSTER", "NODES").split(separator: "\n").count(where: { $0.contains("connected") }) > 1
        }
    }

    package func identifier(_ index: Int) async throws -> String { try await servers[index].command("CLUSTER", "MYID") }

    /// The URL for `--redis`; it names two servers only.
    package var url: String {
        let known = (securePorts.isEmpty ? ports : securePorts).prefix(2).map { "127.0.0.1:\($0)" }
        return "\(securePorts.isEmpty ? "cluster" : "clusters")://\(known.joined(separator: ","))\(TestTimes.option)"
    }

    /// The slot of a key.
    package func slot(of key: String) async throws -> Int { Int(try await servers[0].command("CLUSTER", "KEYSLOT", key)) ?? -1 }

    /// Returns the place of the server that has a slot, as a live server knows it.
    package func owner(of slot: Int) async throws -> Int {
        for server in servers where server.isUp {
            for line in try await server.command("CLUSTER", "NODES").split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields.count > 8, !fields[2].contains("fail") else { continue }
                for range in fields[8...] where !range.hasPrefix("[") {
                    let ends = range.split(separator: "-").compactMap { Int($0) }
                    guard let first = ends.first, let last = ends.last, (first...last).contains(slot) else { continue }
                    let port = fields[1].split(separator: "@")[0].split(separator: ":").last.flatMap { UInt16($0) }
                    if let index = ports.firstIndex(where: { $0 == port }) { return index }
                }
            }
        }
        throw TestFailure("no server has slot \(slot)")
    }

    /// Begins to move a slot: from now on its server refuses keys that it does not have.
    package func beginMove(of slot: Int, to target: Int) async throws {
        let source = try await owner(of: slot)
        let (from, into) = (try await identifier(source), try await identifier(target))
        try await Gate.until("the target serves") { try await self.servers[target].command("CLUSTER", "INFO").contains("cluster_state:ok") }
        try await Gate.until("the target knows the source") {
            (try? await self.servers[target].command("CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", from)) == "OK"
        }
        try await Gate.until("the source knows the target") {
            (try? await self.servers[source].command("CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", into)) == "OK"
        }
    }

    /// Moves the keys of a slot, and ends its move.
    package func endMove(of slot: Int, to target: Int) async throws {
        let source = try await owner(of: slot)
        let into = try await identifier(target)
        while true {
            let keys = try await servers[source].command("CLUSTER", "GETKEYSINSLOT", "\(slot)", "100").split(separator: "\n").map(String.init)
            if keys.isEmpty { break }
            let answer = try await servers[source].command(["MIGRATE", "127.0.0.1", "\(ports[target])", "", "0", "5000", "KEYS"] + keys)
            guard ["OK", "NOKEY"].contains(answer) else { throw TestFailure("MIGRATE: \(answer)") }
        }
        for index in [target, source] { try await servers[index].command("CLUSTER", "SETSLOT", "\(slot)", "NODE", into) }
    }

    /// Moves a slot with its keys.
    package func move(_ slot: Int, to target: Int) async throws {
        try await beginMove(of: slot, to: target)
        try await endMove(of: slot, to: target)
    }

    /// Moves the first slots of a server, as an operator does: with `redis-cli --cluster reshard`.
    package func reshard(_ count: Int, from source: Int, to target: Int) async throws {
        let child = try ChildProcess(
            "redis-cli",
            [
                "--cluster", "reshard", "127.0.0.1:\(ports[0])", "--cluster-from", try await identifier(source), "--cluster-to",
                try await identifier(target), "--cluster-slots", "\(count)", "--cluster-yes",
            ])
        guard await child.finished() == 0 else { throw TestFailure("redis-cli --cluster reshard: \(child.output.suffix(500)) \(child.errors)") }
    }
}
