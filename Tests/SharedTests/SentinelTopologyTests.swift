import TintypeCore
import TestSupport
import Testing

@testable import TintypeTransport

/// Clients of a Redis with real replicas and sentinels. Their answers may take longer than a switch, so that only the switch ends a wait.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct SentinelTopologyTests {
    private static let logger = Logger(label: "test", level: .error)
    private static let patient = "?timeout=50s"

    @Loop private func topology(_ url: String) throws -> SentinelTopology {
        SentinelTopology(try SentinelURL(url), name: "test", logger: Self.logger)
    }

    @Loop private func client(_ topology: any RedisTopology, scripts: [LuaScript] = []) async throws -> RedisClient {
        let client = RedisClient(topology, name: "test", logger: Self.logger, scripts: scripts)
        TestScope.atEnd { await client.stop() }
        client.start()
        try await client.untilConnected(within: .seconds(30))
        return client
    }

    enum Fault: String, CaseIterable, Sendable { case planned, killed, frozen }

    @Loop private func cause(_ fault: Fault, _ site: SentinelSite) async throws {
        switch fault {
        case .planned: try await site.failOver()
        case .killed: await site.primary.kill9()
        case .frozen: site.primary.freeze()
        }
        try await site.untilSwitched()
    }

    @Test(arguments: Fault.allCases) @Loop
    func `a switch ends waits and subscriptions at the old primary at once, and opens them at the new one`(fault: Fault) async throws {
        let site = try await SentinelSite()
        let topology = try topology(site.url(of: site.sentinels, options: Self.patient))
        let (commands, blocked) = (try await client(topology), try await client(topology))
        let subscriber = RedisSubscriber(topology, name: "test-ear", logger: Self.logger)
        TestScope.atEnd { await subscriber.stop() }
        var confirmed = 0
        var heard: [String] = []
        subscriber.subscribe("tintype:{x}:news", confirmed: { confirmed += 1 }) { heard.append(String(decoding: $1, as: UTF8.self)) }
        subscriber.start()
        try await Gate.until("it listens") { confirmed == 1 }
        #expect(topology.primaryStatus == PrimaryStatus(primary: try SocketAddress(site.address), switches: 0, sentinels: 3))
        let wait = Task { @Loop in await blocked.block(["BZPOPMIN", "tintype:{x}:mark", "45"], for: .seconds(45)) }
        try await Gate.until("it waits") { blocked.pending == 1 }
        // The client's own times are much longer than this test takes.
        try await cause(fault, site)
        guard case .failure(let error)? = await wait.value.first else { return #expect(Bool(false), "the wait went on") }
        #expect(error.isRetryable, "\(error)")
        try await Gate.until("it listens at the new primary") { confirmed >= 2 }
        for client in [commands, blocked] {
            try await client.untilConnected(within: .seconds(30))
            #expect(RedisRole(try await client.command(["ROLE"])) == .primary)
        }
        // On a busy machine the new primary may be given up too, and a message to the old one is lost.
        try await Gate.until("a replica is in touch") {
            await site.lookAgain()
            guard (try? await commands.command(["SET", "tintype:{x}:k", "v"])) != nil else { return false }
            return (try? await site.primary.command("GET", "tintype:{x}:k")) == "v"
        }
        try await Gate.until("it hears the new primary") {
            _ = try? await commands.command(["PUBLISH", "tintype:{x}:news", "here"])
            return heard.last == "here"
        }
        await site.lookAgain()
        #expect(topology.primaryStatus.primary == (try SocketAddress(site.address)) && topology.primaryStatus.switches >= 1)
    }

    @Test @Loop func `a promoted replica has forgotten the scripts, and gets them on the first connection`() async throws {
        let site = try await SentinelSite()
        let scripts = [LuaScript(name: "one", source: "return 1"), LuaScript(name: "two", source: "return 2")]
        let known = ["SCRIPT", "EXISTS"] + scripts.map(\.sha1)
        let redis = try await client(try topology(site.url), scripts: scripts)
        #expect(try await site.primary.command(known) == "1\n1")
        for replica in site.servers.dropFirst() { #expect(try await replica.command(known) == "0\n0") }
        try await cause(.planned, site)
        try await Gate.until("the new primary has them") { try await site.primary.command(known) == "1\n1" }
        try await redis.untilConnected(within: .seconds(30))
        #expect(try await redis.run(scripts[1], keys: [], []).int == 2)
    }

    @Test @Loop func `further sentinels are learned, and a dead one is no failure while another one answers`() async throws {
        let site = try await SentinelSite()
        // Nobody listens at the first one.
        let nobody = try FreePort.find()
        let url = site.url(of: [site.sentinels[0]]).replacing("sentinel://", with: "sentinel://127.0.0.1:\(nobody),")
        let topology = try topology(url)
        let redis = try await client(topology)
        try await Gate.until("all three are watched") { topology.primaryStatus.sentinels == 3 }
        await site.sentinels[0].kill9()
        try await Gate.until("it is gone") { topology.primaryStatus.sentinels == 2 }
        try await cause(.killed, site)
        try await Gate.until("the client is at the new primary") { redis.isConnected && topology.primaryStatus.primary == (try? SocketAddress(site.address)) }
        #expect(RedisRole(try await redis.command(["ROLE"])) == .primary)
    }

    @Test @Loop func `servers and sentinels have passwords of their own`() async throws {
        let site = try await SentinelSite(password: "of-redis", sentinelPassword: "of-sentinels")
        let url = site.url(of: site.sentinels, login: ":of-redis@", options: "?timeout=5s&sentinelPassword=of-sentinels")
        let redis = try await client(try topology(url))
        try await cause(.planned, site)
        try await Gate.until("the client is at the new primary") {
            guard let role = try? await redis.command(["ROLE"]) else { return false }
            return RedisRole(role) == .primary && redis.topology.primaryStatus.switches >= 1
        }
        for (login, options) in [("", "?sentinelPassword=of-sentinels"), (":of-redis@", "?timeout=500ms")] {
            let log = try LoggedLines()
            let other = RedisClient(
                SentinelTopology(try SentinelURL(site.url(of: site.sentinels, login: login, options: options)), name: "test", logger: log.logger), name: "test",
                logger: log.logger)
            other.start()
            try await log.until("NOAUTH")
            #expect(!other.isConnected && log.all.allSatisfy { !$0.contains("of-redis") && !$0.contains("of-sentinels") })
            other.stop()
        }
    }

    @Test @Loop func `a name that no sentinel knows is reported, and so is the absence of all sentinels`() async throws {
        let site = try await SentinelSite()
        for (url, words) in [
            (site.url.replacing("/main", with: "/mian"), "no sentinel names a primary for mian"),
            ("sentinel://127.0.0.1:\(try FreePort.find())/main?timeout=200ms", "no sentinel of main can be reached"),
        ] {
            let client = RedisClient(try topology(url), name: "test", logger: Self.logger)
            client.start()
            try await Gate.until("it says so") { client.failure?.description.contains(words) == true }
            client.stop()
        }
    }
}
