import Foundation
import Testing
import TestSupport
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// Every script uses keys of one tag only. Redis itself checks this, as one server of a cluster.
@Suite(.tags(.cluster), .timeLimit(.minutes(3)), .serialized, .scoped) struct QueueSlotTests {
    @Loop private func harness(_ sources: [String: String]) async throws -> QueueHarness {
        try await QueueHarness(scripts: QueueScripts(sources: sources), isCluster: true)
    }

    @Test(arguments: [1, 2, 3]) @Loop func `the random life of a queue runs on a cluster`(seed: UInt64) async throws {
        let h = try await harness(QueueHarness.flagged)
        try await QueueModel(seed: seed, harness: h).run(steps: 300)
    }

    @Test(arguments: [("prelude", "local CFG = P .. 'cfg'", "local CFG = 'tintype:{other}:cfg'"), ("receipts", "P .. 'cbs'", "'tintype:{other}:cbs'")])
    @Loop func `a key of another tag is noticed`(file: String, text: String, replacement: String) async throws {
        var sources = QueueHarness.flagged
        let source = try #require(sources[file])
        try #require(source.contains(text))
        sources[file] = source.replacing(text, with: replacement)
        let h = try await harness(sources)
        let error = await #expect(throws: (any Error).self) { try await QueueModel(seed: 1, harness: h).run(steps: 450) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("slot"))
    }

    @Test @Loop func `every script of groups keeps to one slot`() async throws {
        let h = try await harness(QueueHarness.flagged)
        func lease(_ id: String, _ kind: GroupRecord.Kind) async throws -> GroupLease {
            let record = GroupRecord(id: id, kind: kind)
            return GroupLease(group: id, token: try #require(try await h.queue.start(group: record, coordinator: "c1", requests: ["{}", "{}"])))
        }
        let chain = try await lease("g-1", .chain)
        #expect(try await h.queue.append(group: "g-1", call: "a", requests: ["{}"], most: 10) == .ok)
        for index in 0..<3 {
            #expect(try await h.queue.begin(chain, index: index, GroupRecord.Begun(queue: "bulk", receipt: "g-1.\(index)")) == .ok)
            _ = try await h.queue.settle(chain, index: index, outcome: ["state": "succeeded"], failure: nil)
        }
        #expect(try await h.queue.group("g-1", .state)?.state == .succeeded)
        let batch = try await lease("g-2", .batch)
        h.tick(20_000)
        #expect(try await h.queue.drive([], coordinator: "c2", adopting: 5).taken.map(\.group) == ["g-2"])
        #expect(try await h.queue.begin(batch, index: 0, GroupRecord.Begun(queue: "bulk", receipt: "g-2.0")) == .stale)
        _ = try await h.queue.cancel(group: "g-2", reason: "requested")
        #expect(try await h.queue.group("g-2", .requests())?.state == .cancelled)
    }

    @Test @Loop func `purges and tags keep to one slot`() async throws {
        let h = try await harness(QueueHarness.flagged)
        let bulk = Queue(name: "bulk", redis: h.nodes, scripts: QueueScripts(sources: QueueHarness.flagged))
        bulk.clock = h.queue.clock
        _ = try await bulk.configure(QueueChange(maxConcurrent: 2))
        var tagged = QueueHarness.submission("r1")
        tagged.tags = ["flowers"]
        _ = try await bulk.submit(tagged)
        let run = try #require(try await bulk.claim(worker: "w1", count: 1).fetches.first)
        _ = try await bulk.finish(
            run.lease,
            .success(
                metrics: [:],
                run.renditions.map {
                    RenditionOutcome(
                        $0.digest, .success(info: ["key": .string($0.digest)], source: ["url": "http://a.test/source"], description: nil, time: 60))
                }))
        var found: [String] = []
        try await bulk.eachTagged("flowers") { results, sources in found += results + sources }
        #expect(found.count == 2, "\(found)")
        try await bulk.untag("flowers", results: found, sources: found)
        var second = QueueHarness.submission("r2", source: "other")
        second.tags = ["flowers"]
        _ = try await bulk.submit(second)
        let other = try #require(try await bulk.claim(worker: "w1", count: 1).fetches.first)
        var running: [RunLease] = []
        try await bulk.eachRun { running += $0.map(\.lease) }
        #expect(running == [other.lease])
        #expect(try await bulk.mark(purged: running) == 1)
        let target = try PurgeTarget(url: "http://a.test/source")
        var digests: [String] = []
        try await bulk.eachResult(of: target) { digests += $0 }
        #expect(digests.count == 1, "\(digests)")
        // Both lists of purges lie beside `default`, for all queues.
        try await bulk.note(purges: [target])
        try await bulk.note(keys: [.source("source")])
        #expect(try await PurgeList(h.nodes).hits(["http://a.test/source"], since: 1))
    }

    @Test @Loop func `an id of a client belongs to one queue of a cluster, and all queues are inspected`() async throws {
        let h = try await harness(QueueHarness.flagged)
        let bulk = Queue(name: "bulk", redis: h.nodes, scripts: QueueScripts(sources: QueueHarness.flagged))
        bulk.clock = h.queue.clock
        _ = try await bulk.configure(QueueChange(maxConcurrent: 2))
        var mine = QueueHarness.submission("mine")
        mine.isChosen = true
        #expect(try await bulk.reserve(mine, token: "t"))
        _ = try await bulk.submit(mine)
        #expect(try await h.queue.submit(mine) == .mismatch)
        try await h.queue.setDefaults(maxQueued: 100, hostLimits: HostLimits(queued: [:]))
        #expect(try await QueueInspection.violations(of: [h.queue, bulk], redis: h.nodes).map(\.description) == [])
        try await bulk.index("a", info: ["key": "a"], source: ["url": "u"], seconds: 60)
        #expect(try await bulk.forgetAllResults() == 1)
    }

    @Test @Loop func `a marker of any queue wakes a worker, and the waits for the others end`() async throws {
        let h = try await harness(QueueScripts.sources)
        let bulk = Queue(name: "bulk", redis: h.nodes)
        _ = try await bulk.configure(QueueChange(maxConcurrent: 2))
        h.queue.clock = nil
        let waits = try await h.waits()
        // The first sleep learns that one wait cannot have both markers; its claims run all the same.
        _ = try await h.submit("r1")
        let refused = try await QueueHarness.sleep(on: waits, [h.queue, bulk])
        #expect(refused.woken == [] && refused.fetches == ["default": 1, "bulk": 0])
        for queue in [bulk, h.queue] {
            // A marker may be left from work or room before.
            while try await !QueueHarness.sleep(on: waits, [h.queue, bulk], for: .milliseconds(20)).woken.isEmpty {}
            async let sleeping = QueueHarness.sleep(on: waits, [h.queue, bulk])
            try await h.untilBlocked(2)
            var work = QueueHarness.submission("for-\(queue.name)", source: queue.name)
            work.deadlineSeconds = 60
            _ = try await queue.submit(work)
            let slept = try await sleeping
            #expect(slept.woken == [queue.name] && slept.fetches.count == 2 && slept.fetches.filter { $0.value == 1 }.map(\.key) == [queue.name])
        }
        async let stopped = QueueHarness.sleep(on: waits, [h.queue, bulk])
        try await h.untilBlocked(2)
        #expect(await h.queue.wake(waits))
        #expect(try await stopped.woken == [])
    }

    @Test @Loop func `a worker that serves one queue waits on one connection, a cluster or not`() async throws {
        for isCluster in [false, true] {
            let h = try await QueueHarness(isCluster: isCluster)
            let queues = isCluster ? [h.queue] : [h.queue, Queue(name: "bulk", redis: h.nodes)]
            let waits = try await h.waits()
            async let sleeping = QueueHarness.sleep(on: waits, queues)
            try await h.untilBlocked(1)
            #expect(await h.queue.wake(waits))
            #expect(try await sleeping.woken == [])
        }
    }
}
