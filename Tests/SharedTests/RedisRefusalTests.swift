import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// A Redis that refuses commands: the operator reads the reason.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RedisRefusalTests {
    @Test @Loop func `a server whose user may not publish for scripts is not used, and the missing rule is named`() async throws {
        let server = try await RedisServer()
        try await server.command("ACL", "SETUSER", "mute", "on", ">sesame", "~*", "&*", "+@all", "-spublish")
        let redis = RedisClient(
            try RedisEndpoint("unix://\(server.socketPath)?user=mute&password=sesame"), name: "mute", logger: Logger(label: "test", level: .error),
            scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        while redis.failure.map({ !$0.description.contains("+spublish") }) ?? true { try await Loop.sleep(.milliseconds(5)) }
        try await server.command("ACL", "SETUSER", "mute", "+spublish")
        try await redis.untilConnected(within: .seconds(10))
    }

    @Test @Loop func `a refused channel is reported, retried until it is allowed, and does not affect others`() async throws {
        let server = try await RedisServer()
        try await server.command("ACL", "SETUSER", "ear", "on", ">sesame", "~*", "+@all", "resetchannels", "&news", "&tintype:{a}:ev:*")
        let log = try LoggedLines()
        let subscriber = RedisSubscriber(
            try RedisEndpoint("unix://\(server.socketPath)?user=ear&password=sesame"), name: "ear", logger: log.logger, patience: .zero)
        TestScope.atEnd { await subscriber.stop() }
        let (news, early, late, heard) = (LoopCounter(), LoopCounter(), LoopCounter(), LoopCounter())
        subscriber.subscribe("news", confirmed: { news.note() }) { _, _ in heard.note() }
        subscriber.subscribe("tintype:{a}:groups:secret", confirmed: { early.note() }) { _, _ in }
        subscriber.subscribe("tintype:{a}:ev:c1") { _, _ in }
        subscriber.start()
        try await log.until("NOPERM")
        try await news.reaches(1)
        subscriber.subscribe("tintype:{a}:groups:other", confirmed: { late.note() }) { _, _ in }
        // Repeated attempts give one log line, on one connection.
        try await Gate.until("it has tried again") { try await refusals(server) >= 6 }
        let lines = log.holding("Redis refuses a subscription")
        #expect(lines.count == 1 && lines[0].contains("&tintype:{a}:groups:*") && !lines[0].contains("secret"), "\(log.all)")
        #expect(log.holding("lost the subscriber connection").isEmpty && early.count == 0 && late.count == 0)
        try await server.command("PUBLISH", "news", "one")
        try await heard.reaches(1)
        try await server.command("ACL", "SETUSER", "ear", "&tintype:{a}:groups:*")
        try await early.reaches(1)
        try await late.reaches(1)
        #expect(news.count == 1 && log.holding("lost the subscriber connection").isEmpty)
    }

    /// How often Redis has refused a command of this user.
    private func refusals(_ server: RedisServer) async throws -> Int {
        let words = try await server.command("ACL", "LOG").split(separator: "\n").map(String.init)
        return words.indices.filter { words[$0] == "count" }.reduce(0) { $0 + (Int(words[$1 + 1]) ?? 0) }
    }

    @Test @Loop func `a user that may not subscribe reads the missing ACL rule`() async throws {
        let server = try await RedisServer()
        try await server.command("ACL", "SETUSER", "ear", "on", ">sesame", "~*", "&*", "+@all", "-subscribe")
        let log = try LoggedLines()
        let subscriber = RedisSubscriber(
            try RedisEndpoint("unix://\(server.socketPath)?user=ear&password=sesame"), name: "ear", logger: log.logger, patience: .zero)
        TestScope.atEnd { await subscriber.stop() }
        let confirmed = LoopCounter()
        subscriber.subscribe("news", confirmed: { confirmed.note() }) { _, _ in }
        subscriber.start()
        try await log.until("+subscribe")
        try await server.command("ACL", "SETUSER", "ear", "+subscribe")
        try await confirmed.reaches(1)
    }

    @Test @Loop func `a refusal to write is over when the same is accepted, or with a new connection`() async throws {
        let server = try await RedisServer()
        let redis = RedisClient(try RedisEndpoint(server.url), name: "writer", logger: Logger(label: "test", level: .error))
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await redis.untilConnected(within: .seconds(10))
        func refuse() async throws {
            try await server.command("CONFIG", "SET", "min-replicas-to-write", "1")
            await #expect(throws: RedisError.self) { try await redis.command(["SET", "a", "1"]) }
            #expect(redis.refusal?.contains("NOREPLICAS") == true)
        }
        try await refuse()
        // A read is not refused, and proves nothing.
        _ = try await redis.command(["GET", "a"])
        #expect(redis.refusal != nil)
        try await server.command("CONFIG", "SET", "min-replicas-to-write", "0")
        _ = try await redis.command(["SET", "a", "1"])
        #expect(redis.refusal == nil)
        try await refuse()
        let before = redis.connectedSince
        try await server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        try await Gate.until("it has a new connection") { redis.connectedSince.map { $0 != before } ?? false }
        #expect(redis.refusal == nil)
    }

    @Test @Loop func `each reason for a missing connection is reported`() async throws {
        let server = try await RedisServer()
        await server.kill9()
        let log = try LoggedLines()
        let redis = RedisClient(try RedisEndpoint("unix://\(server.socketPath)?user=nobody&password=guess"), name: "test", logger: log.logger)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await log.until("cannot connect to Redis")
        try await server.restart()
        try await log.until("WRONGPASS")
        try await Gate.until("it has tried again") { redis.failure?.description.contains("WRONGPASS") == true }
        #expect(log.holding("WRONGPASS").count == 1 && log.holding("guess").isEmpty, "\(log.all)")
        try await server.command("ACL", "SETUSER", "nobody", "on", ">guess", "~*", "+@all")
        try await redis.untilConnected(within: .seconds(30))
    }

    @Test @Loop func `a password is not shown if Redis does not know AUTH and repeats it`() async throws {
        let server = try await RedisServer(options: ["--rename-command", "AUTH", ""])
        let log = try LoggedLines()
        let redis = RedisClient(try RedisEndpoint("unix://\(server.socketPath)?user=somebody&password=sesame"), name: "test", logger: log.logger)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await log.until("unknown command")
        #expect(log.holding("sesame").isEmpty && redis.failure?.description.contains("sesame") == false && log.holding("somebody").isEmpty, "\(log.all)")
    }

    @Test func `a repeated failure is logged once a minute, and when the reason changes`() {
        var trouble = LogThrottle()
        let start = ContinuousClock.now
        func shouldLog(_ text: String, _ seconds: Double) -> Bool { trouble.shouldLog(text, at: start + .seconds(seconds)) }
        #expect(shouldLog("a", 0) && !shouldLog("a", 1) && shouldLog("b", 2) && !shouldLog("a", 3) && !shouldLog("a", 59.9))
        #expect(shouldLog("a", 60) && !shouldLog("b", 61) && shouldLog("b", 62))
        trouble.end()
        #expect(shouldLog("a", 63))
        // Texts that never come twice do not fill the log.
        #expect((0..<100).count { shouldLog("n\($0)", 64) } == 7)
        #expect(shouldLog("n99", 130))
    }
}
