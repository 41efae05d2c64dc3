import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The life of fetches, renditions and receipts when nothing goes wrong.
@Suite(.timeLimit(.minutes(1))) struct QueueTests {
    @Test @Loop func `a receipt is queued, started, and ends with its result`() async throws {
        let h = try await QueueHarness()
        #expect(try await h.submit("r1") { $0.meta = #","tag":"t""# } == .queued(state: .queued, position: 0, joined: false))
        h.tick(250)
        let fetch = try await h.claim()
        #expect(fetch.attempt == 1 && fetch.host == "a.test" && fetch.queuedSeconds == 0.25 && fetch.deadlineSeconds == 29.75)
        #expect(fetch.fetch == #"{"urls":["http://a.test/source"]}"#)
        #expect(fetch.renditions == [OwedRendition(digest: "source-small", json: #"{"name":"small"}"#)])
        h.tick(50)
        let answer = try await h.queue.finish(fetch.held, .success(metrics: ["dns": 0.5, "total": 9], [QueueHarness.made("source-small")]))
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
        h.stop()
    }

    @Test @Loop func `a no-op fetch takes three round trips`() async throws {
        let h = try await QueueHarness()
        let before = try await h.scriptCalls()
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        #expect(try await h.scriptCalls() - before == 3)
        h.stop()
    }

    @Test @Loop func `of times and repetitions the most generous counts of those who came before the run`() async throws {
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
        // Who joins now is heard at the next run.
        _ = try await h.submit("r3")
        _ = try await h.queue.finish(first.held, .failure(QueueHarness.transient, retryAfter: nil))
        let delay = try #require(try await h.publicEvents(of: "r1").last { $0["type"] == "retrying" }?["delay"]?.double)
        #expect(delay >= 2)
        h.tick(7000)
        #expect(try await h.claim().timeouts == times(10, 20, 90))
        _ = try await h.submit("plain", source: "other")
        _ = try await h.submit("plainer", source: "other")
        #expect(try await h.claim().timeouts == nil)
        h.stop()
    }

    /// Else one who has time would make a source unobtainable for all others after one passing fault.
    @Test @Loop func `who joins what waits for its next run waits no longer than by his own terms`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("patient") { ($0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (20, 3_600_000, 86_400_000) }
        _ = try await h.queue.finish(try await h.claim().held, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds ?? 0 > 1_000_000)
        // As patient: nothing changes.
        _ = try await h.submit("like him") { ($0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (20, 7_200_000, 86_400_000) }
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds ?? 0 > 1_000_000)
        let answer = try await h.submit("other") { ($0.maxAttempts, $0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (3, 500, 30_000) }
        #expect(answer == .queued(state: .delayed, position: nil, joined: true))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 500)
        h.tick(500)
        try await h.succeed(try await h.claim())
        for receipt in ["patient", "like him", "other"] { #expect(try await h.queue.receipt(receipt)?.state == .succeeded) }
        // Who has the same terms as all others does not have it run sooner than these say for its run, and an origin has its rest.
        for source in ["failing", "resting"] {
            func like(_ submission: inout Submission) {
                (submission.maxAttempts, submission.retryBaseMilliseconds, submission.retryMaxMilliseconds) = (5, 500, 30_000)
            }
            h.queue.jitter = 0.5
            _ = try await h.submit(source, source: source, host: source, like)
            for run in 1...2 {
                let rest: Double? = source == "resting" ? 5 : nil
                _ = try await h.queue.finish(try await h.claim().held, .failure(QueueHarness.transient, retryAfter: rest))
                _ = try await h.submit("\(source) \(run)", source: source, host: source, like)
                let due = try #require(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds)
                #expect(due >= (rest == nil ? 500 * run : 5000))
                h.tick(Int64(due))
            }
            try await h.succeed(try await h.claim())
        }
        h.stop()
    }

    /// The most patient counts, but his hour is not the time of one who has eight seconds.
    @Test @Loop func `who joins a run with more patience takes no run from who has less time`() async throws {
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
        _ = try await h.queue.finish(first.held, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 3500)
        h.tick(3500)
        try await h.succeed(try await h.claim())
        #expect(try await h.queue.receipt("hurried")?.state == .succeeded)
        // Where there is time enough he waits as long as he has asked for.
        try await submit("calm", to: "b", patience: 500, deadline: 86_400)
        let second = try await h.claim()
        try await submit("calmer", to: "b", patience: 3_600_000, deadline: 86_400)
        _ = try await h.queue.finish(second.held, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 3_600_000)
        h.stop()
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
        h.stop()
    }

    @Test @Loop func `each receipt ends as soon as its own renditions are there`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        _ = try await h.submit("r2", renditions: ["a", "b"])
        let fetch = try await h.claim()
        #expect(Set(fetch.renditions.map(\.digest)) == ["source-a", "source-b"])
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-a")) == .ok)
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.receipt("r2")?.state == .running)
        #expect(try await h.story(of: "r2") == ["1 queued", "2 started", "3 rendition"])
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [QueueHarness.made("source-b")])) == .done)
        let end = try #require(try await h.publicEvents(of: "r2").last)
        #expect(end["result"]?["renditions"]?.array?.map { $0["name"]?.string } == ["a", "b"])
        h.stop()
    }

    @Test @Loop func `who joins a running fetch and wants to know is told at once how far it is`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        let fetch = try await h.claim()
        // Nothing is known of it yet.
        _ = try await h.submit("r2", renditions: ["a"]) { $0.wantsProgress = true }
        #expect(try await h.story(of: "r2") == ["1 queued", "2 started"])
        let far: JSONObject = ["receivedBytes": 7, "expectedBytes": 9, "phase": "download", "fraction": 0.778]
        #expect(try await h.queue.progress(fetch.held, [FetchEvent(type: "progress", body: far)]) == .ok)
        _ = try await h.messages()
        _ = try await h.submit("r3", renditions: ["b"], coordinator: "c2") { $0.wantsProgress = true }
        let heard = try await h.messages()
        let events = try heard.filter { $0.channel == h.queue.keys.publicEvents(receipt: "r3") }.map { try JSON(parsing: $0.payload) }
        #expect(events.map { $0["type"]?.string } == ["queued", "started", "progress"] && events.last?["seq"] == 3)
        #expect(["receivedBytes", "expectedBytes", "phase", "fraction"].allSatisfy { events.last?[$0] == far[$0] && far[$0] != nil })
        let channel = heard.filter { $0.channel == h.queue.keys.events(coordinator: "c2") }.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(channel.count == 3 && channel.last?.contains("\nprogress\n") == true && channel.last?.hasSuffix("r3:3") == true, "\(channel)")
        // Others hear of it no second time, and who did not ask not at all.
        #expect(!heard.contains { $0.channel == h.queue.keys.publicEvents(receipt: "r1") })
        _ = try await h.submit("r4", renditions: ["c"])
        #expect(try await h.story(of: "r4") == ["1 queued", "2 started"])
        // The next run begins anew.
        #expect(try await h.queue.release(fetch.held))
        _ = try await h.claim()
        _ = try await h.messages()
        _ = try await h.submit("r5", renditions: ["d"]) { $0.wantsProgress = true }
        #expect(try await h.story(of: "r5") == ["1 queued", "2 started"])
        h.stop()
    }

    @Test @Loop func `a rendition that joins a running fetch is made from the same download`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        let fetch = try await h.claim()
        #expect(try await h.submit("r2", renditions: ["b"]) == .queued(state: .running, position: nil, joined: true))
        #expect(try await h.story(of: "r2") == ["1 queued", "2 started"])
        #expect(try await h.succeed(fetch) == .more([OwedRendition(digest: "source-b", json: #"{"name":"b"}"#)], resultTTL: 60))
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [QueueHarness.made("source-b")])) == .done)
        #expect(try await h.queue.receipt("r2")?.state == .succeeded)
        h.stop()
    }

    @Test @Loop func `a rendition that fails ends the receipts that want it and no other`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a", "b"])
        _ = try await h.submit("r2", renditions: ["b"])
        let fetch = try await h.claim()
        let failure = RenditionOutcome("source-a", .failure(TintypeError(.encodeFailed, .encode, "no")))
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [failure, QueueHarness.made("source-b")])) == .done)
        let failed = try #require(try await h.queue.receipt("r1")?.ending)
        let error = try JSON(parsing: "{\(failed.body)}")["error"]
        #expect(failed.state == .failed && error?["data"]?["name"] == "encodeFailed")
        #expect(try await h.queue.receipt("r2")?.state == .succeeded)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `results in the index answer at once, and a reload passes them by`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        try await h.succeed(try await h.claim())
        guard case .finished(let ending) = try await h.submit("r2", renditions: ["a"]) else { throw TestFailure("not answered") }
        let result = try JSON(parsing: "{\(ending.body)}")["result"]
        #expect(ending.state == .succeeded && ending.seq == 1 && result?["from"] == "results" && result?["attempts"] == 0)
        #expect(try await h.story(of: "r2") == ["1 succeeded"])
        #expect(try await h.submit("r3", renditions: ["a"]) { $0.readResults = false } == .queued(state: .queued, position: 0, joined: false))
        // Half of it is there: only the other half is fetched, and the result has both.
        #expect(try await h.submit("r4", source: "source", renditions: ["a", "b"]) == .queued(state: .queued, position: 0, joined: true))
        try await h.succeed(try await h.claim())
        #expect(try await h.publicEvents(of: "r4").last?["result"]?["renditions"]?.array?.count == 2)
        #expect(try await h.queue.forget(results: ["source-a", "nothing"]) == 1)
        #expect(try await h.queue.forgetAllResults() == 1)
        #expect(try await h.submit("r5", renditions: ["a"]) == .queued(state: .queued, position: 0, joined: false))
        h.stop()
    }

    @Test @Loop func `who reads nothing and who asks the origin do not join each other`() async throws {
        let h = try await QueueHarness()
        let reload: (inout Submission) -> Void = { ($0.readResults, $0.joining) = (false, .reload) }
        let asking: (inout Submission) -> Void = { ($0.readResults, $0.joining) = (false, .asking) }
        for (first, second) in [(reload, asking), (asking, reload)] {
            #expect(try await h.submit("r1", first) == .queued(state: .queued, position: 0, joined: false))
            #expect(try await h.submit("r2", second) == .queued(state: .queued, position: 1, joined: false))
            #expect(try await h.submit("r3", second) == .queued(state: .queued, position: 1, joined: true))
            // Whoever takes anything joins the last one.
            #expect(try await h.submit("r4") == .queued(state: .queued, position: 1, joined: true))
            #expect(try await h.submit("r5", first) == .queued(state: .queued, position: 2, joined: false))
            for _ in 0..<3 { try await h.succeed(try await h.claim()) }
            for number in 1...5 { #expect(try await h.queue.receipt("r\(number)")?.state == .succeeded) }
            #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
            _ = try await h.redis.command(["FLUSHALL"])
        }
        h.stop()
    }

    @Test @Loop func `a source is kept if one of those who wait for it says so`() async throws {
        let h = try await QueueHarness()
        let poor: (inout Submission) -> Void = { $0.keepsSource = false }
        _ = try await h.submit("r1", poor)
        #expect(try await h.submit("r2", renditions: ["big"], poor) == .queued(state: .queued, position: 0, joined: true))
        let first = try await h.claim()
        #expect(!first.keepsSource)
        // What runs keeps none any more: another run does.
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
        // One that was given back is another run.
        _ = try await h.submit("r7", source: "third", poor)
        _ = try await h.queue.release(try await h.claim().held)
        #expect(try await h.submit("r8", source: "third") == .queued(state: .queued, position: 0, joined: true))
        #expect(try await h.claim().keepsSource)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `a reload joins no older fetch, only a reload that has not begun`() async throws {
        let h = try await QueueHarness()
        let reload: (inout Submission) -> Void = {
            $0.readResults = false; $0.joining = .reload
        }
        _ = try await h.submit("r1")
        let first = try await h.claim()
        #expect(try await h.submit("r2", reload) == .queued(state: .queued, position: 0, joined: false))
        #expect(try await h.submit("r3", reload) == .queued(state: .queued, position: 0, joined: true))
        #expect(try await h.submit("r4") == .queued(state: .queued, position: 0, joined: true))
        try await h.succeed(first)
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.receipt("r2")?.state == .queued)
        let second = try await h.claim()
        #expect(try await h.submit("r5", reload) == .queued(state: .queued, position: 0, joined: false))
        try await h.succeed(second)
        try await h.succeed(try await h.claim())
        for id in ["r2", "r3", "r4", "r5"] { #expect(try await h.queue.receipt(id)?.state == .succeeded, "\(id)") }
        h.stop()
    }

    /// What a run has made, of a source that came at a moment.
    private func made(_ hash: String, at moment: Int, ttl: Double = 60, source: String? = nil) -> RenditionOutcome {
        let info: JSONObject = ["key": "source-small", "sha256": .string(hash), "storedAt": JSON(moment)]
        return RenditionOutcome(
            "source-small", .success(info: info, source: source.map { ["sha256": .string($0)] } ?? [:], description: nil, ttlSeconds: ttl))
    }

    /// The store has one picture for a key: of whoever put it last.
    @Test(
        arguments: [
            // A result as of 200 is in the index, kept for an hour; then an older or a newer one ends, of the same bytes or of others.
            ("bb", 100, 60.0, nil), ("bb", 300, 60, "bb"), ("aa", 100, 60, "aa 200"), ("aa", 100, 7200, "aa 100"), ("aa", 300, 60, "aa 300"),
            // Nobody keeps it.
            ("bb", 300, Submission.bytesOnly, nil), ("bb", 300, Submission.whileFresh, nil), ("aa", 300, Submission.bytesOnly, "aa 200"),
        ] as [(String, Int, Double, String?)])
    @Loop func `the index tells of the bytes that are there, or of none`(hash: String, moment: Int, ttl: Double, left: String?) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.resultTTL = Submission.bytesOnly }
        let first = try await h.claim()
        _ = try await h.submit("r2") { ($0.readResults, $0.joining, $0.resultTTL) = (false, .reload, Submission.bytesOnly) }
        let second = try await h.claim()
        #expect(try await h.queue.finish(second.held, .success(metrics: [:], [made("aa", at: 200, ttl: 3600)])) == .done)
        #expect(try await h.queue.finish(first.held, .success(metrics: [:], [made(hash, at: moment, ttl: ttl)])) == .done)
        let text = try await h.queue.dump().text("x:source-small")
        let info = try text.map { try JSON(parsing: String($0.prefix { $0 != "\n" })) }
        let words = left?.split(separator: " ").map(String.init) ?? []
        #expect(info?["sha256"]?.string == words.first, "\(text ?? "nothing")")
        if words.count > 1 { #expect(info?["storedAt"]?.int == Int(words[1])) }
        h.stop()
    }

    @Test(arguments: [("aa", true), ("bb", false)]) @Loop
    func `whoever asked the origin for all of it is told whether the index had the same`(hash: String, isSame: Bool) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.queue.finish(try await h.claim().held, .success(metrics: [:], [made("11", at: 100, source: "aa")]))
        _ = try await h.submit("r2") { ($0.showsCached, $0.joining) = (true, .asking) }
        var origin = ResultOrigin.remote
        origin.isUpdated = true
        _ = try await h.queue.finish(try await h.claim().held, .success(metrics: [:], [made("11", at: 200, source: hash)], from: origin))
        let result = try await h.publicEvents(of: "r2").last?["result"]
        #expect(result?["updated"] == .bool(!isSame) && result?["notModified"] == .bool(isSame) && result?["from"] == "remote", "\(result ?? .null)")
        h.stop()
    }

    @Test @Loop func `a rendition without a name is not listed, and names may hold anything`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["", "b"]) { ($0.renditions[1].name, $0.resultTTL) = ("a \"b\"\n\\", 0) }
        let fetch = try await h.claim()
        _ = try await h.queue.finish(
            fetch.held,
            .success(
                metrics: [:],
                fetch.renditions.map {
                    RenditionOutcome($0.digest, .success(info: [:], source: ["url": "u"], description: ["blurhash": "%1x"], ttlSeconds: 0))
                }))
        let result = try await h.publicEvents(of: "r1").last?["result"]
        #expect(result?["renditions"] == [["name": "a \"b\"\n\\"]] && result?["description"] == ["blurhash": "%1x"])
        #expect(try await h.queue.dump().names("x:").isEmpty, "a time to live of 0 keeps nothing")
        h.stop()
    }

    @Test @Loop func `a description waits for the pictures, from the index too, and has no bytes to look for`() async throws {
        let h = try await QueueHarness()
        func told(_ fetch: ClaimedFetch) throws -> RenditionOutcome {
            let digest = try #require(fetch.renditions.first { $0.digest == "source-" }?.digest)
            return RenditionOutcome(digest, .success(info: [:], source: ["url": "u"], description: ["blurhash": "x"], ttlSeconds: 60))
        }
        func description(of receipt: String) async throws -> JSON? { try await h.publicEvents(of: receipt).last?["result"]?["description"] }
        _ = try await h.submit("r1", renditions: ["b", ""])
        let first = try await h.claim()
        _ = try await h.queue.rendition(first.held, told(first), metrics: [:], from: .remote)
        _ = try await h.queue.finish(first.held, .success(metrics: [:], [QueueHarness.made("source-b")]))
        #expect(try await description(of: "r1") == ["blurhash": "x"])
        #expect(try await h.queue.dump().hash("r:r1")["desc"] == nil, "it is in the end")
        guard case .indexed([Indexed("source-b", sha256: nil)]) = try await h.submit("r2", renditions: ["", "b"], { $0.isVerified = false }) else {
            Issue.record("not asked first"); return
        }
        guard case .finished = try await h.submit("r2", renditions: ["", "b"]) else { Issue.record("not answered"); return }
        #expect(try await description(of: "r2") == ["blurhash": "x"])
        #expect(try await h.queue.forget(results: ["source-b"]) == 1)
        guard case .queued = try await h.submit("r3", renditions: ["b", ""], { $0.isVerified = false }) else {
            Issue.record("there is nothing to verify"); return
        }
        let second = try await h.claim()
        #expect(second.renditions.map(\.digest) == ["source-b"])
        try await h.succeed(second)
        #expect(try await description(of: "r3") == ["blurhash": "x"])
        h.stop()
    }

    @Test @Loop func `progress goes to those who asked, and is remembered`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        _ = try await h.submit("r2")
        let fetch = try await h.claim()
        #expect(fetch.wantsProgress)
        let event = FetchEvent(type: "progress", body: ["receivedBytes": 10, "expectedBytes": nil, "phase": "decode", "fraction": 0.5])
        #expect(try await h.queue.progress(fetch.held, [FetchEvent(type: "response", body: ["status": 200]), event]) == .ok)
        let messages = try await h.messages()
        let heard = messages.filter { $0.channel == h.queue.keys.events(coordinator: "c1") }.compactMap { QueueEvent($0.payload) }
        let progress = try #require(heard.last { $0.type == "progress" })
        #expect(progress.receipts.map(\.receipt) == ["r1"] && progress.body == event.body.fragment)
        #expect(messages.filter { $0.channel == h.queue.keys.publicEvents(receipt: "r2") }.count == 2)
        #expect(try await h.queue.receipt("r1")?.progress == event.body.fragment)
        _ = try await h.queue.drop(receipt: "r1", reason: "requested")
        #expect(try await h.publicEvents(of: "r1").last?["phase"] == "decode")
        h.stop()
    }

    @Test @Loop func `a watcher who joins late is announced to the worker`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let fetch = try await h.claim()
        #expect(!fetch.wantsProgress)
        _ = try await h.submit("r2") { $0.wantsProgress = true }
        let told = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(told == [.watch(fetch.held, every: .milliseconds(250))])
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.held]).watched == [fetch.held.fetch: .milliseconds(250)])
        h.stop()
    }

    @Test @Loop func `the finest pace of all receipts is the fetch's, and a finer one is announced when it joins`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        _ = try await h.submit("r2") { ($0.wantsProgress, $0.progressInterval) = (true, 0.1) }
        let fetch = try await h.claim()
        #expect(fetch.progressInterval == .milliseconds(100))
        _ = try await h.submit("r3") { ($0.wantsProgress, $0.progressInterval) = (true, 0.2) }
        _ = try await h.submit("r4") { ($0.wantsProgress, $0.progressInterval) = (true, 0.02) }
        let told = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(told == [.watch(fetch.held, every: .milliseconds(20))])
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.held]).watched == [fetch.held.fetch: .milliseconds(20)])
        h.stop()
    }

    @Test @Loop func `workers are listed while they beat and forgotten a minute after`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.beat(worker: "w1", info: ["pid": 7], [])
        let workers = try await h.queue.workers()
        #expect(workers.map(\.id) == ["w1"] && workers.first?.info == ["pid": 7] && workers.first?.seen == h.queue.clock)
        h.tick(61_000)
        #expect(try await h.queue.reap().forgottenWorkers == 1)
        #expect(try await h.queue.workers().isEmpty)
        h.stop()
    }

    @Test @Loop func `who serves a queue that nobody has made leaves nothing there`() async throws {
        let h = try await QueueHarness()
        let ghost = Queue(name: "ghost", redis: h.redis)
        _ = try await ghost.beat(worker: "w1", info: [:], [])
        #expect(try await ghost.workers().map(\.id) == ["w1"])
        #expect(try await ghost.dump().entries["cfg"] == nil)
        for key in [ghost.keys.workers, ghost.keys.workersSeen] { #expect(try await h.redis.command(["PTTL", .string(key)]).int ?? 0 > 0) }
        _ = try await ghost.configure(QueueChange())
        _ = try await ghost.beat(worker: "w1", info: [:], [])
        #expect(try await ghost.dump().hash("cfg")["used"] != nil)
        for key in [ghost.keys.workers, ghost.keys.workersSeen] { #expect(try await h.redis.command(["PTTL", .string(key)]).int == -1) }
        h.stop()
    }

    @Test @Loop func `a worker that stops in good order is off the list at once`() async throws {
        let h = try await QueueHarness()
        for worker in ["w1", "w2"] { _ = try await h.queue.beat(worker: worker, info: [:], []) }
        try await h.queue.retire(worker: "w1")
        #expect(try await h.queue.workers().map(\.id) == ["w2"])
        #expect(try await h.queue.dump().scores("wseen").count == 1)
        h.stop()
    }

    @Test @Loop func `what was stored for less than a later receipt asks is to be stored for longer`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a", "b"]) { $0.resultTTL = 0 }
        let fetch = try await h.claim()
        #expect(fetch.resultTTL == 0)
        _ = try await h.submit("r2", renditions: ["a"]) { $0.resultTTL = Submission.usualTTL }
        _ = try await h.submit("r3", renditions: ["a"]) { $0.resultTTL = 60 }
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-a", ttl: 60)) == .keepLonger(seconds: 3600))
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-a", ttl: 3600)) == .ok)
        let last = QueueHarness.made("source-b", ttl: 0)
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [last])) == .keepLonger(seconds: 3600))
        #expect(try await h.queue.receipt("r1")?.state == .running)
        let failed = RenditionOutcome("source-b", .failure(TintypeError(.encodeFailed, .encode, "no")))
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [failed])) == .done, "what failed is not kept")
        h.stop()
    }

    @Test @Loop func `a result of the index answers those for whom it is new enough`() async throws {
        let h = try await QueueHarness()
        // What nobody keeps, or is stale at once, is in no index.
        _ = try await h.submit("held", source: "other") { $0.resultTTL = Submission.bytesOnly }
        try await h.succeed(try await h.claim())
        _ = try await h.submit("fresh", source: "third") { $0.resultTTL = Submission.whileFresh }
        try await h.succeed(try await h.claim())
        for digest in ["other-small", "third-small"] { #expect(try await h.queue.dump().text("x:" + digest) == nil) }
        let now = Double(h.queue.clock ?? 0) / 1000
        _ = try await h.submit("r1") { $0.resultTTL = 3600 }
        let fetch = try await h.claim()
        let info: JSONObject = ["key": "source-small", "storedAt": JSON(now - 100), "expiresAt": JSON(now + 60), "version": 7]
        _ = try await h.queue.finish(
            fetch.held, .success(metrics: [:], [RenditionOutcome("source-small", .success(info: info, source: [:], description: nil, ttlSeconds: 3600))]))
        for (seconds, ttl, isAnswered) in [(0, nil, true), (0, 101, true), (0, 99, false), (60, nil, false), (60, 3600, true)] as [(Int64, Double?, Bool)] {
            h.tick(seconds * 1000)
            let answer = try await h.submit("r\(seconds)-\(ttl ?? 0)") { ($0.newerThan, $0.version) = (ttl, 7) }
            if case .finished = answer { #expect(isAnswered, "\(ttl ?? 0)") } else { #expect(!isAnswered, "\(ttl ?? 0)") }
            h.tick(-seconds * 1000)
        }
        h.stop()
    }

    @Test @Loop func `a beat brings the phase, for the ends that come without the worker`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 5 }
        let fetch = try await h.claim()
        _ = try await h.queue.beat(worker: "w1", info: [:], [fetch.held], phases: [fetch.held: .encode])
        h.tick(5_000)
        #expect(try await h.queue.reap().deadlines == 1)
        #expect(try await h.publicEvents(of: "r1").last?["error"]?["data"]?["phase"] == "encode")
        h.stop()
    }

    @Test @Loop func `a message through the marker wakes a sleeping worker`() async throws {
        let h = try await QueueHarness()
        let blocking = RedisClient(try RedisEndpoint(h.server.url), name: "sleeper", logger: Logger(label: "test", level: .error))
        blocking.start()
        try await blocking.untilConnected(within: .seconds(10))
        let claims = [(queue: h.queue, count: 1)]
        let nothing = try await Queue.sleep(blocking: blocking, [h.queue], claiming: claims, worker: "w1", for: .milliseconds(20))
        #expect(try nothing.woken == nil && nothing.claims.map { try $0.get().fetches.count } == [0])
        let sleeping = Task { @Loop in try await Queue.sleep(blocking: blocking, [h.queue], claiming: claims, worker: "w1", for: .seconds(20)) }
        while try await h.server.command("CLIENT", "LIST").contains("cmd=bzpopmin") == false { try await Loop.sleep(.milliseconds(5)) }
        _ = try await h.submit("r1")
        let woken = try await sleeping.value
        // Redis itself has claimed, in the turn in which the marker came.
        #expect(try woken.woken == "default" && woken.claims.map { try $0.get().fetches.count } == [1])

        let stopped = Task { @Loop in try await Queue.sleep(blocking: blocking, [h.queue], claiming: claims, worker: "w1", for: .seconds(20)) }
        while try await !h.queue.wake(blocking) { try await Loop.sleep(.milliseconds(5)) }
        #expect(try await stopped.value.woken == nil)
        blocking.stop()
        h.stop()
    }

    @Test @Loop func `what a refresh shows is its second event, and a version answers only itself`() async throws {
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
        h.stop()
    }

    @Test @Loop func `an id belongs to one queue, until the only one that asked for it gives it back`() async throws {
        let h = try await QueueHarness()
        let (bulk, night) = (Queue(name: "bulk", redis: h.redis), Queue(name: "night", redis: h.redis))
        var s = QueueHarness.submission("x")
        s.isChosen = true
        #expect(try await bulk.reserve(s, token: "a"))
        #expect(try await bulk.reserve(s, token: "a"), "repeated, since the answer was lost")
        #expect(try await !night.reserve(s, token: "b"))
        try await night.giveBack(s, token: "b")
        #expect(try await h.queue.submit(s) == .mismatch)
        #expect(try await h.redis.command(["PTTL", "tintype:{default}:id:x"]).int ?? 0 > Int64((s.deadlineSeconds + s.keepSeconds) * 1000))
        // Whoever comes second may have submitted it, and the first one's failure says nothing of that.
        #expect(try await bulk.reserve(s, token: "c"))
        for token in ["a", "unknown", "a"] { try await bulk.giveBack(s, token: token) }
        #expect(try await !night.reserve(s, token: "b"))
        #expect(try await h.redis.command(["PTTL", "tintype:{default}:id:x"]).int ?? 0 > Int64((s.deadlineSeconds + s.keepSeconds) * 1000))
        // When both have come to nothing nobody has it.
        try await bulk.giveBack(s, token: "c")
        #expect(try await night.reserve(s, token: "b"))
        try await night.giveBack(s, token: "b")
        // Where many ask at once it stays.
        for number in 0..<10 { #expect(try await bulk.reserve(s, token: "t\(number)")) }
        for number in 0..<10 { try await bulk.giveBack(s, token: "t\(number)") }
        #expect(try await !night.reserve(s, token: "b"))
        _ = try await h.redis.command(["DEL", "tintype:{default}:id:x"])
        guard case .queued = try await h.queue.submit(s) else { throw TestFailure("nobody else has it") }
        #expect(try await !bulk.reserve(s, token: "a"))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    /// The end of a fetch is told to each of its receipts in one script.
    @Test @Loop func `a fetch has no more receipts than one script may tell of its end`() async throws {
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
        h.stop()
    }
}
