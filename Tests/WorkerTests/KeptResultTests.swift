import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Worker
import TintypeStores

/// The entry under one key while several clients request it in different ways, with a real origin and a real store.
@Suite(.timeLimit(.minutes(1)), .scoped) struct KeptResultTests {
    private static let hour = "with=Cache-Control:+max-age=3600"

    /// Loads a picture again, whatever is stored.
    @Loop private func draw(_ h: WorkerHarness, _ path: String, _ mode: CacheUse.Mode = .normal, ttl: ResultTime = ResultTime.whileFresh) async throws -> JSON {
        var use = CacheUse()
        use.mode = mode
        let receipt = try await h.submit(["url": .string(h.url(path)), "transform": [["op": "resize", "width": 16]]], cache: use) {
            ($0.readResults, $0.resultTime) = (false, ttl)
        }
        try await h.runOne()
        return try #require(try await h.result(receipt)["renditions"]?[0])
    }

    @Test(arguments: [ResultTime.bytesOnly, ResultTime.whileFresh])
    @Loop func `an unkept result replaces another picture, and the index forgets that one`(ttl: ResultTime) async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&after=1&with=Cache-Control:+no-cache"
        let kept = try await draw(h, path, ttl: 3600)
        let key = try #require(kept["key"]?.string)
        #expect(try await h.queue.dump().text("x:" + key)?.contains(try #require(kept["sha256"]?.string)) == true)
        let brief = try await draw(h, path, .reload, ttl: ttl)
        #expect(brief["sha256"] != kept["sha256"] && brief["key"] == kept["key"] && brief["stored"] == [], "\(brief)")
        #expect(try await h.store.get(key)?.info["sha256"] == brief["sha256"], "the last request gets the reported result")
        #expect(try await h.queue.dump().text("x:" + key) == nil, "the replaced result is not listed")
    }

    @Test @Loop func `an unkept result leaves an equal kept picture as it is`() async throws {
        let h = try await WorkerHarness()
        let path = "/picture.png?size=64x48&\(Self.hour)"
        let key = try #require(try await draw(h, path)["key"]?.string)
        let (index, image) = (try await h.queue.dump().text("x:" + key), try await h.store.get(key))
        #expect(index != nil && image?.expiresAt ?? 0 > WallClock.now + 3000)
        _ = try await draw(h, path, .reload, ttl: ResultTime.bytesOnly)
        #expect(try await h.queue.dump().text("x:" + key) == index)
        #expect(try await h.store.get(key) == image)
        // A result that is kept for less time than a brief request is promised stays as it is, and stays longer.
        let other = "/picture.png?size=64x49&\(Self.hour)"
        let shorter = try #require(try await draw(h, other, ttl: 1)["key"]?.string)
        let before = try #require(try await h.store.get(shorter))
        _ = try await draw(h, other, .reload, ttl: ResultTime.bytesOnly)
        let after = try #require(try await h.store.get(shorter))
        #expect(after.info == before.info && after.expiresAt ?? 0 > before.expiresAt ?? 0)
    }
}
