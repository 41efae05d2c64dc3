import Testing
import TestSupport
@Suite(.timeLimit(.minutes(1)), .scoped) struct RedisServerTests {
    @Test func `a killed server with an append-only file comes back with its data`() async throws {
        let redis = try await RedisServer(appendOnly: true)
        try await redis.command("SET", "a", "1")
        await redis.kill9()
        try await redis.restart()
        #expect(try await redis.command("GET", "a") == "1")
    }
}
