import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

@testable import Coordinator

/// Results in several places: a store that fails and comes back, a real Redis, and a second place.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct KeptResultsTests {
    /// A store that has the images that the test puts into it, and fails when the test wants it to.
    @Loop private final class Store: ResultStore {
        nonisolated let kind = "test"
        var images: [String: StoredImage] = [:]
        var fails = false

        func look(up key: String) async throws(TintypeError) -> StoreLookup {
            if fails { throw TintypeError(.storeFailed, .store, "the store is away", retryable: true) }
            return images[key].map { .found($0) } ?? .absent
        }
        func contains(_ key: String) async throws(TintypeError) -> Bool { try await get(key) != nil }
        func put(_ image: StoredImage) { images[image.key] = image }
        func remove(_ key: String) -> StoreStatistics { StoreStatistics() }
        func remove(_ mark: StoredMark) {}
        func clear() -> StoreStatistics { StoreStatistics() }
        func trim() -> StoreStatistics { StoreStatistics() }
        func statistics() -> StoreStatistics { StoreStatistics() }
        func close() {}
    }

    @Loop private struct Setup {
        let store = Store()
        let second = Store()
        let spilled: SpilledResults
        let kept: KeptResults

        init() async throws {
            let (server, logger, metrics) = (try await RedisServer(), Logger(label: "test", level: .error), Metrics())
            let redis = RedisNodes(try RedisEndpoint(server.url), name: "test", logger: logger)
            TestScope.atEnd { await redis.stop() }
            redis.start()
            try await redis.untilConnected(within: .seconds(20))
            spilled = SpilledResults(redis)
            kept = KeptResults(
                memory: MemoryTier(capacity: 1 << 20, metrics: metrics), store: store,
                fallback: SecondaryResults(second, scope: TaskScope(), metrics: metrics, logger: logger), spilled: spilled, logger: logger, metrics: metrics)
        }

        func bytes(_ key: String, sha256: String? = nil) async throws(TintypeError) -> String? {
            try await kept.image(key, sha256: sha256, inMemory: false).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }

    private func image(_ text: String) -> StoredImage {
        let (bytes, now) = (Array(text.utf8), WallClock.now)
        let info = RenditionInfo(
            key: "k", contentType: "image/png", bytes: bytes.count, sha256: Digest.sha256Hex(bytes), stored: [.results], isApplied: true)
        return StoredImage(key: "k", contentType: "image/png", info: info.json, source: [:], bytes: bytes, storedAt: now, expiresAt: now + 600)
    }

    @Test @Loop func `a result that was made again is not taken for the one that was announced`() async throws {
        let s = try await Setup()
        s.store.images["k"] = image("new")
        #expect(try await s.bytes("k", sha256: Digest.sha256Hex(Array("old".utf8))) == nil)
        #expect(try await s.bytes("k", sha256: Digest.sha256Hex(Array("new".utf8))) == "new")
    }

    @Test @Loop func `a store that is back is asked first again`() async throws {
        let s = try await Setup()
        s.store.images["k"] = image("new")
        #expect(await s.spilled.hold(image("old")))
        s.store.fails = true
        #expect(try await s.bytes("k") == "old")
        s.store.fails = false
        // Another question shows that it answers.
        #expect(try await s.bytes("other") == nil)
        #expect(try await s.bytes("k") == "new")
    }

    @Test @Loop func `the second place has results while the store fails, and its absence is a failure of the store`() async throws {
        let s = try await Setup()
        s.store.fails = true
        await #expect(throws: TintypeError.self) { try await s.bytes("k") }
        s.second.images["k"] = image("second")
        #expect(try await s.bytes("k") == "second")
    }
}
