import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeTransport

/// The results in all places: memory, the store, Redis for those that the store did not take, and the second place.
@Loop
final class KeptResults {
    private let memory: MemoryTier
    private let store: any ResultStore
    private let fallback: SecondaryResults?
    let spilled: SpilledResults
    /// Whether the store failed at the last request.
    private var hasStoreFailed = false
    private let logger: Logger
    private let metrics: Metrics
    /// Counts the images that the store had.
    private let readsDone: Metrics.Handle
    /// Lets eight results be read at a time to check that they are whole.
    private let checks = AnswerScheduler { 8 << 20 }

    init(
        memory: MemoryTier, store: any ResultStore, fallback: SecondaryResults?, spilled: SpilledResults, logger: Logger, metrics: Metrics
    ) {
        (self.memory, self.store, self.fallback, self.spilled) = (memory, store, fallback, spilled)
        (self.logger, self.metrics) = (logger, metrics)
        readsDone = metrics.handle(.storeOperations, labels: store.kind, "get", "ok")
    }

    /// Returns an image if its bytes are in memory. No store is asked, so the answer is there at once.
    func held(_ key: String) -> ServedImage? { memory.entry(key)?.served }

    /// Returns whether an image in the store is in an open, unchanged file, and `use` has made an answer from it. The answer holds only then. False
    /// while the store refuses writes, because Redis may hold a newer image then.
    func isOpened(_ key: String, using use: (StoredFile) -> Bool) -> Bool {
        guard !hasStoreFailed, store.opened(key, copying: use) != nil else { return false }
        metrics.add(readsDone)
        return true
    }

    /// Returns a finished image with its bytes from memory, from the result store, or from Redis if the store did not take it. It returns nil if
    /// none of them has the image.
    /// - Parameters:
    ///   - sha256: The hash of the expected bytes. Another result under the same key does not count: it was made again after this one was
    ///     announced.
    ///   - inMemory: Whether the image stays in the memory tier after it was read.
    func image(_ key: String, sha256: String? = nil, inMemory: Bool = true) async throws(TintypeError) -> StoredImage? {
        let isMeant: @Sendable (StoredImage) -> Bool = { image in sha256.map { image.rendition.sha256 == $0 } ?? true }
        if let image = memory.entry(key)?.image, isMeant(image) { return image }
        let removals = memory.removals
        let failure: TintypeError?
        var found: StoredImage?
        do throws(TintypeError) {
            found = try await read(
                { [store] () async throws(TintypeError) in try await store.get(key).flatMap { isMeant($0) ? $0 : nil } },
                orHeld: { await $0.get(key).flatMap { isMeant($0) ? $0 : nil } })
            failure = nil
        } catch {
            failure = error
        }
        if found == nil { found = await fallback?.image(key).flatMap { isMeant($0) ? $0 : nil } }
        guard let image = found else {
            if let failure { throw failure }
            return nil
        }
        if inMemory { memory.remember(image, readAt: removals) }
        return image
    }

    /// Asks the store, then the spilled results; in the other order while the store fails.
    private func read<T: Sendable>(
        _ ask: @escaping @Loop () async throws(TintypeError) -> T?, orHeld look: @escaping @Loop (SpilledResults) async -> T?
    ) async throws(TintypeError) -> T? {
        if hasStoreFailed, let found = await look(spilled) { return found }
        let failure: TintypeError
        let began = ContinuousClock.now
        do throws(TintypeError) {
            let found = try await ask()
            metrics.ended(.get, of: store.kind, isDone: true, since: began)
            if hasStoreFailed { logger.notice("the result store answers again", ["store": store.kind]) }
            hasStoreFailed = false
            if let found { return found }
            return await look(spilled)
        } catch {
            failure = error
        }
        metrics.ended(.get, of: store.kind, isDone: false, since: began)
        // The failure is logged once; the metric counts each failure.
        if !hasStoreFailed {
            logger.warning("the result store does not answer; using the results that workers keep in Redis", ["store": store.kind, "error": failure])
        }
        hasStoreFailed = true
        if let found = await look(spilled) { return found }
        throw failure
    }

    /// Returns whether the bytes of a result are known to exist without a question to a store. For inline delivery, they must be in memory.
    /// - Parameter sha256: The hash of the expected bytes, if known.
    func isVerified(_ key: String, sha256: String? = nil, for use: ResultUse) -> Bool {
        guard use.needsBytes else { return memory.isVerified(key) }
        guard let image = memory.entry(key)?.image else { return false }
        return sha256.map { image.rendition.sha256 == $0 } ?? true
    }

    /// Returns the reason why a result is not in the index. A store keeps a result a little longer than the index.
    func miss(_ key: String) async throws(TintypeError) -> CacheMiss {
        switch try await store.look(up: key) {
        case .found(let image): image.isHeld ? .absent : .expired
        case .expired: .expired
        case .unreadable: .unreadable
        case .absent: .absent
        }
    }

    /// Returns whether the bytes of a result exist. Bytes for inline delivery are read, so that damaged ones are made again.
    /// - Throws: `storeFailed` when the store does not answer.
    func isPresent(_ key: String, sha256: String? = nil, for use: ResultUse = ResultUse()) async throws(TintypeError) -> Bool {
        if isVerified(key, sha256: sha256, for: use) { return true }
        if use.needsBytes {
            return try await checks.run(1 << 20) { () async throws(TintypeError) in
                try await image(key, sha256: sha256, inMemory: use.keepsInMemory) != nil
            }
        }
        let found = try await read(
            { [store] () async throws(TintypeError) in try await store.contains(key) ? true : nil }, orHeld: { await $0.has(key) ? true : nil })
        guard found != nil else { return false }
        memory.verified(key)
        return true
    }
}
