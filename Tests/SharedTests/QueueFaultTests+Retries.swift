import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

extension QueueFaultTests {
    @Test @Loop func `a heartbeat keeps the lease`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 600 }
        let fetch = try await h.claim()
        for _ in 0..<5 {
            h.tick(9_000)
            let answer = try await h.queue.beat(worker: "w1", info: [:], [fetch.lease])
            #expect(answer.lost.isEmpty && answer.cancelled.isEmpty && answer.watched.isEmpty)
            #expect(try await h.queue.reap().expiredLeases == 0)
        }
    }

    @Test @Loop func `a finish whose answer was lost may be repeated`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let fetch = try await h.claim()
        #expect(try await h.succeed(fetch) == .done)
        #expect(try await h.succeed(fetch) == .duplicate)
        #expect(try await h.queue.finish(fetch.lease, .failure(QueueHarness.transient, retryAfter: nil)) == .duplicate)
        #expect(try await h.story(of: "r1") == ["1 queued", "2 started", "3 succeeded"])
    }

    @Test @Loop func `transient failures are retried with growing waits, then end as a dead letter`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        var waits: [Double] = []
        for attempt in 1...3 {
            let fetch = try await h.claim()
            #expect(fetch.attempt == attempt)
            #expect(try await h.queue.finish(fetch.lease, .failure(QueueHarness.transient, retryAfter: nil)) == (attempt < 3 ? .again : .done))
            let event = try #require(try await h.publicEvents(of: "r1").last)
            if attempt < 3 {
                #expect(event["type"] == "retrying" && event["attempt"]?.int == attempt && event["error"]?["data"]?["name"] == "dns")
                let wait = try #require(event["delay"]?.double)
                waits.append(wait)
                let due = try #require(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds)
                #expect(due == Int((wait * 1000).rounded()))
                h.tick(Int64(due))
            } else {
                #expect(event["type"] == "failed" && event["error"]?["data"]?["name"] == "dns")
            }
        }
        #expect((0.25...0.75).contains(waits[0]) && (0.5...1.5).contains(waits[1]), "\(waits)")
        #expect(try await h.queue.info()?.dead == 1)
    }

    @Test @Loop func `a permanent failure is not retried`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let fetch = try await h.claim()
        #expect(try await h.queue.finish(fetch.lease, .failure(QueueHarness.permanent, retryAfter: nil)) == .done)
        #expect(try await h.queue.receipt("r1")?.state == .failed)
        #expect(try await h.queue.info()?.dead == 0)
        #expect(try await h.submit("r2") == .queued(state: .queued, position: 0, joined: false))
    }

    @Test @Loop func `Retry-After is waited for`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: 7))
        // Some worker wakes up and learns the due time, so that no round of the reaper is needed.
        #expect(try await h.queue.dump().entries["mark"] != nil)
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 7000)
        h.tick(6_999)
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        h.tick(1)
        #expect(try await h.claim().attempt == 2)
    }

    @Test @Loop func `renditions made before a failure are not made again`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        _ = try await h.submit("r2", renditions: ["a", "b"])
        let fetch = try await h.claim()
        _ = try await h.queue.rendition(fetch.lease, QueueHarness.made("source-a"))
        _ = try await h.queue.finish(fetch.lease, .failure(QueueHarness.transient, retryAfter: nil))
        h.tick(2_000)
        let again = try await h.claim()
        #expect(again.renditions.map(\.digest) == ["source-b"])
        #expect(try await h.succeed(again) == .done)
        #expect(try await h.publicEvents(of: "r2").last?["result"]?["renditions"]?.array?.count == 2)
    }

    @Test @Loop func `a released run is queued at its old place and not counted`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a")
        _ = try await h.submit("r2", source: "b")
        let fetch = try await h.claim()
        #expect(try await h.queue.release(fetch.lease))
        #expect(try await h.queue.release(fetch.lease), "repeated")
        #expect(try await h.story(of: "r1") == ["1 queued", "2 started", "3 queued"])
        let again = try await h.claim()
        #expect(again.lease.fetch == fetch.lease.fetch && again.attempt == 1)
        try await h.succeed(again)
        #expect(try await h.queue.release(fetch.lease) == false)
    }

    @Test @Loop func `the last cancel stops a running fetch, and the next request makes a new one at once`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.submit("r2")
        let fetch = try await h.claim()
        #expect(try await h.queue.cancel(receipt: "r1", reason: "requested") == .dropped)
        #expect(try await h.queue.progress(fetch.lease, []) == .ok)
        #expect(try await h.queue.cancel(receipt: "r1", reason: "requested") == .finished)
        #expect(try await h.queue.cancel(receipt: "nobody", reason: "requested") == .unknown)
        _ = try await h.messages()
        #expect(try await h.queue.cancel(receipt: "r2", reason: "disconnected") == .dropped)
        let messages = try await h.messages()
        #expect(messages.filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) } == [.cancel(fetch.lease)])
        let end = try #require(messages.first { $0.channel == h.queue.keys.publicEvents }.map { try JSON(parsing: $0.payload) })
        #expect(end["type"] == "cancelled" && end["reason"] == "disconnected" && end["phase"] == "download")
        #expect(try await h.submit("r3") == .queued(state: .queued, position: 0, joined: false))
        // The cancellation is repeated until the worker has received it. Then the permit is free.
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.lease]).cancelled == [fetch.lease.fetch])
        #expect(try await h.queue.progress(fetch.lease, []) == .cancel)
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-small")) == .cancel)
        #expect(try await h.queue.finish(fetch.lease, .cancelled) == .done)
        #expect(try await h.queue.dump().names("x:").isEmpty, "no result of a cancelled fetch")
        try await h.succeed(try await h.claim())
        #expect(try await h.queue.receipt("r3")?.state == .succeeded)
    }

    @Test @Loop func `cancelling a queued or delayed fetch removes it`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a")
        _ = try await h.submit("r2", source: "b")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.cancel(receipt: "r1", reason: "requested") == .dropped)
        #expect(try await h.queue.cancel(receipt: "r2", reason: "requested") == .dropped)
        let info = try #require(try await h.queue.info())
        #expect(info.queued == 0 && info.delayed == 0)
        #expect(try await h.queue.dump().names("s:").isEmpty)
    }

    @Test @Loop func `a deadline ends its receipt in every state, and the fetch with the last receipt`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("short") { $0.deadlineSeconds = 1 }
        _ = try await h.submit("long") { $0.deadlineSeconds = 2 }
        let fetch = try await h.claim()
        #expect(fetch.deadlineSeconds == 2)
        h.tick(1_000)
        #expect(try await h.queue.reap().deadlines == 1)
        let ending = try #require(try await h.queue.receipt("short")?.ending)
        let error = try JSON(parsing: "{\(ending.body)}")["error"]
        #expect(ending.state == .failed && error?["code"] == 1042 && error?["data"]?["phase"] == "download")
        #expect(try await h.queue.progress(fetch.lease, []) == .ok)
        h.tick(1_000)
        #expect(try await h.queue.reap().deadlines == 1)
        #expect(try await h.queue.progress(fetch.lease, []) == .cancel)
    }
}
