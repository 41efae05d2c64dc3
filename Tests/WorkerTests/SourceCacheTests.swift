import Foundation
@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// The cache of sources and downloads that go on, against a real origin and a real store.
@Suite(.timeLimit(.minutes(1)))
struct SourceCacheTests {
    private typealias Use = (inout CacheUse) -> Void

    /// Loads a picture of which another rendition each time is wanted, so that no result can answer.
    @Loop private func load(
        _ h: WorkerHarness, _ path: String, scope: String? = nil, fetch: JSON = [:], _ change: Use = { _ in }
    ) async throws -> JSON {
        let receipt = try await run(h, path, scope: scope, fetch: fetch, change)
        return try await h.result(receipt)
    }

    @Loop private func run(_ h: WorkerHarness, _ path: String, scope: String? = nil, fetch: JSON = [:], _ change: Use = { _ in }) async throws -> String {
        var use = CacheUse()
        change(&use)
        var request: JSONObject = ["url": .string(h.url(path)), "as": "bytes", "fetch": fetch]
        if let scope { request["cache"] = ["scope": .string(scope)] }
        let receipt = try await h.submit(.object(request), cache: use) { $0.readResults = false }
        try await h.runOne()
        return receipt
    }

    @Loop private func asked(_ h: WorkerHarness) async throws -> Int { try await h.counts()["total"]?.int ?? -1 }
    @Loop private func sent(_ h: WorkerHarness) async throws -> Int { try await h.counts()["bytes"]?.int ?? -1 }

    @Test @Loop func `a source that is fresh costs no second download`() async throws {
        let h = try await WorkerHarness()
        let first = try await load(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let second = try await load(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        #expect(try await asked(h) == 1)
        #expect(first["from"] == "remote" && second["from"] == "sources")
        #expect(first["source"]?["sha256"] == second["source"]?["sha256"] && first["source"]?["etag"] == second["source"]?["etag"])
        let fresh = try #require(second["source"]?["expiresAt"]?.double) - Timestamp.now().seconds
        #expect((50...60).contains(fresh))
        #expect(try #require(second["renditions"]?[0]?["expiresAt"]?.double) - Timestamp.now().seconds <= 60, "a result is kept no longer than its source")
        await h.stop()
    }

    @Test @Loop func `pictures are made while their source is being kept, and the fetch ends when it is`() async throws {
        let (drawn, kept) = (Gate(), Gate())
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) }, keeping: { GatedStore($0, kept) })
        drawn.open()
        let path = "/picture.png?size=64x48&with=Cache-Control:+max-age=60"
        let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]])
        let fetch = try await h.startOne()
        try await drawn.asked.wait()
        try await kept.asked.wait()
        // What would end it is sent on this connection.
        for _ in 0..<50 {
            #expect(try await h.redis.command(["HGET", .string("tintype:{default}:r:\(receipt)"), "st"]) == .null, "it has ended before its source was kept")
        }
        kept.open()
        await fetch.value
        #expect(try await h.result(receipt)["state"] == "succeeded")
        let next = try await load(h, path)
        #expect(try await asked(h) == 1)
        #expect(next["from"] == "sources")
        await h.stop()
    }

    @Test(arguments: [true, false]) @Loop func `whoever gives up does not wait until a source is kept`(isCancelled: Bool) async throws {
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
            _ = try await h.queue.drop(receipt: receipt, reason: "requested")
            h.keeper.beat()
            while try await h.queue.dump().hash("f:" + fetch)["st"] != "can" { try await Loop.sleep(.milliseconds(5)) }
            kept.open()
            await run.value
            _ = try await load(h, path)
            #expect(try await asked(h) == 2, "what nobody waits for is not kept")
        } else {
            h.keeper.giveBackAll()
            await run.value
        }
        await h.stop()
    }

    @Test @Loop func `a source that was kept before its fetch was cancelled is nobody's`() async throws {
        let (drawn, path) = (Gate(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) })
        let request: JSON = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]]
        let receipt = try await h.submit(request)
        let wanted = try ImageRequest(request, isProbe: false)
        let digest = wanted.source.digest
        let key = wanted.renditions[0].digest(source: digest)
        let run = try await h.startOne()
        try await drawn.asked.wait()
        while try await !h.tools.sources.contains(digest) { try await Loop.sleep(.milliseconds(5)) }
        // Its worker has not heard of it yet.
        _ = try await h.queue.drop(receipt: receipt, reason: "requested")
        #expect(await h.tools.sourceCache.entry(digest) == nil)
        #expect(try await !h.tools.sources.contains(digest), "who finds it forgets it")
        h.keeper.beat()
        drawn.open()
        await run.value
        #expect(try await !h.tools.store.contains(key), "its result was stored, and goes again")
        #expect(try await load(h, path)["from"] == "remote")
        #expect(try await load(h, path)["from"] == "sources", "another fetch keeps it")
        await h.stop()
    }

    @Test @Loop func `what was made for a request that was cancelled in the same moment is taken back`() async throws {
        let (h, path) = (try await WorkerHarness(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let request: JSON = ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]]
        let receipt = try await h.submit(request)
        try await h.runOne()
        let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
        #expect(try await h.queue.dump().text("x:" + key) != nil)
        try await h.queue.retract(receipt: receipt, reason: "requested", owner: "c1")
        #expect(try await h.queue.dump().text("x:" + key) == nil)
        #expect(try await load(h, path)["from"] == "remote")
        // What two have waited for is no one's to take back.
        let two = [try await h.submit(request), try await h.submit(request)]
        try await h.runOne()
        try await h.queue.retract(receipt: two[0], reason: "requested", owner: "c1")
        #expect(try await h.queue.dump().text("x:" + key) != nil)
        await h.stop()
    }

    @Test @Loop func `bytes that were no picture are not served to a picture again`() async throws {
        let (h, path) = (try await WorkerHarness(), "/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let digest = try ImageRequest(["url": .string(h.url(path))], isProbe: false).source.digest
        let (now, page) = (Timestamp.now().seconds, Array("<!doctype html><title>Back soon</title>".utf8))
        var info = SourceInfo(url: h.url(path), finalURL: h.url(path), status: 200, bytes: page.count)
        info.sha256 = Digest.sha256Hex(page)
        let kept = CachedSource(
            info: info, contentType: "text/html", bytes: page, freshness: Freshness(seconds: 86_400, from: now), storedAt: now, version: 0)
        try await h.tools.sources.put(kept.stored(as: digest, ttl: nil, longest: 0))
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
        #expect(try await load(h, path)["from"] == "sources", "whoever wants bytes may have them")
        #expect(try await h.failure(try await draw(.only)).details["reason"] == "unreadable")
        #expect(try await h.result(try await draw())["from"] == "remote")
        #expect(try await asked(h) == 1)
        #expect(try await h.result(try await draw())["from"] == "sources", "and what came then is kept")
        await h.stop()
    }

    @Test @Loop func `a source whose time is over is told from one that never was`() async throws {
        let (h, path) = (try await WorkerHarness(), "/picture.png?size=64x48")
        let digest = try ImageRequest(["url": .string(h.url(path))], isProbe: false).source.digest
        let (then, bytes) = (Timestamp.now().seconds - 20, Array("bytes".utf8))
        let kept = CachedSource(
            info: SourceInfo(url: h.url(path), finalURL: h.url(path), status: 200, bytes: bytes.count), contentType: nil, bytes: bytes,
            freshness: Freshness(seconds: 10, from: then), storedAt: then, version: 0)
        func reason() async throws -> JSON? {
            let receipt = try await run(h, path) { $0.mode = .only }
            return try await h.failure(receipt).details["reason"]
        }
        #expect(try await reason() == "absent")
        try await h.tools.sources.put(kept.stored(as: digest, ttl: nil, longest: 0))
        #expect(try await reason() == "expired")
        #expect(try await asked(h) == 0)
        await h.stop()
    }

    @Test @Loop func `a stale source is asked for, and comes again only if it has changed`() async throws {
        let h = try await WorkerHarness()
        let same = "/picture.png?size=64x48&with=Cache-Control:+max-age=0"
        let first = try await load(h, same)
        let bytes = try await sent(h)
        let second = try await load(h, same)
        #expect(try await asked(h) == 2)
        #expect(try await sent(h) == bytes, "the body was not sent again")
        #expect(second["from"] == "sources" && second["notModified"] == true && second["source"]?["sha256"] == first["source"]?["sha256"])
        #expect(second["renditions"]?[0]?["stored"] == [], "what is stale at once is in no index")
        #expect(try await h.tools.store.contains(second["renditions"]?[0]?["key"]?.string ?? ""), "but its bytes wait for whoever fetches them")
        let changing = "/picture.png?size=64x48&after=1&with=Cache-Control:+no-cache"
        let before = try await load(h, changing)
        let after = try await load(h, changing)
        #expect(after["from"] == "remote" && after["notModified"] == false && after["source"]?["sha256"] != before["source"]?["sha256"])
        await h.stop()
    }

    @Test @Loop func `freshness is counted from when it came, however long the rest takes`() async throws {
        let h = try await WorkerHarness()
        func end(_ result: JSON) throws -> Double { try #require(result["renditions"]?[0]?["expiresAt"]?.double) }
        func draw(_ path: String, width: Int) async throws -> JSON {
            let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": JSON(width)]]])
            try await h.runOne()
            return try await h.result(receipt)
        }
        // Of the same answer each is fresh until the same moment.
        let path = "/picture.png?size=64x48&with=Cache-Control:+max-age=60"
        let first = try end(try await draw(path, width: 16))
        #expect(try end(try await draw(path, width: 17)) == first)
        let probe = try await h.submit(["url": .string(h.url(path))], isProbe: true)
        try await h.runOne()
        let probed = try #require(try await h.result(probe)["source"]?["expiresAt"]?.double)
        // It was asked for later than the picture.
        #expect(probed > first - 0.01 && probed < first + 50, "\(probed) \(first)")
        // The body is longer on its way than it is fresh: only whoever waits for it is given it.
        let slow = try await draw("/slow/picture.png?size=400x300&rate=200000&with=Cache-Control:+max-age=1", width: 16)
        #expect(slow["state"] == "succeeded" && slow["renditions"]?[0]?["stored"] == [], "\(slow)")
        let key = try #require(slow["renditions"]?[0]?["key"]?.string)
        #expect(try await h.queue.dump().text("x:" + key) == nil)
        #expect(try await h.tools.store.contains(key), "its bytes wait for whoever fetches them")
        await h.stop()
    }

    @Test(arguments: ["", "etag off;"])
    @Loop func `nginx says by tag or by date that nothing has changed, and sends what has`(tags: String) async throws {
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
        await nginx.stop()
        await h.stop()
    }

    @Test @Loop func `what was drawn from the same bytes is not drawn again when the origin says that they are the same`() async throws {
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
        // What lies there was drawn from other bytes, then from these, then is gone.
        let changing = "/picture.png?size=64x48&after=1&with=Cache-Control:+no-cache"
        _ = try await draw(changing)
        #expect(isDrawn(try await draw(changing)))
        #expect(!isDrawn(try await draw(changing)))
        let key = try #require(try await draw(changing)["renditions"]?[0]?["key"]?.string)
        try await h.tools.store.remove(key)
        #expect(isDrawn(try await draw(changing)))
        await h.stop()
    }

    @Test @Loop func `what must not be kept is not, and what is one's own is nobody else's`() async throws {
        let h = try await WorkerHarness()
        for _ in 0..<2 { #expect(try await load(h, "/picture.png?size=64x48&with=Cache-Control:+no-store")["from"] == "remote") }
        for _ in 0..<2 { #expect(try await load(h, "/picture.png?size=64x49&with=Cache-Control:+private")["from"] == "remote") }
        for from in ["remote", "sources"] {
            #expect(try await load(h, "/picture.png?size=64x50&with=Cache-Control:+private", scope: "anna")["from"] == JSON.string(from))
        }
        #expect(try await load(h, "/picture.png?size=64x50&with=Cache-Control:+private", scope: "ben")["from"] == "remote")
        for _ in 0..<2 { #expect(try await load(h, "/picture.png?size=64x51") { $0.writes = false }["from"] == "remote") }
        for _ in 0..<2 { #expect(try await load(h, "/picture.png?size=64x52") { $0.ttl = -1 }["from"] == "remote") }
        let wished = "/picture.png?size=64x53&with=Cache-Control:+no-store"
        for from in ["remote", "sources"] {
            #expect(try await load(h, wished) { $0.ttl = 60 }["from"] == JSON.string(from), "the request overrides the origin")
        }
        await h.stop()
    }

    @Test @Loop func `a source is kept for whoever joins and wants it kept`() async throws {
        let h = try await WorkerHarness()
        let request: JSON = ["url": .string(h.url("/picture.png?size=64x48")), "as": "bytes"]
        var poor = CacheUse()
        poor.writes = false
        try await h.submit(request, cache: poor)
        try await h.submit(request)
        try await h.runOne()
        #expect(try await h.tools.sources.contains(Source(canonical: request).digest))
        await h.stop()
    }

    /// What is asked for each time, and what is not.
    @Test(arguments: [
        ("Cache-Control:+max-age=60|Age:+60", true), ("Cache-Control:+max-age=60|Age:+20", false), ("Cache-Control:+max-age=60,+s-maxage=0", true),
        ("Cache-Control:+max-age=0,+s-maxage=60", false), ("Expires:+Thu,+01+Jan+1970+00:00:00+GMT", true), ("Expires:+Thu,+01+Jan+2032+00:00:00+GMT", false),
        ("Cache-Control:+max-age=60|Vary:+*", true), ("Cache-Control:+max-age=60|Vary:+Accept", false), ("Pragma:+no-cache", true),
        ("Cache-Control:+max-age=0,+must-revalidate,+stale-while-revalidate=60", true),
    ])
    @Loop func `what an origin says of freshness is heeded`(headers: String, isAsked: Bool) async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&with=\(headers)"
        for number in 1...3 {
            let result = try await load(h, path)
            #expect(try await asked(h) == (isAsked ? number : 1))
            #expect(result["from"] == (number == 1 ? "remote" : "sources") && result["notModified"] == .bool(isAsked && number > 1))
            if headers.hasSuffix("Age:+20") {
                #expect((30...40).contains(try #require(result["source"]?["expiresAt"]?.double) - Timestamp.now().seconds), "less its age")
            }
        }
        await h.stop()
    }

    @Test @Loop func `answers that vary by what is sent are kept for each, by cookies for nobody`() async throws {
        let h = try await WorkerHarness()
        let path = "/echo?with=Cache-Control:+max-age=60|Vary:+Accept"
        var sums: Set<String> = []
        for from in ["remote", "sources"] {
            for accept in ["image/webp", "image/png"] {
                let result = try await load(h, path, fetch: ["headers": ["Accept": .string(accept)]])
                #expect(result["from"] == .string(from), "\(accept)")
                sums.insert(result["source"]?["sha256"]?.string ?? "")
            }
        }
        #expect(sums.count == 2)
        #expect(try await asked(h) == 2)
        for number in 1...2 {
            _ = try await load(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=60|Vary:+Cookie", fetch: ["cookies": "jar"])
            #expect(try await asked(h) == 2 + number)
        }
        await h.stop()
    }

    @Test @Loop func `an origin that fails is stood in for as long as it allowed`() async throws {
        let h = try await WorkerHarness()
        let lenient = "/status/503?after=1&with=Cache-Control:+max-age=0,+stale-if-error=60"
        let first = try await load(h, lenient)
        let second = try await load(h, lenient)
        #expect(try await asked(h) == 2)
        #expect(second["from"] == "sources" && second["notModified"] == false && second["source"]?["sha256"] == first["source"]?["sha256"])
        for (path, mode) in [
            ("/status/503?after=1&n=1&with=Cache-Control:+max-age=0,+stale-if-error=60,+must-revalidate", CacheUse.Mode.normal),
            ("/status/503?after=1&n=2&with=Cache-Control:+max-age=0", .normal),
            ("/status/503?after=1&n=3&with=Cache-Control:+max-age=0,+stale-if-error=60", .revalidate),
        ] {
            _ = try await load(h, path)
            let receipt = try await run(h, path, fetch: ["retry": ["attempts": 1]]) { $0.mode = mode }
            #expect(try await h.failure(receipt).details["status"] == 503, "\(path)")
        }
        await h.stop()
    }

    @Test @Loop func `what may be stale is served at once and asked for afterwards`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&after=1&with=Cache-Control:+max-age=0,+stale-while-revalidate=60"
        let first = try await load(h, path)
        let second = try await load(h, path)
        #expect(second["from"] == "sources" && second["source"]?["sha256"] == first["source"]?["sha256"])
        await h.scope.drain()
        await h.tools.loader.asksEnded()
        #expect(try await asked(h) == 2)
        let third = try await load(h, path)
        #expect(third["from"] == "sources" && third["source"]?["sha256"] != first["source"]?["sha256"])
        await h.stop()
    }

    @Test @Loop func `nothing but the cache is asked, or nothing but the origin`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&with=Cache-Control:+max-age=60"
        #expect(try await h.failure(run(h, path) { $0.mode = .only }).details["reason"] == "absent")
        #expect(try await asked(h) == 0)
        _ = try await load(h, path) { $0.version = 7 }
        #expect(try await h.failure(run(h, path) { $0.mode = .only }).details["reason"] == "version")
        #expect(try await load(h, path) { ($0.mode, $0.version) = (.only, 7) }["from"] == "sources")
        #expect(try await asked(h) == 1)
        let again = try await load(h, path) { ($0.mode, $0.version) = (.revalidate, 7) }
        #expect(again["from"] == "sources" && again["notModified"] == true && again["updated"] == false)
        #expect(try await load(h, path) { ($0.mode, $0.version) = (.reload, 7) }["from"] == "remote")
        #expect(try await asked(h) == 3)
        await h.stop()
    }

    @Test @Loop func `what is never kept is neither stored nor asked for where the network is forbidden`() async throws {
        let h = try await WorkerHarness()
        let fetches: [JSON] = [["method": "POST", "body": "x"], ["headers": ["If-None-Match": "\"mine\""]]]
        for (number, fetch) in fetches.enumerated() {
            let path = "/picture.png?size=64x\(48 + number)"
            #expect(try await h.failure(run(h, path, fetch: fetch) { $0.mode = .only }).details["reason"] == "absent")
            #expect(try await asked(h) == number * 2)
            for _ in 0..<2 { #expect(try await load(h, path, fetch: fetch)["from"] == "remote") }
        }
        await h.stop()
    }

    /// What was said of the first, how the second is come by, and whether the first may still be served meanwhile.
    @Test(
        arguments: [
            ("max-age=0, stale-while-revalidate=86400", CacheUse.Mode.normal, true), ("max-age=0, stale-if-error=86400", .normal, false),
            ("max-age=600", .reload, false), ("max-age=600", .revalidate, false), ("max-age=600", .only, true),
        ] as [(control: String, mode: CacheUse.Mode, isServed: Bool)], ["200 no-store", "200 private", "404 no-store"])
    @Loop func `what its origin has replaced by what may not be kept is served no longer`(
        one: (control: String, mode: CacheUse.Mode, isServed: Bool), answer: String
    ) async throws {
        let h = try await WorkerHarness()
        let (status, control) = (answer.prefix(3), answer.dropFirst(4))
        let nginx = try await NginxServer(
            """
            listen PORT;
            location = /a.txt { if (-f FOLDER/files/two.txt) { rewrite ^ /two last; } add_header Cache-Control "\(one.control)"; }
            location = /two { \(status == "200" ? "try_files /two.txt =500;" : "return 404 nothing;") add_header Cache-Control \(control) always; }
            """, files: ["a.txt": Data("one".utf8)])
        func load(_ mode: CacheUse.Mode) async throws -> Int? {
            let request: JSON = ["url": .string("http://127.0.0.1:\(nginx.port)/a.txt"), "as": "bytes", "fetch": ["acceptableStatus": ["200-499"]]]
            var use = CacheUse()
            use.mode = mode
            let receipt = try await h.submit(request, cache: use) { $0.readResults = false }
            try await h.runOne()
            await h.scope.drain()
            await h.tools.loader.asksEnded()
            return try await h.result(receipt)["source"]?["bytes"]?.int
        }
        #expect(try await load(.normal) == 3)
        try Data("three".utf8).write(to: URL(fileURLWithPath: nginx.folder.path + "/files/two.txt"))
        let replaced = status == "200" ? 5 : 7
        #expect(try await load(one.mode) == (one.isServed ? 3 : replaced))
        // What is no success says nothing of what there was, nor does what was not asked.
        let isForgotten = status == "200" && one.mode != .only
        let digest = try Source(canonical: ["url": .string("http://127.0.0.1:\(nginx.port)/a.txt")]).digest
        #expect((try await h.tools.sources.get(digest) == nil) == isForgotten)
        if isForgotten { #expect(try await load(.normal) == replaced) }
        await nginx.stop()
        await h.stop()
    }

    @Test @Loop func `a store that fails fails no load`() async throws {
        let h = try await WorkerHarness()
        let folder = try TemporaryFolder("broken")
        let store = try ResultStores.open("file://\(folder.path)", .sources, name: "broken", pool: h.pool, logger: WorkerHarness.logger)
        // Where its files were to lie there is none any more, nor can there be.
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
        defer { try? FileManager.default.removeItem(atPath: folder.path + "-moved") }
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let cache = SourceCache(store: store, metrics: h.metrics, logger: WorkerHarness.logger)
        let loopback = AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!])
        let loader = SourceLoader(
            transfers: TransferPool(policy: loopback), cache: cache, jars: CookieJars(redis: h.redis, logger: WorkerHarness.logger),
            lists: AccessLists(redis: h.redis), files: h.pool, metrics: h.metrics)
        let reporter = FetchReporter(queue: h.queue, held: Held(fetch: "none", token: 0), interval: nil, scope: h.scope, onAnswer: { _ in })
        for _ in 0..<2 {
            let loaded = try await loader.load(
                Source(canonical: ["url": .string(h.url("/picture.png?size=64x48"))]), accepting: Acceptance(), share: h.tools.budget.begin(),
                reporter: reporter)
            #expect(loaded.origin == .remote && !loaded.bytes.isEmpty)
        }
        #expect(h.metrics.value(.storeOperations, labels: "sources", "put", "failed") == 2)
        await h.stop()
    }

    // MARK: Downloads that go on

    /// What a source of 400 × 300 is at the origin.
    @Loop private func whole(_ h: WorkerHarness) async throws -> String {
        let bytes = [UInt8](try await HTTP.get(h.url("/picture.png?size=400x300")).body)
        _ = try await HTTP.get(h.url("/_reset"))
        return Digest.sha256Hex(bytes)
    }

    @Test(arguments: [
        ("/cut/picture.png?size=400x300&cut=150000&times=1", true), ("/cut/picture.png?size=400x300&cut=150000&times=1&noranges=1", false),
        ("/cut/picture.png?size=400x300&cut=150000&times=1&plain=1", false), ("/cut/picture.png?size=400x300&cut=9000&times=1", false),
    ])
    @Loop func `a download that breaks off goes on where it did, if the origin can`(path: String, goesOn: Bool) async throws {
        let h = try await WorkerHarness()
        let sum = try await whole(h)
        let receipt = try await h.submit(["url": .string(h.url(path)), "as": "bytes", "progress": true]) { $0.retryBaseMilliseconds = 0 }
        try await h.runOne()
        let first = try await sent(h)
        _ = try await h.queue.reap()
        // Another run, with nothing in common but the store.
        try await h.runOne()
        let result = try await h.result(receipt)
        #expect(result["source"]?["sha256"] == JSON.string(sum) && result["attempts"] == 2 && result["source"]?["status"] == 200)
        let length = try #require(result["source"]?["bytes"]?.int)
        #expect(try await sent(h) == (goesOn ? length : first + length))
        await h.stop()
    }

    @Test(arguments: ["", "&noifrange=1"]) @Loop
    func `a source that has changed since is not glued together, nor by a server that heeds no If-Range`(more: String) async throws {
        let h = try await WorkerHarness()
        let path = "/cut/picture.png?size=400x300&cut=150000&times=1&after=1\(more)"
        let receipt = try await h.submit(["url": .string(h.url(path)), "as": "bytes"]) { $0.retryBaseMilliseconds = 0 }
        try await h.runOne()
        _ = try await h.queue.reap()
        try await h.runOne()
        let other = [UInt8](try await HTTP.get(h.url("/picture.png?size=400x301")).body)
        #expect(try await h.result(receipt)["source"]?["sha256"] == JSON.string(Digest.sha256Hex(other)))
        await h.stop()
    }

    @Test @Loop func `a large body leaves no beginning of itself behind`() async throws {
        let h = try await WorkerHarness()
        let result = try await load(h, "/slow/picture.png?rate=9000000")
        #expect(try #require(result["source"]?["bytes"]?.int) > 2 << 20)
        let digest = try Source(canonical: ["url": .string(h.url("/slow/picture.png?rate=9000000"))]).digest
        #expect(try await h.tools.sources.get(PartialSource.key(digest)) == nil)
        #expect(try await h.tools.sources.get(digest) != nil)
        await h.stop()
    }

    @Test(arguments: [("10:00:00", false), ("10:00:01", true), ("", false)])
    func `a date is a validator only if the body was a second old`(sent: String, isKept: Bool) throws {
        let date = "Mon, 02 Nov 2026 "
        let moment = sent.isEmpty ? [] : [(name: "date", value: date + sent + " GMT")]
        let head = TransferHead(
            status: 200, headers: [(name: "last-modified", value: date + "10:00:00 GMT")] + moment, url: "http://a.test/", expectedBytes: 90_000)
        let address = try Source(canonical: ["url": "http://a.test/"]).addresses[0]
        #expect((PartialSource(head, of: address, bytes: [UInt8](repeating: 1, count: 40_000)) != nil) == isKept)
    }

    @Test @Loop func `what a 304 does not repeat still holds`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&bare=1&with=Cache-Control:+no-cache"
        for number in 1...4 {
            _ = try await load(h, path)
            #expect(try await asked(h) == number, "asked each time, also after a 304 that says nothing of it")
        }
        await h.stop()
    }

    @Test(arguments: ["no-store", "private"]) @Loop func `what must not be kept is not, whatever its status`(control: String) async throws {
        let h = try await WorkerHarness()
        let result = try await load(h, "/status/201?with=Cache-Control:+\(control)")
        #expect(try #require(result["renditions"]?[0]?["expiresAt"]?.double) - Timestamp.now().seconds <= 1)
        let posted = try await load(h, "/picture.png?size=64x50", fetch: ["method": "POST", "body": "x"])
        #expect(
            try #require(posted["renditions"]?[0]?["expiresAt"]?.double) - Timestamp.now().seconds <= 1, "nor what a POST brought, unless its origin says so")
        await h.stop()
    }

    @Test @Loop func `a run that is given back leaves its beginning to the next`() async throws {
        let h = try await WorkerHarness()
        let sum = try await whole(h)
        let receipt = try await h.submit(["url": .string(h.url("/slow/picture.png?size=400x300&rate=60000")), "as": "bytes"])
        let run = try await h.startOne()
        while h.metrics.value(.downloadBytes) < 60_000 { try await Loop.sleep(.milliseconds(5)) }
        h.keeper.giveBackAll()
        await run.value
        let result = try await { () async throws -> JSON in
            // Another worker's: this one takes nothing any more.
            let keeper = LeaseKeeper(queue: h.queue, worker: "w1", scope: h.scope, logger: WorkerHarness.logger, metrics: h.metrics) { [:] }
            await FetchRunner(try await h.claim(), queue: h.queue, tools: h.tools).run(keeper, claimedAt: .now).value
            return try await h.result(receipt)
        }()
        #expect(result["source"]?["sha256"] == JSON.string(sum) && result["attempts"] == 1)
        #expect(try await sent(h) < 361_000 + 60_000, "little was sent twice")
        await h.stop()
    }

    @Test @Loop func `nothing is written when no time is left for it`() async throws {
        let scope = TaskScope()
        let writes = SourceWrites(scope)
        var isBegun = false
        writes.cancel()
        writes.begin("late") { isBegun = true }
        await writes.done()
        await scope.drain()
        #expect(!isBegun && writes.keys.isEmpty)
    }
}
