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
    // MARK: Downloads that go on

    /// Returns the hash of a source of 400 × 300 at the origin.
    @Loop private func whole(_ h: WorkerHarness) async throws -> String {
        let bytes = [UInt8](try await HTTP.get(h.url("/picture.png?size=400x300")).body)
        _ = try await HTTP.get(h.url("/_reset"))
        return Digest.sha256Hex(bytes)
    }

    @Test(arguments: [
        ("/cut/picture.png?size=400x300&cut=150000&times=1", true), ("/cut/picture.png?size=400x300&cut=150000&times=1&noranges=1", false),
        ("/cut/picture.png?size=400x300&cut=150000&times=1&plain=1", false), ("/cut/picture.png?size=400x300&cut=9000&times=1", false),
    ])
    @Loop func `a broken download resumes where it stopped, if the origin supports ranges`(path: String, goesOn: Bool) async throws {
        let h = try await WorkerHarness()
        let sum = try await whole(h)
        let receipt = try await h.submit(["url": .string(h.url(path)), "as": "bytes", "progress": true]) { $0.retryBaseMilliseconds = 0 }
        try await h.runOne()
        let first = try await sent(h)
        _ = try await h.queue.reap()
        // Another run, which shares only the store.
        try await h.runOne()
        let result = try await h.result(receipt)
        #expect(result["source"]?["sha256"] == JSON.string(sum) && result["attempts"] == 2 && result["source"]?["status"] == 200)
        let length = try #require(result["source"]?["bytes"]?.int)
        #expect(try await sent(h) == (goesOn ? length : first + length))
    }

    @Test(arguments: ["", "&noifrange=1"]) @Loop
    func `a changed source is never joined to an old beginning, even if a server ignores If-Range`(more: String) async throws {
        let h = try await WorkerHarness()
        let path = "/cut/picture.png?size=400x300&cut=150000&times=1&after=1\(more)"
        let receipt = try await h.submit(["url": .string(h.url(path)), "as": "bytes"]) { $0.retryBaseMilliseconds = 0 }
        try await h.runOne()
        _ = try await h.queue.reap()
        try await h.runOne()
        let other = [UInt8](try await HTTP.get(h.url("/picture.png?size=400x301")).body)
        #expect(try await h.result(receipt)["source"]?["sha256"] == JSON.string(Digest.sha256Hex(other)))
    }

    @Test @Loop func `a large body leaves no beginning of itself behind`() async throws {
        let h = try await WorkerHarness()
        let result = try await load(h, "/slow/picture.png?rate=9000000")
        #expect(try #require(result["source"]?["bytes"]?.int) > 2 << 20)
        let digest = try Source(canonical: ["url": .string(h.url("/slow/picture.png?rate=9000000"))]).digest
        #expect(try await h.sources.get(PartialSource.key(digest)) == nil)
        #expect(try await h.sources.get(digest) != nil)
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

    /// The bytes of a download are kept unpacked, so the rest of a packed body would not fit behind them.
    @Test(arguments: [("", true), ("identity", true), ("base64", true), ("aws-chunked", true), ("gzip", false), ("aws-chunked,gzip", false), ("br", false)])
    func `a beginning goes on only if its body came as it is`(coding: String, isKept: Bool) throws {
        let packed = coding.isEmpty ? [] : [(name: "content-encoding", value: coding)]
        let head = TransferHead(status: 200, headers: [(name: "etag", value: "\"e\"")] + packed, url: "http://a.test/", expectedBytes: 90_000)
        let address = try Source(canonical: ["url": "http://a.test/"]).addresses[0]
        #expect((PartialSource(head, of: address, bytes: [UInt8](repeating: 1, count: 40_000)) != nil) == isKept)
    }

    @Test @Loop func `headers that a 304 does not repeat stay valid`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&bare=1&with=Cache-Control:+no-cache"
        for number in 1...4 {
            _ = try await load(h, path)
            #expect(try await asked(h) == number, "asked each time, also after a 304 without the header")
        }
    }

    @Test(arguments: ["no-store", "private"]) @Loop func `a response that must not be kept is not, whatever its status`(control: String) async throws {
        let h = try await WorkerHarness()
        let result = try await load(h, "/status/201?with=Cache-Control:+\(control)")
        #expect(try #require(result["renditions"]?[0]?["expiresAt"]?.double) - WallClock.now <= 1)
        let posted = try await load(h, "/picture.png?size=64x50", fetch: ["method": "POST", "body": "x"])
        #expect(
            try #require(posted["renditions"]?[0]?["expiresAt"]?.double) - WallClock.now <= 1, "a POST is not kept unless its origin allows it")
    }

    @Test @Loop func `a released run leaves its beginning to the next`() async throws {
        let h = try await WorkerHarness()
        let sum = try await whole(h)
        let receipt = try await h.submit(["url": .string(h.url("/slow/picture.png?size=400x300&rate=60000")), "as": "bytes"])
        let run = try await h.startOne()
        while h.metrics.value(.downloadBytes) < 60_000 { try await Loop.sleep(.milliseconds(5)) }
        h.keeper.giveBackAll()
        await run.value
        let result = try await { () async throws -> JSON in
            // Another worker's fetch: this one takes nothing any more.
            let keeper = LeaseKeeper(queue: h.queue, worker: "w1", scope: h.scope, logger: WorkerHarness.logger, metrics: h.metrics) { [:] }
            await FetchRunner(try await h.claim(), queue: h.queue, parts: h.parts).run(keeper, claimedAt: .now).value
            return try await h.result(receipt)
        }()
        #expect(result["source"]?["sha256"] == JSON.string(sum) && result["attempts"] == 1)
        #expect(try await sent(h) < 361_000 + 60_000, "little was sent twice")
    }

    @Test @Loop func `nothing is written if no time is left`() async throws {
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
