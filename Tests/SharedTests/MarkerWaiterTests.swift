import TestSupport
import Testing
import TintypeCore
import TintypeTransport

/// Waits for markers that end by themselves or by others, on a real Redis.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct MarkerWaiterTests {
    private static let logger = Logger(label: "test", level: .error)

    @Loop private func reply(of waits: MarkerWaiter, _ redis: RedisNodes) async -> Result<RedisReply, RedisError>? {
        var reply: Result<RedisReply, RedisError>?
        await waits.pop(anyOf: [MarkerWaiter.Key("tintype:{a}:mark", of: RedisTag("a"))], within: .seconds(60), then: [], endedBy: redis) { reply = $0.reply }
        return reply
    }

    @Test @Loop func `the end of a wait that a paused server holds back does not abort the server`() async throws {
        let server = try await RedisServer()
        let endpoint = try RedisEndpoint(server.url)
        let redis = RedisNodes(endpoint, name: "test", logger: Self.logger)
        let waits = MarkerWaiter(endpoint) { RedisNodes($0, name: "test-wait", logger: Self.logger) }
        redis.start()
        waits.start()
        TestScope.atEnd {
            await waits.stop()
            await redis.stop()
        }
        try await redis.untilConnected(within: .seconds(10))
        try await waits.untilConnected(within: .seconds(10))
        try await server.command("CLIENT", "PAUSE", "60000", "WRITE")
        async let reply = reply(of: waits, redis)
        try await Gate.until("the server holds it back") { try await server.command("CLIENT", "LIST").contains("cmd=bzpopmin") }
        #expect(!(await waits.end(by: redis)))
        try await server.command("CLIENT", "UNPAUSE")
        // The first attempt may have ended the wait by now.
        try await Gate.until("the wait ends") {
            if await waits.end(by: redis) { return true }
            return try await !server.command("CLIENT", "LIST").contains("flags=b")
        }
        #expect(try await reply?.get().isNull == true)
        #expect(try await server.command("PING") == "PONG")
    }
}
