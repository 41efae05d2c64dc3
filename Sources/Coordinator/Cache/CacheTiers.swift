package import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeStores
import TintypeQueue

extension StoreLookup {
    /// Whether it is an image that a tier keeps.
    fileprivate var isKept: Bool { if case .found(let image) = self { !image.isHeld } else { false } }
}

/// The three tiers as one, for the methods `cache.*` and `PUT /images/{key}`.
@Loop
package final class CacheTiers {
    private let memory: MemoryTier
    private let results: any ResultStore
    private let fallback: SecondaryResults?
    private let sources: any ResultStore
    private let registry: QueueRegistry
    private let invalidation: CacheInvalidation
    private let purges: PurgeList
    private let logger: Logger
    private let resultCounts: StoreCounts
    private let sourceCounts: StoreCounts

    /// The seconds for which a store keeps an entry after its time in the index.
    private static let beyondIndex = 30.0

    init(
        memory: MemoryTier, results: any ResultStore, fallback: SecondaryResults?, sources: any ResultStore, registry: QueueRegistry,
        invalidation: CacheInvalidation, purges: PurgeList, logger: Logger, scope: TaskScope
    ) {
        (self.memory, self.results, self.fallback, self.sources) = (memory, results, fallback, sources)
        (self.registry, self.invalidation, self.purges, self.logger) = (registry, invalidation, purges, logger)
        (resultCounts, sourceCounts) = (StoreCounts(results, in: scope), StoreCounts(sources, in: scope))
    }

    /// Returns the size of a tier.
    /// - Parameter maxAge: As in `StoreCounts.statistics`.
    package func statistics(of tier: CacheTier, maxAge: Double = 0) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: memory.statistics
        case .results: try await resultCounts.statistics(maxAge: maxAge)
        case .sources: try await sourceCounts.statistics(maxAge: maxAge)
        }
    }

    /// Returns whether a tier has all of these. A store keeps an entry a little longer than a request may get it, and that entry does not count.
    /// - Parameter words: The version and the greatest age that the request accepts; nil: any.
    package func has(_ keys: [String], in tier: CacheTier, for words: (version: Int, ttl: Double?)?) async throws(TintypeError) -> Bool {
        guard tier != .memory else {
            return memory.knows(keys) && (words.map { $0.version == 0 && memory.miss(keys, ttl: $0.ttl) == nil } ?? true)
        }
        let store = tier == .results ? results : sources
        for key in keys {
            guard case .found(let image) = try await store.look(up: key) else { return false }
            let now = WallClock.now
            switch tier {
            case .sources:
                // A stale source with a validator spares the next download.
                if let source = CachedSource(image), source.validators.isEmpty, source.left(at: now, ttl: words?.ttl) <= 0 { return false }
                guard try await !isPurged(image) else { return false }
            case .results, .memory:
                // A spilled result is kept only for its URL, and only its bytes show that.
                guard !image.isHeld, words.map({ CacheMiss(of: image.rendition, version: $0.version, ttl: $0.ttl, at: now) == nil }) ?? true else {
                    return false
                }
            }
        }
        return !keys.isEmpty
    }

    // MARK: Reading

    /// Returns an image with its bytes from the first of these tiers that has it.
    /// - Parameter words: The version and the greatest age that the request accepts; nil: any.
    /// - Throws: `cacheMiss` with the reason of the last tier.
    package func image(
        _ key: String, from tiers: [CacheTier], for words: (version: Int, ttl: Double?)? = nil
    ) async throws(TintypeError) -> (image: StoredImage, tier: CacheTier) {
        var reason = CacheMiss.absent
        let removals = memory.removals
        func miss(_ image: StoredImage, _ tier: CacheTier) -> CacheMiss? {
            guard let words else { return nil }
            // For a source, `info` holds the time until which it is fresh, so only the version counts here.
            guard tier != .sources else { return image.info["version"]?.int ?? 0 == words.version ? nil : .version }
            return CacheMiss(of: image.rendition, version: words.version, ttl: words.ttl, at: WallClock.now)
        }
        for tier in tiers {
            if tier == .memory {
                guard let image = memory.entry(key)?.image else { continue }
                guard let found = miss(image, tier) else { return (image, tier) }
                reason = found
                continue
            }
            var lookup = try await (tier == .results ? results : sources).look(up: key)
            if tier == .results, !lookup.isKept, let image = await fallback?.image(key) { lookup = .found(image) }
            if tier == .sources, case .found(let image) = lookup, try await isPurged(image) { lookup = .absent }
            switch lookup {
            case .found(let image) where tier == .results && image.isHeld: break
            case .found(let image):
                if let found = miss(image, tier) {
                    reason = found
                    continue
                }
                // A result that was requested only from a store does not go to memory.
                if tier == .results, tiers.contains(.memory) { memory.remember(image, readAt: removals) }
                return (image, tier)
            case .absent: break
            case .expired: reason = .expired
            case .unreadable: reason = .unreadable
            }
        }
        let named = tiers.map(\.rawValue).joined(separator: ", ")
        throw reason.error(key, in: named)
    }

    /// Copies results that only the fallback has into the store and the index of a queue, so that they answer a request. A result whose copy fails
    /// is made as if it did not exist.
    /// - Parameter words: The version and the greatest age that the request accepts.
    func bringUp(_ keys: [String], into queue: Queue, for words: (version: Int, ttl: Double?)) async {
        guard let fallback else { return }
        for key in keys {
            guard let isIndexed = try? await queue.isIndexed(key) else { return }
            guard !isIndexed, var image = await fallback.image(key) else { continue }
            let (now, rendition) = (WallClock.now, image.rendition)
            let left = ([image.expiresAt, rendition.expiresAt].compactMap { $0 }.min() ?? now + MemoryTier.defaultLifetime) - now
            guard left > 0, CacheMiss(of: rendition, version: words.version, ttl: words.ttl, at: now) == nil else { continue }
            image.expiresAt = now + left
            do throws(TintypeError) {
                try await put(image, in: CacheTier.ofRenditions, ttl: left) { [queue] }
            } catch {
                logger.info("a result of the fallback could not be copied into the store", ["key": key, "error": error.description])
            }
        }
    }

    var hasFallback: Bool { fallback != nil }

    private func isPurged(_ source: StoredImage) async throws(TintypeError) -> Bool {
        let since = source.info["since"]?.int.map { Int64($0) } ?? 0
        return try await RedisError.translating { () async throws(RedisError) in
            try await purges.hits(PurgeTarget.urls(of: source.source), kept: .source(source.key), since: since)
        }
    }

    /// Returns the facts of a source that a client puts, with the time of Redis: a purge before that does not count.
    private func dated(_ info: JSON) async throws(TintypeError) -> JSON {
        var facts = info.object ?? [:]
        facts["since"] = .int(try await RedisError.translating { () async throws(RedisError) in try await Queue.clock(registry.redis) })
        return .object(facts)
    }

    // MARK: Writing

    /// Stores an image in these tiers, in place of earlier entries.
    /// - Parameters:
    ///   - queue: The queue whose index of results lists it.
    ///   - host: The host of its source; nil if only its key is known. Then each shard of the queue lists it.
    ///   - source: The key of its source.
    ///   - ttl: Seconds; 0 or less stores nothing.
    package func put(_ image: StoredImage, in tiers: [CacheTier], queue: String, host: String?, source: String, ttl: Double) async throws(TintypeError) {
        try await put(image, in: tiers, ttl: ttl) { () async throws(TintypeError) in
            // The queue is opened first: results for a queue that does not exist would never be found.
            let handle = try await registry.open(queue)
            return host.map { [registry.queue(registry.shard(of: queue, forHost: $0, source: source))] } ?? registry.whole(handle.name).parts
        }
    }

    /// - Parameter shards: Returns the queues and shards whose indices of results list it.
    private func put(
        _ image: StoredImage, in tiers: [CacheTier], ttl: Double, _ shards: @Loop () async throws(TintypeError) -> [Queue]
    ) async throws(TintypeError) {
        var image = image
        let tiers = ttl > 0 ? tiers : []
        if let expiresAt = image.expiresAt { image.expiresAt = expiresAt + Self.beyondIndex }
        if tiers.contains(.sources) {
            image.info = try await dated(image.info)
            try await sources.put(image)
        }
        if tiers.contains(.results) {
            let shards = try await shards()
            try await results.put(image)
            try await RedisError.translating { () async throws(RedisError) in
                for shard in shards { try await shard.index(image.key, info: image.info, source: image.source, seconds: ttl) }
            }
        }
        guard tiers.contains(.results) || tiers.contains(.memory) else { return }
        invalidation.publish(.forget([image.key]))
        if tiers.contains(.memory) { memory.remember(image) }
    }

    /// Replaces the metadata of a stored result, in the index of all queues and in the memory of all coordinators.
    /// - Throws: `cacheMiss` if the store does not have the result.
    func setMetadata(of key: String, to metadata: ResultMetadata?) async throws(TintypeError) {
        var reason = CacheMiss.absent
        switch try await results.look(up: key) {
        case .found(var image) where !image.isHeld:
            var rendition = image.rendition
            rendition.metadata = metadata
            image.info = rendition.json
            try await results.put(image)
            try await logger.translating("changing the metadata of a result in the index") { () async throws(RedisError) in
                try await registry.each { queue throws(RedisError) in try await queue.setMetadata(of: key, to: metadata?.json) }
            }
            invalidation.publish(.forget([key]))
            return
        case .found, .absent: break
        case .expired: reason = .expired
        case .unreadable: reason = .unreadable
        }
        throw reason.error(key, in: CacheTier.results.rawValue)
    }

    // MARK: Removing

    /// Removes these keys from these tiers, and from the memory of all coordinators.
    /// - Parameter source: The key in the tier `sources`.
    /// - Returns: The entries that were removed, those of memory in this coordinator.
    package func remove(_ keys: [String], source: String?, from tiers: [CacheTier]) async throws(TintypeError) -> StoreStatistics {
        var freed = StoreStatistics()
        if tiers.contains(.sources), let source {
            for key in [source, CachedSource.beginning(of: source)] { freed += try await sources.remove(key) }
            try await sources.remove(CachedSource.takers(of: source))
        }
        if tiers.contains(.results) {
            try await forget(keys)
            for key in keys { freed += try await results.remove(key) }
            if !tiers.contains(.memory) { invalidation.publish(.markUnverified(keys)) }
        }
        if tiers.contains(.memory) { freed += invalidation.publish(.forget(keys)) }
        return freed
    }

    /// Deletes the results and sources of a fetch whose only client has canceled it, also from the memory of all coordinators.
    ///
    /// Sources that another fetch stored since stay. Results are deleted in any case; if another fetch has stored them since, they are made again
    /// at the next request. A failing store keeps them until they expire, but Redis remembers them for ten minutes, and no request is served from
    /// them meanwhile (`Queue.retract`).
    /// - Parameters:
    ///   - sources: The keys in the tier `sources`.
    ///   - fetch: The record of the fetch, as stored in a `CachedSource`.
    func takeBack(_ results: [String], sources: [String], of fetch: String) async {
        invalidation.publish(.forget(results))
        do throws(TintypeError) {
            for key in results { _ = try await self.results.remove(key) }
            for key in sources {
                guard case .found(let image) = try await self.sources.look(up: key), image.info["fetch"] == .string(fetch) else { continue }
                try await self.sources.remove(await Loop.work(on: image.bytes.count) { StoredMark(image) })
            }
        } catch {
            logger.warning("a canceled result could not be removed from a store", ["error": error.description])
        }
    }

    /// Removes results from the index before the store. A result without an entry in the index is made again. An entry without its result costs an
    /// extra check.
    private func forget(_ keys: [String]) async throws(TintypeError) {
        try await logger.translating("removing results from the index") { () async throws(RedisError) in
            try await registry.each { queue throws(RedisError) in try await queue.forget(results: keys) }
        }
    }

    /// Empties a tier; for `memory`, the tiers of all coordinators.
    func clear(_ tier: CacheTier) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: return invalidation.publish(.clear)
        case .sources:
            defer { sourceCounts.forget() }
            return try await sources.clear()
        case .results:
            try await logger.translating("clearing the index of results") { () async throws(RedisError) in
                try await registry.each { queue throws(RedisError) in try await queue.forgetAllResults() }
            }
            defer { resultCounts.forget() }
            let freed = try await results.clear()
            invalidation.publish(.markAllUnverified)
            return freed
        }
    }

    /// Removes expired entries, and those above the limits.
    func trim(_ tier: CacheTier) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: return await memory.trim()
        case .results:
            defer { resultCounts.forget() }
            return try await results.trim()
        case .sources:
            defer { sourceCounts.forget() }
            return try await sources.trim()
        }
    }
}
