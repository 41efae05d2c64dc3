import TestSupport
import Testing
import TintypeCore
import TintypeQueue

@testable import TintypeTransport

/// Waits for replicas, with real ones that are frozen, late or missing.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ReplicaWaitTests {
    private static let logger = Logger(label: "test", level: .error)
    private static let keys = QueueKeys("a")
    private static let long = Duration.seconds(50), short = Duration.milliseconds(200)

    @Loop private func waits(_ topology: any RedisTopology, replicas: Int = 1) -> ReplicaWaits {
        let waits = ReplicaWaits(topology, name: "test-durable", replicas: replicas, logger: Self.logger)
        TestScope.atEnd { await waits.stop() }
        return waits
    }

    /// Its answers may take longer than this test, so that only limits of callers end a wait.
    @Loop private func waits(_ server: RedisServer, replicas: Int = 1) throws -> ReplicaWaits {
        waits(try RedisEndpoint("unix://\(server.socketPath)?timeout=50s"), replicas: replicas)
    }

    private func receipt(_ id: String, _ keys: QueueKeys = keys) -> ReplicaWaits.Record { .receipt(id, of: keys) }

    /// Writes a receipt over a connection of its own.
    private func write(_ id: String, _ server: RedisServer, _ keys: QueueKeys = keys) async throws {
        try await server.command("HSET", keys.receipt(id), "state", "queued")
    }

    @Test @Loop func `a record that another connection wrote is kept once a replica has it, and not before`() async throws {
        let server = try await RedisServer(isCluster: false)
        let replica = try await server.replica()
        let waits = try waits(server)
        try await write("r1", server)
        #expect(await waits.wait(for: receipt("r1"), until: .now + Self.long) == .kept)
        #expect(try await replica.command("EXISTS", Self.keys.receipt("r1")) == "1")
        replica.freeze()
        try await write("r2", server)
        #expect(await waits.wait(for: receipt("r2"), until: .now + Self.short) == .unsure)
        replica.thaw()
        #expect(await waits.wait(for: receipt("r2"), until: .now + Self.long) == .kept)
        #expect(try await server.command("PTTL", Self.keys.durable).hasPrefix("-") == false, "what is written expires")
        #expect(try await server.command("CLIENT", "LIST").split(separator: "\n").count { $0.contains("name=test-durable") } == 1)
    }

    @Test @Loop func `as many replicas are waited for as asked`() async throws {
        let server = try await RedisServer(isCluster: false)
        _ = try await server.replica()
        try await write("r", server)
        #expect(await (try waits(server, replicas: 2)).wait(for: receipt("r"), until: .now + Self.short) == .unsure)
        #expect(await (try waits(server, replicas: 1)).wait(for: receipt("r"), until: .now + Self.long) == .kept)
        // The server says how many there are, before the time is over.
        let two = try waits(server, replicas: 2)
        let asked = Task { @Loop in await two.wait(for: receipt("r"), until: .now + Self.long) }
        try await Gate.until("it waits, and its wait is ended") {
            for line in try await server.command("CLIENT", "LIST").split(separator: "\n") where line.contains("cmd=wait") {
                guard let id = line.firstMatch(of: /id=([0-9]+)/)?.1 else { continue }
                if try await server.command("CLIENT", "UNBLOCK", String(id)) == "1" { return true }
            }
            return false
        }
        #expect(await asked.value == .unsure)
    }

    @Test @Loop func `callers share a wait, and those that come meanwhile share the next one`() async throws {
        let server = try await RedisServer(isCluster: false)
        let replica = try await server.replica()
        let waits = try waits(server)
        for id in ["first", "next"] { try await write(id, server) }
        replica.freeze()
        let first = Task { @Loop in await waits.wait(for: receipt("first"), until: .now + Self.long) }
        while waits.rounds == 0 { try await Loop.sleep(.milliseconds(5)) }
        let others = (0..<200).map { number in
            Task { @Loop in await waits.wait(for: receipt("next", number % 2 == 0 ? Self.keys : QueueKeys("b")), until: .now + Self.long) }
        }
        // A turn of the loop for each of them.
        for _ in 0..<400 { await Task.yield() }
        replica.thaw()
        #expect(await first.value == .kept)
        for (number, one) in others.enumerated() { #expect(await one.value == (number % 2 == 0 ? .kept : .lost)) }
        #expect(waits.rounds <= 3)
    }

    @Test @Loop func `no caller waits longer than its own limit, whoever else waits`() async throws {
        let server = try await RedisServer(isCluster: false)
        let replica = try await server.replica()
        let waits = try waits(server)
        try await write("r", server)
        replica.freeze()
        var isOver = false
        let patient = Task { @Loop in
            defer { isOver = true }
            return await waits.wait(for: receipt("r"), until: .now + Self.long)
        }
        while waits.rounds == 0 { try await Loop.sleep(.milliseconds(5)) }
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.short) == .unsure)
        #expect(await waits.wait(for: receipt("r"), until: .now - Self.short) == .unsure)
        #expect(!isOver)
        replica.thaw()
        #expect(await patient.value == .kept)
    }

    @Test @Loop func `a record that the server does not have is lost, whatever its replicas have`() async throws {
        let server = try await RedisServer(isCluster: false)
        let waits = try waits(server)
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.long) == .lost, "no replica has to say so")
        _ = try await server.replica()
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.long) == .lost)
        #expect(await waits.wait(for: .group("g"), until: .now + Self.long) == .lost)
        try await server.command("HSET", "tintype:{default}:g:g", "state", "running", "lastCalls", "one two")
        #expect(await waits.wait(for: .group("g"), until: .now + Self.long) == .kept)
        #expect(await waits.wait(for: .append("two", to: "g"), until: .now + Self.long) == .kept)
        #expect(await waits.wait(for: .append("on", to: "g"), until: .now + Self.long) == .lost)
    }

    enum Fault: CaseIterable { case alone, frozen, dead, refusing, forbidden }

    @Test(arguments: Fault.allCases) @Loop func `a wait that cannot succeed ends by its limit`(fault: Fault) async throws {
        let server = try await RedisServer(isCluster: false)
        let waits = try waits(server)
        try await write("r", server)
        if fault != .alone {
            _ = try await server.replica()
            #expect(await waits.wait(for: receipt("r"), until: .now + Self.long) == .kept)
        }
        switch fault {
        case .alone: break
        case .frozen: server.freeze()
        case .dead: await server.kill9()
        case .refusing: try await server.command("CONFIG", "SET", "min-replicas-to-write", "2")
        case .forbidden: try await server.command("ACL", "SETUSER", "default", "-wait")
        }
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.short) == .unsure)
        let reason = waits.failure.map { "\($0)" } ?? ""
        if fault == .refusing { #expect(reason.contains("NOREPLICAS"), "\(reason)") }
        if fault == .forbidden { #expect(reason.contains("NOPERM"), "\(reason)") }
        if fault == .frozen { server.thaw() }
    }

    @Test @Loop func `a stop ends waits at once, under way and later`() async throws {
        let server = try await RedisServer(isCluster: false)
        let waits = try waits(server)
        try await write("r", server)
        let one = Task { @Loop in await waits.wait(for: receipt("r"), until: .now + Self.long) }
        while waits.rounds == 0 { try await Loop.sleep(.milliseconds(5)) }
        let next = Task { @Loop in await waits.wait(for: receipt("r"), until: .now + Self.long) }
        for _ in 0..<10 { await Task.yield() }
        waits.stop()
        #expect(await one.value == .unsure)
        #expect(await next.value == .unsure)
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.long) == .unsure)
    }

    @Test @Loop func `in a cluster the replicas of the record's server count, and no others`() async throws {
        let site = try await ClusterSite(replicas: 1)
        let topology = RedisTopologies().topology(of: try RedisURL(site.url, tls: TLSClientFiles()), name: "test", logger: Self.logger)
        let waits = waits(topology)
        // Two queues with different servers.
        var queues: [Int: QueueKeys] = [:]
        for number in 0..<50 where queues.count < 2 {
            let keys = QueueKeys("q\(number)")
            queues[try await site.owner(of: site.slot(of: keys.durable))] = keys
        }
        let places = queues.keys.sorted()
        for (place, keys) in queues { try await write("r", site.servers[place], keys) }
        for (_, keys) in queues { #expect(await waits.wait(for: receipt("r", keys), until: .now + Self.long) == .kept) }
        site.servers[3 + places[0]].freeze()
        let (late, other) = (try #require(queues[places[0]]), try #require(queues[places[1]]))
        #expect(await waits.wait(for: receipt("r", late), until: .now + Self.short) == .unsure)
        #expect(await waits.wait(for: receipt("r", other), until: .now + Self.long) == .kept)
        site.servers[3 + places[0]].thaw()
        #expect(await waits.wait(for: receipt("r", late), until: .now + Self.long) == .kept)
    }

    @Test @Loop func `a wait goes to the server that has the slot now`() async throws {
        let site = try await ClusterSite(replicas: 1)
        let topology = RedisTopologies().topology(of: try RedisURL(site.url, tls: TLSClientFiles()), name: "test", logger: Self.logger)
        let waits = waits(topology)
        let slot = Self.keys.tag.slot
        let old = try await site.owner(of: slot)
        try await write("r", site.servers[old])
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.long) == .kept)
        let target = (old + 1) % 3
        try await site.move(slot, to: target)
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.long) == .kept)
        #expect(await waits.wait(for: receipt("other"), until: .now + Self.long) == .lost)
        await site.servers[target].kill9()
        try await Gate.until("its replica is promoted") { (try? await site.owner(of: slot)) == target + 3 }
        // It has the record, and no replica.
        #expect(await waits.wait(for: receipt("r"), until: .now + Self.short) == .unsure)
        #expect(await waits.wait(for: receipt("other"), until: .now + Self.long) == .lost)
    }
}
