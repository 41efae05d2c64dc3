import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing
import Worker

/// Redis refuses claims from a queue, or accepts no heartbeats. The worker says so, and goes on with the others.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .serialized, .scoped) struct QueueRefusalTests {
    /// A loop that counts its fetches.
    @Loop private final class Taker {
        private(set) var taken = 0
        private(set) var loop: WorkerLoop!
        let waits: MarkerWaiter

        init(_ h: WorkerHarness, _ queues: [Queue], _ logger: Logger) throws {
            let endpoint = try RedisEndpoint(h.server.url)
            waits = MarkerWaiter(endpoint) { RedisNodes($0, name: "wait", logger: WorkerHarness.logger) }
            waits.start()
            loop = WorkerLoop(queues: queues, waits: waits, worker: "w1", permits: 8, logger: logger, metrics: h.metrics) {
                [unowned self] _, _, _ in taken += 1
            }
        }
    }

    @Loop private func until(_ taker: Taker, has count: Int) async throws {
        while taker.taken < count { try await Loop.sleep(.milliseconds(5)) }
    }

    @Loop private func submit(_ queue: Queue, _ url: String) async throws {
        let source = try Source(canonical: ["url": .string(url)])
        let answer = try await queue.submit(
            Submission(
                receipt: "r-\(source.digest)", coordinator: "c1", fingerprint: url, source: source.digest, host: "data:", fetch: source.canonical.text,
                renditions: [.init(name: "default", digest: "d-\(source.digest)", json: #"{"as":"bytes"}"#)]))
        guard case .queued = answer else { throw TestFailure("not queued: \(answer)") }
    }

    @Test @Loop func `a queue that cannot be read is logged, and does not delay others`() async throws {
        let h = try await WorkerHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        _ = try await bulk.configure(QueueChange())
        try await submit(bulk, "data:,b")
        // Not by us: an operator changed the data.
        try await h.server.command("RENAME", "tintype:{bulk}:cfg", "{bulk}:aside")
        try await h.server.command("SET", "tintype:{bulk}:cfg", "no settings")
        let log = try LoggedLines()
        let taker = try Taker(h, [bulk, h.queue], log.logger)
        let running = h.scope.run("loop") { await taker.loop.run() }
        try await log.until("Redis refuses claims from bulk")
        for number in 0..<3 {
            try await submit(h.queue, "data:,\(number)")
            try await until(taker, has: number + 1)
        }
        #expect(log.holding("Redis refuses").count == 1 && !taker.loop.isRefused, "\(log.all)")
        try await h.server.command("RENAME", "{bulk}:aside", "tintype:{bulk}:cfg")
        try await until(taker, has: 4)
        await taker.loop.stop()
        await running.value
    }

    @Test @Loop func `a worker that may not wait asks each second, and logs why`() async throws {
        let h = try await WorkerHarness()
        try await h.server.command("ACL", "SETUSER", "default", "-bzpopmin")
        let log = try LoggedLines()
        let taker = try Taker(h, [h.queue], log.logger)
        let running = h.scope.run("loop") { await taker.loop.run() }
        try await log.until("Redis refuses to wait for work")
        try await submit(h.queue, "data:,a")
        try await until(taker, has: 1)
        let claims = try await h.server.command("INFO", "commandstats").split(separator: "\n").first { $0.hasPrefix("cmdstat_evalsha:") }
        let calls = claims?.split(separator: "=").dropFirst().first?.split(separator: ",").first.flatMap { Int($0) } ?? 0
        #expect(calls < 200, "it asks without a pause: \(calls) times")
        await taker.loop.stop()
        await running.value
    }

    @Test @Loop func `heartbeats that do not reach Redis are logged once, not every three seconds`() async throws {
        let h = try await WorkerHarness(appendOnly: true)
        let log = try LoggedLines()
        let keeper = LeaseKeeper(queue: h.queue, worker: "w1", scope: h.scope, logger: log.logger, metrics: h.metrics) { ["id": "w1"] }
        await h.server.kill9()
        while h.redis.isConnected { try await Loop.sleep(.milliseconds(5)) }
        for _ in 0..<20 {
            keeper.beat()
            await h.scope.drain()
        }
        // Two if the first saw the connection break and the next found none.
        let told = log.all.count
        #expect((1...2).contains(told), "\(log.all)")
        try await h.server.restart()
        try await h.redis.untilConnected(within: .seconds(20))
        keeper.beat()
        await h.scope.drain()
        await h.server.kill9()
        while h.redis.isConnected { try await Loop.sleep(.milliseconds(5)) }
        keeper.beat()
        await h.scope.drain()
        #expect(log.all.count == told + 1, "\(log.all)")
    }
}
