import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// The memory tier: finished renditions of this coordinator by key, least recently used first out, and the fastest answers there are.
@Loop
final class MemoryTier {
    /// How long a rendition is answered from memory when its origin said nothing about it.
    nonisolated static let defaultLifetime = 3600.0

    private var cache: MemoryCache<String, CachedRendition>
    private let metrics: Metrics
    /// Seconds it is kept at most.
    private let longest: Double
    private let now: @Loop () -> Double
    /// When the result store was emptied last: what was seen in it before counts no more.
    private var distrustedAt = 0.0

    /// - Parameters:
    ///   - capacity: high water in bytes; 0 keeps nothing.
    ///   - count: high water by number.
    ///   - lowWater: percent of both that a full tier keeps.
    ///   - age: how long anything is kept at most.
    ///   - now: monotonic seconds.
    init(
        capacity: Int, count: Int = .max, lowWater: Int = 60, age: Duration = .seconds(86_400), metrics: Metrics,
        now: @escaping @Loop () -> Double = { Seconds.monotonic }
    ) {
        cache = MemoryCache(capacity: capacity, lowWater: lowWater, maxCount: count)
        (longest, self.metrics, self.now) = (age.inSeconds, metrics, now)
    }

    /// Why something went, as metrics call it.
    private enum Leaving: String {
        /// Room for what came.
        case full
        /// Its time was over.
        case expired
        /// Memory was short.
        case pressure
        /// It was made anew, withdrawn or emptied by a client.
        case forgotten
    }

    private func count(_ number: Int, _ reason: Leaving) {
        if number > 0 { metrics.add(.cacheEvictions, Double(number), labels: "memory", reason.rawValue) }
    }

    private func insert(_ entry: CachedRendition) { count(cache.insert(entry, for: entry.key, cost: entry.cost).count, .full) }

    private func take(out key: String, _ reason: Leaving) -> Int {
        let freed = cache.remove(key)
        // An entry has at least its own words.
        count(freed > 0 ? 1 : 0, reason)
        return freed
    }

    /// What is still to be done to the tier, oldest first.
    private var overdue: [@Loop () -> Void] = []

    /// Does something to the tier behind what this turn of the loop writes, or before anything else is asked of it: nobody sees it without.
    func soon(_ work: @escaping @Loop () -> Void) {
        overdue.append(work)
        guard overdue.count == 1 else { return }
        // The first comes to stand among what is to be written, the second behind.
        Loop.execute { Loop.execute { self.catchUp() } }
    }

    private func catchUp() {
        guard !overdue.isEmpty else { return }
        let work = overdue
        overdue = []
        for one in work { one() }
    }

    var statistics: StoreStatistics {
        catchUp()
        return StoreStatistics(count: cache.count, bytes: cache.cost, capacity: cache.capacity)
    }

    /// Whether all of these are at hand, sure or not.
    func knows(_ keys: [String]) -> Bool { keys.allSatisfy { entry($0) != nil } }

    /// Why these do not answer a request that reads memory alone.
    func miss(_ keys: [String], ttl: Double?) -> CacheMiss? {
        keys.contains { entry($0).map { !$0.isCurrent(at: now(), ttl: ttl) } ?? false } ? .expired : nil
    }

    /// What can be answered at once; nil if any of the keys is missing, too old or unsure.
    /// - Parameter ttl: how old it may be, in place of what its origin says.
    func certain(_ keys: [String], ttl: Double? = nil) -> [CachedRendition]? {
        catchUp()
        let now = now()
        var found: [CachedRendition] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            guard let entry = cache.value(for: key), entry.isCertain(at: now, since: distrustedAt), entry.isCurrent(at: now, ttl: ttl) else { return nil }
            found.append(entry)
        }
        return found
    }

    /// The rendition if it is still to be used; perhaps without bytes.
    func entry(_ key: String) -> CachedRendition? {
        catchUp()
        guard let entry = cache.value(for: key) else { return nil }
        guard now() < entry.keptUntil else {
            _ = take(out: key, .expired)
            return nil
        }
        return entry
    }

    /// Takes in the renditions of an ImageResult.
    /// - Parameters:
    ///   - source: its SourceInfo.
    ///   - lifetime: seconds to keep them, however long they are fresh; nil: as long as they say that they are; infinite: as long as the source
    ///     is. What has a version is not kept: `certain` does not ask for it.
    func remember(renditions: [ImageResult.Rendition], source: JSON, lifetime: Double? = nil) {
        catchUp()
        for info in renditions {
            let fresh = freshness(lifetime == .infinity ? nil : info.expiresAt, source)
            let kept = lifetime.map { $0 < .infinity ? min($0, longest) : fresh } ?? fresh
            guard kept > 0, info.object["version"] == nil, let key = info.key else { continue }
            let entry = CachedRendition(key: key, info: info, source: source, fresh: fresh, kept: kept, at: now())
            // The bytes at hand belong to it if they are of the same make.
            if let old = cache.peek(key)?.image, old.rendition.sha256 == info.sha256 { entry.image = old }
            insert(entry)
        }
    }

    /// Forgets what it has of other bytes under the keys of these renditions: whoever is told of them fetches them here.
    func forget(otherThan renditions: [ImageResult.Rendition]) {
        catchUp()
        for rendition in renditions {
            guard let key = rendition.key, let old = cache.peek(key), old.sha256 != rendition.sha256 else { continue }
            _ = take(out: key, .forgotten)
        }
    }

    /// Takes in an image that was read from the result store.
    func remember(_ image: StoredImage) {
        catchUp()
        // Of other bytes than the entry speaks of it is another result of the same key, and says itself how long it is good.
        if let entry = entry(image.key), entry.image == nil, entry.sha256 == image.rendition.sha256 {
            entry.image = image
            entry.verifiedAt = now()
            insert(entry)
            return
        }
        let info = image.rendition
        guard image.info.object != nil, info.object["version"] == nil else { return }
        var fresh = freshness(info.expiresAt, image.source)
        if let expiresAt = image.expiresAt { fresh = min(fresh, expiresAt - WallClock.now) }
        guard fresh > 0 else { return }
        let entry = CachedRendition(key: image.key, info: info, source: image.source, fresh: fresh, kept: fresh, at: now())
        entry.image = image
        insert(entry)
    }

    /// The result store was asked and has the bytes.
    func verified(_ key: String) {
        catchUp()
        cache.peek(key)?.verifiedAt = now()
    }

    /// Whether the bytes of a rendition are at hand, or were seen in the result store a moment ago.
    func isCertain(_ key: String) -> Bool { entry(key)?.isCertain(at: now(), since: distrustedAt) ?? false }

    /// Its bytes are gone from the result store.
    func doubt(_ key: String) {
        catchUp()
        cache.peek(key)?.verifiedAt = -CachedRendition.trust
    }

    /// The result store was emptied: what is only there is gone.
    func distrust() {
        catchUp()
        distrustedAt = now()
    }

    /// Forgets one; answers the bytes freed.
    @discardableResult
    func remove(_ key: String) -> Int {
        catchUp()
        return take(out: key, .forgotten)
    }

    /// Forgets everything; answers what was there.
    func clear() -> StoreStatistics { empty(.forgotten) }

    /// The same because memory is short.
    func shed() -> StoreStatistics { empty(.pressure) }

    private func empty(_ reason: Leaving) -> StoreStatistics {
        let statistics = statistics
        count(statistics.count, reason)
        cache.removeAll()
        return statistics
    }

    /// Forgets what is too old to be answered; called now and then. Answers what was freed.
    @discardableResult
    func trim() -> StoreStatistics {
        catchUp()
        let now = now()
        let freed = cache.keys(where: { $0.keptUntil <= now }).map { take(out: $0, .expired) }
        return StoreStatistics(count: freed.count, bytes: freed.reduce(0, +))
    }

    private func freshness(_ expiresAt: Double?, _ source: JSON) -> Double {
        guard let end = [expiresAt, ImageResult.Source(json: source).expiresAt].compactMap({ $0 }).min() else { return min(Self.defaultLifetime, longest) }
        return min(end - WallClock.now, longest)
    }
}
