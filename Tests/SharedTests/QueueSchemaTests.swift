import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// An older and a newer build on the same keys.
@Suite(.tags(.cluster), .timeLimit(.minutes(2)), .serialized, .scoped) struct QueueSchemaTests {
    private static let line = "local SCHEMA = SWIFT.schema"

    /// The scripts of a build with another line of `prelude.lua`.
    private func scripts(_ changed: String) throws -> QueueScripts {
        var sources = QueueScripts.sources
        let prelude = try #require(sources["prelude"])
        try #require(prelude.contains(Self.line), "the schema of the scripts is not the program's")
        sources["prelude"] = prelude.replacing(Self.line, with: changed)
        return QueueScripts(sources: sources)
    }

    @Test @Loop func `builds whose scripts differ work side by side, if their keys do not`() async throws {
        let other = try scripts(Self.line + "\nlocal OTHER = 1")
        for (mine, theirs) in zip(QueueScripts.shipped.all, other.all) { #expect(mine.sha1 != theirs.sha1) }
        let h = try await QueueHarness(others: [other])
        for seed in UInt64(1)...3 { try await QueueModel(seed: seed, harness: h).run(steps: 300) }
    }

    @Test @Loop func `the first program writes the schema, and again after Redis has lost everything`() async throws {
        let h = try await QueueHarness()
        for _ in 0..<2 {
            #expect(try await h.queue.dump().hash("cfg")["v"] == nil)
            try await h.queue.greet(coordinator: "c1")
            #expect(try await h.queue.dump().hash("cfg")["v"] == QueueSchema.number)
            _ = try await h.redis.command(["FLUSHALL"])
        }
        _ = try await h.queue.beat(worker: "w1", info: [:], [])
        #expect(try await h.queue.dump().hash("cfg")["v"] == QueueSchema.number)
    }

    @Test @Loop func `no script of a build with another schema changes a key`() async throws {
        let h = try await QueueHarness()
        try await h.queue.greet(coordinator: "c1")
        _ = try await h.submit("r1")
        _ = try await h.submit("r2", source: "other")
        let fetch = try await h.claim()
        let before = try await h.queue.dump().entries.mapValues(\.content)
        for script in try scripts("local SCHEMA = '9'").all {
            // Every request fails before it reaches the keys.
            let words: [RedisArgument] = [.string(fetch.lease.fetch), .int(fetch.lease.token)] + Array(repeating: "1", count: 40)
            let redis = RedisClient(try RedisEndpoint(h.server.url), name: "other", logger: Logger(label: "test", level: .error), scripts: [script])
            redis.start()
            try await redis.untilConnected(within: .seconds(10))
            await #expect(throws: RedisError.otherSchema(QueueSchema.number), "\(script.name)") {
                _ = try await redis.run(script, keys: [h.queue.keys.prefix], words)
            }
            // A build that gets this error looks at the server anew.
            #expect(!redis.isConnected)
            redis.stop()
        }
        #expect(try await h.queue.dump().entries.mapValues(\.content) == before)
        #expect(try await h.succeed(fetch) == .done)
    }

    @Test @Loop func `a program writes nothing to keys of another schema, and goes on when the schema fits`() async throws {
        let h = try await QueueHarness()
        let settings = RedisArgument.string(h.queue.keys.prefix + "cfg")
        _ = try await h.redis.command(["HSET", settings, "v", "7"])
        let redis = RedisClient(
            try RedisEndpoint(h.server.url), name: "newer", logger: Logger(label: "test", level: .error), scripts: QueueScripts.shipped.all,
            requirement: QueueSchema.requirement)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        while redis.failure != .otherSchema("7") { try await Loop.sleep(.milliseconds(5)) }
        await #expect(throws: RedisError.otherSchema("7")) { try await redis.untilConnected(within: .milliseconds(500)) }
        await #expect(throws: RedisError.otherSchema("7")) { _ = try await redis.command(["SET", "x", "1"]) }
        #expect(redis.failure == .otherSchema("7"))
        _ = try await h.redis.command(["HDEL", settings, "v"])
        try await redis.untilConnected(within: .seconds(10))
        #expect(redis.failure == nil)
    }
}
