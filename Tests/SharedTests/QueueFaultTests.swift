import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// Dead workers, lost answers, lost messages, late calls, full memory.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct QueueFaultTests {
    @Test @Loop func `the fetch of a dead worker runs again, and the dead worker's late report is refused`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.maxAttempts = 1 }
        let lost = try await h.claim("w1")
        h.tick(9_999)
        #expect(try await h.queue.reap().expiredLeases == 0)
        h.tick(2)
        #expect(try await h.queue.reap().expiredLeases == 1)
        let retrying = try #require(try await h.publicEvents(of: "r1").last)
        #expect(retrying["type"] == "retrying" && retrying["attempt"] == 1 && retrying["error"]?["code"] == 1043)
        #expect(retrying["error"]?["data"]?["attempts"] == 1)
        #expect(try await h.queue.receipt("r1")?.state == .delayed)
        h.tick(400)
        let again = try await h.claim("w2")
        #expect(again.attempt == 2 && again.lease.token != lost.lease.token)
        #expect(try await h.queue.progress(lost.lease, []) == .stale)
        #expect(try await h.queue.beat(worker: "w1", info: [:], [lost.lease]).lost == [lost.lease.fetch])
        #expect(try await h.succeed(lost) == .stale)
        #expect(try await h.succeed(again) == .done)
        #expect(try await h.publicEvents(of: "r1").last?["result"]?["attempts"] == 2)
    }

    @Test @Loop func `a lease from before the clock went back keeps its permit no longer than any other`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 1))
        _ = try await h.submit("r1")
        _ = try await h.submit("r2", source: "other")
        let lost = try await h.claim("w1")
        h.tick(-3_600_000)
        #expect(try await h.queue.beat(worker: "w1", info: [:], [lost.lease]).lost.isEmpty)
        h.tick(10_001)
        #expect(try await h.queue.reap().expiredLeases == 1)
        #expect(try await h.claim("w2").lease.fetch != lost.lease.fetch)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `a clock that was set forward kills no worker`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 600 }
        let fetch = try await h.claim()
        let first = try await h.queue.reap()
        #expect(first.clock == h.queue.clock && !first.hasJumped)
        h.tick(60_000)
        let before = try await h.queue.dump().entries.mapValues(\.content)
        let answer = try await h.queue.reap(notAfter: first.clock + 4_000)
        #expect(answer.hasJumped && answer.clock == h.queue.clock)
        #expect(try await h.queue.dump().entries.mapValues(\.content) == before)
        // Every live worker sends a heartbeat by the new clock before the next look.
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.lease]).lost.isEmpty)
        h.tick(9_000)
        #expect(try await h.queue.reap(notAfter: answer.clock + 10_000).expiredLeases == 0)
        #expect(try await h.succeed(fetch) == .done)
    }

    @Test @Loop func `a fetch that has killed two workers is a dead letter`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        for worker in ["w1", "w2"] {
            _ = try await h.claim(worker)
            h.tick(10_001)
            _ = try await h.queue.reap()
            h.tick(400)
        }
        let ending = try #require(try await h.queue.receipt("r1")?.ending)
        let error = try JSON(parsing: "{\(ending.body)}")["error"]
        #expect(ending.state == .failed && error?["code"] == 1043 && error?["data"]?["attempts"] == 2)
        #expect(try await h.queue.info()?.dead == 1)
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `one worker that stands still again and again is no second dead one, though not for ever`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 600 }
        for _ in 0..<4 {
            _ = try await h.claim("w1")
            h.tick(10_001)
            #expect(try await h.queue.receipt("r1")?.ending == nil)
            _ = try await h.queue.reap()
            h.tick(400)
        }
        #expect(try await h.queue.receipt("r1")?.ending == nil)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        _ = try await h.claim("w1")
        h.tick(10_001)
        _ = try await h.queue.reap()
        #expect(try await h.queue.receipt("r1")?.ending?.state == .failed)
    }

    @Test @Loop func `what nobody has seen to for a minute is named, and is not once somebody has`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 600 }
        let held = try await h.claim().lease
        h.tick(69_000)
        #expect(OverdueWork.violations(in: try await h.queue.dump()) == [])
        h.tick(2_000)
        let found = OverdueWork.violations(in: try await h.queue.dump())
        #expect(found == ["Q14: the lease of fetch \(held.fetch) ended 61 s ago and the reaper has not handled it (1 such)"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [], "nothing contradicts itself")
        _ = try await h.queue.reap()
        #expect(OverdueWork.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a result after the deadline is too late, though the receipt has not ended yet`() async throws {
        let h = try await QueueHarness()
        func error(of receipt: String) async throws -> JSON? {
            try await h.queue.receipt(receipt)?.ending.flatMap { try JSON(parsing: "{\($0.body)}")["error"] }
        }
        for (number, (end, answer)) in [
            (FetchOutcome.success(metrics: [:], [QueueHarness.made("p0-small")]), FinishAnswer.withdrawn),
            (.failure(QueueHarness.transient, retryAfter: nil), .done), (.cancelled, .done),
        ]
        .enumerated() {
            let id = "r\(number)"
            _ = try await h.submit(id, source: "p\(number)") { $0.deadlineSeconds = 5 }
            let fetch = try await h.claim()
            h.tick(5_000)
            #expect(try await h.queue.finish(fetch.lease, end) == answer)
            let data = try await error(of: id)?["data"]
            #expect(data?["name"] == "deadlineExceeded" && data?["phase"] == "download" && data?["attempts"] == 1)
            #expect(try await h.queue.finish(fetch.lease, end) == .duplicate)
        }
        let info = try await h.queue.info()
        #expect(info?.dead == 0 && info?.delayed == 0 && info?.running == 0)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `among several receipts, those past their own deadline end late`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("long") { $0.deadlineSeconds = 60 }
        _ = try await h.submit("short") { $0.deadlineSeconds = 5 }
        _ = try await h.submit("brief", renditions: ["other"]) { $0.deadlineSeconds = 2 }
        let fetch = try await h.claim()
        h.tick(2_000)
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-other")) == .ok)
        #expect(try await h.queue.receipt("brief")?.state == .failed)
        #expect(try await h.queue.receipt("short")?.state == .running)
        #expect(try await h.queue.dump().hash("f:" + fetch.lease.fetch)["firstDeadline"] == String((h.queue.clock ?? 0) + 3_000))
        h.tick(3_000)
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [QueueHarness.made("source-small")])) == .done)
        #expect(try await h.queue.receipt("short")?.state == .failed)
        #expect(try await h.queue.receipt("long")?.state == .succeeded)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a rendition that is late for all receipts is not wanted`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["small", "large"]) { $0.deadlineSeconds = 5 }
        let fetch = try await h.claim()
        h.tick(5_000)
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-small")) == .cancel)
        #expect(try await h.story(of: "r1") == ["1 queued", "2 started", "3 failed"])
        #expect(try await h.queue.finish(fetch.lease, .cancelled) == .done)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a receipt that joins a run without other receipts has a deadline too`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 5 }
        let fetch = try await h.claim()
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-small")) == .ok)
        h.tick(5_000)
        // The last deadline that the fetch knew has passed, and no receipt is late.
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-small")) == .ok)
        _ = try await h.submit("r2", renditions: ["other"]) { $0.deadlineSeconds = 60 }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.tick(60_000)
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [QueueHarness.made("source-other")])) == .done)
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.receipt("r2")?.state == .failed)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a cancellation, a repeated submit and a dead worker find a late receipt failed`() async throws {
        let h = try await QueueHarness()
        for id in ["dropped", "again", "lost", "emptied"] { _ = try await h.submit(id, source: id) { $0.deadlineSeconds = 5 } }
        for _ in 0..<4 { _ = try await h.claim() }
        h.tick(10_001)
        #expect(try await h.queue.cancel(receipt: "dropped", reason: "requested") == .finished)
        guard case .finished(let ending) = try await h.submit("again", source: "again", { $0.deadlineSeconds = 5 }) else {
            throw TestFailure("a late receipt is live again")
        }
        #expect(ending.state == .failed)
        try await h.queue.cancelAll(reason: "requested")
        _ = try await h.queue.reap()
        for id in ["dropped", "again", "lost", "emptied"] {
            let ending = try #require(try await h.queue.receipt(id)?.ending)
            #expect(ending.body.contains(#""name":"deadlineExceeded""#), "\(id): \(ending.body)")
        }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `with Redis full, a submit is refused without a trace and running work ends as usual`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a")
        _ = try await h.submit("r2", source: "b")
        let first = try await h.claim()
        let old = try await h.queue.dump().entries.keys
        _ = try await h.redis.command(["CONFIG", "SET", "maxmemory", "1"])
        await #expect(throws: RedisError.outOfMemory) { _ = try await h.submit("r3", source: "c") }
        #expect(try await h.queue.dump().entries.keys == old)
        #expect(try await h.queue.beat(worker: "w1", info: [:], [first.lease]).lost.isEmpty)
        #expect(try await h.queue.progress(first.lease, [FetchEvent(type: .progress, body: ["phase": "decode"])]) == .ok)
        #expect(try await h.succeed(first) == .done)
        let second = try await h.claim()
        #expect(try await h.queue.release(second.lease))
        #expect(try await h.queue.cancel(receipt: "r2", reason: "requested") == .dropped)
        _ = try await h.queue.reap()
        _ = try await h.redis.command(["CONFIG", "SET", "maxmemory", "0"])
        #expect(try await h.submit("r3", source: "c") == .queued(state: .queued, position: 0, joined: false))
    }

    @Test @Loop func `records deleted from outside do not stop the queue`() async throws {
        let h = try await QueueHarness()
        for name in ["a", "b", "c"] { _ = try await h.submit(name, source: name) { $0.deadlineSeconds = 5 } }
        let ids = try await h.queue.dump().names("f:").sorted()
        _ = try await h.redis.command(["DEL", .string(h.queue.keys.prefix + "f:" + ids[0])])
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        let fetch = try await h.claim()
        _ = try await h.redis.command(["DEL", .string(h.queue.keys.prefix + "f:" + fetch.lease.fetch)])
        #expect(try await h.succeed(fetch) == .stale)
        h.tick(10_001)
        _ = try await h.queue.reap()
        for name in ["a", "b", "c"] { #expect(try await h.queue.receipt(name)?.state == .failed, "\(name)") }
    }
}
