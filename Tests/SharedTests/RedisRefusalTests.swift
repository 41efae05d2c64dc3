import Shared
import TestSupport
import Testing

/// A Redis that is there, and refuses: an operator reads why.
@Suite(.timeLimit(.minutes(1)), .serialized) struct RedisRefusalTests {
    @Test @Loop func `a subscription that is refused is told, and asked for until it is allowed`() async throws {
        let server = try await RedisServer()
        try await server.command("ACL", "SETUSER", "ear", "on", ">sesame", "~*", "+@all", "resetchannels")
        let log = try LoggedLines()
        let subscriber = RedisSubscriber(try RedisEndpoint(server.url + "?user=ear&password=sesame"), name: "ear", logger: log.logger)
        let confirmed = LoopCounter()
        subscriber.subscribe("news", confirmed: { confirmed.note() }) { _, _ in }
        subscriber.start()
        try await log.until("NOPERM")
        // Tried again and again, said once.
        try await Gate.until("it has tried again") { log.holding("lost the subscriber connection").count >= 3 }
        #expect(log.holding("Redis refuses a subscription").count == 1, "\(log.all)")
        try await server.command("ACL", "SETUSER", "ear", "&news")
        try await confirmed.reaches(1)
        subscriber.stop()
    }

    @Test @Loop func `each reason why there is no connection is told`() async throws {
        let server = try await RedisServer()
        await server.kill9()
        let log = try LoggedLines()
        let redis = RedisClient(try RedisEndpoint(server.url + "?user=nobody&password=guess"), name: "test", logger: log.logger)
        redis.start()
        try await log.until("cannot connect to Redis")
        try await server.restart()
        try await log.until("WRONGPASS")
        try await Gate.until("it has tried again") { redis.failure?.description.contains("WRONGPASS") == true }
        #expect(log.holding("WRONGPASS").count == 1 && log.holding("guess").isEmpty, "\(log.all)")
        try await server.command("ACL", "SETUSER", "nobody", "on", ">guess", "~*", "+@all")
        try await redis.untilConnected(within: .seconds(30))
        redis.stop()
    }

    @Test @Loop func `a password is not shown where Redis does not know AUTH and repeats it`() async throws {
        let server = try await RedisServer(options: ["--rename-command", "AUTH", ""])
        let log = try LoggedLines()
        let redis = RedisClient(try RedisEndpoint(server.url + "?user=somebody&password=sesame"), name: "test", logger: log.logger)
        redis.start()
        try await log.until("unknown command")
        #expect(log.holding("sesame").isEmpty && redis.failure?.description.contains("sesame") == false && log.holding("somebody").isEmpty, "\(log.all)")
        redis.stop()
    }

    @Test func `what is tried over and over is told once a minute, and when it is another thing`() {
        var trouble = RepeatedTrouble()
        let start = ContinuousClock.now
        func isNews(_ text: String, _ seconds: Double) -> Bool { trouble.isNews(text, at: start + .seconds(seconds)) }
        #expect(isNews("a", 0) && !isNews("a", 1) && isNews("b", 2) && !isNews("a", 3) && !isNews("a", 59.9))
        #expect(isNews("a", 60) && !isNews("b", 61) && isNews("b", 62))
        trouble.end()
        #expect(isNews("a", 63))
        // Texts that never come twice fill no log.
        #expect((0..<100).count { isNews("n\($0)", 64) } == 7)
        #expect(isNews("n99", 130))
    }
}
