import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing
import Worker

@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped)
struct WorkerLoopTests {
    /// A loop that only records its fetches.
    @Loop private final class Recorder {
        var started: [String] = []
        var loop: WorkerLoop?
        /// Whether each fetch ends as soon as it has started.
        var endsAtOnce = false
        private var served: Set<String> = []
        private var firsts: [String: OneShot<Void>] = [:]
        private var waiting: [(Int, OneShot<Void>)] = []
        let waits: MarkerWaiter

        init(_ h: WorkerHarness, permits: Int, queues: [Queue]? = nil) throws {
            let endpoint = try RedisEndpoint(h.server.url)
            waits = MarkerWaiter(endpoint) { RedisNodes($0, name: "wait", logger: WorkerHarness.logger) }
            waits.start()
            loop = WorkerLoop(
                queues: queues ?? [h.queue], waits: waits, worker: "w1", permits: permits, logger: WorkerHarness.logger, metrics: h.metrics
            ) { [unowned self] fetch, queue, _ in
                started.append(fetch.fetch)
                if endsAtOnce { loop?.ended() }
                served.insert(queue.name)
                firsts[queue.name]?.complete(.success(()))
                for (count, shot) in waiting where started.count >= count { shot.complete(.success(())) }
            }
        }

        /// Waits until the first fetch of a queue has started.
        func untilStarted(of queue: String) async throws {
            if served.contains(queue) { return }
            let shot = OneShot<Void>()
            firsts[queue] = shot
            try await shot.wait()
        }

        func untilStarted(_ count: Int) async throws {
            guard started.count < count else { return }
            let shot = OneShot<Void>()
            waiting.append((count, shot))
            try await shot.wait()
        }
    }

    @Loop private func submit(to queue: Queue) async throws {
        let source = try Source(canonical: ["url": "data:,b"])
        _ = try await queue.submit(
            Submission(
                receipt: "b", coordinator: "c1", fingerprint: "b", source: source.digest, host: "data:", fetch: source.canonical.text,
                renditions: [.init(name: "default", digest: "d", json: #"{"as":"bytes"}"#)]))
    }

    @Test @Loop func `no more is claimed than there are permits, and a freed permit is used`() async throws {
        let h = try await WorkerHarness()
        for index in 0..<3 { try await h.submit(["url": .string("data:,\(index)"), "as": "bytes"]) }
        let recorder = try Recorder(h, permits: 2)
        let loop = try #require(recorder.loop)
        let running = h.scope.run("loop") { await loop.run() }
        try await recorder.untilStarted(2)
        #expect(loop.runningCount == 2)
        #expect(try await h.queue.info()?.queued == 1)
        loop.ended()
        try await recorder.untilStarted(3)
        #expect(recorder.started.count == 3)
        await loop.stop()
        await running.value
    }

    @Test @Loop func `a sleeping worker is woken by a submission, in each of its queues`() async throws {
        let h = try await WorkerHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        _ = try await bulk.configure(QueueChange())
        let recorder = try Recorder(h, permits: 8, queues: [h.queue, bulk])
        let loop = try #require(recorder.loop)
        let running = h.scope.run("loop") { await loop.run() }
        while try await h.server.command("CLIENT", "LIST").contains("cmd=bzpopmin") == false { try await Loop.sleep(.milliseconds(10)) }
        try await h.submit(["url": "data:,a", "as": "bytes"])
        try await recorder.untilStarted(1)
        try await submit(to: bulk)
        try await recorder.untilStarted(2)
        await loop.stop()
        await running.value
    }

    @Test @Loop func `a queue with new work is served before a longer one is empty`() async throws {
        let h = try await WorkerHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        _ = try await bulk.configure(QueueChange())
        // None of it is ever finished in Redis.
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 1000, maxConcurrentPerHost: 1000))
        for index in 0..<400 { try await h.submit(["url": .string("data:,\(index)"), "as": "bytes"]) }
        let recorder = try Recorder(h, permits: 2, queues: [h.queue, bulk])
        recorder.endsAtOnce = true
        let loop = try #require(recorder.loop)
        let running = h.scope.run("loop") { await loop.run() }
        try await recorder.untilStarted(20)
        try await submit(to: bulk)
        try await recorder.untilStarted(of: "bulk")
        #expect(recorder.started.count < 400, "\(recorder.started.count)")
        await loop.stop()
        await running.value
    }

    @Test @Loop func `the loop waits while Redis is away`() async throws {
        let h = try await WorkerHarness(appendOnly: true)
        await h.server.kill9()
        let recorder = try Recorder(h, permits: 1)
        let loop = try #require(recorder.loop)
        let running = h.scope.run("loop") { await loop.run() }
        try await h.server.restart()
        try await h.redis.untilConnected(within: .seconds(20))
        try await h.submit(["url": "data:,a", "as": "bytes"])
        try await recorder.untilStarted(1)
        await loop.stop()
        await running.value
    }
}
