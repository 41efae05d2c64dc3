import Foundation
@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// The source cache and resumed downloads, against a real origin and a real store.
@Suite(.timeLimit(.minutes(1)), .scoped)
struct SourceCacheTests {
    typealias Use = (inout CacheUse) -> Void

    /// Loads a picture with another rendition each time, so that no result can answer.
    @Loop func load(
        _ h: WorkerHarness, _ path: String, scope: String? = nil, fetch: JSON = [:], _ change: Use = { _ in }
    ) async throws -> JSON {
        let receipt = try await run(h, path, scope: scope, fetch: fetch, change)
        return try await h.result(receipt)
    }

    @Loop func run(_ h: WorkerHarness, _ path: String, scope: String? = nil, fetch: JSON = [:], _ change: Use = { _ in }) async throws -> String {
        var use = CacheUse()
        change(&use)
        var request: JSONObject = ["url": .string(h.url(path)), "as": "bytes", "fetch": fetch]
        if let scope { request["cache"] = ["scope": .string(scope)] }
        let receipt = try await h.submit(.object(request), cache: use) { $0.readResults = false }
        try await h.runOne()
        return receipt
    }

    @Loop func asked(_ h: WorkerHarness) async throws -> Int { try await h.counts()["total"]?.int ?? -1 }
    @Loop func sent(_ h: WorkerHarness) async throws -> Int { try await h.counts()["bytes"]?.int ?? -1 }

    @Test @Loop func `a fresh source costs no second download`() async throws {
        let h = try await WorkerHarness()
        let first = try await load(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let second = try await load(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        #expect(try await asked(h) == 1)
        #expect(first["from"] == "remote" && second["from"] == "sources")
        #expect(first["source"]?["sha256"] == second["source"]?["sha256"] && first["source"]?["etag"] == second["source"]?["etag"])
        let fresh = try #require(second["source"]?["expiresAt"]?.double) - WallClock.now
        #expect((50...60).contains(fresh))
        #expect(try #require(second["renditions"]?[0]?["expiresAt"]?.double) - WallClock.now <= 60, "a result is kept no longer than its source")
    }

    @Test @Loop func `pictures are made while their source is written, and the fetch ends after that`() async throws {
        let (drawn, kept) = (Gate(), Gate())
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) }, keeping: { GatedStore($0, kept) })
        drawn.open()
        let path = "/picture.png?size=64x48&with=Cache-Control:+max-age=60"
        let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]])
        let fetch = try await h.startOne()
        try await drawn.asked.wait()
        try await kept.asked.wait()
        // The end of the fetch is sent on this connection.
        for _ in 0..<50 {
            #expect(
                try await h.redis.command(["HGET", .string("tintype:{default}:r:\(receipt)"), "state"]) == .null, "it has ended before its source was kept")
        }
        kept.open()
        await fetch.value
        #expect(try await h.result(receipt)["state"] == "succeeded")
        let next = try await load(h, path)
        #expect(try await asked(h) == 1)
        #expect(next["from"] == "sources")
    }

    @Test(arguments: [true, false]) @Loop func `a canceled run does not wait until a source is kept`(isCancelled: Bool) async throws {
        let (drawn, kept) = (Gate(), Gate())
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) }, keeping: { GatedStore($0, kept) })
        drawn.open()
        let path = "/picture.png?size=64x48&with=Cache-Control:+max-age=60"
        let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]])
        let fetch = try await h.snapshot(receipt).fetch
        let run = try await h.startOne()
        try await drawn.asked.wait()
        try await kept.asked.wait()
        if isCancelled {
            _ = try await h.queue.cancel(receipt: receipt, reason: "requested")
            h.keeper.beat()
            while try await h.queue.dump().hash("f:" + fetch)["state"] != "cancelled" { try await Loop.sleep(.milliseconds(5)) }
            kept.open()
            await run.value
            _ = try await load(h, path)
            #expect(try await asked(h) == 2, "a source that nobody waits for is not kept")
        } else {
            h.keeper.giveBackAll()
            await run.value
        }
    }

    @Test @Loop func `a source that was kept before its fetch was canceled is not served`() async throws {
        let (drawn, path) = (Gate(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) })
        let request: JSON = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]]
        let receipt = try await h.submit(request)
        let wanted = try ImageRequest(request, isProbe: false)
        let digest = wanted.source.digest
        let key = wanted.renditions[0].digest(source: digest)
        let run = try await h.startOne()
        try await drawn.asked.wait()
        while try await !h.sources.contains(digest) { try await Loop.sleep(.milliseconds(5)) }
        // The worker has not heard of it yet.
        _ = try await h.queue.cancel(receipt: receipt, reason: "requested")
        #expect(await h.sourceCache.entry(digest) == nil)
        #expect(try await !h.sources.contains(digest), "the worker that finds it removes it")
        h.keeper.beat()
        drawn.open()
        await run.value
        #expect(try await !h.store.contains(key), "its result was stored, and is removed")
        #expect(try await load(h, path)["from"] == "remote")
        #expect(try await load(h, path)["from"] == "sources", "another fetch keeps it")
    }

    /// Both runs look for the other one's entries, and find none.
    @Test @Loop func `a canceled run removes its own bytes, and not those that another run has put meanwhile`() async throws {
        let (drawn, path) = (Gate(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let overtake: @Sendable @Loop (any ResultStore, String) async throws(TintypeError) -> Void = { store, key throws(TintypeError) in
            guard var image = try await store.get(key) else { return }
            image.storedAt += 0.001
            if var facts = image.info.object, facts["fetch"] != nil {
                facts["fetch"] = "another"
                image.info = .object(facts)
            }
            try await store.put(image)
        }
        func gated(_ store: any ResultStore, _ gate: Gate) -> any ResultStore {
            var gated = GatedStore(store, gate)
            gated.beforeRemoval = overtake
            return gated
        }
        let open = Gate()
        open.open()
        let h = try await WorkerHarness(wrapping: { gated($0, drawn) }, keeping: { gated($0, open) })
        let request: JSON = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]]
        let receipt = try await h.submit(request)
        let wanted = try ImageRequest(request, isProbe: false)
        let (digest, key) = (wanted.source.digest, wanted.renditions[0].digest(source: wanted.source.digest))
        let run = try await h.startOne()
        try await drawn.asked.wait()
        while try await !h.sources.contains(digest) { try await Loop.sleep(.milliseconds(5)) }
        _ = try await h.queue.cancel(receipt: receipt, reason: "requested")
        h.keeper.beat()
        drawn.open()
        await run.value
        #expect(try await h.store.contains(key))
        #expect(try await h.sources.contains(digest))
    }

    @Test @Loop func `the result of a request that is canceled at the same moment is removed`() async throws {
        let (h, path) = (try await WorkerHarness(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let request: JSON = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]]
        let receipt = try await h.submit(request)
        try await h.runOne()
        let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
        #expect(try await h.queue.dump().text("x:" + key) != nil)
        try await h.queue.retract(receipt: receipt, reason: "requested", owner: "c1")
        #expect(try await h.queue.dump().text("x:" + key) == nil)
        #expect(try await load(h, path)["from"] == "remote")
        // A result that two have waited for is not removed.
        let two = [try await h.submit(request), try await h.submit(request)]
        try await h.runOne()
        try await h.queue.retract(receipt: two[0], reason: "requested", owner: "c1")
        #expect(try await h.queue.dump().text("x:" + key) != nil)
    }

    @Test @Loop func `bytes that were no picture are not used for a picture again`() async throws {
        let (h, path) = (try await WorkerHarness(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let digest = try ImageRequest(["url": .string(h.url(path))], isProbe: false).source.digest
        let (now, page) = (WallClock.now, Array("<!doctype html><title>Back soon</title>".utf8))
        var info = SourceInfo(url: h.url(path), finalURL: h.url(path), status: 200, bytes: page.count)
        info.sha256 = Digest.sha256Hex(page)
        let kept = CachedSource(
            info: info, contentType: "text/html", bytes: page, freshness: Freshness(seconds: 86_400, from: now), storedAt: now, version: 0)
        try await h.sources.put(kept.stored(as: digest, ttl: nil, longest: 0))
        func draw(_ mode: CacheUse.Mode = .normal) async throws -> String {
            var use = CacheUse()
            use.mode = mode
            let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]], cache: use) {
                ($0.readResults, $0.blacklist) = (false, .off)
            }
            try await h.runOne()
            return receipt
        }
        #expect(try await h.failure(try await draw()).name == .badImageData)
        #expect(try await asked(h) == 0)
        #expect(try await load(h, path)["from"] == "sources", "a request for bytes is served")
        #expect(try await h.failure(try await draw(.only)).details["reason"] == "unreadable")
        #expect(try await h.result(try await draw())["from"] == "remote")
        #expect(try await asked(h) == 1)
        #expect(try await h.result(try await draw())["from"] == "sources", "and the new bytes are kept")
    }

    @Test @Loop func `an expired source is distinguished from a missing one`() async throws {
        let (h, path) = (try await WorkerHarness(), "/picture.png?size=64x48")
        let digest = try ImageRequest(["url": .string(h.url(path))], isProbe: false).source.digest
        let (then, bytes) = (WallClock.now - 20, Array("bytes".utf8))
        let kept = CachedSource(
            info: SourceInfo(url: h.url(path), finalURL: h.url(path), status: 200, bytes: bytes.count), contentType: nil, bytes: bytes,
            freshness: Freshness(seconds: 10, from: then), storedAt: then, version: 0)
        func reason() async throws -> JSON? {
            let receipt = try await run(h, path) { $0.mode = .only }
            return try await h.failure(receipt).details["reason"]
        }
        #expect(try await reason() == "absent")
        try await h.sources.put(kept.stored(as: digest, ttl: nil, longest: 0))
        #expect(try await reason() == "expired")
        #expect(try await asked(h) == 0)
    }

    @Test @Loop func `a stale source is revalidated, and downloaded only if it has changed`() async throws {
        let h = try await WorkerHarness()
        let same = "/picture.png?size=64x48&with=Cache-Control:+max-age=0"
        let first = try await load(h, same)
        let bytes = try await sent(h)
        let second = try await load(h, same)
        #expect(try await asked(h) == 2)
        #expect(try await sent(h) == bytes, "the body was not sent again")
        #expect(second["from"] == "sources" && second["notModified"] == true && second["source"]?["sha256"] == first["source"]?["sha256"])
        #expect(second["renditions"]?[0]?["stored"] == [], "a result that is stale at once is in no index")
        #expect(try await h.store.contains(second["renditions"]?[0]?["key"]?.string ?? ""), "but its bytes wait for the client")
        let changing = "/picture.png?size=64x48&after=1&with=Cache-Control:+no-cache"
        let before = try await load(h, changing)
        let after = try await load(h, changing)
        #expect(after["from"] == "remote" && after["notModified"] == false && after["source"]?["sha256"] != before["source"]?["sha256"])
    }

    @Test @Loop func `freshness counts from the arrival, however long the work takes`() async throws {
        let h = try await WorkerHarness()
        func end(_ result: JSON) throws -> Double { try #require(result["renditions"]?[0]?["expiresAt"]?.double) }
        func draw(_ path: String, width: Int) async throws -> JSON {
            let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": JSON(width)]]])
            try await h.runOne()
            return try await h.result(receipt)
        }
        // Results of the same answer are fresh until the same moment.
        let path = "/picture.png?size=64x48&with=Cache-Control:+max-age=60"
        let first = try end(try await draw(path, width: 16))
        #expect(try end(try await draw(path, width: 17)) == first)
        let probe = try await h.submit(["url": .string(h.url(path))], isProbe: true)
        try await h.runOne()
        let probed = try #require(try await h.result(probe)["source"]?["expiresAt"]?.double)
        // It was asked for later than the picture.
        #expect(probed > first - 0.01 && probed < first + 50, "\(probed) \(first)")
        // The body takes longer than it is fresh: only the waiting client gets it.
        let slow = try await draw("/slow/picture.png?size=400x300&rate=200000&with=Cache-Control:+max-age=1", width: 16)
        #expect(slow["state"] == "succeeded" && slow["renditions"]?[0]?["stored"] == [], "\(slow)")
        let key = try #require(slow["renditions"]?[0]?["key"]?.string)
        #expect(try await h.queue.dump().text("x:" + key) == nil)
        #expect(try await h.store.contains(key), "its bytes wait for the client")
    }

    @Test(arguments: ["", "etag off;"])
    @Loop func `nginx revalidates by tag or by date, and sends changed files`(tags: String) async throws {
        let h = try await WorkerHarness()
        let nginx = try await NginxServer(
            "listen PORT; \(tags) access_log FOLDER/log; add_header Cache-Control max-age=0;", files: ["a.txt": Data("one".utf8)])
        let file = nginx.folder.path + "/files/a.txt"
        func load() async throws -> JSON {
            let request: JSON = ["url": .string("http://127.0.0.1:\(nginx.port)/a.txt"), "as": "bytes"]
            let receipt = try await h.submit(request) { $0.readResults = false }
            try await h.runOne()
            return try await h.result(receipt)
        }
        func date(_ seconds: Double) throws {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: file)
        }
        try date(1_700_000_000)
        #expect(try await load()["notModified"] == false)
        let second = try await load()
        #expect(second["from"] == "sources" && second["notModified"] == true && second["source"]?["bytes"] == 3)
        #expect((second["source"]?["etag"] == nil) == !tags.isEmpty && second["source"]?["lastModified"] != nil)
        try Data("three".utf8).write(to: URL(fileURLWithPath: file))
        try date(1_700_000_100)
        let third = try await load()
        #expect(third["from"] == "remote" && third["notModified"] == false && third["source"]?["bytes"] == 5)
        #expect(try await load()["notModified"] == true)
        var log: [Substring] = []
        try await TestSupport.Gate.until("nginx has written it down, which it does behind its answer") {
            log = try String(contentsOfFile: nginx.folder.path + "/log", encoding: .utf8).split(separator: "\n").filter { $0.contains("/a.txt") }
            return log.count >= 4
        }
        #expect(log.compactMap { $0.components(separatedBy: "\" ").dropFirst().first?.prefix(3) }.map(String.init) == ["200", "304", "200", "304"], "\(log)")
    }

    @Test @Loop func `a result is not drawn again if the origin confirms its source`() async throws {
        let h = try await WorkerHarness()
        func draw(_ path: String, width: Int = 16, _ change: Use = { _ in }) async throws -> JSON {
            var use = CacheUse()
            change(&use)
            let request: JSON = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": JSON(width)]]]
            let receipt = try await h.submit(request, cache: use) { $0.readResults = false }
            try await h.runOne()
            return try await h.result(receipt)
        }
        func isDrawn(_ result: JSON) -> Bool { result["metrics"]?["decode"]?.double ?? 0 > 0 }
        for caching in ["no-cache", "max-age=60"] {
            let path = "/picture.png?size=64x48&with=Cache-Control:+\(caching)"
            let first = try await draw(path)
            let again = try await draw(path) { $0.mode = .revalidate }
            #expect(isDrawn(first) && !isDrawn(again) && again["notModified"] == true, "\(again)")
            var (old, new) = (try #require(first["renditions"]?[0]?.object), try #require(again["renditions"]?[0]?.object))
            #expect(new["expiresAt"]?.double ?? 0 >= old["expiresAt"]?.double ?? 0)
            for name in ["expiresAt", "storedAt"] { (old[name], new[name]) = (nil, nil) }
            #expect(JSON.object(old) == JSON.object(new))
            for name in ["width", "height", "frames", "format", "hasAlpha", "sha256"] {
                #expect(first["source"]?[name] != nil && again["source"]?[name] == first["source"]?[name], "\(name)")
            }
            #expect(isDrawn(try await draw(path, width: 17) { $0.mode = .revalidate }), "another rendition")
            #expect(isDrawn(try await draw(path) { $0.mode = .reload }), "a reload reads nothing")
        }
        // The stored result was drawn from other bytes, then from these, then is gone.
        let changing = "/picture.png?size=64x48&after=1&with=Cache-Control:+no-cache"
        _ = try await draw(changing)
        #expect(isDrawn(try await draw(changing)))
        #expect(!isDrawn(try await draw(changing)))
        let key = try #require(try await draw(changing)["renditions"]?[0]?["key"]?.string)
        try await h.store.remove(key)
        #expect(isDrawn(try await draw(changing)))
    }
}
