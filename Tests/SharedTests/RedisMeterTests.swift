import TintypeCore
import TintypeTransport
import TestSupport
import Testing

/// The metrics of connections to Redis.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RedisMeterTests {
    private static let logger = Logger(label: "test", level: .error)

    /// Returns the number of commands with this end.
    private func count(_ metrics: Metrics, _ command: String, _ outcome: String) -> Int {
        let name = "tintype_redis_command_seconds_count{command=\"\(command)\",outcome=\"\(outcome)\"} "
        let line = metrics.text().split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }

    @Test @Loop func `commands and scripts are counted by their names, apart if the server refuses them or gives no answer`() async throws {
        let server = try await RedisServer()
        let metrics = Metrics()
        let redis = RedisClient(try RedisEndpoint(server.url), name: "test", logger: Self.logger, meter: RedisMeter(metrics))
        redis.start()
        TestScope.atEnd { await redis.stop() }
        try await redis.untilConnected(within: .seconds(10))
        let script = LuaScript(name: "add", source: "return ARGV[1] + 1")
        _ = try await redis.command(["SET", "text", "x"])
        #expect(try await redis.run(script, keys: [], [1]).int == 2)
        #expect(try await redis.run(script, keys: [], [2]).int == 3)
        await #expect(throws: RedisError.self) { try await redis.command(["INCR", "text"]) }
        #expect(count(metrics, "SET", "ok") == 1 && count(metrics, "INCR", "refused") == 1 && count(metrics, "INCR", "ok") == 0)
        // The server does not know the script at first.
        #expect(count(metrics, "add", "ok") == 2 && count(metrics, "add", "refused") == 1 && count(metrics, "SCRIPT", "ok") == 1)
        server.freeze()
        await #expect(throws: RedisError.self) { try await redis.command(["GET", "text"], timeout: .milliseconds(50)) }
        server.thaw()
        #expect(count(metrics, "GET", "lost") == 1)
        // Without a connection nothing is sent, and nothing is counted.
        redis.stop()
        await #expect(throws: RedisError.self) { try await redis.command(["GET", "text"]) }
        #expect(count(metrics, "GET", "lost") == 1)
    }

    @Test @Loop func `commands behind a wait are counted, the wait itself is not`() async throws {
        let server = try await RedisServer()
        let (metrics, endpoint) = (Metrics(), try RedisEndpoint(server.url))
        let redis = RedisNodes(endpoint, name: "test", logger: Self.logger)
        let waits = MarkerWaiter(endpoint, meter: RedisMeter(metrics)) { RedisNodes($0, name: "test-wait", logger: Self.logger) }
        redis.start()
        waits.start()
        TestScope.atEnd {
            await waits.stop()
            await redis.stop()
        }
        try await redis.untilConnected(within: .seconds(10))
        try await waits.untilConnected(within: .seconds(10))
        let tag = RedisTag("a")
        let key = MarkerWaiter.Key("tintype:{a}:mark", of: tag)
        let others = [
            MarkerWaiter.Command(["SET", "tintype:{a}:x", "text"], named: "write", of: tag),
            MarkerWaiter.Command(["HGET", "tintype:{a}:x", "field"], named: "add", of: tag),
            MarkerWaiter.Command(["GET", "tintype:{a}:x"], named: "read", of: tag),
        ]
        func ends() -> [Int] {
            [count(metrics, "write", "ok"), count(metrics, "add", "refused"), count(metrics, "read", "ok"), count(metrics, "read", "lost")]
        }
        await waits.pop(anyOf: [key], within: .milliseconds(20), then: others, endedBy: redis) { _ in }
        #expect(ends() == [1, 1, 1, 0])
        #expect(!metrics.text().contains("BZPOPMIN"))
        // The server breaks the connection off before the wait is over.
        async let end: Void = waits.pop(anyOf: [key], within: .seconds(30), then: [others[2]], endedBy: redis) { _ in }
        try await Gate.until("it waits") { try await server.command("CLIENT", "LIST").contains("cmd=bzpopmin") }
        try await server.command("CLIENT", "KILL", "TYPE", "normal")
        await end
        #expect(ends() == [1, 1, 1, 1])
    }

    @Test @Loop func `breaks count for the kind of connection, from zero on, and the first connection is no break`() async throws {
        let server = try await RedisServer()
        let metrics = Metrics()
        let meter = RedisMeter(metrics)
        #expect(metrics.text().contains("tintype_redis_reconnects_total{connection=\"subscriber\"} 0\n"))
        let endpoint = try RedisEndpoint(server.url)
        let redis = RedisClient(endpoint, name: "test", logger: Self.logger, meter: meter)
        let ear = RedisSubscriber(endpoint, name: "test-ear", logger: Self.logger, meter: meter)
        redis.start()
        ear.start()
        TestScope.atEnd {
            await redis.stop()
            await ear.stop()
        }
        ear.subscribe("news") { _, _ in }
        try await Gate.until("both are connected") { redis.isConnected && ear.isConnected }
        #expect(metrics.value(.redisReconnects, labels: "commands") == 0 && metrics.value(.redisReconnects, labels: "subscriber") == 0)
        ear.reconnect("for the test")
        try await Gate.until("the subscriber is counted") { metrics.value(.redisReconnects, labels: "subscriber") == 1 }
        #expect(metrics.value(.redisReconnects, labels: "commands") == 0)
        try await server.command("CLIENT", "KILL", "TYPE", "normal")
        try await Gate.until("the other is counted") { metrics.value(.redisReconnects, labels: "commands") == 1 }
    }
}
