import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores
import TintypeQueue

extension StoreLookup {
    /// Whether it is an image that somebody keeps.
    fileprivate var isKept: Bool { if case .found(let image) = self { !image.isHeld } else { false } }
}

/// The three tiers as one: what the methods `cache.*` and `PUT /images/{key}` do.
@Loop
final class CacheTiers {
    private let memory: MemoryTier
    private let results: any ResultStore
    private let fallback: FallbackResults?
    private let sources: any ResultStore
    private let lanes: Lanes
    private let news: CacheNews
    private let logger: Logger

    /// How long a store keeps what was put beyond the index that speaks of it, in seconds.
    private static let beyondIndex = 30.0

    init(
        memory: MemoryTier, results: any ResultStore, fallback: FallbackResults?, sources: any ResultStore, lanes: Lanes, news: CacheNews, logger: Logger
    ) {
        (self.memory, self.results, self.fallback, self.sources) = (memory, results, fallback, sources)
        (self.lanes, self.news, self.logger) = (lanes, news, logger)
    }

    /// How much a tier holds.
    func statistics(of tier: CacheTier) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: memory.statistics
        case .results: try await results.statistics()
        case .sources: try await sources.statistics()
        }
    }

    /// Whether a tier has all of these.
    func has(_ keys: [String], in tier: CacheTier) async throws(TintypeError) -> Bool {
        guard tier != .memory else { return memory.knows(keys) }
        let store = tier == .results ? results : sources
        for key in keys {
            guard tier == .results else {
                guard try await store.contains(key) else { return false }
                continue
            }
            // What is only held for its URL nobody keeps, and the bytes alone say so.
            guard case .found(let image) = try await store.look(up: key), !image.isHeld else { return false }
        }
        return !keys.isEmpty
    }

    // MARK: Reading

    /// An image with its bytes from the first of these tiers that has it.
    /// - Parameter words: of the request that asks: its version, and how old what it gets may be; nil: whatever is there.
    /// - Throws: `cacheMiss` with the reason of the last one.
    func image(
        _ key: String, from tiers: [CacheTier], for words: (version: Int, ttl: Double?)? = nil
    ) async throws(TintypeError) -> (image: StoredImage, tier: CacheTier) {
        var reason = CacheMiss.absent
        func miss(_ image: StoredImage, _ tier: CacheTier) -> CacheMiss? {
            guard let words else { return nil }
            // Of a source it says when it may be served unasked.
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
            switch lookup {
            case .found(let image) where tier == .results && image.isHeld: break
            case .found(let image):
                if let found = miss(image, tier) {
                    reason = found
                    continue
                }
                // What was looked for in a store alone stays out of memory.
                if tier == .results, tiers.contains(.memory) { memory.remember(image) }
                return (image, tier)
            case .absent: break
            case .expired: reason = .expired
            case .unreadable: reason = .unreadable
            }
        }
        let named = tiers.map(\.rawValue).joined(separator: ", ")
        throw reason.error(key, in: named)
    }

    /// Takes results that are in the fallback alone into the store and the index of a queue, so that they answer a request. A result that fails on the
    /// way is made as if it were not there.
    /// - Parameter words: of the request: its version, and how old what it gets may be.
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
                try await put(image, in: CacheTier.ofRenditions, queue: queue.name, ttl: left)
            } catch {
                logger.info("what the fallback has could not be taken into the store", ["key": key, "error": error.description])
            }
        }
    }

    /// Whether there is a fallback.
    var hasFallback: Bool { fallback != nil }

    // MARK: Writing

    /// Keeps an image in these tiers, in place of what was there.
    /// - Parameters:
    ///   - queue: in whose index of results it stands.
    ///   - ttl: seconds; 0 or less keeps nothing.
    func put(_ image: StoredImage, in tiers: [CacheTier], queue: String, ttl: Double) async throws(TintypeError) {
        var image = image
        let tiers = ttl > 0 ? tiers : []
        if let expiresAt = image.expiresAt { image.expiresAt = expiresAt + Self.beyondIndex }
        if tiers.contains(.sources) { try await sources.put(image) }
        if tiers.contains(.results) {
            // The queue first: what is stored for one that is not there nobody would find.
            let lane = try await lanes.open(queue)
            try await results.put(image)
            do throws(RedisError) {
                try await lane.queue.index(image.key, info: image.info, source: image.source, seconds: ttl)
            } catch {
                throw TintypeError(error)
            }
        }
        guard tiers.contains(.results) || tiers.contains(.memory) else { return }
        news.tell(.forget([image.key]))
        if tiers.contains(.memory) { memory.remember(image) }
    }

    /// Gives a result in the store other words, in the index of all queues and the memory of all coordinators.
    /// - Throws: `cacheMiss` where it is not in the store.
    func setMetadata(of key: String, to metadata: ResultMetadata?) async throws(TintypeError) {
        var reason = CacheMiss.absent
        switch try await results.look(up: key) {
        case .found(var image) where !image.isHeld:
            var rendition = image.rendition
            rendition.metadata = metadata
            image.info = rendition.json
            try await results.put(image)
            do throws(RedisError) {
                try await lanes.each { queue throws(RedisError) in try await queue.setMetadata(of: key, to: metadata?.json) }
            } catch {
                logger.refused("changing what the index says of a result", error)
                throw TintypeError(error)
            }
            news.tell(.forget([key]))
            return
        case .found, .absent: break
        case .expired: reason = .expired
        case .unreadable: reason = .unreadable
        }
        throw reason.error(key, in: CacheTier.results.rawValue)
    }

    // MARK: Forgetting

    /// Forgets these in these tiers, in the memory of all coordinators.
    /// - Parameter source: the key in the tier `sources`.
    /// - Returns: what was freed, in the memory of this coordinator.
    func remove(_ keys: [String], source: String?, from tiers: [CacheTier]) async throws(TintypeError) -> StoreStatistics {
        var freed = StoreStatistics()
        if tiers.contains(.sources), let source {
            for key in [source, CachedSource.beginning(of: source)] { freed += try await sources.remove(key) }
            try await sources.remove(CachedSource.takers(of: source))
        }
        if tiers.contains(.results) {
            try await forget(keys)
            for key in keys { freed += try await results.remove(key) }
            if !tiers.contains(.memory) { news.tell(.doubt(keys)) }
        }
        if tiers.contains(.memory) { freed += news.tell(.forget(keys)) }
        return freed
    }

    /// Deletes what a fetch has left whose only client has cancelled it, in the memory of all coordinators too. Anything that another fetch has kept since
    /// stays, but for results that the index does not have: these cost a detour. A store that fails has them until their end, and nobody is served from it for
    /// the ten minutes that Redis remembers (`Queue.retract`).
    /// - Parameters:
    ///   - sources: keys in the tier `sources`.
    ///   - fetch: its record, as it stands in a `CachedSource`.
    func takeBack(_ results: [String], sources: [String], of fetch: String) async {
        news.tell(.forget(results))
        do throws(TintypeError) {
            for key in results { _ = try await self.results.remove(key) }
            for key in sources {
                guard case .found(let image) = try await self.sources.look(up: key), image.info["fetch"]?.string == fetch else { continue }
                _ = try await self.sources.remove(key)
            }
        } catch {
            logger.warning("what was cancelled could not be taken out of a store", ["error": error.description])
        }
    }

    /// The index first: a result without an entry is made anew, an entry without a result costs a detour.
    private func forget(_ keys: [String]) async throws(TintypeError) {
        do throws(RedisError) {
            try await lanes.each { queue throws(RedisError) in try await queue.forget(results: keys) }
        } catch {
            logger.refused("taking results out of the index", error)
            throw TintypeError(error)
        }
    }

    /// Empties a tier; the memory of all coordinators.
    func clear(_ tier: CacheTier) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: return news.tell(.clear)
        case .sources: return try await sources.clear()
        case .results:
            try await forgetAll()
            let freed = try await results.clear()
            news.tell(.distrust)
            return freed
        }
    }

    private func forgetAll() async throws(TintypeError) {
        do throws(RedisError) {
            try await lanes.each { queue throws(RedisError) in try await queue.forgetAllResults() }
        } catch {
            logger.refused("clearing the index of results", error)
            throw TintypeError(error)
        }
    }

    /// Forgets what is over and what the limits do not allow.
    func trim(_ tier: CacheTier) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: memory.trim()
        case .results: try await results.trim()
        case .sources: try await sources.trim()
        }
    }
}
