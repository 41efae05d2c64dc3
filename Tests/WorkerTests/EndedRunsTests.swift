import TintypeCore
import TintypeQueue
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// The ends of runs that Redis may lose, against a real Redis that loses them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct EndedRunsTests {
    private static let image = #"{"url":"http://origin.test/a","as":"bytes"}"#

    @Test @Loop func `an end is kept for twenty seconds, and at most two thousand are`() async throws {
        let h = try await WorkerHarness()
        let ended = h.ended
        let start = ContinuousClock.now
        for number in 0..<(EndedRuns.most + 5) {
            ended.note(RunLease(fetch: "\(number)", token: 1), in: h.queue, .cancelled, at: start + .milliseconds(number))
        }
        #expect(ended.count == EndedRuns.most)
        ended.forget(at: start + EndedRuns.kept + .milliseconds(1004))
        #expect(ended.count == EndedRuns.most - 999)
        ended.forget(at: start + .seconds(60))
        #expect(ended.count == 0)
    }

    @Test(arguments: [true, false]) @Loop func `a run whose end is lost ends again, and keeps no place`(succeeds: Bool) async throws {
        let h = try await WorkerHarness()
        try await h.submit(try JSON(parsing: Self.image))
        let fetch = try #require(try await h.queue.claim(worker: "w1", count: 1).fetches.first)
        // The server saves its data here, and comes back with them.
        try await h.server.command("SAVE")
        let outcome =
            succeeds
            ? FetchOutcome.success(
                metrics: [:], fetch.renditions.map { RenditionOutcome($0.digest, .success(info: [:], source: ["url": "u"], description: nil, time: 60)) })
            : .failure(TintypeError(.httpStatus, .download, "the server answered 404"), retryAfter: nil)
        #expect(try await h.queue.finish(fetch.lease, outcome) == .done)
        h.ended.note(fetch.lease, in: h.queue, outcome)
        await h.server.kill9()
        try await h.server.restart()
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.queue.info()?.running == 1)
        await h.ended.repeatAll()
        #expect(try await h.queue.info()?.running == 0)
        #expect(try await h.queue.snapshots(["r1"])["r1"]?.state == (succeeds ? .succeeded : .failed))
        // Ends that Redis still has stay as they are.
        await h.ended.repeatAll()
        #expect(try await h.queue.snapshots(["r1"])["r1"]?.state == (succeeds ? .succeeded : .failed))
    }

    @Test @Loop func `a server that takes no writes yet is asked again`() async throws {
        let h = try await WorkerHarness()
        try await h.submit(try JSON(parsing: Self.image))
        let fetch = try #require(try await h.queue.claim(worker: "w1", count: 1).fetches.first)
        h.ended.note(fetch.lease, in: h.queue, .failure(TintypeError(.httpStatus, .download, "the server answered 404"), retryAfter: nil))
        try await h.server.command("CONFIG", "SET", "min-replicas-to-write", "1")
        async let repeated: Void = h.ended.repeatAll()
        try await TestSupport.Gate.until("it has refused") { try await h.server.command("INFO", "errorstats").contains("NOREPLICAS") }
        try await h.server.command("CONFIG", "SET", "min-replicas-to-write", "0")
        await repeated
        #expect(try await h.queue.info()?.running == 0)
    }
}
