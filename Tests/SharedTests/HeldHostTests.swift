import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Throttled hosts, and the causes of failed runs.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped)
struct HeldHostTests {
    private static let busy = TintypeError(.httpStatus, .download, "the server answered 503", retryable: true, details: ["status": 503])

    @Test @Loop func `no fetch of a throttled host is claimed during its pause, and other hosts go on`() async throws {
        let h = try await QueueHarness()
        for number in 0..<3 { _ = try await h.submit("a\(number)", source: "a\(number)") }
        _ = try await h.submit("b", source: "b", host: "b.test")
        let first = try await h.claim()
        #expect(try await h.queue.finish(first.lease, .failure(Self.busy, retryAfter: 7), busyHost: "a.test") == .again)
        #expect(try await h.queue.info()?.heldHosts == ["a.test": Double(h.queue.clock ?? 0) / 1000 + 7])
        // Some worker wakes up and learns when its sleep ends.
        #expect(try await h.queue.dump().entries["mark"] != nil)
        let answer = try await h.queue.claim(worker: "w1", count: 10)
        #expect(answer.fetches.map(\.host) == ["b.test"] && answer.nextDueMilliseconds == 7000)
        // A fetch that comes in meanwhile waits too.
        _ = try await h.submit("a3", source: "a3")
        h.tick(6_999)
        #expect(try await h.queue.claim(worker: "w1", count: 10).fetches.isEmpty)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
        h.tick(1)
        let again = try await h.queue.claim(worker: "w1", count: 10)
        #expect(again.fetches.map(\.attempt) == [2, 1, 1, 1] && again.nextDueMilliseconds == nil)
        #expect(try await h.queue.info()?.heldHosts.isEmpty == true)
        let dump = try await h.queue.dump()
        #expect(dump.hash("cfg")["throttles"] == nil && QueueInvariants.violations(in: dump).isEmpty)
    }

    @Test @Loop func `fetches of a host are claimed no faster than its rule allows, by any worker, and other hosts go on`() async throws {
        let h = try await QueueHarness()
        let rules = try Rules(text: #"{"rules":[{"hosts":["a.test"],"maxPerSecondPerHost":2},{"hosts":["c.test"],"maxConcurrentPerHost":1}]}"#, path: "r")
        try await h.queue.setDefaults(maxQueued: 100, hostLimits: rules.hostLimits)
        let limits = try await h.queue.info()?.limits
        #expect(limits?.rulePaces == ["a.test": 500] && limits?.ruleLimits == ["c.test": 1])
        for number in 0..<4 { _ = try await h.submit("a\(number)", source: "a\(number)") }
        for number in 0..<3 { _ = try await h.submit("b\(number)", source: "b\(number)", host: "b.test") }
        func claim(_ worker: String) async throws -> (hosts: [String], due: Int?) {
            let answer = try await h.queue.claim(worker: worker, count: 10)
            return (answer.fetches.map(\.host), answer.nextDueMilliseconds)
        }
        let first = try await claim("w1")
        #expect(first.hosts.sorted() == ["a.test", "b.test", "b.test", "b.test"] && first.due == 500)
        #expect(try await claim("w2").hosts.isEmpty)
        let paced = try await h.queue.info()
        #expect(paced?.heldHosts.keys.sorted() == ["a.test"] && paced?.askingHosts == [])
        h.tick(499)
        #expect(try await claim("w2") == ([], 1))
        h.tick(1)
        #expect(try await claim("w2") == (["a.test"], 500))
        // A host with Retry-After has its pause, however soon the rule allows the next fetch.
        try await h.queue.hold("a.test", seconds: 60)
        h.tick(500)
        #expect(try await h.queue.info()?.askingHosts == ["a.test"])
        #expect(try await claim("w1") == ([], 59_500))
        h.tick(59_500)
        #expect(try await claim("w1").hosts == ["a.test"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        // Without the rule, fetches wait only for the pauses that have begun.
        try await h.queue.setDefaults(maxQueued: 100, hostLimits: HostLimits())
        h.tick(500)
        #expect(try await claim("w1") == (["a.test"], nil))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a fetch with mirrors waits for its first host that is not throttled`() async throws {
        let h = try await QueueHarness()
        func mirrored(_ id: String, _ mirrors: [String] = ["b.test", "c.test"]) async throws { _ = try await h.submit(id, source: id) { $0.mirrors = mirrors } }
        func hosts(_ count: Int = 10) async throws -> [String] { try await h.queue.claim(worker: "w1", count: count).fetches.map(\.host) }
        _ = try await h.queue.configure(QueueChange(maxConcurrentPerHost: 1))
        try await mirrored("m1")
        #expect(try await hosts() == ["a.test"])
        // A full host is waited for.
        try await mirrored("m2")
        _ = try await h.submit("alone", source: "alone")
        #expect(try await hosts().isEmpty)
        // A waiting fetch moves to another host when its host is throttled, and counts there.
        try await h.queue.hold("a.test", seconds: 60)
        #expect(try await hosts() == ["b.test"])
        // A new fetch begins at another host. If all are throttled, it waits for the one with the shortest pause.
        try await h.queue.hold("b.test", seconds: 5)
        try await mirrored("m3")
        #expect(try await hosts() == ["c.test"])
        try await h.queue.hold("c.test", seconds: 9)
        try await mirrored("m4")
        #expect(try await hosts().isEmpty)
        #expect(try await h.queue.info()?.queued == 2)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        _ = try await h.queue.configure(QueueChange(maxConcurrentPerHost: 5))
        h.tick(5_000)
        #expect(try await hosts() == ["b.test"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    /// The scripts move three fetches of a queue at a time, in place of five hundred.
    @Test(arguments: [QueueOrder.fifo, .lifo], [true, false]) @Loop
    func `the first fetches move to a mirror, and only when something has changed`(order: QueueOrder, isOwn: Bool) async throws {
        var sources = QueueScripts.sources
        let text = try #require(sources["order"])
        try #require(text.contains("local most, known, moved = 500,"))
        sources["order"] = text.replacing("local most, known, moved = 500,", with: "local most, known, moved = 3,")
        let h = try await QueueHarness(scripts: QueueScripts(sources: sources))
        func diverted() async throws -> Set<String> {
            let dump = try await h.queue.dump()
            return Set(dump.names("f:").filter { dump.hash("f:" + $0)["host"] == "b.test" }.compactMap { dump.hash("f:" + $0)["source"] })
        }
        func isMarked() async throws -> Bool { try await h.redis.command(["DEL", .string(h.queue.keys.marker)]).int == 1 }
        _ = try await h.queue.configure(QueueChange(order: isOwn ? nil : order))
        for (id, priority) in [("s1", 0), ("s2", 0), ("s3", 5), ("s4", 0), ("s5", 5), ("s6", 0), ("s7", -5)] {
            _ = try await h.submit(id, source: id) { ($0.mirrors, $0.priority, $0.order) = (["b.test"], priority, isOwn ? order : nil) }
        }
        try await h.queue.hold("a.test", seconds: 60)
        let first: Set = order == .lifo ? ["s3", "s5", "s6"] : ["s3", "s5", "s1"]
        #expect(try await diverted() == first)
        #expect(try await isMarked())
        // The same pause again, and a shorter one.
        for seconds in [60.0, 5] { try await h.queue.hold("a.test", seconds: seconds) }
        #expect(try await diverted() == first)
        #expect(try await !isMarked())
        // The same pause a moment later: while no mirror has a shorter one, no fetch moves.
        h.tick(500)
        try await h.queue.hold("a.test", seconds: 60)
        #expect(try await h.queue.info()?.heldHosts["a.test"] == 1_700_000_060.5)
        #expect(try await diverted() == first)
        #expect(try await isMarked())
        h.tick(1_000)
        try await h.queue.hold("a.test", seconds: 60)
        #expect(try await diverted() == first.union(order == .lifo ? ["s4", "s2", "s1"] : ["s2", "s4", "s6"]))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a fetch moves from a throttled host to a mirror with a shorter pause`() async throws {
        let h = try await QueueHarness()
        try await h.queue.hold("b.test", seconds: 60)
        try await h.queue.hold("a.test", seconds: 59.9)
        _ = try await h.submit("m") { $0.mirrors = ["b.test"] }
        try await h.queue.hold("a.test", seconds: 60.1)
        h.tick(60_000)
        #expect(try await h.claim().host == "b.test")
        // The host is free again, whether a script has noticed or not.
        try await h.queue.hold("c.test", seconds: 1)
        h.tick(1_000)
        _ = try await h.submit("n", source: "n", host: "c.test") { $0.mirrors = ["d.test"] }
        try await h.queue.hold("c.test", seconds: 0.5)
        #expect(try await h.claim().host == "d.test")
    }

    @Test @Loop func `a requeued fetch goes to a host that is not throttled`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.mirrors = ["b.test"] }
        let first = try await h.claim()
        _ = try await h.queue.finish(first.lease, .failure(QueueHarness.transient, retryAfter: nil))
        try await h.queue.hold("a.test", seconds: 60)
        h.tick(2_000)
        let second = try await h.claim()
        #expect(first.host == "a.test" && second.host == "b.test")
        try await h.queue.hold("b.test", seconds: 90)
        #expect(try await h.queue.release(second.lease))
        h.tick(58_000)
        #expect(try await h.claim().host == "a.test")
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `the reaper ends pauses of hosts too, the longest pause counts, and ten minutes is the limit`() async throws {
        let h = try await QueueHarness()
        for number in 0..<4 { _ = try await h.submit("a\(number)", source: "a\(number)") { ($0.maxAttempts, $0.deadlineSeconds) = (1, 300) } }
        let fetches = try await h.queue.claim(worker: "w1", count: 3).fetches
        for (fetch, seconds) in zip(fetches, [30.0, 5, 0]) {
            // The end of a fetch throttles its host too.
            #expect(try await h.queue.finish(fetch.lease, .failure(Self.busy, retryAfter: seconds), busyHost: "a.test") == .done)
        }
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 30_000)
        h.tick(30_000)
        _ = try await h.queue.reap()
        #expect(try await h.queue.dump().scores("ready")["a.test"] ?? .infinity < .infinity)
        #expect(try await h.queue.dump().entries["mark"] != nil)
        let last = try await h.claim()
        _ = try await h.queue.finish(last.lease, .failure(Self.busy, retryAfter: 1e9), busyHost: "a.test")
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == 600_000)
    }

    @Test @Loop func `a host that is throttled in one queue is throttled in all queues`() async throws {
        let h = try await QueueHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        bulk.clock = h.queue.clock
        _ = try await bulk.configure(QueueChange())
        for (id, host) in [("b1", "a.test"), ("b2", "b.test")] { _ = try await bulk.submit(QueueHarness.submission(id, source: id, host: host)) }
        // A result that was listed and never made: no script may create it.
        _ = try await h.redis.command(["HSET", .string(QueueKeys.registry), "ghost", "1"])
        _ = try await h.submit("r1")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(Self.busy, retryAfter: 7), busyHost: "a.test")
        try await h.queue.holdElsewhere("a.test", seconds: 7)
        let answer = try await bulk.claim(worker: "w1", count: 5)
        #expect(answer.fetches.map(\.host) == ["b.test"] && answer.nextDueMilliseconds == 7_000)
        #expect(QueueInvariants.violations(in: try await bulk.dump()) == [])
        #expect(try await Queue(name: "ghost", redis: h.nodes).dump().entries.isEmpty)
        bulk.clock = bulk.clock.map { $0 + 7_000 }
        #expect(try await bulk.claim(worker: "w1", count: 5).fetches.map(\.host) == ["a.test"])
    }

    @Test(arguments: [(deadline: 3_600.0, wait: 1_800_000), (deadline: 900, wait: 901_000)])
    @Loop func `a fetch waits as long as its host asks, up to its deadline`(deadline: Double, wait: Int) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.deadlineSeconds = deadline }
        _ = try await h.queue.finish(try await h.claim().lease, .failure(Self.busy, retryAfter: 1_800))
        #expect(try await h.queue.claim(worker: "w1", count: 1).nextDueMilliseconds == wait)
        h.tick(Int64(wait))
        // The reaper ends late receipts before it requeues a run.
        _ = try await h.queue.reap()
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.count == (deadline > 1_800 ? 1 : 0))
    }

    @Test @Loop func `the target of a redirect is throttled, and not the host that led there`() async throws {
        let h = try await QueueHarness()
        for number in 0..<2 { _ = try await h.submit("a\(number)", source: "a\(number)") }
        _ = try await h.submit("c", source: "c", host: "cdn.test")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(Self.busy, retryAfter: 9), busyHost: "cdn.test")
        #expect(try await h.queue.claim(worker: "w1", count: 10).fetches.map(\.host) == ["a.test"])
    }

    @Test @Loop func `results and errors have the number of runs and the causes of failed runs`() async throws {
        let h = try await QueueHarness()
        func error(of receipt: String) async throws -> JSON? {
            try await h.queue.receipt(receipt)?.ending.flatMap { try JSON(parsing: "{\($0.body)}")["error"]?["data"] }
        }
        let causes: JSON = [["name": "httpStatus", "status": 503], ["name": "dns"]]
        _ = try await h.submit("r1")
        for failure in [Self.busy, QueueHarness.transient] {
            _ = try await h.queue.finish(try await h.claim().lease, .failure(failure, retryAfter: nil))
            h.tick(2_000)
        }
        let retrying = try await h.publicEvents(of: "r1").last { $0["type"] == "retrying" }
        #expect(retrying?["error"]?["data"]?["attempts"] == 2 && retrying?["error"]?["data"]?["causes"] == causes)
        try await h.succeed(try await h.claim())
        let result = try await h.publicEvents(of: "r1").last?["result"]
        #expect(result?["attempts"] == 3 && result?["causes"] == causes)

        _ = try await h.submit("r2", source: "other")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(Self.busy, retryAfter: nil))
        h.tick(2_000)
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.permanent, retryAfter: nil))
        #expect(try await error(of: "r2")?["attempts"] == 2)
        #expect(try await error(of: "r2")?["causes"]?.array?.map { $0["name"] } == ["httpStatus", "httpStatus"])

        // A rendition that failed in the second run, and a deadline between two runs.
        _ = try await h.submit("r3", source: "third")
        _ = try await h.submit("r4", source: "third", renditions: ["big"]) { $0.deadlineSeconds = 1.9 }
        _ = try await h.queue.finish(try await h.claim().lease, .failure(Self.busy, retryAfter: nil))
        h.tick(2_000)
        let broken = RenditionOutcome("third-small", .failure(TintypeError(.encodeFailed, .encode, "no")))
        _ = try await h.queue.rendition(try await h.claim().lease, broken)
        _ = try await h.queue.reap()
        let (third, fourth) = try await (error(of: "r3"), error(of: "r4"))
        #expect(third?["attempts"] == 2 && third?["causes"] == [["name": "httpStatus", "status": 503]])
        #expect(fourth?["name"] == "deadlineExceeded" && fourth?["causes"]?.array?.count == 1)
    }

    @Test @Loop func `a cause has the status of its own error, and none of a mirror's`() async throws {
        let h = try await QueueHarness()
        let mirrors: JSON = [["url": "http://a.test/", "name": "connect"], ["url": "http://b.test/[", "name": "httpStatus", "status": 404]]
        let lost = TintypeError(.connect, .download, "a \"status\":500 of its own words", details: ["cause": "none"]).adding("mirrors", mirrors)
        let busy = Self.busy.adding("mirrors", mirrors)
        _ = try await h.submit("r1")
        for failure in [lost, busy] {
            _ = try await h.queue.finish(try await h.claim().lease, .failure(failure, retryAfter: nil))
            h.tick(2_000)
        }
        try await h.succeed(try await h.claim())
        let causes: JSON = [["name": "connect"], ["name": "httpStatus", "status": 503]]
        #expect(try await h.publicEvents(of: "r1").last?["result"]?["causes"] == causes)
    }

    @Test @Loop func `a success at the first run has no causes`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        let result = try await h.publicEvents(of: "r1").last?["result"]
        #expect(result?["attempts"] == 1 && result?["causes"] == nil)
    }

    @Test @Loop func `waits of fifty fetches grow, and spread by more than a fifth of the base`() async throws {
        let h = try await QueueHarness()
        for number in 0..<50 { _ = try await h.submit("r\(number)", source: "s\(number)", host: "h\(number)") { $0.deadlineSeconds = 300 } }
        for (attempt, base) in [(1, 0.5), (2, 1.0)] {
            _ = try await h.messages()
            let fetches = try await h.queue.claim(worker: "w1", count: 50).fetches
            #expect(fetches.count == 50 && fetches.allSatisfy { $0.attempt == attempt })
            for fetch in fetches { _ = try await h.queue.finish(fetch.lease, .failure(QueueHarness.transient, retryAfter: nil)) }
            let prefix = h.queue.keys.publicEvents + ":"
            let events = try await h.messages().filter { $0.channel.hasPrefix(prefix) }.map { try JSON(parsing: $0.payload) }
            let waits = events.filter { $0["type"] == "retrying" }.compactMap { $0["delay"]?.double }
            #expect(waits.count == 50 && waits.allSatisfy { (base / 2...base * 1.5).contains($0) })
            #expect((waits.max() ?? 0) - (waits.min() ?? 0) >= base / 5)
            h.tick(2_000)
        }
    }
}
