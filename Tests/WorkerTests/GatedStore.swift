import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// A gate that makes tasks wait until the test opens it.
@Loop final class Gate {
    /// Completes when the first task has arrived.
    let asked = OneShot<Void>()
    private let opened = OneShot<Void>()

    func open() { opened.complete(.success(())) }

    func pass() async {
        asked.complete(.success(()))
        try? await opened.wait()
    }
}

/// A store that takes nothing before its gate is open.
struct GatedStore: ResultStore {
    private let store: any ResultStore
    private let gate: Gate
    /// Called before an image is removed.
    var beforeRemoval: @Sendable @Loop (any ResultStore, _ key: String) async throws(TintypeError) -> Void = { _, _ in }

    init(_ store: any ResultStore, _ gate: Gate) { (self.store, self.gate) = (store, gate) }

    var kind: String { store.kind }
    @Loop func put(_ image: StoredImage) async throws(TintypeError) {
        await gate.pass()
        try await store.put(image)
    }
    @Loop func look(up key: String) async throws(TintypeError) -> StoreLookup { try await store.look(up: key) }
    @Loop func contains(_ key: String) async throws(TintypeError) -> Bool { try await store.contains(key) }
    @Loop func remove(_ key: String) async throws(TintypeError) -> StoreStatistics {
        try await beforeRemoval(store, key)
        return try await store.remove(key)
    }
    @Loop func remove(_ mark: StoredMark) async throws(TintypeError) {
        try await beforeRemoval(store, mark.key)
        try await store.remove(mark)
    }
    @Loop func clear() async throws(TintypeError) -> StoreStatistics { try await store.clear() }
    @Loop func trim() async throws(TintypeError) -> StoreStatistics { try await store.trim() }
    @Loop func statistics() async throws(TintypeError) -> StoreStatistics { try await store.statistics() }
    @Loop func close() { store.close() }
}
