import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

extension QueueTests {
    @Test @Loop func `workers are listed while they send heartbeats and forgotten a minute later`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.beat(worker: "w1", info: ["pid": 7], [])
        let workers = try await h.queue.workers()
        #expect(workers.map(\.id) == ["w1"] && workers.first?.info == ["pid": 7] && workers.first?.seen == h.queue.clock)
        h.tick(61_000)
        #expect(try await h.queue.reap().forgottenWorkers == 1)
        #expect(try await h.queue.workers().isEmpty)
    }

    @Test @Loop func `info counts the workers with a heartbeat within the lease`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.beat(worker: "w1", info: [:], [])
        h.tick(11_000)
        #expect(try await h.queue.info()?.workers == 0)
        let patient = Queue(name: "default", redis: h.nodes, times: QueueTimes(lease: .seconds(60)))
        patient.clock = h.queue.clock
        #expect(try await patient.info()?.workers == 1)
    }

    @Test @Loop func `a worker of a missing queue leaves nothing there`() async throws {
        let h = try await QueueHarness()
        let ghost = Queue(name: "ghost", redis: h.nodes)
        _ = try await ghost.beat(worker: "w1", info: [:], [])
        #expect(try await ghost.workers().map(\.id) == ["w1"])
        #expect(try await ghost.dump().entries["cfg"] == nil)
        for key in [ghost.keys.workers, ghost.keys.workersSeen] { #expect(try await h.redis.command(["PTTL", .string(key)]).int ?? 0 > 0) }
        _ = try await ghost.configure(QueueChange())
        _ = try await ghost.beat(worker: "w1", info: [:], [])
        #expect(try await ghost.dump().hash("cfg")["usedAt"] != nil)
        for key in [ghost.keys.workers, ghost.keys.workersSeen] { #expect(try await h.redis.command(["PTTL", .string(key)]).int == -1) }
    }

    @Test @Loop func `a worker that stops in good order leaves the list at once`() async throws {
        let h = try await QueueHarness()
        for worker in ["w1", "w2"] { _ = try await h.queue.beat(worker: worker, info: [:], []) }
        try await h.queue.retire(worker: "w1")
        #expect(try await h.queue.workers().map(\.id) == ["w2"])
        #expect(try await h.queue.dump().scores("wseen").count == 1)
    }

    @Test @Loop func `a result stored for less than a later receipt asks is stored for longer`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a", "b"]) { $0.resultTime = 0 }
        let fetch = try await h.claim()
        #expect(fetch.resultTime == 0)
        _ = try await h.submit("r2", renditions: ["a"]) { $0.resultTime = .seconds(Submission.usualTTL) }
        _ = try await h.submit("r3", renditions: ["a"]) { $0.resultTime = 60 }
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-a", ttl: 60)) == .keepLonger(3600))
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-a", ttl: 3600)) == .ok)
        let last = QueueHarness.made("source-b", ttl: 0)
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [last])) == .keepLonger(3600))
        #expect(try await h.queue.receipt("r1")?.state == .running)
        let failed = RenditionOutcome("source-b", .failure(TintypeError(.encodeFailed, .encode, "no")))
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [failed])) == .done, "a failed rendition is not kept")
    }

    @Test @Loop func `a result of the index answers the requests for which it is new enough`() async throws {
        let h = try await QueueHarness()
        // A result that no tier keeps, or that is stale at once, is in no index.
        _ = try await h.submit("held", source: "other") { $0.resultTime = ResultTime.bytesOnly }
        try await h.succeed(try await h.claim())
        _ = try await h.submit("fresh", source: "third") { $0.resultTime = ResultTime.whileFresh }
        try await h.succeed(try await h.claim())
        for digest in ["other-small", "third-small"] { #expect(try await h.queue.dump().text("x:" + digest) == nil) }
        let now = Double(h.queue.clock ?? 0) / 1000
        _ = try await h.submit("r1") { $0.resultTime = 3600 }
        let fetch = try await h.claim()
        let info: JSONObject = ["key": "source-small", "storedAt": JSON(now - 100), "expiresAt": JSON(now + 60), "version": 7]
        _ = try await h.queue.finish(
            fetch.lease, .success(metrics: [:], [RenditionOutcome("source-small", .success(info: info, source: [:], description: nil, time: 3600))]))
        for (seconds, ttl, isAnswered) in [(0, nil, true), (0, 101, true), (0, 99, false), (60, nil, false), (60, 3600, true)] as [(Int64, Double?, Bool)] {
            h.tick(seconds * 1000)
            let answer = try await h.submit("r\(seconds)-\(ttl ?? 0)") { ($0.newerThan, $0.version) = (ttl, 7) }
            if case .finished = answer { #expect(isAnswered, "\(ttl ?? 0)") } else { #expect(!isAnswered, "\(ttl ?? 0)") }
            h.tick(-seconds * 1000)
        }
    }

    @Test @Loop func `a heartbeat carries the phase, for ends without the worker`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 5 }
        let fetch = try await h.claim()
        _ = try await h.queue.beat(worker: "w1", info: [:], [fetch.lease], phases: [fetch.lease: .encode])
        h.tick(5_000)
        #expect(try await h.queue.reap().deadlines == 1)
        #expect(try await h.publicEvents(of: "r1").last?["error"]?["data"]?["phase"] == "encode")
    }

    @Test @Loop func `a message through the marker wakes a sleeping worker`() async throws {
        let h = try await QueueHarness()
        let waits = try await h.waits()
        let nothing = try await QueueHarness.sleep(on: waits, [h.queue], for: .milliseconds(20))
        #expect(nothing.woken == [] && nothing.fetches == ["default": 0])
        async let sleeping = QueueHarness.sleep(on: waits, [h.queue])
        try await h.untilBlocked()
        _ = try await h.submit("r1")
        // Redis itself has claimed, in the turn in which the marker came.
        let slept = try await sleeping
        #expect(slept.woken == ["default"] && slept.fetches == ["default": 1])

        async let stopped = QueueHarness.sleep(on: waits, [h.queue])
        while await !h.queue.wake(waits) { try await Loop.sleep(.milliseconds(5)) }
        #expect(try await stopped.woken == [])
    }

    @Test @Loop func `a refresh sends the cached result as its second event, and a version answers only itself`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        _ = try await h.messages()
        guard case .queued(state: .queued, position: 0, joined: false) = try await h.submit("r2", { ($0.showsCached, $0.joining) = (true, .asking) }) else {
            throw TestFailure("it is not queued")
        }
        let fetch = try await h.claim()
        #expect(fetch.renditions.map(\.digest) == ["source-small"])
        try await h.succeed(fetch)
        let events = try await h.publicEvents(of: "r2")
        #expect(events.map { "\($0["seq"]?.int ?? 0) \($0["type"]?.string ?? "")" } == ["1 queued", "2 cached", "3 started", "4 succeeded"])
        #expect(events[1]["result"]?["from"] == "results" && events[1]["result"]?["renditions"]?[0]?["key"] == "source-small")
        guard case .queued = try await h.submit("r3", { $0.version = 4 }) else { throw TestFailure("another version has answered") }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `an id belongs to one queue, until the only request with it releases it`() async throws {
        let h = try await QueueHarness()
        let (bulk, night) = (Queue(name: "bulk", redis: h.nodes), Queue(name: "night", redis: h.nodes))
        var s = QueueHarness.submission("x")
        s.isChosen = true
        #expect(try await bulk.reserve(s, token: "a"))
        #expect(try await bulk.reserve(s, token: "a"), "repeated, since the answer was lost")
        #expect(try await !night.reserve(s, token: "b"))
        try await night.giveBack(s, token: "b")
        #expect(try await h.queue.submit(s) == .mismatch)
        #expect(try await h.redis.command(["PTTL", "tintype:{default}:id:x"]).int ?? 0 > Int64((s.deadlineSeconds + s.keepSeconds) * 1000))
        // The second caller may have submitted the request, and a release by the first says nothing about it.
        #expect(try await bulk.reserve(s, token: "c"))
        for token in ["a", "unknown", "a"] { try await bulk.giveBack(s, token: token) }
        #expect(try await !night.reserve(s, token: "b"))
        #expect(try await h.redis.command(["PTTL", "tintype:{default}:id:x"]).int ?? 0 > Int64((s.deadlineSeconds + s.keepSeconds) * 1000))
        // After both have released the id, no queue has it.
        try await bulk.giveBack(s, token: "c")
        #expect(try await night.reserve(s, token: "b"))
        try await night.giveBack(s, token: "b")
        // If many callers reserve at once, the id stays.
        for number in 0..<10 { #expect(try await bulk.reserve(s, token: "t\(number)")) }
        for number in 0..<10 { try await bulk.giveBack(s, token: "t\(number)") }
        #expect(try await !night.reserve(s, token: "b"))
        _ = try await h.redis.command(["DEL", "tintype:{default}:id:x"])
        guard case .queued = try await h.queue.submit(s) else { throw TestFailure("no other queue has it") }
        #expect(try await !bulk.reserve(s, token: "a"))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    /// One script ends all receipts of a fetch.
    @Test @Loop func `a fetch has no more receipts than one script may end`() async throws {
        var sources = QueueScripts.sources
        let text = try #require(sources["submit"])
        try #require(text.contains(">= 4096"))
        sources["submit"] = text.replacing(">= 4096", with: ">= 2")
        let h = try await QueueHarness(scripts: QueueScripts(sources: sources))
        var joins: [Bool] = []
        for number in 1...5 {
            guard case .queued(_, _, let joined) = try await h.submit("r\(number)", source: "s") else { break }
            joins.append(joined)
        }
        #expect(joins == [false, true, false, true, false])
    }
}
