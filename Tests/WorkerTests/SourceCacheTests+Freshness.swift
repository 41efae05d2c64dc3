import Foundation
@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeStores
import TestSupport
import Testing
@testable import Worker

extension SourceCacheTests {
    @Test @Loop func `a source that must not be kept is not, and a scoped one belongs to its scope`() async throws {
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
    }

    @Test @Loop func `a source is kept for a later receipt that wants it kept`() async throws {
        let h = try await WorkerHarness()
        let request: JSON = ["url": .string(h.url("/picture.png?size=64x48")), "as": "bytes"]
        var poor = CacheUse()
        poor.writes = false
        try await h.submit(request, cache: poor)
        try await h.submit(request)
        try await h.runOne()
        #expect(try await h.sources.contains(Source(canonical: request).digest))
    }

    /// The headers, and whether the origin is asked each time.
    @Test(arguments: [
        ("Cache-Control:+max-age=60|Age:+60", true), ("Cache-Control:+max-age=60|Age:+20", false), ("Cache-Control:+max-age=60,+s-maxage=0", true),
        ("Cache-Control:+max-age=0,+s-maxage=60", false), ("Expires:+Thu,+01+Jan+1970+00:00:00+GMT", true), ("Expires:+Thu,+01+Jan+2032+00:00:00+GMT", false),
        ("Cache-Control:+max-age=60|Vary:+*", true), ("Cache-Control:+max-age=60|Vary:+Accept", false), ("Pragma:+no-cache", true),
        ("Cache-Control:+max-age=0,+must-revalidate,+stale-while-revalidate=60", true),
    ])
    @Loop func `an origin's freshness headers are respected`(headers: String, isAsked: Bool) async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&with=\(headers)"
        for number in 1...3 {
            let result = try await load(h, path)
            #expect(try await asked(h) == (isAsked ? number : 1))
            #expect(result["from"] == (number == 1 ? "remote" : "sources") && result["notModified"] == .bool(isAsked && number > 1))
            if headers.hasSuffix("Age:+20") {
                #expect((30...40).contains(try #require(result["source"]?["expiresAt"]?.double) - WallClock.now), "less its age")
            }
        }
    }

    @Test @Loop func `answers that vary by request headers are kept for each, by cookies for none`() async throws {
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
    }

    @Test @Loop func `a stale source stands in for a failing origin as long as that allowed it`() async throws {
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
    }

    @Test @Loop func `a source that may be stale is served at once and revalidated afterwards`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&after=1&with=Cache-Control:+max-age=0,+stale-while-revalidate=60"
        let first = try await load(h, path)
        let second = try await load(h, path)
        #expect(second["from"] == "sources" && second["source"]?["sha256"] == first["source"]?["sha256"])
        await h.scope.drain()
        await h.loader.asksEnded()
        #expect(try await asked(h) == 2)
        let third = try await load(h, path)
        #expect(third["from"] == "sources" && third["source"]?["sha256"] != first["source"]?["sha256"])
    }

    @Test @Loop func `a request may use only the cache, or only the origin`() async throws {
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
    }

    @Test @Loop func `a source that is never kept is neither stored nor requested if the network is forbidden`() async throws {
        let h = try await WorkerHarness()
        let fetches: [JSON] = [["method": "POST", "body": "x"], ["headers": ["If-None-Match": "\"mine\""]]]
        for (number, fetch) in fetches.enumerated() {
            let path = "/picture.png?size=64x\(48 + number)"
            #expect(try await h.failure(run(h, path, fetch: fetch) { $0.mode = .only }).details["reason"] == "absent")
            #expect(try await asked(h) == number * 2)
            for _ in 0..<2 { #expect(try await load(h, path, fetch: fetch)["from"] == "remote") }
        }
    }

    /// The headers of the first source, the way to the second one, and whether the first may still be served meanwhile.
    @Test(
        arguments: [
            ("max-age=0, stale-while-revalidate=86400", CacheUse.Mode.normal, true), ("max-age=0, stale-if-error=86400", .normal, false),
            ("max-age=600", .reload, false), ("max-age=600", .revalidate, false), ("max-age=600", .only, true),
        ] as [(control: String, mode: CacheUse.Mode, isServed: Bool)], ["200 no-store", "200 private", "404 no-store"])
    @Loop func `a source is not served any more once its origin sends one that may not be kept`(
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
            await h.loader.asksEnded()
            return try await h.result(receipt)["source"]?["bytes"]?.int
        }
        #expect(try await load(.normal) == 3)
        try Data("three".utf8).write(to: URL(fileURLWithPath: nginx.folder.path + "/files/two.txt"))
        let replaced = status == "200" ? 5 : 7
        #expect(try await load(one.mode) == (one.isServed ? 3 : replaced))
        // A failed request, or none at all, says nothing about the kept source.
        let isForgotten = status == "200" && one.mode != .only
        let digest = try Source(canonical: ["url": .string("http://127.0.0.1:\(nginx.port)/a.txt")]).digest
        #expect((try await h.sources.get(digest) == nil) == isForgotten)
        if isForgotten { #expect(try await load(.normal) == replaced) }
    }

    @Test @Loop func `operations that succeed are counted and timed too, removals included`() async throws {
        let h = try await WorkerHarness()
        let cache = SourceCache(store: h.store, metrics: h.metrics, logger: WorkerHarness.logger)
        func counts(_ operation: StoreOperation) -> [Double] {
            ["ok", "failed"].map { h.metrics.value(.storeOperations, labels: "sources", operation.rawValue, $0) }
        }
        _ = await cache.entry("none")
        await cache.forget("none")
        #expect(counts(.get) == [1, 0] && counts(.remove) == [1, 0] && counts(.put) == [0, 0])
        #expect(await cache.take("none"), "it writes a record")
        #expect(counts(.get) == [2, 0] && counts(.put) == [1, 0])
        for (operation, count) in [("get", 2), ("put", 1), ("remove", 1)] {
            let line = "tintype_store_seconds_count{store=\"sources\",operation=\"\(operation)\"} \(count)\n"
            #expect(h.metrics.text().contains(line), "\(line)")
        }
    }

    @Test @Loop func `a store that fails fails no load`() async throws {
        let h = try await WorkerHarness()
        let folder = try TemporaryFolder("broken")
        let store = try ResultStores.open("file://\(folder.path)", .sources, name: "broken", pool: h.pool, logger: WorkerHarness.logger)
        // The scan of the folder at the start is over.
        try await h.pool.run {}
        // The folder for its files is gone, and cannot be created.
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
        defer { try? FileManager.default.removeItem(atPath: folder.path + "-moved") }
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let cache = SourceCache(store: store, metrics: h.metrics, logger: WorkerHarness.logger)
        let loopback = AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!])
        let loader = SourceLoader(
            transfers: TransferPool(policy: loopback), cache: cache, lists: AccessLists(redis: h.nodes), files: h.pool, metrics: h.metrics)
        let reporter = FetchReporter(queue: h.queue, lease: RunLease(fetch: "none", token: 0), interval: nil, scope: h.scope, onAnswer: { _ in })
        for _ in 0..<2 {
            let loaded = try await loader.load(
                Source(canonical: ["url": .string(h.url("/picture.png?size=64x48"))]), accepting: Acceptance(), reservation: h.budget.begin(),
                reporter: reporter)
            #expect(loaded.origin == .remote && !loaded.bytes.isEmpty)
        }
        #expect(h.metrics.value(.storeOperations, labels: "sources", "put", "failed") == 2)
        #expect(h.metrics.text().contains(#"tintype_store_seconds_count{store="sources",operation="put"} 2"#), "failed writes are timed too")
    }
}
