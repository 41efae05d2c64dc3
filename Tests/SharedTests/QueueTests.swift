import TintypeCore
import TintypeTransport
import TintypeImages
@testable import TintypeQueue
import TestSupport
import Testing

/// The life of fetches, renditions and receipts without faults.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct QueueTests {
    @Test @Loop func `a receipt is queued, started, and ends with its result`() async throws {
        let h = try await QueueHarness()
        #expect(try await h.submit("r1") { $0.meta = #","tag":"t""# } == .queued(state: .queued, position: 0, joined: false))
        h.tick(250)
        let fetch = try await h.claim()
        #expect(fetch.attempt == 1 && fetch.host == "a.test" && fetch.queuedSeconds == 0.25 && fetch.deadlineSeconds == 29.75)
        #expect(fetch.fetch == #"{"urls":["http://a.test/source"]}"#)
        #expect(fetch.renditions == [OwedRendition(digest: "source-small", json: #"{"name":"small"}"#)])
        h.tick(50)
        let answer = try await h.queue.finish(fetch.lease, .success(metrics: ["dns": 0.5, "total": 9], [QueueHarness.made("source-small")]))
        #expect(answer == .done)
        let events = try await h.publicEvents(of: "r1")
        #expect(events.map { $0["type"]?.string } == ["queued", "started", "succeeded"])
        #expect(events.map { $0["seq"]?.int } == [1, 2, 3])
        #expect(events.allSatisfy { $0["tag"] == "t" && $0["queue"] == "default" && $0["receipt"] == "r1" })
        #expect(events[0]["position"] == 0 && events[1]["worker"] == "w1" && events[1]["attempt"] == 1)
        #expect(events[2]["at"]?.double == 1_700_000_000.3)
        #expect(
            events[2]["result"] == [
                "receipt": "r1", "from": "remote", "state": "succeeded", "notModified": false, "source": ["url": "u"],
                "renditions": [["name": "small", "key": "source-small"]], "description": [:], "attempts": 1, "worker": "w1",
                "metrics": ["dns": 0.5, "queued": 0.25, "total": 0.3],
            ])
    }

    @Test @Loop func `a no-op fetch takes three round trips`() async throws {
        let h = try await QueueHarness()
        let before = try await h.scriptCalls()
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        #expect(try await h.scriptCalls() - before == 3)
    }

    @Test @Loop func `a run uses the largest timeouts and retries of the requests before it`() async throws {
        let h = try await QueueHarness()
        func times(_ connect: Double, _ idle: Double, _ total: Double) -> FetchOptions.Timeouts {
            var times = FetchOptions.Timeouts()
            (times.connect, times.idle, times.total) = (connect, idle, total)
            return times
        }
        _ = try await h.submit("r1") { ($0.timeouts, $0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (times(1, 20, 30), 1, 100, 100) }
        _ = try await h.submit("r2") { ($0.timeouts, $0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (times(2, 5, 90), 2, 4000, 5000) }
        let first = try await h.claim()
        #expect(first.timeouts == times(2, 20, 90))
        // A request that joins now takes part in the next run.
        _ = try await h.submit("r3")
        _ = try await h.queue.finish(first.lease, .failure(QueueHarness.transient, retryAfter: nil))
        let delay = try #require(try await h.publicEvents(of: "r1").last { $0["type"] == "retrying" }?["delay"]?.double)
        #expect(delay >= 2)
        h.tick(7000)
        #expect(try await h.claim().timeouts == times(10, 20, 90))
        _ = try await h.submit("plain", source: "other")
        _ = try await h.submit("plainer", source: "other")
        #expect(try await h.claim().timeouts == nil)
    }

    /// Otherwise one patient request would make a source unavailable for all others after one transient fault.
    @Test @Loop func `a request that joins a delayed fetch waits no longer than its own retry allows`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("patient") { ($0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (20, 3_600_000, 86_400_000) }
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds ?? 0 > 1_000_000)
        // A request with the same patience: nothing changes.
        _ = try await h.submit("like him") { ($0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (20, 7_200_000, 86_400_000) }
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds ?? 0 > 1_000_000)
        let answer = try await h.submit("other") { ($0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (3, 500, 30_000) }
        #expect(answer == .queued(state: .delayed, position: nil, joined: true))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 500)
        h.tick(500)
        try await h.succeed(try await h.claim())
        for receipt in ["patient", "like him", "other"] { #expect(try await h.queue.receipt(receipt)?.state == .succeeded) }
        // A request with the same terms as all others does not make the run start earlier, and an origin keeps its pause.
        for source in ["failing", "resting"] {
            func like(_ submission: inout Submission) {
                (submission.maxAttempts, submission.retryBaseMilliseconds, submission.retryMaxMilliseconds) = (5, 500, 30_000)
            }
            h.queue.jitter = 0.5
            _ = try await h.submit(source, source: source, host: source, like)
            for run in 1...2 {
                let rest: Double? = source == "resting" ? 5 : nil
                _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: rest))
                _ = try await h.submit("\(source) \(run)", source: source, host: source, like)
                let due = try #require(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds)
                #expect(due >= (rest == nil ? 500 * run : 5000))
                h.tick(Int64(due))
            }
            try await h.succeed(try await h.claim())
        }
    }

    /// The most patient request counts, but its hour does not hold for a request with eight seconds left.
    @Test @Loop func `a patient request that joins a run takes no run from a request with less time`() async throws {
        let h = try await QueueHarness()
        h.queue.jitter = 0.5
        func submit(_ receipt: String, to source: String, patience: Int, deadline: Double) async throws {
            _ = try await h.submit(receipt, source: source, host: source) {
                ($0.maxAttempts, $0.deadlineSeconds) = (10, deadline)
                ($0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (patience, patience * 30)
            }
        }
        try await submit("hurried", to: "a", patience: 500, deadline: 8)
        let first = try await h.claim()
        try await submit("patient", to: "a", patience: 3_600_000, deadline: 86_400)
        h.tick(1000)
        _ = try await h.queue.finish(first.lease, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 3500)
        h.tick(3500)
        try await h.succeed(try await h.claim())
        #expect(try await h.queue.receipt("hurried")?.state == .succeeded)
        // With time enough, the request waits as long as it has asked.
        try await submit("calm", to: "b", patience: 500, deadline: 86_400)
        let second = try await h.claim()
        try await submit("calmer", to: "b", patience: 3_600_000, deadline: 86_400)
        _ = try await h.queue.finish(second.lease, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 3_600_000)
    }

    @Test @Loop func `a hundred receipts of two coordinators share one fetch`() async throws {
        let h = try await QueueHarness()
        for number in 0..<100 {
            let answer = try await h.submit("r\(number)", coordinator: number % 2 == 0 ? "c1" : "c2")
            #expect(answer == .queued(state: .queued, position: 0, joined: number > 0))
        }
        let claimed = try await h.queue.claim(worker: "w1", count: 10).fetches
        #expect(claimed.count == 1)
        _ = try await h.messages()
        try await h.succeed(claimed[0])
        let ends = try await h.messages().filter { $0.channel == h.queue.keys.publicEvents }
        #expect(ends.count == 100)
        #expect(try await h.queue.info()?.running == 0)
    }

    @Test @Loop func `each receipt ends as soon as its own renditions are there`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        _ = try await h.submit("r2", renditions: ["a", "b"])
        let fetch = try await h.claim()
        #expect(Set(fetch.renditions.map(\.digest)) == ["source-a", "source-b"])
        #expect(try await h.queue.rendition(fetch.lease, QueueHarness.made("source-a")) == .ok)
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.receipt("r2")?.state == .running)
        #expect(try await h.story(of: "r2") == ["1 queued", "2 started", "3 rendition"])
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [QueueHarness.made("source-b")])) == .done)
        let end = try #require(try await h.publicEvents(of: "r2").last)
        #expect(end["result"]?["renditions"]?.array?.map { $0["name"]?.string } == ["a", "b"])
    }

    @Test @Loop func `a request that joins a running fetch gets its progress at once`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        let fetch = try await h.claim()
        // No progress is known yet.
        _ = try await h.submit("r2", renditions: ["a"]) { $0.wantsProgress = true }
        #expect(try await h.story(of: "r2") == ["1 queued", "2 started"])
        let far: JSONObject = ["receivedBytes": 7, "expectedBytes": 9, "phase": "download", "fraction": 0.778]
        #expect(try await h.queue.progress(fetch.lease, [FetchEvent(type: .progress, body: far)]) == .ok)
        _ = try await h.messages()
        _ = try await h.submit("r3", renditions: ["b"], coordinator: "c2") { $0.wantsProgress = true }
        let heard = try await h.messages()
        let events = try heard.filter { $0.channel == h.queue.keys.publicEvents(receipt: "r3") }.map { try JSON(parsing: $0.payload) }
        #expect(events.map { $0["type"]?.string } == ["queued", "started", "progress"] && events.last?["seq"] == 3)
        #expect(["receivedBytes", "expectedBytes", "phase", "fraction"].allSatisfy { events.last?[$0] == far[$0] && far[$0] != nil })
        let channel = heard.filter { $0.channel == h.queue.keys.events(coordinator: "c2") }.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(channel.count == 3 && channel.last?.contains("\nprogress\n") == true && channel.last?.hasSuffix("r3:3") == true, "\(channel)")
        // Other receipts get the event only once, and receipts that did not ask get none.
        #expect(!heard.contains { $0.channel == h.queue.keys.publicEvents(receipt: "r1") })
        _ = try await h.submit("r4", renditions: ["c"])
        #expect(try await h.story(of: "r4") == ["1 queued", "2 started"])
        // The next run begins anew.
        #expect(try await h.queue.release(fetch.lease))
        _ = try await h.claim()
        _ = try await h.messages()
        _ = try await h.submit("r5", renditions: ["d"]) { $0.wantsProgress = true }
        #expect(try await h.story(of: "r5") == ["1 queued", "2 started"])
    }

    @Test @Loop func `a rendition that joins a running fetch is made from the same download`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        let fetch = try await h.claim()
        #expect(try await h.submit("r2", renditions: ["b"]) == .queued(state: .running, position: nil, joined: true))
        #expect(try await h.story(of: "r2") == ["1 queued", "2 started"])
        #expect(try await h.succeed(fetch) == .more([OwedRendition(digest: "source-b", json: #"{"name":"b"}"#)], resultTime: 60))
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [QueueHarness.made("source-b")])) == .done)
        #expect(try await h.queue.receipt("r2")?.state == .succeeded)
    }

    @Test @Loop func `a failed rendition ends the receipts that want it and no others`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a", "b"])
        _ = try await h.submit("r2", renditions: ["b"])
        let fetch = try await h.claim()
        let failure = RenditionOutcome("source-a", .failure(TintypeError(.encodeFailed, .encode, "no")))
        #expect(try await h.queue.finish(fetch.lease, .success(metrics: [:], [failure, QueueHarness.made("source-b")])) == .done)
        let failed = try #require(try await h.queue.receipt("r1")?.ending)
        let error = try JSON(parsing: "{\(failed.body)}")["error"]
        #expect(failed.state == .failed && error?["data"]?["name"] == "encodeFailed")
        #expect(try await h.queue.receipt("r2")?.state == .succeeded)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `results in the index answer at once, and a reload ignores them`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        try await h.succeed(try await h.claim())
        guard case .finished(let ending) = try await h.submit("r2", renditions: ["a"]) else { throw TestFailure("not answered") }
        let result = try JSON(parsing: "{\(ending.body)}")["result"]
        #expect(ending.state == .succeeded && ending.seq == 1 && result?["from"] == "results" && result?["attempts"] == 0)
        #expect(try await h.story(of: "r2") == ["1 succeeded"])
        #expect(try await h.submit("r3", renditions: ["a"]) { $0.readResults = false } == .queued(state: .queued, position: 0, joined: false))
        // One half exists: only the other half is fetched, and the result has both.
        #expect(try await h.submit("r4", source: "source", renditions: ["a", "b"]) == .queued(state: .queued, position: 0, joined: true))
        try await h.succeed(try await h.claim())
        #expect(try await h.publicEvents(of: "r4").last?["result"]?["renditions"]?.array?.count == 2)
        #expect(try await h.queue.forget(results: ["source-a", "nothing"]) == 1)
        #expect(try await h.queue.forgetAllResults() == 1)
        #expect(try await h.submit("r5", renditions: ["a"]) == .queued(state: .queued, position: 0, joined: false))
    }

    @Test @Loop func `a reload and a revalidation do not join each other`() async throws {
        let h = try await QueueHarness()
        let reload: (inout Submission) -> Void = { ($0.readResults, $0.joining) = (false, .reload) }
        let asking: (inout Submission) -> Void = { ($0.readResults, $0.joining) = (false, .asking) }
        for (first, second) in [(reload, asking), (asking, reload)] {
            #expect(try await h.submit("r1", first) == .queued(state: .queued, position: 0, joined: false))
            #expect(try await h.submit("r2", second) == .queued(state: .queued, position: 1, joined: false))
            #expect(try await h.submit("r3", second) == .queued(state: .queued, position: 1, joined: true))
            // A request that accepts anything joins the last fetch.
            #expect(try await h.submit("r4") == .queued(state: .queued, position: 1, joined: true))
            #expect(try await h.submit("r5", first) == .queued(state: .queued, position: 2, joined: false))
            for _ in 0..<3 { try await h.succeed(try await h.claim()) }
            for number in 1...5 { #expect(try await h.queue.receipt("r\(number)")?.state == .succeeded) }
            #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
            _ = try await h.redis.command(["FLUSHALL"])
        }
    }

    @Test @Loop func `a source is kept if one of its requests says so`() async throws {
        let h = try await QueueHarness()
        let poor: (inout Submission) -> Void = { $0.keepsSource = false }
        _ = try await h.submit("r1", poor)
        #expect(try await h.submit("r2", renditions: ["big"], poor) == .queued(state: .queued, position: 0, joined: true))
        let first = try await h.claim()
        #expect(!first.keepsSource)
        // A running fetch without a kept source stays so; the request gets another fetch.
        #expect(try await h.submit("r3", renditions: ["big"], poor) == .queued(state: .running, position: nil, joined: true))
        #expect(try await h.submit("r4") == .queued(state: .queued, position: 0, joined: false))
        _ = try await h.submit("r5", source: "other", poor)
        #expect(try await h.submit("r6", source: "other") == .queued(state: .queued, position: 1, joined: true))
        try await h.succeed(first)
        for _ in 0..<2 {
            let fetch = try await h.claim()
            #expect(fetch.keepsSource)
            try await h.succeed(fetch)
        }
        // The next run of a released fetch may keep the source.
        _ = try await h.submit("r7", source: "third", poor)
        _ = try await h.queue.release(try await h.claim().lease)
        #expect(try await h.submit("r8", source: "third") == .queued(state: .queued, position: 0, joined: true))
        #expect(try await h.claim().keepsSource)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }
}
