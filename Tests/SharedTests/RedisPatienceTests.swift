import Foundation
import Testing
import TestSupport
import TintypeCore
import TintypeTransport

/// The retries of a command while Redis is away.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RedisPatienceTests {
    private static let now = ContinuousClock.now

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let patience: RedisPatience
        let errors: [RedisError]
        /// The pause after each attempt; nil after the last attempt.
        let pauses: [RedisPatience.Pause?]

        init(_ description: String, _ patience: RedisPatience, _ errors: [RedisError], _ pauses: [RedisPatience.Pause?]) {
            (testDescription, self.patience, self.errors, self.pauses) = (description, patience, errors, pauses)
        }
    }

    private static let passing: [RedisError] = [.unavailable("x"), .connectionLost("x"), .timedOut, .otherSchema("9")]
    private static let final: [RedisError] = [.outOfMemory, .reply("ERR x"), .foreignQueue("q", schema: "9"), .invalidURL("x")]
    static let cases: [Case] = [
        Case("what passes is waited out", RedisPatience(until: now + .seconds(1)), passing, passing.map { _ in .forConnection }),
        Case("without a limit too", RedisPatience(), passing, passing.map { _ in .forConnection }),
        Case("not beyond the limit", RedisPatience(until: now), [.timedOut], [nil]),
        Case("what a repetition does not mend ends it", RedisPatience(until: now + .seconds(1)), [.outOfMemory], [nil]),
        Case(
            "three refusals end it", RedisPatience(refusals: 2), [.outOfMemory, .timedOut, .reply("x"), .reply("x")],
            [.forConnection, .forConnection, .forConnection, nil]),
    ]

    @Test(arguments: cases) func `a policy decides what follows an error`(example: Case) {
        var patience = example.patience
        #expect(example.errors.map { patience.pause(after: $0, at: Self.now) } == example.pauses)
    }

    @Test(arguments: final) func `a final error is not retried`(error: RedisError) {
        var patience = RedisPatience()
        #expect(patience.pause(after: error, at: Self.now) == nil)
    }

    @Test func `the pauses of a backoff grow`() throws {
        var patience = RedisPatience(backoff: Backoff(first: .milliseconds(100), most: .seconds(1)))
        for full in [100, 200, 400, 800, 1000, 1000] {
            guard case .time(let time)? = patience.pause(after: .timedOut, at: Self.now) else { throw TestFailure("no time") }
            #expect((.milliseconds(full / 2) ... .milliseconds(full)).contains(time))
        }
    }

    /// A client of a Redis that was killed.
    @Loop private func orphan() async throws -> (RedisServer, RedisNodes) {
        let server = try await RedisServer()
        let redis = RedisNodes(try RedisEndpoint(server.url), name: "test", logger: Logger(label: "test", level: .error))
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await redis.untilConnected(within: .seconds(10))
        await server.kill9()
        while redis.isConnected { try await Loop.sleep(.milliseconds(2)) }
        return (server, redis)
    }

    /// The reported failures.
    @Loop private final class Told {
        var count = 0
        let first = OneShot<Void>()

        func hear(_ error: RedisError) -> Bool {
            count += 1
            first.complete(.success(()))
            return true
        }
    }

    @Test(arguments: [nil, Backoff()]) @Loop func `a command while Redis is down is answered when Redis is back`(backoff: Backoff?) async throws {
        let (server, redis) = try await orphan()
        let node = redis.node(for: RedisTag("test"))
        let told = Told()
        let patience = RedisPatience(until: .now + .seconds(30), backoff: backoff)
        let answer = Task { @Loop in
            try await node.retrying(patience, after: { told.hear($0) }) { () async throws(RedisError) in try await node.command(["PING"]) }
        }
        try await told.first.wait()
        try await server.restart()
        #expect(try await answer.value == .status("PONG"))
        #expect(told.count > 0)
    }

    @Test @Loop func `the timeout ends the wait`() async throws {
        let (_, redis) = try await orphan()
        let node = redis.node(for: RedisTag("test"))
        var tries = 0
        await #expect(throws: RedisError.self) {
            try await node.retrying(RedisPatience(until: .now + .milliseconds(50))) { () async throws(RedisError) in
                tries += 1
                _ = try await node.command(["PING"])
            }
        }
        // The client waits for a connection, and does not try again and again.
        #expect(tries == 1)
    }

    @Test @Loop func `the receiver of a failure may end the retries at once`() async throws {
        let (_, redis) = try await orphan()
        let node = redis.node(for: RedisTag("test"))
        var told = 0
        await #expect(throws: RedisError.self) {
            try await node.retrying(
                RedisPatience(),
                after: { _ in
                    told += 1
                    return false
                }
            ) { () async throws(RedisError) in _ = try await node.command(["PING"]) }
        }
        #expect(told == 1)
    }

    @Test(arguments: [nil, Backoff()]) @Loop func `a cancelled task stops waiting`(backoff: Backoff?) async throws {
        let (_, redis) = try await orphan()
        let node = redis.node(for: RedisTag("test"))
        let told = Told()
        let task = Task { @Loop in
            try await node.retrying(RedisPatience(backoff: backoff), after: { told.hear($0) }) { () async throws(RedisError) in
                try await node.command(["PING"])
            }
        }
        try await told.first.wait()
        task.cancel()
        await #expect(throws: RedisError.self) { try await task.value }
    }

    @Test @Loop func `an answer without a waiter is left to the body`() async throws {
        let (server, redis) = try await orphan()
        let node = redis.node(for: RedisTag("test"))
        let told = Told()
        let answer = Task { @Loop in
            try await node.retrying(RedisPatience(), after: { told.hear($0) }) { () async throws(RedisError) -> RedisReply? in
                told.count == 0 ? try await node.command(["PING"]) : nil
            }
        }
        try await told.first.wait()
        try await server.restart()
        #expect(try await answer.value == nil)
    }
}
