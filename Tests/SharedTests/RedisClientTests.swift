import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@Suite(.tags(.realTimes), .timeLimit(.minutes(1)), .serialized, .scoped) struct RedisClientTests {
    private let logger = Logger(label: "test", level: .error)

    @Loop private func client(_ server: RedisServer, scripts: [LuaScript] = []) async throws -> RedisClient {
        let client = RedisClient(try RedisEndpoint(server.url), name: "test", logger: logger, scripts: scripts)
        client.start()
        TestScope.atEnd { await client.stop() }
        try await client.untilConnected(within: .seconds(10))
        return client
    }

    @Test @Loop func `thousands of pipelined commands get their own replies`() async throws {
        let server = try await RedisServer()
        let redis = try await client(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5000 {
                group.addTask { try await echo(number, redis) }
            }
            try await group.waitForAll()
        }
    }

    @Loop private func echo(_ number: Int, _ redis: RedisClient) async throws {
        let reply = try await redis.command(["ECHO", .int(Int64(number))])
        #expect(reply.int == Int64(number))
    }

    @Test @Loop func `a forgotten script is loaded again`() async throws {
        let server = try await RedisServer()
        let script = LuaScript(name: "add", source: "return ARGV[1] + KEYS[1]")
        let redis = try await client(server, scripts: [script])
        #expect(try await redis.run(script, keys: ["40"], [2]).int == 42)
        try await server.command("SCRIPT", "FLUSH")
        #expect(try await redis.run(script, keys: ["1"], [2]).int == 3)
    }

    @Test @Loop func `errors are typed`() async throws {
        let server = try await RedisServer()
        let redis = try await client(server)
        _ = try await redis.command(["SET", "text", "x"])
        await #expect(throws: RedisError.reply("ERR value is not an integer or out of range")) { try await redis.command(["INCR", "text"]) }
        _ = try await redis.command(["CONFIG", "SET", "maxmemory", "1"])
        await #expect(throws: RedisError.outOfMemory) { try await redis.command(["SET", "more", "x"]) }
    }

    @Test @Loop func `a killed and restarted server is found again, and waiting commands fail with a typed error`() async throws {
        let server = try await RedisServer()
        let redis = try await client(server)
        await server.kill9()
        do {
            _ = try await redis.command(["PING"])
            Issue.record("a dead server answered")
        } catch {
            #expect(error.isRetryable)
        }
        try await server.restart()
        try await redis.untilConnected(within: .seconds(20))
        #expect(try await redis.command(["PING"]) == .status("PONG"))
    }

    @Test @Loop func `a frozen server costs a time-out and a new connection`() async throws {
        let server = try await RedisServer()
        let redis = try await client(server)
        server.freeze()
        await #expect(throws: RedisError.timedOut) { try await redis.command(["PING"], timeout: .milliseconds(300)) }
        server.thaw()
        try await redis.untilConnected(within: .seconds(20))
        #expect(try await redis.command(["PING"]) == .status("PONG"))
    }

    @Test @Loop func `an answer has the timeout of the URL`() async throws {
        let server = try await RedisServer()
        let redis = RedisClient(try RedisEndpoint("unix://\(server.socketPath)?timeout=200ms"), name: "test", logger: logger)
        redis.start()
        TestScope.atEnd { await redis.stop() }
        try await redis.untilConnected(within: .seconds(20))
        server.freeze()
        await #expect(throws: RedisError.timedOut) { try await redis.command(["PING"]) }
        server.thaw()
    }

    @Test @Loop func `a blocking call that never returns is given up`() async throws {
        let server = try await RedisServer()
        let redis = try await client(server)
        async let answers = redis.block(["BZPOPMIN", "none", "1"], for: .milliseconds(200), then: [["PING"]])
        server.freeze()
        #expect(await answers == [.failure(.timedOut), .failure(.timedOut)])
        server.thaw()
    }

    /// If each were searched among all the others, the test would take many minutes.
    @Test(.holdsLoop("the test subscribes in one turn")) @Loop func `a hundred thousand subscriptions of a client that leaves end one by one`() async throws {
        let subscriber = RedisSubscriber(try RedisEndpoint("unix:///nowhere"), name: "listener", logger: logger)
        let subscriptions = (0..<100_000).map { subscriber.subscribe("r\($0)") { _, _ in } }
        for subscription in subscriptions {
            try Task.checkCancellation()
            subscriber.unsubscribe(subscription)
        }
    }

    @Test @Loop func `a sharded channel that is left and joined at once keeps its connection`() async throws {
        let server = try await RedisServer()
        let log = try LoggedLines()
        let subscriber = RedisSubscriber(try RedisEndpoint(server.url), name: "ear", logger: log.logger)
        TestScope.atEnd { await subscriber.stop() }
        subscriber.start()
        let confirmed = LoopCounter()
        var subscription = subscriber.subscribe("news", .sharded, confirmed: { confirmed.note() }) { _, _ in }
        try await confirmed.reaches(1)
        for number in 2...4 {
            subscriber.unsubscribe(subscription)
            subscription = subscriber.subscribe("news", .sharded, confirmed: { confirmed.note() }) { _, _ in }
            try await confirmed.reaches(number)
        }
        #expect(log.holding("lost the subscriber connection").isEmpty, "\(log.all)")
    }

    @Test @Loop func `a subscriber gets messages, and subscribes again after a restart`() async throws {
        let server = try await RedisServer()
        let subscriber = RedisSubscriber(try RedisEndpoint(server.url), name: "listener", logger: logger)
        TestScope.atEnd { await subscriber.stop() }
        subscriber.start()
        var confirmations: [OneShot<Void>] = (0..<2).map { _ in OneShot() }
        var heard: [String] = []
        let first = OneShot<Void>()
        let second = OneShot<Void>()
        let both = confirmations
        subscriber.subscribe("news", confirmed: { if !confirmations.isEmpty { confirmations.removeFirst().complete(.success(())) } }) { _, payload in
            heard.append(String(decoding: payload, as: UTF8.self))
            _ = heard.count == 1 ? first.complete(.success(())) : second.complete(.success(()))
        }
        try await both[0].wait()
        try await server.command("PUBLISH", "news", "one")
        try await first.wait()
        await server.kill9()
        try await server.restart()
        try await both[1].wait()
        try await server.command("PUBLISH", "news", "two")
        try await second.wait()
        #expect(heard == ["one", "two"])
    }

    @Test(arguments: [
        ("redis://localhost", "localhost:6379", 0), ("redis://u:p%40ss@h:1/3", "h:1", 3), ("unix:///tmp/a.sock?db=2", "unix:/tmp/a.sock", 2),
        ("redis://[::1]:7", "[::1]:7", 0),
    ])
    func `URLs are read`(url: String, address: String, database: Int) throws {
        let endpoint = try RedisEndpoint(url)
        #expect("\(endpoint.address)" == address && endpoint.database == database)
        #expect(!endpoint.redacted.contains("p@ss"))
    }

    @Test(arguments: [
        ("redis://localhost", 5000), ("redis://u:p%3Fss@h:1/3?timeout=250ms", 250), ("redis://h?timeout=2", 2000),
        ("unix:///tmp/a.sock?db=2&timeout=1m", 60_000),
    ])
    func `a URL may set the timeout of answers`(url: String, milliseconds: Int) throws {
        #expect(try RedisEndpoint(url).timeout == .milliseconds(milliseconds))
    }

    @Test(arguments: ["http://x", "redis://", "redis://h/x", "unix://relative", "redis://h:port", "redis://h?timeout=soon", "unix:///a?timeout=2h"])
    func `a URL that names no Redis is refused`(url: String) { #expect(throws: RedisError.self) { try RedisEndpoint(url) } }
}
