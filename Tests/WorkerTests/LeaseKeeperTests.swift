import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

@testable import Worker

@Suite(.tags(.cluster, .realTimes), .timeLimit(.minutes(1)), .scoped)
struct LeaseKeeperTests {
    private let request: JSON = ["url": "data:,x", "as": "bytes"]

    /// Holds a fetch and returns where its end arrives.
    @Loop private func hold(_ h: WorkerHarness, _ fetch: ClaimedFetch, watched: OneShot<Void> = OneShot()) -> OneShot<LeaseEnd> {
        let end = OneShot<LeaseEnd>()
        h.keeper.hold(fetch.lease, claimedAt: .now, .init(onEnd: { end.complete(.success($0)) }, onWatched: { _ in watched.complete(.success(())) }))
        return end
    }

    @Test @Loop func `a heartbeat registers the worker and keeps its leases`() async throws {
        let h = try await WorkerHarness()
        try await h.submit(request)
        let end = hold(h, try await h.claim())
        let before = try await h.server.command("ZRANGE", "tintype:{default}:run", "0", "-1", "WITHSCORES")
        try await Loop.sleep(.milliseconds(20))
        await h.keeper.start(h.channels)
        await h.scope.drain()
        #expect(try await h.server.command("ZRANGE", "tintype:{default}:run", "0", "-1", "WITHSCORES") != before)
        #expect(try await h.queue.workers().map(\.id) == ["w1"])
        #expect(!end.isComplete && h.keeper.count == 1)
    }

    @Test @Loop func `the end of an old run leaves the lease of a newer run of the same fetch`() async throws {
        let h = try await WorkerHarness()
        let (old, new) = (RunLease(fetch: "a", token: 1), RunLease(fetch: "a", token: 2))
        for run in [old, new] { h.keeper.hold(run, claimedAt: .now, .init(onEnd: { _ in }, onWatched: { _ in })) }
        h.keeper.drop(old)
        #expect(h.keeper.count == 1)
        h.keeper.drop(new)
        #expect(h.keeper.count == 0)
    }

    @Test @Loop func `a cancellation comes at once by the channel, and by the heartbeat if the message was lost`() async throws {
        let h = try await WorkerHarness()
        let first = try await h.submit(request)
        let unheard = hold(h, try await h.claim())
        _ = try await h.queue.cancel(receipt: first, reason: "requested")
        h.keeper.beat()
        #expect(try await unheard.wait() == .cancelled)

        await h.keeper.start(h.channels)
        await h.scope.drain()
        let second = try await h.submit(["url": "data:,y", "as": "bytes"])
        let heard = hold(h, try await h.claim())
        let ready = OneShot<Void>()
        h.subscriber.subscribe(h.queue.keys.control, .sharded, confirmed: { ready.complete(.success(())) }) { _, _ in }
        try await ready.wait()
        _ = try await h.queue.cancel(receipt: second, reason: "requested")
        #expect(try await heard.wait() == .cancelled)
    }

    @Test @Loop func `a run that must yield hears so by the channel and each heartbeat, and keeps its lease until then`() async throws {
        let h = try await WorkerHarness()
        let (first, second) = (OneShot<Void>(), OneShot<Void>())
        var times = 0
        func heard() {
            times += 1
            (times == 1 ? first : second).complete(.success(()))
        }
        let runs = try await h.runsOfTwoClients()
        for run in runs { h.keeper.hold(run.lease, claimedAt: .now, .init(onEnd: { Issue.record("\($0)") }, onWatched: { _ in }, onYield: heard)) }
        #expect(try await h.queue.reap(undisturbed: .zero).askedToYield == 1)
        h.keeper.beat()
        try await first.wait()
        await h.keeper.start(h.channels)
        await h.scope.drain()
        #expect(times == 2 && h.keeper.count == 2)
        let ready = OneShot<Void>()
        let message = OneShot<[UInt8]>()
        h.subscriber.subscribe(h.queue.keys.control, .sharded, confirmed: { ready.complete(.success(())) }) { _, payload in message.complete(.success(payload))
        }
        try await ready.wait()
        let said = "yield|\(runs[0].lease.fetch)|\(runs[0].lease.token)"
        _ = try await h.redis.command(["SPUBLISH", .string(h.queue.keys.control), .string(said)])
        _ = try await message.wait()
        #expect(times == 3 && h.keeper.count == 2)
    }

    @Test @Loop func `a message about a fetch that arrives before its claim's answer is not lost`() async throws {
        let h = try await WorkerHarness()
        await h.keeper.start(h.channels)
        await h.scope.drain()
        let (ready, watch, cancel) = (OneShot<Void>(), OneShot<Void>(), OneShot<Void>())
        h.subscriber.subscribe(h.queue.keys.control, .sharded, confirmed: { ready.complete(.success(())) }) { _, payload in
            switch ControlMessage(payload) {
            case .watch?: watch.complete(.success(()))
            case .cancel?: cancel.complete(.success(()))
            default: break
            }
        }
        try await ready.wait()
        let first = try await h.submit(request)
        let claimed = try await h.claim()
        let second = try await h.submit(request) { $0.wantsProgress = true }
        try await watch.wait()
        for receipt in [first, second] { _ = try await h.queue.cancel(receipt: receipt, reason: "requested") }
        try await cancel.wait()
        let watched = OneShot<Void>()
        let end = hold(h, claimed, watched: watched)
        #expect(watched.isComplete && end.isComplete && h.keeper.count == 0)
        #expect(try await end.wait() == .cancelled)
        // A message counts once, and for this run only.
        #expect(!hold(h, claimed).isComplete)
    }

    @Test @Loop func `unused messages are forgotten after two heartbeats, and too many at once`() {
        var early = PendingControlMessages()
        let held = (0...PendingControlMessages.most).map { RunLease(fetch: "f\($0)", token: 1) }
        early.note(.cancel(held[0]), of: held[0])
        early.age()
        #expect(early.take(held[0]) == [.cancel(held[0])] && early.take(held[0]) == [])
        for one in held { early.note(.cancel(one), of: one) }
        #expect(early.count == PendingControlMessages.most)
        early.age()
        early.age()
        #expect(early.count == 0)
    }

    @Test @Loop func `a fetch that is claimed during a release is released too, without an attempt counted`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(["url": .string(h.url("/hang")), "as": "bytes"])
        let claimed = try await h.claim()
        h.keeper.giveBackAll()
        await FetchRunner(claimed, queue: h.queue, parts: h.parts).run(h.keeper, claimedAt: .now).value
        let snapshot = try await h.snapshot(receipt)
        #expect(snapshot.state == .queued && snapshot.attempts == 0 && h.keeper.count == 0)
        #expect(try await h.counts()["total"] == 0)
    }

    @Test @Loop func `a heartbeat tells the worker to claim nothing new if the message was lost`() async throws {
        let h = try await WorkerHarness()
        #expect(try await !h.queue.quiet(worker: "w1", true), "no worker has heard of it yet")
        for isQuiet in [false, true, false] {
            _ = try await h.queue.quiet(worker: "w1", isQuiet)
            h.keeper.beat()
            await h.scope.drain()
            #expect(h.keeper.isQuiet == isQuiet)
        }
    }

    @Test @Loop func `a draining worker that Redis has forgotten keeps draining`() async throws {
        let h = try await WorkerHarness()
        h.keeper.beat()
        await h.scope.drain()
        _ = try await h.queue.quiet(worker: "w1", true)
        h.keeper.beat()
        await h.scope.drain()
        try await h.queue.retire(worker: "w1")
        for _ in 1...2 {
            h.keeper.beat()
            await h.scope.drain()
            #expect(h.keeper.isQuiet)
        }
        #expect(try await h.queue.dump().set("quiet") == ["w1"])
    }

    @Test @Loop func `a fetch that another worker holds by now is lost`() async throws {
        let h = try await WorkerHarness()
        try await h.submit(request)
        let fetch = try await h.claim()
        let end = hold(h, fetch)
        try await h.queue.release(fetch.lease)
        _ = try await h.queue.claim(worker: "w2", count: 1)
        h.keeper.beat()
        #expect(try await end.wait() == .lost)
        #expect(h.metrics.value(.leasesLost) == 1)
    }

    @Test @Loop func `a time without a successful heartbeat ends a lease, and each success starts it again`() async throws {
        let h = try await WorkerHarness()
        try await h.submit(request)
        let end = hold(h, try await h.claim())
        let (claimed, patience) = (ContinuousClock.now, h.queue.times.patience)
        h.keeper.expire(at: claimed + patience - .seconds(1))
        #expect(!end.isComplete)
        try await Loop.sleep(.milliseconds(50))
        h.keeper.beat()
        await h.scope.drain()
        h.keeper.expire(at: claimed + patience)
        #expect(!end.isComplete)
        await h.server.kill9()
        h.keeper.beat()
        await h.scope.drain()
        h.keeper.expire(at: claimed + patience * 2)
        #expect(try await end.wait() == .expired)
    }

    @Test @Loop func `a later receipt that wants progress is noticed`() async throws {
        let h = try await WorkerHarness()
        try await h.submit(request)
        let watched = OneShot<Void>()
        _ = hold(h, try await h.claim(), watched: watched)
        try await h.submit(request) { $0.wantsProgress = true }
        h.keeper.beat()
        try await watched.wait()
    }
}
