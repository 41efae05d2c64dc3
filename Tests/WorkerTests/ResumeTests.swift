import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// Resumed downloads, against nginx, which supports ranges.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ResumeTests {
    private static let whole: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    @Test(arguments: [
        (40_000, 0, true, 60.0, ["206"]), (100_000, 0, true, 60, ["416", "200"]), (100_000, 5000, true, 60, ["416", "200"]),
        (40_000, 0, false, 60, ["200"]), (40_000, 0, true, -1, ["200"]),
    ])
    @Loop func `a beginning is resumed or given up, and is removed when the source is complete`(
        kept: Int, more: Int, isOfToday: Bool, lifetime: Double, statuses: [String]
    ) async throws {
        try await goOn(with: kept, more: more, isOfToday: isOfToday, lifetime: lifetime, statuses)
    }

    /// The statuses that the receipts of one download accept. An unexpected one is a consequence of our range request.
    @Test(arguments: [
        (40_000, [["200"]], ["206"]), (40_000, [["200-299"], ["200"]], ["206"]), (100_000, [["200-499"]], ["416", "200"]),
        (100_000, [["200"], ["200-499"]], ["416", "200"]),
    ])
    @Loop func `a receipt that accepts the whole accepts a resumed body, and none gets a refused range`(
        kept: Int, terms: [[String]], statuses: [String]
    ) async throws {
        try await goOn(with: kept, more: 0, isOfToday: true, lifetime: 60, accepting: terms, statuses)
    }

    @Test @Loop func `a beginning that has killed two workers is dropped before the third resumes it, and survivals reset the count`()
        async throws
    {
        let h = try await WorkerHarness()
        let url = h.url("/cut/picture.png?size=400x300&cut=150000&times=1")
        let digest = try ImageRequest(["url": .string(url)]).source.digest
        let cache = h.sourceCache
        func keep() async throws {
            let now = WallClock.now
            try await h.sources.put(
                StoredImage(
                    key: PartialSource.key(digest), contentType: "application/octet-stream", info: ["url": .string(url), "validator": "\"a\""], source: [:],
                    bytes: Self.whole, storedAt: now, expiresAt: now + 60))
        }
        try await keep()
        // Each of these takes it and never comes back.
        #expect(await cache.take(digest))
        #expect(await cache.take(digest))
        #expect(await !cache.take(digest))
        #expect(await cache.partial(digest) == nil)
        // A surviving worker gives it back, so that only deaths in a row count.
        try await keep()
        for _ in 0..<4 {
            #expect(await cache.take(digest))
            await cache.giveBack(digest)
        }
        #expect(await cache.partial(digest) != nil)
        // So does a whole run of a fetch, whether its download breaks off again or ends.
        await cache.forgetPartial(digest)
        let receipt = try await h.submit(["url": .string(url), "as": "bytes"]) { $0.retryBaseMilliseconds = 0 }
        for _ in 0..<2 {
            try await h.runOne()
            #expect(try await h.sources.get(CachedSource.takers(of: digest)) == nil)
            _ = try await h.queue.reap()
        }
        #expect(try await h.result(receipt)["source"]?["status"] == 200)
    }

    @Test @Loop func `a beginning from another mirror is not resumed`() async throws {
        try await goOn(with: 40_000, more: 0, isOfToday: true, lifetime: 60, of: "http://mirror.test/source.bin", ["200"])
    }

    @Test(arguments: [CacheUse.Mode.reload, .normal]) @Loop
    func `a request that bypasses the cache resumes no beginning of another fetch`(mode: CacheUse.Mode) async throws {
        try await goOn(with: 40_000, more: 0, isOfToday: true, lifetime: 60, ["200"]) {
            $0.mode = mode
            if mode == .normal { $0.reads = false }
        }
    }

    /// - Parameters:
    ///   - mirror: the origin of the beginning, if not nginx.
    ///   - terms: the statuses that each receipt accepts.
    @Loop private func goOn(
        with kept: Int, more: Int, isOfToday: Bool, lifetime: Double, of mirror: String? = nil, accepting terms: [[String]] = [["200-299"]],
        _ statuses: [String], _ change: (inout CacheUse) -> Void = { _ in }
    ) async throws {
        var use = CacheUse()
        change(&use)
        let h = try await WorkerHarness()
        let nginx = try await NginxServer("listen PORT; access_log FOLDER/log;", files: ["source.bin": Data(Self.whole)])
        let url = "http://127.0.0.1:\(nginx.port)/source.bin"
        let etag = try #require(try await HTTP.get(url, ["-I"]).headers["etag"])
        let request: JSON = ["url": .string(url), "as": "bytes"]
        let key = PartialSource.key(try ImageRequest(request).source.digest)
        let now = WallClock.now
        try await h.sources.put(
            StoredImage(
                key: key, contentType: "application/octet-stream",
                info: ["url": .string(mirror ?? url), "validator": .string(isOfToday ? etag : "\"of-yesterday\""), "total": 100_000],
                source: [:], bytes: Self.whole.prefix(kept) + [UInt8](repeating: 0, count: more), storedAt: now, expiresAt: now + lifetime))
        var receipts: [String] = []
        for status in terms {
            let fetch: JSON = ["acceptableStatus": .array(status.map { .string($0) })]
            receipts.append(try await h.submit(["url": .string(url), "as": "bytes", "fetch": fetch], cache: use))
        }
        try await h.runOne()
        for receipt in receipts {
            let result = try await h.result(receipt)
            #expect(result["source"]?["sha256"] == .string(Digest.sha256Hex(Self.whole)) && result["source"]?["bytes"] == 100_000)
            #expect(result["source"]?["status"] == 200 && result["attempts"] == 1)
        }
        #expect(try await h.sources.get(key) == nil)
        var lines: [Substring] = []
        try await TestSupport.Gate.until("nginx has written it down, which it does behind its answer") {
            lines = try String(contentsOfFile: nginx.folder.path + "/log", encoding: .utf8).split(separator: "\n").filter { $0.contains("\"GET /source.bin") }
            return lines.count >= statuses.count
        }
        #expect(lines.compactMap { $0.components(separatedBy: "\" ").dropFirst().first?.prefix(3) }.map(String.init) == statuses, "\(lines)")
    }

    /// The entry of a source before the request.
    enum Kept { case nothing, stale, fresh }

    /// The entry, the wanted mode, the statuses that each of the receipts accepts, and the number of breaks.
    @Test(arguments: [
        (Kept.nothing, CacheUse.Mode.normal, [["200-299"]], 1), (.nothing, .normal, [["200"]], 1), (.nothing, .normal, [["200-299"], ["200"]], 1),
        (.nothing, .normal, [["200-299"]], 2), (.stale, .normal, [["200-299"]], 1), (.stale, .normal, [["200"], ["200-499"]], 2),
        (.stale, .revalidate, [["200-299"]], 1), (.fresh, .revalidate, [["200-299"]], 2), (.nothing, .reload, [["200-299"]], 1),
        (.fresh, .reload, [["200"]], 2),
    ])
    @Loop func `no byte of a download that breaks off comes twice`(kept: Kept, mode: CacheUse.Mode, terms: [[String]], times: Int) async throws {
        let h = try await WorkerHarness()
        let whole = [UInt8](try await HTTP.get(h.url("/picture.png?size=400x300")).body)
        _ = try await HTTP.get(h.url("/_reset"))
        let url = h.url("/cut/picture.png?size=400x300&cut=150000&times=\(times)")
        let digest = try ImageRequest(["url": .string(url)]).source.digest
        if kept != .nothing {
            var info = SourceInfo(url: url, finalURL: url, status: 200, bytes: 3)
            (info.etag, info.sha256) = ("\"of-yesterday\"", Digest.sha256Hex(Array("old".utf8)))
            let before = WallClock.now - 10
            await h.sourceCache.keep(
                CachedSource(
                    info: info, contentType: nil, bytes: Array("old".utf8), freshness: Freshness(seconds: kept == .fresh ? 600 : 1, from: before),
                    storedAt: before, version: 0), as: digest, for: CacheUse())
        }
        var use = CacheUse()
        use.mode = mode
        var receipts: [String] = []
        for status in terms {
            let fetch: JSON = ["acceptableStatus": .array(status.map { .string($0) }), "retry": ["attempts": 4]]
            receipts.append(
                try await h.submit(["url": .string(url), "as": "bytes", "fetch": fetch], cache: use) { $0.retryBaseMilliseconds = 0 })
        }
        for _ in 0..<times {
            try await h.runOne()
            #expect(try await h.sources.get(PartialSource.key(digest)) != nil)
            _ = try await h.queue.reap()
        }
        try await h.runOne()
        for receipt in receipts {
            let result = try await h.result(receipt)
            #expect(result["source"]?["sha256"] == .string(Digest.sha256Hex(whole)) && result["source"]?["status"] == 200)
            #expect(result["attempts"] == JSON(times + 1) && result["from"] == "remote")
        }
        #expect(try await h.counts()["bytes"]?.int == whole.count)
        #expect(try await h.sources.get(PartialSource.key(digest)) == nil)
        #expect(try await h.sources.get(digest)?.bytes == whole)
    }

    /// The rules of the origin and of the request for keeping, and whether a beginning may be kept.
    @Test(
        arguments: [
            ("no-store", nil, true, nil, false), ("private", nil, true, nil, false), ("private", "anna", true, nil, true),
            ("max-age=9", nil, false, nil, false),
            ("max-age=9", nil, true, -1, false), ("max-age=9", nil, true, nil, true), ("no-cache", nil, true, 60, true),
        ] as [(String, String?, Bool, Double?, Bool)])
    @Loop func `a source that may not be kept leaves no beginning`(control: String, scope: String?, writes: Bool, ttl: Double?, isKept: Bool) async throws {
        let h = try await WorkerHarness()
        var use = CacheUse()
        (use.writes, use.ttl) = (writes, ttl)
        func run(_ path: String) async throws -> JSON {
            var request: JSONObject = ["url": .string(h.url("\(path)&with=Cache-Control:+\(control)")), "as": "bytes"]
            if let scope { request["cache"] = ["scope": .string(scope)] }
            try await h.submit(.object(request), cache: use)
            try await h.runOne()
            await h.scope.drain()
            return .object(request)
        }
        func puts() -> Double { h.metrics.value(.storeOperations, labels: "sources", "put", "ok") }
        let broken = try await run("/cut/picture.png?size=400x300&cut=150000&times=1")
        #expect((try await h.sources.get(PartialSource.key(ImageRequest(broken).source.digest)) != nil) == isKept)
        #expect(puts() == (isKept ? 1 : 0))
        // Longer than a second, and more than a megabyte by then: kept on the way too.
        _ = try await run("/slow/picture.png?rate=2000000")
        #expect(isKept ? puts() > 2 : puts() == 0)
    }

    @Test @Loop func `a beginning is kept for an hour`() async throws {
        let h = try await WorkerHarness()
        let request: JSON = ["url": .string(h.url("/cut/picture.png?size=400x300&cut=150000&times=1")), "as": "bytes"]
        try await h.submit(request)
        try await h.runOne()
        let kept = try #require(try await h.sources.get(PartialSource.key(try ImageRequest(request).source.digest)))
        let left = try #require(kept.expiresAt) - WallClock.now
        #expect(kept.bytes.count > 100_000 && abs(left - 3600) < 60)
    }

    @Test @Loop func `a beginning from before a purge is not resumed`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/cut/picture.png?size=400x300&cut=150000&times=1")
        let digest = try ImageRequest(["url": .string(url)]).source.digest
        func isResumed(since: Int64) async throws -> Bool {
            let now = WallClock.now
            try await h.sources.put(
                StoredImage(
                    key: PartialSource.key(digest), contentType: "application/octet-stream",
                    info: ["url": .string(url), "validator": "\"a\"", "since": .int(since)], source: [:], bytes: Self.whole, storedAt: now,
                    expiresAt: now + 60))
            return await h.sourceCache.partial(digest) != nil
        }
        #expect(try await isResumed(since: 0))
        try await h.queue.note(purges: [try PurgeTarget(url: url)])
        #expect(try await !isResumed(since: 1))
        #expect(try await isResumed(since: .max >> 12))
    }

    @Test @Loop func `a beginning that is still being written when its download ends is not kept`() async throws {
        let (h, gate) = (try await WorkerHarness(), Gate())
        let cache = SourceCache(store: GatedStore(h.sources, gate), metrics: h.metrics, logger: WorkerHarness.logger)
        let stored = StoredImage(
            key: "", contentType: "", info: ["url": "http://a.test/", "validator": "\"x\""], source: [:], bytes: Array(Self.whole.prefix(40_000)), storedAt: 0)
        let broken = BrokenDownload(partial: try #require(PartialSource(stored)), digest: "d", fetch: "1-a", since: 0, isLive: true)
        let (first, second) = (h.scope.run("first") { await cache.keep(broken) }, h.scope.run("second") { await cache.keep(broken) })
        try await gate.asked.wait()
        await cache.forgetPartial("d")
        gate.open()
        for task in [first, second] { await task.value }
        #expect(try await h.sources.get(PartialSource.key("d")) == nil)
        // The next download's beginning is kept.
        await cache.keep(broken)
        #expect(try await h.sources.get(PartialSource.key("d")) != nil)
    }
}
