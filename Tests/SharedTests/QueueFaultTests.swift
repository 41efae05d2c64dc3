import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Dead workers, lost answers, lost messages, late calls, full memory.
@Suite(.timeLimit(.minutes(1))) struct QueueFaultTests {
    @Test @Loop func `the fetch of a dead worker is run again, and the dead one's late word is refused`() async throws {
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
        #expect(again.attempt == 2 && again.held.token != lost.held.token)
        #expect(try await h.queue.progress(lost.held, []) == .stale)
        #expect(try await h.queue.beat(worker: "w1", info: [:], [lost.held]).lost == [lost.held.fetch])
        #expect(try await h.succeed(lost) == .stale)
        #expect(try await h.succeed(again) == .done)
        #expect(try await h.publicEvents(of: "r1").last?["result"]?["attempts"] == 2)
        h.stop()
    }

    @Test @Loop func `a lease that was given before the clock went back holds its slot no longer than any other`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 1))
        _ = try await h.submit("r1")
        _ = try await h.submit("r2", source: "other")
        let lost = try await h.claim("w1")
        h.tick(-3_600_000)
        #expect(try await h.queue.beat(worker: "w1", info: [:], [lost.held]).lost.isEmpty)
        h.tick(10_001)
        #expect(try await h.queue.reap().expiredLeases == 1)
        #expect(try await h.claim("w2").held.fetch != lost.held.fetch)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
        h.stop()
    }

    @Test @Loop func `a clock that was set forward makes nobody dead`() async throws {
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
        // Whoever lives beats by the new clock before anybody looks again.
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.held]).lost.isEmpty)
        h.tick(9_000)
        #expect(try await h.queue.reap(notAfter: answer.clock + 10_000).expiredLeases == 0)
        #expect(try await h.succeed(fetch) == .done)
        h.stop()
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
        h.stop()
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
        h.stop()
    }

    @Test @Loop func `what nobody has seen to for a minute is named, and is not once somebody has`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 600 }
        let held = try await h.claim().held
        h.tick(69_000)
        #expect(OverdueWork.violations(in: try await h.queue.dump()) == [])
        h.tick(2_000)
        let found = OverdueWork.violations(in: try await h.queue.dump())
        #expect(found == ["Q14: the lease of fetch \(held.fetch) ended 61 s ago and nobody has seen to it (1 such)"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [], "nothing contradicts itself")
        _ = try await h.queue.reap()
        #expect(OverdueWork.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `what comes after the deadline comes too late, though nobody has ended the receipt`() async throws {
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
            #expect(try await h.queue.finish(fetch.held, end) == answer)
            let data = try await error(of: id)?["data"]
            #expect(data?["name"] == "deadlineExceeded" && data?["phase"] == "download" && data?["attempts"] == 1)
            #expect(try await h.queue.finish(fetch.held, end) == .duplicate)
        }
        let info = try await h.queue.info()
        #expect(info?.dead == 0 && info?.delayed == 0 && info?.running == 0)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `of several receipts those end late whose own deadline has passed`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("long") { $0.deadlineSeconds = 60 }
        _ = try await h.submit("short") { $0.deadlineSeconds = 5 }
        _ = try await h.submit("brief", renditions: ["other"]) { $0.deadlineSeconds = 2 }
        let fetch = try await h.claim()
        h.tick(2_000)
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-other")) == .ok)
        #expect(try await h.queue.receipt("brief")?.state == .failed)
        #expect(try await h.queue.receipt("short")?.state == .running)
        #expect(try await h.queue.dump().hash("f:" + fetch.held.fetch)["df"] == String((h.queue.clock ?? 0) + 3_000))
        h.tick(3_000)
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [QueueHarness.made("source-small")])) == .done)
        #expect(try await h.queue.receipt("short")?.state == .failed)
        #expect(try await h.queue.receipt("long")?.state == .succeeded)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `a rendition that comes too late for all is not wanted any more`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["small", "large"]) { $0.deadlineSeconds = 5 }
        let fetch = try await h.claim()
        h.tick(5_000)
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-small")) == .cancel)
        #expect(try await h.story(of: "r1") == ["1 queued", "2 started", "3 failed"])
        #expect(try await h.queue.finish(fetch.held, .cancelled) == .done)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `who joins a run that all others have left has a deadline, too`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 5 }
        let fetch = try await h.claim()
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-small")) == .ok)
        h.tick(5_000)
        // The last deadline it knew of has passed, and nobody is late.
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-small")) == .ok)
        _ = try await h.submit("r2", renditions: ["other"]) { $0.deadlineSeconds = 60 }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.tick(60_000)
        #expect(try await h.queue.finish(fetch.held, .success(metrics: [:], [QueueHarness.made("source-other")])) == .done)
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.receipt("r2")?.state == .failed)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `a withdrawal, the same submit again and a dead worker find what is late failed`() async throws {
        let h = try await QueueHarness()
        for id in ["dropped", "again", "lost", "emptied"] { _ = try await h.submit(id, source: id) { $0.deadlineSeconds = 5 } }
        for _ in 0..<4 { _ = try await h.claim() }
        h.tick(10_001)
        #expect(try await h.queue.drop(receipt: "dropped", reason: "requested") == .finished)
        guard case .finished(let ending) = try await h.submit("again", source: "again", { $0.deadlineSeconds = 5 }) else {
            throw TestFailure("what is late is live again")
        }
        #expect(ending.state == .failed)
        try await h.queue.cancelAll(reason: "requested")
        _ = try await h.queue.reap()
        for id in ["dropped", "again", "lost", "emptied"] {
            let ending = try #require(try await h.queue.receipt(id)?.ending)
            #expect(ending.body.contains(#""name":"deadlineExceeded""#), "\(id): \(ending.body)")
        }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test func `the scripts and the coordinators say the same of a deadline that has passed`() {
        #expect(
            QueueScripts.sources["fetches"]?.contains("local LATE = '\(Queue.deadlineExceeded.json.text)'\n") == true, "\(Queue.deadlineExceeded.json.text)")
    }

    @Test @Loop func `a beat keeps the lease`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = 600 }
        let fetch = try await h.claim()
        for _ in 0..<5 {
            h.tick(9_000)
            let answer = try await h.queue.beat(worker: "w1", info: [:], [fetch.held])
            #expect(answer.lost.isEmpty && answer.cancelled.isEmpty && answer.watched.isEmpty)
            #expect(try await h.queue.reap().expiredLeases == 0)
        }
        h.stop()
    }

    @Test @Loop func `a finish whose answer was lost may be repeated`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let fetch = try await h.claim()
        #expect(try await h.succeed(fetch) == .done)
        #expect(try await h.succeed(fetch) == .duplicate)
        #expect(try await h.queue.finish(fetch.held, .failure(QueueHarness.transient, retryAfter: nil)) == .duplicate)
        #expect(try await h.story(of: "r1") == ["1 queued", "2 started", "3 succeeded"])
        h.stop()
    }

    @Test @Loop func `transient failures are retried with growing waits, then end as a dead letter`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        var waits: [Double] = []
        for attempt in 1...3 {
            let fetch = try await h.claim()
            #expect(fetch.attempt == attempt)
            #expect(try await h.queue.finish(fetch.held, .failure(QueueHarness.transient, retryAfter: nil)) == .done)
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
        h.stop()
    }

    @Test @Loop func `a permanent failure is not retried`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let fetch = try await h.claim()
        #expect(try await h.queue.finish(fetch.held, .failure(QueueHarness.permanent, retryAfter: nil)) == .done)
        #expect(try await h.queue.receipt("r1")?.state == .failed)
        #expect(try await h.queue.info()?.dead == 0)
        #expect(try await h.submit("r2") == .queued(state: .queued, position: 0, joined: false))
        h.stop()
    }

    @Test @Loop func `Retry-After is waited for`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.queue.finish(try await h.claim().held, .failure(QueueHarness.transient, retryAfter: 7))
        // Some worker wakes and learns when it is due, so that no reaper's round is waited for.
        #expect(try await h.queue.dump().entries["mark"] != nil)
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 7000)
        h.tick(6_999)
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        h.tick(1)
        #expect(try await h.claim().attempt == 2)
        h.stop()
    }

    @Test @Loop func `renditions made before a failure are not made again`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["a"])
        _ = try await h.submit("r2", renditions: ["a", "b"])
        let fetch = try await h.claim()
        _ = try await h.queue.rendition(fetch.held, QueueHarness.made("source-a"))
        _ = try await h.queue.finish(fetch.held, .failure(QueueHarness.transient, retryAfter: nil))
        h.tick(2_000)
        let again = try await h.claim()
        #expect(again.renditions.map(\.digest) == ["source-b"])
        #expect(try await h.succeed(again) == .done)
        #expect(try await h.publicEvents(of: "r2").last?["result"]?["renditions"]?.array?.count == 2)
        h.stop()
    }

    @Test @Loop func `a run given back is queued at its old place and not charged`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a")
        _ = try await h.submit("r2", source: "b")
        let fetch = try await h.claim()
        #expect(try await h.queue.release(fetch.held))
        #expect(try await h.queue.release(fetch.held), "repeated")
        #expect(try await h.story(of: "r1") == ["1 queued", "2 started", "3 queued"])
        let again = try await h.claim()
        #expect(again.held.fetch == fetch.held.fetch && again.attempt == 1)
        try await h.succeed(again)
        #expect(try await h.queue.release(fetch.held) == false)
        h.stop()
    }

    @Test @Loop func `the last cancel stops a running fetch, and the next request makes a new one at once`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.submit("r2")
        let fetch = try await h.claim()
        #expect(try await h.queue.drop(receipt: "r1", reason: "requested") == .dropped)
        #expect(try await h.queue.progress(fetch.held, []) == .ok)
        #expect(try await h.queue.drop(receipt: "r1", reason: "requested") == .finished)
        #expect(try await h.queue.drop(receipt: "nobody", reason: "requested") == .unknown)
        _ = try await h.messages()
        #expect(try await h.queue.drop(receipt: "r2", reason: "disconnected") == .dropped)
        let messages = try await h.messages()
        #expect(messages.filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) } == [.cancel(fetch.held)])
        let end = try #require(messages.first { $0.channel == h.queue.keys.publicEvents }.map { try JSON(parsing: $0.payload) })
        #expect(end["type"] == "cancelled" && end["reason"] == "disconnected" && end["phase"] == "download")
        #expect(try await h.submit("r3") == .queued(state: .queued, position: 0, joined: false))
        // Said again as long as the worker has not heard it, then the slot is free.
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.held]).cancelled == [fetch.held.fetch])
        #expect(try await h.queue.progress(fetch.held, []) == .cancel)
        #expect(try await h.queue.rendition(fetch.held, QueueHarness.made("source-small")) == .cancel)
        #expect(try await h.queue.finish(fetch.held, .cancelled) == .done)
        #expect(try await h.queue.dump().names("x:").isEmpty, "no result of a cancelled fetch")
        try await h.succeed(try await h.claim())
        #expect(try await h.queue.receipt("r3")?.state == .succeeded)
        h.stop()
    }

    @Test @Loop func `cancelling what is queued or delayed removes it`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a")
        _ = try await h.submit("r2", source: "b")
        _ = try await h.queue.finish(try await h.claim().held, .failure(QueueHarness.transient, retryAfter: nil))
        #expect(try await h.queue.drop(receipt: "r1", reason: "requested") == .dropped)
        #expect(try await h.queue.drop(receipt: "r2", reason: "requested") == .dropped)
        let info = try #require(try await h.queue.info())
        #expect(info.queued == 0 && info.delayed == 0)
        #expect(try await h.queue.dump().names("s:").isEmpty)
        h.stop()
    }

    @Test @Loop func `a deadline ends its receipt wherever it is, and the fetch with the last one`() async throws {
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
        #expect(try await h.queue.progress(fetch.held, []) == .ok)
        h.tick(1_000)
        #expect(try await h.queue.reap().deadlines == 1)
        #expect(try await h.queue.progress(fetch.held, []) == .cancel)
        h.stop()
    }

    @Test @Loop func `a receipt repeated is the same, its events go to whom asked last, and another request is refused`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", coordinator: "c1")
        // Who asks again may want progress where the first did not.
        #expect(try await h.submit("r1", coordinator: "c2") { $0.wantsProgress = true } == .again(state: .queued, position: 0, seq: 1))
        #expect(try await h.submit("r1") { $0.fingerprint = "another" } == .mismatch)
        _ = try await h.messages()
        let fetch = try await h.claim()
        #expect(fetch.wantsProgress)
        #expect(try await h.messages().map(\.channel).contains(h.queue.keys.events(coordinator: "c2")))
        // Somebody waits for it at c2, which lives.
        #expect(try await h.queue.receipt("r1", adoptedBy: "c3")?.coordinator == "c2")
        try await h.queue.leave(receipt: "r1", coordinator: "c1")
        #expect(try await h.queue.receipt("r1", adoptedBy: "c3")?.coordinator == "c2")
        try await h.queue.leave(receipt: "r1", coordinator: "c2")
        #expect(try await h.queue.receipt("r1", adoptedBy: "c3")?.coordinator == "c3")
        #expect(try await h.queue.drop(receipt: "r1", reason: "disconnected", owner: "c2") == .elsewhere)
        try await h.succeed(fetch)
        #expect(try await h.messages().map(\.channel).contains(h.queue.keys.events(coordinator: "c3")))
        guard case .finished(let ending) = try await h.submit("r1") else { throw TestFailure("not finished") }
        let snapshot = try await h.queue.receipt("r1")
        #expect(ending.seq == 4 && ending == snapshot?.ending)
        h.stop()
    }

    @Test(arguments: [true, false]) @Loop
    func `what one client gives up goes to a coordinator that lives and where another waits`(isOfGroup: Bool) async throws {
        let h = try await QueueHarness()
        func giveUp(_ owner: String) async throws -> DropAnswer {
            guard isOfGroup else { return try await h.queue.drop(receipt: "r1", reason: "requested", owner: owner) }
            return try await h.queue.drop(receipt: "r1", reason: "group cancelled", owner: owner, group: "g")
        }
        func wait(at coordinator: String) async throws { _ = try await h.queue.snapshots(["r1"], adoptedBy: coordinator, areAwaited: true) }
        _ = try await h.submit("r1", coordinator: "c1") { $0.meta = #","group":"g""# }
        try await h.queue.greet(coordinator: "c1")
        try await wait(at: "c3")
        h.tick(10_000)
        for name in ["c1", "c2"] { try await h.queue.greet(coordinator: name) }
        try await wait(at: "c2")
        #expect(try await h.queue.receipt("r1")?.coordinator == "c1")
        _ = try await h.messages()
        #expect(try await giveUp("c1") == .elsewhere)
        let heard = try await h.messages().filter { $0.channel == h.queue.keys.events(coordinator: "c2") }.compactMap { QueueEvent($0.payload) }
        #expect(heard.map(\.type) == ["given"] && heard.first?.body == "r1")
        #expect(try await h.queue.receipt("r1")?.coordinator == "c2")
        // It waits there no more, and the one that does is silent.
        try await wait(at: "c1")
        try await h.queue.leave(receipt: "r1", coordinator: "c1")
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        #expect(try await giveUp("c2") == .dropped)
        h.stop()
    }

    @Test @Loop func `what was given up and handed over stays given up until it is taken up`() async throws {
        let h = try await QueueHarness()
        for name in ["c1", "c2"] { try await h.queue.greet(coordinator: name) }
        _ = try await h.submit("r1", coordinator: "c1") { $0.terms.isDetached = true }
        _ = try await h.queue.snapshots(["r1"], adoptedBy: "c2", areAwaited: true)
        #expect(try await h.queue.drop(receipt: "r1", reason: "requested", owner: "c1") == .elsewhere)
        #expect(try await h.queue.receipt("r1")?.givenUp == "requested")
        // On its way when it was handed over.
        try await h.queue.leave(receipt: "r1", coordinator: "c2")
        #expect(try await h.queue.receipt("r1")?.givenUp == "requested")
        #expect(try await h.queue.receipt("r1", adoptedBy: "c2")?.givenUp == nil)
        #expect(try await h.queue.receipt("r1")?.givenUp == nil)
        h.stop()
    }

    @Test @Loop func `a name of no queue is forgotten when its worker is, whoever else serves another`() async throws {
        let h = try await QueueHarness()
        try await Queue.announce(missing: ["old", "new"], h.redis)
        _ = try await h.redis.command(["ZADD", .string(QueueKeys.strays), "1", "old"])
        #expect(try await Queue.missing(h.redis) == ["new"])
        try await Queue.announce(missing: ["new"], h.redis)
        #expect(try await h.redis.command(["ZRANGE", .string(QueueKeys.strays), "0", "-1"]).array?.compactMap(\.string) == ["new"])
        #expect(try await h.redis.command(["PTTL", .string(QueueKeys.strays)]).int ?? 0 > 0)
        // Keys of another schema are left as they are.
        _ = try await h.redis.command(["HSET", .string(QueueKeys("default").prefix + "cfg"), "v", "0"])
        await #expect(throws: RedisError.otherSchema("0")) { try await Queue.announce(missing: ["newer"], h.redis) }
        #expect(try await Queue.missing(h.redis) == ["new"])
        h.stop()
    }

    /// Detached, so that it outlives its coordinator; asked for again before and after that one has been forgotten.
    @Test(arguments: [true, false]) @Loop
    func `what is asked for again elsewhere is not handed back to a coordinator that has died`(isForgotten: Bool) async throws {
        let h = try await QueueHarness()
        try await h.queue.greet(coordinator: "c1")
        func wish(_ submission: inout Submission) { (submission.terms.isDetached, submission.deadlineSeconds) = (true, 600) }
        _ = try await h.submit("r1", coordinator: "c1", wish)
        h.tick(isForgotten ? 50_000 : 10_000)
        if isForgotten { #expect(try await h.queue.abandon(coordinator: "c1") == 0) }
        try await h.queue.greet(coordinator: "c2")
        guard case .again = try await h.submit("r1", coordinator: "c2", wish) else { throw TestFailure("not the same") }
        let dump = try await h.queue.dump()
        // Nor does it seem to live.
        #expect(dump.hash("r:r1")["fo"] == nil && dump.scores("co")["c1"] == (isForgotten ? nil : 1_700_000_000_000))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        #expect(try await h.queue.drop(receipt: "r1", reason: "requested", owner: "c2") == .dropped)
        h.stop()
    }

    @Test @Loop func `a greeting is numbered like any message, so that a lost one before it shows`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        try await h.queue.greet(coordinator: "c1")
        let heard = try await h.messages().filter { $0.channel == h.queue.keys.events(coordinator: "c1") }.compactMap { QueueEvent($0.payload) }
        #expect(heard.map(\.number) == [1, 2] && heard.last?.isPing == true)
        h.stop()
    }

    @Test @Loop func `the receipts of a coordinator that is gone are withdrawn, and work that nobody else wants stops`() async throws {
        let h = try await QueueHarness()
        for number in 1...300 {
            _ = try await h.submit("r\(number)", source: "s\(number == 3 ? 2 : number)", coordinator: number == 3 ? "c2" : "c1") {
                $0.terms.isDetached = number == 4
                if number == 5 { $0.terms.fallback = .key("d", names: ["default"]) }
                $0.deadlineSeconds = 300
            }
        }
        try await h.queue.greet(coordinator: "c1")
        try await h.queue.greet(coordinator: "c2")
        h.tick(39_000)
        try await h.queue.greet(coordinator: "c2")
        #expect(try await h.queue.reap().goneCoordinators == [])
        #expect(try await h.queue.abandon(coordinator: "c1") == 0, "it is not gone yet")
        let fetch = try await h.claim()
        h.tick(1000)
        _ = try await h.messages()
        #expect(try await h.queue.reap().goneCoordinators == ["c1"])
        #expect(try await h.queue.abandon(coordinator: "c1") == 298)
        let control = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(control == [.cancel(fetch.held)])
        let ended = try #require(try await h.queue.receipt("r1")?.ending)
        #expect(ended.state == .cancelled && ended.body.contains(#""reason":"disconnected""#))
        #expect(try await h.queue.receipt("r3")?.state == .queued)
        #expect(try await h.queue.receipt("r4")?.state == .queued)
        #expect(try await h.queue.receipt("r5")?.state == .cancelled, "one with a fallback is not detached by it")
        let dump = try await h.queue.dump()
        #expect(dump.scores("co").keys.sorted() == ["c2"] && dump.hash("cseq")["c1"] == nil)
        #expect(QueueInvariants.violations(in: dump) == [])
        #expect(try await h.queue.reap().goneCoordinators == [])
        h.stop()
    }

    @Test(arguments: ["nobody", "left before", "again", "looks", "looks and leaves"]) @Loop
    func `what was cancelled goes with the coordinator it was handed to, unless somebody takes it up`(taker: String) async throws {
        let h = try await QueueHarness()
        func wish(_ submission: inout Submission) { (submission.terms.isDetached, submission.deadlineSeconds) = (true, 600) }
        try await h.queue.greet(coordinator: "c1")
        _ = try await h.submit("r1", coordinator: "c1", wish)
        // It is followed where it was begun, which has died by now and is not known to have.
        guard case .again = try await h.submit("r1", coordinator: "c2", wish) else { throw TestFailure("not the same") }
        #expect(try await h.queue.drop(receipt: "r1", reason: "requested", owner: "c2") == .elsewhere)
        switch taker {
        case "again": _ = try await h.submit("r1", coordinator: "c1", wish)
        case "looks": _ = try await h.queue.snapshots(["r1"], adoptedBy: "c1", areAwaited: true)
        case "looks and leaves":
            _ = try await h.queue.snapshots(["r1"], adoptedBy: "c1", areAwaited: true)
            try await h.queue.leave(receipt: "r1", coordinator: "c1")
        // Said before it was handed over, and heard after that.
        case "left before": try await h.queue.leave(receipt: "r1", coordinator: "c1")
        default: break
        }
        let isCancelled = ["nobody", "left before"].contains(taker)
        h.tick(40_000)
        #expect(try await h.queue.abandon(coordinator: "c1") == (isCancelled ? 1 : 0))
        let snapshot = try await h.queue.receipt("r1")
        #expect(snapshot?.state == (isCancelled ? .cancelled : .queued))
        if isCancelled { #expect(snapshot?.ending?.body.contains(#""reason":"requested""#) == true) }
        #expect(try await h.queue.info()?.queued == (isCancelled ? 0 : 1))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        h.stop()
    }

    @Test @Loop func `with Redis full, submitting is refused without a trace and running work ends as ever`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a")
        _ = try await h.submit("r2", source: "b")
        let first = try await h.claim()
        let old = try await h.queue.dump().entries.keys
        _ = try await h.redis.command(["CONFIG", "SET", "maxmemory", "1"])
        await #expect(throws: RedisError.outOfMemory) { _ = try await h.submit("r3", source: "c") }
        #expect(try await h.queue.dump().entries.keys == old)
        #expect(try await h.queue.beat(worker: "w1", info: [:], [first.held]).lost.isEmpty)
        #expect(try await h.queue.progress(first.held, [FetchEvent(type: "progress", body: ["phase": "decode"])]) == .ok)
        #expect(try await h.succeed(first) == .done)
        let second = try await h.claim()
        #expect(try await h.queue.release(second.held))
        #expect(try await h.queue.drop(receipt: "r2", reason: "requested") == .dropped)
        _ = try await h.queue.reap()
        _ = try await h.redis.command(["CONFIG", "SET", "maxmemory", "0"])
        #expect(try await h.submit("r3", source: "c") == .queued(state: .queued, position: 0, joined: false))
        h.stop()
    }

    @Test @Loop func `records deleted by a hand from outside do not stop the queue`() async throws {
        let h = try await QueueHarness()
        for name in ["a", "b", "c"] { _ = try await h.submit(name, source: name) { $0.deadlineSeconds = 5 } }
        let ids = try await h.queue.dump().names("f:").sorted()
        _ = try await h.redis.command(["DEL", .string(h.queue.keys.prefix + "f:" + ids[0])])
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        let fetch = try await h.claim()
        _ = try await h.redis.command(["DEL", .string(h.queue.keys.prefix + "f:" + fetch.held.fetch)])
        #expect(try await h.succeed(fetch) == .stale)
        h.tick(10_001)
        _ = try await h.queue.reap()
        for name in ["a", "b", "c"] { #expect(try await h.queue.receipt(name)?.state == .failed, "\(name)") }
        h.stop()
    }
}
