package import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeQueue
package import TintypeStores

/// The memory tier: finished renditions of this coordinator by key. The least recently used ones are removed first. It gives the fastest answers.
@Loop
package final class MemoryTier {
    /// The seconds for which a rendition answers from memory if its origin names no time.
    nonisolated static let defaultLifetime = 3600.0

    private var cache: MemoryCache<String, CachedRendition>
    private let metrics: Metrics
    /// The most seconds that an entry is kept.
    private let longest: Double
    private let now: @Loop () -> Double
    /// The time at which the result store was last emptied. Checks of the store before it do not count.
    private var unverifiedSince = 0.0
    /// The purges of the last minute, with their end in monotonic seconds and their time. An image that was read before a purge may come after it.
    private var purges: [(target: PurgeTarget, until: Double, at: Double)] = []
    /// The seconds for which a purge is remembered, and by which the clock of a worker may be ahead.
    private static let (purgeTime, skew) = (60.0, 5.0)
    static let mostTags = 64
    /// The number of removals by key so far.
    private(set) var removals = 0
    /// The number of the last removal of each key, and the number up to which they are forgotten.
    private var removed: (last: [String: Int], forgotten: Int) = ([:], 0)
    private static let mostRemoved = 4096
    /// The most entries that a walk looks at in one turn of the loop: less than a millisecond.
    private static let step = 2048

    /// - Parameters:
    ///   - capacity: The high-water mark in bytes; 0 keeps nothing.
    ///   - count: The high-water mark by number.
    ///   - lowWater: The percentage of both that a full tier keeps.
    ///   - age: The longest time that an entry is kept.
    ///   - now: Monotonic seconds.
    init(
        capacity: Int, count: Int = .max, lowWater: Int = 60, age: Duration = .seconds(86_400), metrics: Metrics,
        now: @escaping @Loop () -> Double = { Seconds.monotonic }
    ) {
        cache = MemoryCache(capacity: capacity, lowWater: lowWater, maxCount: count)
        (longest, self.metrics, self.now) = (age.inSeconds, metrics, now)
    }

    /// The reason of a removal, as a label of metrics.
    private enum Leaving: String {
        /// Newer entries needed the room.
        case full
        case expired
        /// Memory was short.
        case pressure
        /// The entry was made again, canceled, or removed by a client.
        case forgotten
    }

    private func count(_ number: Int, _ reason: Leaving) {
        if number > 0 { metrics.add(.cacheEvictions, Double(number), labels: "memory", reason.rawValue) }
    }

    private func insert(_ entry: CachedRendition) { count(cache.insert(entry, for: entry.key, cost: entry.cost).count, .full) }

    private func take(out key: String, _ reason: Leaving) -> Int {
        let freed = cache.remove(key)
        // Every entry costs some bytes, so 0 means that there was none.
        count(freed > 0 ? 1 : 0, reason)
        return freed
    }

    /// Deferred updates of the tier, oldest first.
    private var overdue: [@Loop () -> Void] = []

    /// Defers an update until the current turn of the loop has written its output. Any earlier question to the tier runs the update first, so the
    /// delay is never visible.
    func soon(_ work: @escaping @Loop () -> Void) {
        overdue.append(work)
        guard overdue.count == 1 else { return }
        // The first `execute` queues it among the pending writes, the second behind them.
        Loop.execute { Loop.execute { self.catchUp() } }
    }

    private func catchUp() {
        guard !overdue.isEmpty else { return }
        let work = overdue
        overdue = []
        for one in work { one() }
    }

    package var statistics: StoreStatistics {
        catchUp()
        return StoreStatistics(count: cache.count, bytes: cache.cost, capacity: cache.capacity)
    }

    /// Returns whether all of these are in memory, verified or not.
    func knows(_ keys: [String]) -> Bool { keys.allSatisfy { entry($0) != nil } }

    /// Returns the reason why these do not answer a request that reads only memory.
    package func miss(_ keys: [String], ttl: Double?) -> CacheMiss? {
        keys.contains { entry($0).map { !$0.isCurrent(at: now(), ttl: ttl) } ?? false } ? .expired : nil
    }

    /// Returns the entries for an immediate answer; nil if any key is missing, too old or not verified.
    /// - Parameter ttl: The greatest age, in place of the freshness from the origin.
    func verified(_ keys: [String], ttl: Double? = nil) -> [CachedRendition]? {
        catchUp()
        let now = now()
        var found: [CachedRendition] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            guard let entry = cache.value(for: key), entry.isVerified(at: now, since: unverifiedSince), entry.isCurrent(at: now, ttl: ttl) else { return nil }
            found.append(entry)
        }
        return found
    }

    /// Returns the entry of a key until it expires; perhaps without bytes.
    package func entry(_ key: String) -> CachedRendition? {
        catchUp()
        guard let entry = cache.value(for: key) else { return nil }
        guard now() < entry.keptUntil else {
            _ = take(out: key, .expired)
            return nil
        }
        return entry
    }

    /// Returns the entry of a key that is new enough for a request, whether or not its bytes were seen lately.
    /// - Parameter ttl: The greatest age, in place of the freshness from the origin.
    package func current(_ key: String, ttl: Double? = nil) -> CachedRendition? {
        entry(key).flatMap { $0.isCurrent(at: now(), ttl: ttl) ? $0 : nil }
    }

    /// Adds the renditions of an ImageResult. Renditions with a version are not kept, because `verified` does not ask for them.
    /// - Parameters:
    ///   - source: Its SourceInfo.
    ///   - lifetime: Seconds to keep them, even if they are fresh for less or more; nil: their own time; infinite: as long as the source is fresh.
    ///   - tags: The tags that they have in the index, too.
    func remember(renditions: [ImageResult.Rendition], source: JSON, lifetime: Double? = nil, tags: Set<String> = []) {
        catchUp()
        for info in renditions {
            let fresh = freshness(lifetime == .infinity ? nil : info.expiresAt, source)
            let kept = lifetime.map { $0 < .infinity ? min($0, longest) : fresh } ?? fresh
            guard kept > 0, info.object["version"] == nil, let key = info.key else { continue }
            let entry = CachedRendition(key: key, info: info, source: source, fresh: fresh, kept: kept, tags: tags, at: now())
            guard !isPurged(entry.forms, info.storedAt) else { continue }
            // The existing bytes belong to the new entry if their hash is the same.
            if let old = cache.peek(key), let image = old.image, image.rendition.sha256 == info.sha256 {
                entry.image = image
                // Redis lists all tags. Those here are for results that only memory has.
                let all = entry.tags.union(old.tags)
                if all.count <= Self.mostTags { entry.tags = all }
            }
            insert(entry)
        }
    }

    /// Removes entries whose bytes differ from these renditions, because clients that are told of the renditions fetch them here.
    package func forget(otherThan renditions: [ImageResult.Rendition]) {
        catchUp()
        for rendition in renditions {
            guard let key = rendition.key, let old = cache.peek(key), old.sha256 != rendition.sha256 else { continue }
            _ = take(out: key, .forgotten)
        }
    }

    /// Adds an image that was read from the result store.
    /// - Parameter removals: `removals` before the store was asked. An image that was read before its removal must not come after it.
    func remember(_ image: StoredImage, readAt removals: Int? = nil) {
        catchUp()
        if let removals, removed.last[image.key] ?? removed.forgotten > removals { return }
        // If the hash differs from the entry's, this is another result under the same key, and its own expiry counts.
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
        guard !isPurged(entry.forms, info.storedAt) else { return }
        entry.image = image
        insert(entry)
    }

    /// Records that the result store has the bytes.
    func verified(_ key: String) {
        catchUp()
        cache.peek(key)?.verifiedAt = now()
    }

    /// Returns whether the bytes of a rendition are in memory, or were seen in the result store a moment ago.
    func isVerified(_ key: String) -> Bool { entry(key)?.isVerified(at: now(), since: unverifiedSince) ?? false }

    /// Records that its bytes are gone from the result store.
    func markUnverified(_ key: String) {
        catchUp()
        cache.peek(key)?.verifiedAt = -CachedRendition.trust
    }

    /// Records that the result store was emptied: entries without bytes in memory are not verified any more.
    func markAllUnverified() {
        catchUp()
        unverifiedSince = now()
    }

    /// Removes one entry; returns the bytes freed.
    @discardableResult
    package func remove(_ key: String) -> Int {
        catchUp()
        removals += 1
        if removed.last.count >= Self.mostRemoved { removed = ([:], removals) }
        removed.last[key] = removals
        return take(out: key, .forgotten)
    }

    /// Removes what a purge is about; returns the removed size. An older result that comes meanwhile, or in the next minute, is not kept.
    @discardableResult
    package func purge(_ target: PurgeTarget) async -> StoreStatistics {
        purges = purges.filter { $0.until > now() } + [(target, now() + Self.purgeTime, WallClock.now)]
        return await remove(.forgotten) { target.hits(forms: $0.forms) }
    }

    /// Removes what has a tag; returns the removed size.
    @discardableResult
    package func purge(tag: String) async -> StoreStatistics { await remove(.forgotten) { $0.tags.contains(tag) } }

    /// Walks over all entries, in many turns of the loop.
    private func remove(_ reason: Leaving, where isGone: (CachedRendition) -> Bool) async -> StoreStatistics {
        var freed = StoreStatistics()
        var next: Int? = 0
        while let start = next {
            catchUp()
            let found = cache.keys(from: start, most: Self.step, where: isGone)
            for key in found.keys { freed += StoreStatistics(count: 1, bytes: take(out: key, reason)) }
            next = found.next
            if next != nil { await Task.yield() }
        }
        return freed
    }

    /// Whether a result came before a purge that was a moment ago.
    private func isPurged(_ forms: [String], _ storedAt: Double?) -> Bool {
        purges.contains { $0.until > now() && storedAt ?? 0 <= $0.at + Self.skew && $0.target.hits(forms: forms) }
    }

    /// Removes everything; returns the removed size.
    func clear() -> StoreStatistics { empty(.forgotten) }

    /// Removes everything because memory is short.
    func shed() -> StoreStatistics { empty(.pressure) }

    private func empty(_ reason: Leaving) -> StoreStatistics {
        let statistics = statistics
        count(statistics.count, reason)
        Loop.release(cache)
        cache.removeAll()
        return statistics
    }

    /// Removes expired entries, which is called from time to time; returns the removed size.
    @discardableResult
    func trim() async -> StoreStatistics {
        let now = now()
        return await remove(.expired) { $0.keptUntil <= now }
    }

    private func freshness(_ expiresAt: Double?, _ source: JSON) -> Double {
        guard let end = [expiresAt, ImageResult.Source(json: source).expiresAt].compactMap({ $0 }).min() else { return min(Self.defaultLifetime, longest) }
        return min(end - WallClock.now, longest)
    }
}
