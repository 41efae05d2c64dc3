import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeTransport

/// The work of one call of a script, in commands that Redis runs for it. The time of a call depends on the machine, and this number does not.
@Suite(.tags(.untiered), .timeLimit(.minutes(10)), .scoped) struct ScriptStepTests {
    /// The scripts whose call runs as many commands beside a large crowd as beside a small one. Sources/Shared/queue.md has a table of the others.
    static let bounded: Set<QueueScript> = [
        .submit, .reserve, .cancel, .priority, .pause, .leave, .throttle, .workerDrain, .workerRemove, .callbackStore, .callbackSettle,
        .callbacksLease, .share, .lender, .queueRemove, .queueNameRemove, .groupBegin, .groupSettle, .groupCancel, .abandon, .queueEmpty,
    ]

    /// The most commands of one call of each script in the life of a crowd.
    @Loop private func steps(_ count: Int, _ scripts: QueueScripts = QueueHarness.usual) async throws -> [QueueScript: Int] {
        let crowd = Crowd(try await QueueHarness(scripts: scripts), count)
        try await crowd.live()
        await crowd.h.stop()
        return crowd.steps
    }

    /// A script that walks over all receipts for each receipt runs sixteen times as many commands for four times as many.
    @Test @Loop func `no script does more than linear work for receipts, renditions, tags, groups and hosts`() async throws {
        let (few, many) = (try await steps(300), try await steps(1200))
        #expect(Set(many.keys) == Set(QueueScript.allCases))
        for (script, steps) in many.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let before = few[script] ?? 0
            print("\(script.rawValue): \(before) commands beside 300, \(steps) beside 1200")
            #expect(steps <= (Self.bounded.contains(script) ? 3 * before / 2 : 5 * before) + 100, "\(script.rawValue): \(before), then \(steps)")
        }
    }

    /// The walk that a pause once cost.
    @Test @Loop func `a walk over the receipts for each receipt is detected`() async throws {
        var sources = QueueScripts.sources
        let walk = "  for _, rid in ipairs(call('HKEYS', P .. 'fr:' .. fid)) do call('HEXISTS', P .. 'r:' .. rid, 'paused') end\n"
        let line = "local function recount(fid, more)\n"
        let text = try #require(sources["fetches"])
        try #require(text.contains(line))
        sources["fetches"] = text.replacing(line, with: line + walk)
        let slow = try await steps(300, QueueScripts(sources: sources))
        #expect(slow[.reap] ?? 0 > 200 * 100)
    }

    @Test @Loop func `a hundred lost runs with late receipts end a page at a time, each receipt once`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 1000, maxConcurrentPerHost: 1000))
        for fetch in 0..<100 {
            for receipt in 0..<5 {
                _ = try await h.submit("r\(fetch).\(receipt)", source: "s\(fetch)") { $0.deadlineSeconds = receipt == 4 ? 600 : 5 }
            }
        }
        #expect(try await h.queue.claim(worker: "w1", count: 100).fetches.count == 100)
        _ = try await h.queue.pause(receipt: "r7.4", true)
        _ = try await h.messages()
        h.tick(20_000)
        var answers: [ReapAnswer] = []
        repeat {
            answers.append(try await h.queue.reap())
            #expect(try await QueueInvariants.violations(in: h.queue.dump()).isEmpty)
        } while answers.last?.hasMore == true
        #expect(answers.map(\.deadlines).max() ?? 0 <= 200 && answers.reduce(0) { $0 + $1.deadlines } == 400)
        #expect(answers.reduce(0) { $0 + $1.expiredLeases } == 100)
        let ends = try await h.messages().filter { $0.channel == "tintype:{default}:events" }
        #expect(ends.count == 400)
        #expect(try await h.queue.info()?.delayed == 100)
    }

    /// Reports that a worker makes to the end of hundreds of receipts, killed in between or not.
    @Test(arguments: [QueueScript.finish, .fail, .rendition, .expire], [false, true])
    @Loop func `the ends of hundreds come in pages, and a kill in between loses none`(script: QueueScript, isKilled: Bool) async throws {
        let h = try await QueueHarness()
        let names = script == .rendition ? ["small", "large"] : ["small"]
        for number in 0..<450 {
            _ = try await h.submit("r\(number)", renditions: number == 0 ? names + ["own"] : names) { $0.deadlineSeconds = script == .expire ? 5 : 3600 }
        }
        _ = try await h.queue.pause(receipt: "r7", true)
        var run = try await h.claim()
        _ = try await h.messages()
        if script == .expire { h.tick(6_000) }
        let lease: [RedisArgument] = ["fetch", .string(run.lease.fetch), "token", .int(run.lease.token)]
        let made: [RedisArgument] = ["source-small", "made", #"{"key":"k"}"#, #"{"url":"u"}"#, "", "60000"]
        let words: [RedisArgument] =
            switch script {
            case .expire: [.string(run.lease.fetch)]
            case .fail: lease + ["failure", .string(QueueHarness.permanent.adding("attempts", 0).json.text), "jitter", "0"]
            default: lease + ["facts", "\"from\":\"remote\"\n{}", "items"] + made
            }
        let first = try await h.queue.run(script, words)
        #expect(script == .expire ? first.int == 200 : RunReply(first) == .part)
        #expect(try await QueueInvariants.violations(in: h.queue.dump()).isEmpty)
        // No other receipt comes between the pages: it gets a run of its own.
        if script != .expire {
            let other = try await h.submit("late", renditions: ["other"]) { $0.deadlineSeconds = 3600 }
            #expect(other == .queued(state: .queued, position: 0, joined: false))
        }
        if isKilled {
            h.tick(60_000)
            while try await h.queue.reap().hasMore {}
            h.tick(60_000)
            _ = try await h.queue.reap()
            if script != .expire { run = try await h.claim("w2") }
        }
        let failure = FetchOutcome.failure(QueueHarness.permanent, retryAfter: nil)
        switch script {
        case .expire: _ = try await h.queue.finish(run.lease, failure)
        case .fail: #expect(try await h.queue.finish(run.lease, failure) == .done)
        default: #expect(try await h.succeed(run) == .done)
        }
        #expect(try await QueueInvariants.violations(in: h.queue.dump()).isEmpty)
        var ends: [String: Int] = [:]
        for message in try await h.messages() where message.channel == "tintype:{default}:events" {
            ends[try JSON(parsing: message.payload)["receipt"]?.string ?? "", default: 0] += 1
        }
        #expect(ends.count == 450 && ends.values.allSatisfy { $0 == 1 }, "\(ends.filter { $0.value != 1 })")
        let states = Set(try await h.queue.snapshots((0..<450).map { "r\($0)" }).values.map(\.state))
        #expect(states == (script == .finish || script == .rendition ? [.succeeded] : [.failed]))
    }

    @Test @Loop func `the receipts of a run that has lost its workers fail in pages`() async throws {
        let h = try await QueueHarness()
        for number in 0..<450 { _ = try await h.submit("r\(number)") { $0.deadlineSeconds = 3600 } }
        _ = try await h.claim("w1")
        h.tick(20_000)
        while try await h.queue.reap().hasMore {}
        h.tick(1_000)
        _ = try await h.queue.reap()
        _ = try await h.claim("w2")
        _ = try await h.messages()
        h.tick(20_000)
        var (ends, hasMore): ([Int], Bool) = ([], true)
        while hasMore {
            hasMore = try await h.queue.reap().hasMore
            ends.append(try await h.messages().count { $0.channel == "tintype:{default}:events" })
            #expect(try await QueueInvariants.violations(in: h.queue.dump()).isEmpty)
        }
        #expect(ends == [200, 200, 50])
        #expect(try await h.queue.info()?.dead == 1)
    }

    @Test @Loop func `a dead letter keeps the renditions of receipts that failed with an earlier page`() async throws {
        let h = try await QueueHarness()
        for number in 0..<450 { _ = try await h.submit("r\(number)", renditions: ["of\(number)"]) { $0.maxAttempts = 1 } }
        #expect(try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil)) == .done)
        let letters = try await h.queue.deadLetters(limit: 10).items
        #expect(letters.count == 1 && letters.first?.submission.renditions.count == 450)
    }

    @Test @Loop func `the index is written once, though another run has removed the result between two pages`() async throws {
        let h = try await QueueHarness()
        for number in 0..<450 { _ = try await h.submit("r\(number)") }
        let run = try await h.claim()
        let words: [RedisArgument] = [
            "fetch", .string(run.lease.fetch), "token", .int(run.lease.token), "facts", "\"from\":\"remote\"\n{}", "items",
            "source-small", "made", #"{"key":"k"}"#, #"{"url":"u"}"#, "", "60000",
        ]
        #expect(RunReply(try await h.queue.run(.finish, words)) == .part)
        #expect(try await h.queue.forget(results: ["source-small"]) == 1)
        while RunReply(try await h.queue.run(.finish, words)) == .part {}
        #expect(try await h.queue.isIndexed("source-small") == false)
        #expect(try await h.queue.info()?.running == 0)
    }

    @Test(arguments: [EventType.progress, .preview])
    @Loop func `progress reaches two hundred of many receipts at a time, and all of them in the end`(type: EventType) async throws {
        let h = try await QueueHarness()
        for number in 0..<300 {
            _ = try await h.submit("r\(number)") { ($0.wantsProgress, $0.previews) = (true, PreviewOptions(queued: "plain 500 64")) }
        }
        let run = try await h.claim()
        _ = try await h.messages()
        var heard: Set<String> = []
        for step in 0..<400 where heard.count < 300 {
            h.tick(97)
            _ = try await h.queue.progress(run.lease, [FetchEvent(type: type, body: ["phase": "download", "receivedBytes": JSON(step)])])
            let events = try await h.messages().filter { $0.channel.hasPrefix("tintype:{default}:events:") }
            #expect(events.count == 200)
            for event in events { heard.insert(event.channel) }
        }
        #expect(heard.count == 300)
    }

    @Test @Loop func `a claim stops at a thousand receipts that it tells, and leaves a marker for the other fetches`() async throws {
        let h = try await QueueHarness()
        for number in 0..<1200 { _ = try await h.submit("r\(number)", source: "s\(number % 3)") }
        // One fetch has 400 receipts: the third goes beyond a thousand.
        _ = try await h.submit("last", source: "last")
        _ = try await h.redis.command(["DEL", "tintype:{default}:mark"])
        #expect(try await h.queue.claim(worker: "w1", count: 6).fetches.count == 3)
        #expect(try await h.queue.dump().scores("mark").isEmpty == false)
        #expect(try await h.queue.claim(worker: "w1", count: 6).fetches.count == 1)
    }

    @Test @Loop func `a heartbeat in a paused queue looks at about four thousand receipts of its runs`() async throws {
        let h = try await QueueHarness()
        for number in 0..<3 {
            _ = try await h.submit("r\(number)", source: "s\(number)")
            let run = try await h.claim()
            let crowd: [RedisArgument] = (1..<2100).flatMap { [.string("r\(number).\($0)"), "0 c1"] }
            _ = try await h.redis.command(["HSET", .string("tintype:{default}:fr:\(run.lease.fetch)")] + crowd)
        }
        _ = try await h.queue.configure(QueueChange(paused: true))
        #expect(try await h.queue.greet(coordinator: "c1").runningWhilePaused == 4200, "those of two runs")
    }
}
