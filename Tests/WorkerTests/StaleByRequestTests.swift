import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeTransport

@testable import Worker

/// Stale sources that are served because a request allows it (RFC 5861), and their revalidation.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct StaleByRequestTests {
    @Loop private func run(_ h: WorkerHarness, _ url: String, _ change: (inout CacheUse) -> Void = { _ in }) async throws -> String {
        var use = CacheUse()
        change(&use)
        let receipt = try await h.submit(["url": .string(url), "as": "bytes", "fetch": ["retry": ["attempts": 1]]], cache: use) { $0.readResults = false }
        try await h.runOne()
        return receipt
    }

    @Test @Loop func `a stale source stands in for a failing origin if the request allows it`() async throws {
        let h = try await WorkerHarness()
        let silent = h.url("/status/503?after=1&with=Cache-Control:+max-age=0")
        _ = try await run(h, silent)
        let stale = try await h.result(run(h, silent) { $0.staleIfError = 60 })
        #expect(stale["from"] == "sources" && stale["notModified"] == false)
        #expect(try await h.failure(run(h, silent)).details["status"] == 503, "a request without the option gets the failure")
        #expect(try await h.failure(run(h, silent) { ($0.ttl, $0.staleIfError) = (0, 0) }).details["status"] == 503)
        #expect(try await h.result(run(h, silent) { ($0.ttl, $0.staleIfError) = (0, 60) })["from"] == "sources")

        let lenient = h.url("/status/503?after=1&n=1&with=Cache-Control:+max-age=0,+stale-if-error=60")
        _ = try await run(h, lenient)
        #expect(try await h.failure(run(h, lenient) { $0.staleIfError = 0 }).details["status"] == 503, "the request's option overrides the origin")
        for (number, word) in ["must-revalidate", "no-cache", "s-maxage=0"].enumerated() {
            let strict = h.url("/status/503?after=1&n=2\(number)&with=Cache-Control:+max-age=0,+\(word)")
            _ = try await run(h, strict)
            #expect(try await h.failure(run(h, strict) { $0.staleIfError = 60 }).details["status"] == 503, "\(word)")
        }
    }

    @Test @Loop func `a source without a validator is kept as long as it may be served`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/status/503?after=1&plain=1&with=Cache-Control:+max-age=0")
        _ = try await run(h, url) { $0.staleIfError = 600 }
        let kept = try #require(try await h.sources.get(Source(canonical: ["url": .string(url)]).digest))
        #expect(kept.expiresAt ?? 0 > WallClock.now + 500)
        #expect(try await h.result(run(h, url) { $0.staleIfError = 600 })["from"] == "sources")
    }

    /// Returns a stale source, and an origin that answers when the test opens it.
    @Loop private func stale(_ h: WorkerHarness) async throws -> (source: Source, origin: GatedOrigin) {
        let origin = try GatedOrigin()
        let source = try Source(canonical: ["url": .string(origin.url)])
        let now = WallClock.now
        let kept = CachedSource(
            info: SourceInfo(url: origin.url, finalURL: origin.url, status: 200, bytes: 3), contentType: nil, bytes: Array("old".utf8),
            freshness: Freshness(seconds: 1, from: now - 10), storedAt: now - 10, version: 0)
        try await h.sources.put(kept.stored(as: source.digest, ttl: nil, longest: 0, stale: 600))
        return (source, origin)
    }

    @Test @Loop func `all workers together revalidate a source once`() async throws {
        let h = try await WorkerHarness()
        let (source, origin) = try await stale(h)
        defer { origin.close() }
        let loopback = AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!])
        let other = SourceLoader(
            transfers: TransferPool(policy: loopback), cache: h.sourceCache, lists: AccessLists(redis: h.nodes), files: h.pool, metrics: h.metrics)
        let reporter = FetchReporter(queue: h.queue, lease: RunLease(fetch: "none", token: 0), interval: nil, scope: h.scope, onAnswer: { _ in })
        var use = CacheUse()
        use.staleWhileRevalidate = 600
        func served(by loader: SourceLoader) async throws -> String {
            let loaded = try await loader.load(source, use, accepting: Acceptance(), reservation: h.budget.begin(), reporter: reporter)
            return String(decoding: loaded.bytes, as: UTF8.self)
        }
        #expect(try await served(by: h.loader) == "old")
        try await origin.asked.wait()
        #expect(try await served(by: other) == "old")
        await other.asksEnded()
        let claim: RedisArgument = .string("tintype:held:ask:\(source.digest)")
        let left = try await h.redis.command(["PTTL", claim]).int ?? -1
        #expect((1...75_000).contains(left), "a dead worker keeps its claim for a while")
        origin.open()
        await h.loader.asksEnded()
        #expect(origin.requests == 1)
        #expect(try await h.redis.command(["EXISTS", claim]).int == 0)
        for loader in [other, h.loader] { #expect(try await served(by: loader) == "bytes") }
        #expect(origin.requests == 1)
    }

    @Test @Loop func `a receipt that was served stale has ended once, whatever is asked afterwards`() async throws {
        let h = try await WorkerHarness()
        let (_, origin) = try await stale(h)
        defer { origin.close() }
        let receipt = try await run(h, origin.url) { $0.staleWhileRevalidate = 600 }
        let ended = try await h.queue.dump().hash("r:" + receipt)
        #expect(ended["state"] == "succeeded")
        try await origin.asked.wait()
        origin.open()
        await h.loader.asksEnded()
        #expect(try await h.queue.dump().hash("r:" + receipt) == ended)
    }
}
