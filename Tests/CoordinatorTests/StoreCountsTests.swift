import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeCore
@testable import TintypeImages
@testable import TintypeStores
@testable import TintypeTransport

/// How often a store is counted. A real folder.
@Suite(.timeLimit(.minutes(2)), .scoped) @Loop struct StoreCountsTests {
    private let folder: TemporaryFolder
    private let store: FileStore
    private let scope = TaskScope()

    init() throws {
        folder = try TemporaryFolder("store-counts")
        store = try FileStore(directory: folder.path, pool: BlockingPool(threads: 1, name: "store-counts-test"))
    }

    private func put(_ number: Int) async throws {
        try await store.put(
            StoredImage(
                key: Digest.sha256Hex(Array("\(number)".utf8)), contentType: "image/png", info: [:], source: [:], bytes: [1, 2, 3], storedAt: WallClock.now,
                expiresAt: nil))
    }

    @Test func `a count is shown until it is too old, and one that may have no age is made at once`() async throws {
        let clock = HandClock()
        let counts = StoreCounts(store, in: scope) { clock.now }
        try await put(1)
        #expect(try await counts.statistics(maxAge: 60).count == 1)
        try await put(2)
        clock.now = 160
        #expect(try await counts.statistics(maxAge: 60).count == 1)
        clock.now = 161
        #expect(try await counts.statistics(maxAge: 60).count == 2)
        try await put(3)
        #expect(try await counts.statistics(maxAge: 0).count == 3)
        #expect(try await counts.statistics(maxAge: 60).count == 3, "the last count serves all")
    }

    @Test func `a count that took long serves ten times as long`() async throws {
        let (asked, clock) = (CountedStore(store), HandClock())
        let counts = StoreCounts(asked, in: scope) { clock.now }
        asked.onCount = { clock.now += 20 }
        #expect(try await counts.statistics(maxAge: 60).count == 0)
        clock.now += 200
        #expect(try await counts.statistics(maxAge: 60).count == 0 && asked.counts == 1)
        clock.now += 1
        #expect(try await counts.statistics(maxAge: 60).count == 0 && asked.counts == 2)
    }

    @Test func `no count from before a change of the whole store serves later callers`() async throws {
        let asked = CountedStore(store)
        let counts = StoreCounts(asked, in: scope)
        try await put(1)
        asked.onCount = { counts.forget() }
        #expect(try await counts.statistics(maxAge: 60).count == 1)
        asked.onCount = {}
        _ = try await store.clear()
        #expect(try await counts.statistics(maxAge: 60).count == 0 && asked.counts == 2)
        try await put(2)
        counts.forget()
        #expect(try await counts.statistics(maxAge: 60).count == 1)
    }

    @Test func `callers at the same time share a count`() async throws {
        let asked = CountedStore(store)
        let counts = StoreCounts(asked, in: scope)
        try await put(1)
        async let first = counts.statistics(maxAge: 60).count
        async let second = counts.statistics(maxAge: 60).count
        #expect(try await [first, second] == [1, 1])
        #expect(asked.counts == 1)
    }
}

/// A clock that tests move; in seconds.
@Loop final class HandClock {
    var now = 100.0
}

/// A store that notes how often it is counted.
private final class CountedStore: ResultStore {
    let kind = "counted"
    @Loop private(set) var counts = 0
    @Loop var onCount: @Loop () -> Void = {}
    private let store: FileStore

    init(_ store: FileStore) { self.store = store }

    @Loop func put(_ image: StoredImage) async throws(TintypeError) { try await store.put(image) }
    @Loop func look(up key: String) async throws(TintypeError) -> StoreLookup { try await store.look(up: key) }
    @Loop func contains(_ key: String) async throws(TintypeError) -> Bool { try await store.contains(key) }
    @Loop func remove(_ key: String) async throws(TintypeError) -> StoreStatistics { try await store.remove(key) }
    @Loop func remove(_ mark: StoredMark) async throws(TintypeError) { try await store.remove(mark) }
    @Loop func clear() async throws(TintypeError) -> StoreStatistics { try await store.clear() }
    @Loop func trim() async throws(TintypeError) -> StoreStatistics { try await store.trim() }
    @Loop func statistics() async throws(TintypeError) -> StoreStatistics {
        counts += 1
        let statistics = try await store.statistics()
        onCount()
        return statistics
    }
    @Loop func close() { store.close() }
}
