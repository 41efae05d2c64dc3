import TestSupport
import Testing
import TintypeCore
import TintypeQueue
import TintypeTransport

/// Purges in Redis: runs that are marked, the list of purges, and tags.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct QueuePurgeTests {
    @Loop private func runs(_ h: QueueHarness) async throws -> [RunningFetch] {
        var found: [RunningFetch] = []
        try await h.queue.eachRun { found += $0 }
        return found
    }

    private static func result(_ fetch: ClaimedFetch, _ time: ResultTime) -> [RenditionOutcome] {
        fetch.renditions.map {
            RenditionOutcome($0.digest, .success(info: ["key": .string($0.digest)], source: ["url": "http://a.test/source"], description: nil, time: time))
        }
    }

    @Test @Loop func `a marked run answers its receipts, is joined by nobody, and nothing indexes its results`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["small", "large"])
        let old = try await h.claim()
        #expect(try await runs(h).map(\.urls) == [["http://a.test/source"]])
        #expect(try await h.queue.mark(purged: [RunLease(fetch: old.lease.fetch, token: old.lease.token + 1)]) == 0)
        #expect(try await h.queue.mark(purged: [old.lease]) == 1)
        #expect(try await h.queue.mark(purged: [old.lease]) == 1)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        #expect(try await h.submit("r2") == .queued(state: .queued, position: 0, joined: false))
        let first = Self.result(old, 60)[0]
        #expect(try await h.queue.rendition(old.lease, first) == .purged)
        #expect(try await h.queue.rendition(old.lease, Self.result(old, .bytesOnly)[0]) == .ok)
        #expect(try await h.queue.finish(old.lease, .success(metrics: [:], [Self.result(old, 60)[1]])) == .purged)
        #expect(try await h.queue.finish(old.lease, .success(metrics: [:], [Self.result(old, .bytesOnly)[1]])) == .done)
        let ended = try #require(try await h.publicEvents(of: "r1").last)
        #expect(ended["type"]?.string == "succeeded" && ended["result"]?["purged"]?.bool == true, "\(ended)")
        #expect(try await h.queue.dump().names("x:").isEmpty)
        let new = try await h.claim()
        #expect(try await h.queue.finish(new.lease, .success(metrics: [:], Self.result(new, 60))) == .done)
        #expect(try await h.queue.dump().names("x:") == ["source-small"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a run that begins again after its mark is a new one`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let old = try await h.claim()
        #expect(try await h.queue.mark(purged: [old.lease]) == 1)
        try await h.queue.release(old.lease)
        h.tick(10)
        let again = try await h.claim()
        #expect(again.lease.fetch == old.lease.fetch && again.lease.since > old.lease.since)
        #expect(try await h.queue.finish(again.lease, .success(metrics: [:], Self.result(again, 60))) == .done)
        #expect(try await h.queue.dump().names("x:") == ["source-small"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `the list of purges is bounded, and what it has no room for stands for everything before it`() async throws {
        let h = try await QueueHarness()
        let purges = PurgeList(h.nodes)
        let begin = try #require(h.queue.clock)
        #expect(try await !purges.hits(["http://a.test/x"], since: 0))
        try await h.queue.note(purges: [try PurgeTarget(url: "http://a.test/x"), try PurgeTarget(prefix: "http://b.test/")])
        #expect(try await purges.hits(["http://a.test/x"], since: begin))
        #expect(try await purges.hits(["http://c.test/", "http://b.test/y"], since: begin))
        #expect(try await !purges.hits(["http://a.test/xy"], since: 0))
        #expect(try await !purges.hits(["http://a.test/x"], since: begin + 1))
        // A purge in the same millisecond counts as a later one.
        try await h.queue.note(purges: [try PurgeTarget(url: "http://a.test/z")])
        #expect(try await purges.hits(["http://a.test/z"], since: begin + 1))
        h.tick(10)
        for start in stride(from: 0, to: Queue.maxPurges, by: 100) {
            try await h.queue.note(purges: (start..<start + 100).map { try! PurgeTarget(url: "http://a.test/\($0)") })
            h.tick(10)
        }
        let listed = try await h.redis.command(["ZRANGE", "tintype:{default}:pg", "0", "-1"]).array?.compactMap(\.string) ?? []
        #expect(listed.count <= Queue.maxPurges && listed.first == "p ", "\(listed.count) \(listed.prefix(2))")
        #expect(try await purges.hits(["http://unknown.test/"], since: begin), "a source from before a forgotten purge may be purged")
        #expect(try await !purges.hits(["http://unknown.test/"], since: begin + 200))
        #expect(try await purges.hits(["http://a.test/999"], since: begin + 100))
        h.tick(9 * 86_400_000)
        try await h.queue.note(purges: [try PurgeTarget(url: "http://a.test/x")])
        #expect(try await h.redis.command(["ZCARD", "tintype:{default}:pg"]).int == 2)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `the keys of purges by tag have a list of their own, which fills no other one`() async throws {
        let h = try await QueueHarness()
        let purges = PurgeList(h.nodes)
        let begin = try #require(h.queue.clock)
        for start in stride(from: 0, to: 3 * Queue.maxPurges, by: 1000) {
            try await h.queue.note(keys: (start..<start + 1000).map { .source("\($0)") })
        }
        try await h.queue.note(keys: [.result("a")])
        for key in [PurgedKey.source("0"), .source("2999"), .result("a")] {
            #expect(try await purges.hits(["http://a.test/x"], kept: key, since: begin), "\(key)")
            #expect(try await !purges.hits(["http://a.test/x"], kept: key, since: begin + 100), "\(key)")
        }
        for key in [PurgedKey.source("a"), .result("0"), .source("3000")] {
            #expect(try await !purges.hits(["http://a.test/x"], kept: key, since: begin), "\(key)")
        }
        #expect(try await !purges.hits(["http://a.test/x"], since: 0))
        h.tick(9 * 86_400_000)
        try await h.queue.note(keys: [.result("b")])
        #expect(try await h.redis.command(["ZCARD", "tintype:{default}:pk"]).int == 1)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `the index is searched by the URLs of sources, a page at a time`() async throws {
        let h = try await QueueHarness()
        for number in 0..<1200 {
            let source: JSON =
                number % 3 == 0 ? ["url": "http://b.test/a", "finalURL": .string("http://a.test/\(number)")] : ["url": .string("http://a.test/x\(number)")]
            try await h.queue.index("d\(number)", info: ["note": "http://a.test/1"], source: source, seconds: 60)
        }
        func found(_ target: PurgeTarget) async throws -> Set<String> {
            var digests: Set<String> = []
            try await h.queue.eachResult(of: target) { digests.formUnion($0) }
            return digests
        }
        #expect(try await found(PurgeTarget(prefix: "http://a.test/")).count == 1200)
        #expect(try await found(PurgeTarget(prefix: "http://a.test/x")).count == 800)
        #expect(try await found(PurgeTarget(url: "http://a.test/3")) == ["d3"])
        #expect(try await found(PurgeTarget(url: "http://a.test/1")) == [])
    }

    @Test @Loop func `results and sources have the tags of all requests that got them, and expired ones go`() async throws {
        let h = try await QueueHarness()
        func tagged(_ tag: String) async throws -> [String] {
            var all: [String] = []
            try await h.queue.eachTagged(tag) { results, sources in all += results.map { "x:" + $0 } + sources.map { "s:" + $0 } }
            return all.sorted()
        }
        _ = try await h.submit("r1") { $0.tags = ["red"] }
        let fetch = try await h.claim()
        _ = try await h.submit("r2") { $0.tags = ["blue", "red"] }
        #expect(try await runs(h).first?.tags == ["blue", "red"])
        try await h.succeed(fetch)
        for tag in ["red", "blue"] { #expect(try await tagged(tag) == ["s:source", "x:source-small"]) }
        // The index answers a request with another tag.
        guard case .finished = try await h.submit("r3", { $0.tags = ["green@0f"] }) else { throw TestFailure("the index did not answer") }
        #expect(try await tagged("green@0f") == ["s:source", "x:source-small"])
        #expect(try await tagged("green") == [])
        // A request without tags leaves no trace.
        let before = try await h.queue.dump().names("tg:").count
        _ = try await h.submit("r4", source: "other")
        try await h.succeed(try await h.claim())
        #expect(try await h.queue.dump().names("tg:").count == before)
        // Its time is over: the next request with the tag removes it. The test clock does not expire keys.
        h.tick(61_000)
        _ = try await h.redis.command(["DEL", .string(h.queue.keys.result("source-small"))])
        _ = try await h.submit("r5", source: "third") { $0.tags = ["red"] }
        try await h.succeed(try await h.claim())
        #expect(try await tagged("red") == ["s:source", "s:third", "x:third-small"])
        try await h.queue.untag("red", results: ["third-small"], sources: ["source"])
        #expect(try await tagged("red") == ["s:third"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `a fetch has at most 64 tags, and one more makes another fetch`() async throws {
        let h = try await QueueHarness()
        for number in 0..<8 { _ = try await h.submit("r\(number)") { $0.tags = (0..<8).map { "t\(number)-\($0)" } } }
        #expect(try await h.submit("again", { $0.tags = ["t0-0"] }) == .queued(state: .queued, position: 0, joined: true))
        #expect(try await h.submit("more", { $0.tags = ["u"] }) == .queued(state: .queued, position: 1, joined: false))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }
}
