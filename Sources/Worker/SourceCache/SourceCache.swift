package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue
package import TintypeStores

/// The downloaded sources of all workers, with their original bytes. A new rendition then costs no download, and a stale source often no body. Called on
/// the loop. A failing cache fails no fetch: missing sources are downloaded, and failed writes are counted and logged.
@Loop package final class SourceCache {
    let store: any ResultStore
    /// Makes the keys under which sources are stored.
    private let keys: KeySecret
    let metrics: Metrics
    private let logger: Logger
    /// The Redis of the fetches; nil: no fetch is known to be canceled.
    private let fetches: RedisNodes?
    private let claims: RevalidationLocks?
    private let purges: PurgeList?
    /// The beginnings that are being written, by source digest, and those of them whose download has ended since.
    private var writing: [String: Int] = [:]
    private var ended: Set<String> = []

    /// The seconds for which a stale source is kept for the next 304: the seven days of SDImageCache. An hour in Redis, whose memory a queue may need.
    private static let longest = 7.0 * 86_400
    private static let maxInRedis = 3600.0

    /// The seconds for which Redis remembers that a fetch was canceled (`RECORD` of fetches.lua).
    private static let memory = 600.0

    /// - Parameter fetches: the Redis of the queue; not closed here.
    package init(store: any ResultStore, fetches: RedisNodes? = nil, keys: KeySecret = .none, metrics: Metrics, logger: Logger) {
        (self.store, self.fetches, self.keys, self.metrics, self.logger) = (store, fetches, keys, metrics, logger)
        claims = fetches.map { RevalidationLocks($0) }
        purges = fetches.map { PurgeList($0) }
    }

    /// Returns the entry of a source, fresh or not. The entry of a canceled fetch is removed.
    func entry(_ digest: String) async -> CachedSource? { await find(digest).entry }

    /// The outcome of a look for a source.
    struct Found {
        var entry: CachedSource?
        /// The reason why there is no entry.
        var reason = CacheMiss.absent
        /// The beginning of a download that broke off; nil if nobody has looked for it.
        var beginning: KeptBeginning?
    }

    /// The same, with the reason if there is none.
    /// - Parameter resumes: whether a download would resume a beginning. If there is no source, a store may look for the beginning in the same call.
    func find(_ digest: String, resumes: Bool = false) async -> Found {
        let key = keys.key(digest)
        let (lookup, other) = resumes ? await look(key, orElse: PartialSource.key(key)) : (await look(key), nil)
        var found = Found()
        if case .found(let image)? = other {
            found.beginning = KeptBeginning(partial: await usable(image, of: key))
        } else if other != nil {
            found.beginning = KeptBeginning(partial: nil)
        }
        switch lookup {
        case .found(let image):
            guard let entry = CachedSource(image) else { return Found(reason: .unreadable) }
            if await isWithdrawn(entry) {
                await forget(digest)
            } else {
                switch await isPurged([entry.info.url, entry.info.finalURL], key, since: entry.since) {
                case false?: return Found(entry: entry)
                case true?: await forget(digest)
                // Nobody knows. A download more harms less than a picture that had to go, and the entry may be good once Redis answers.
                case nil: break
                }
            }
        case .expired: found.reason = .expired
        case .unreadable: found.reason = .unreadable
        case .absent, nil: break
        }
        return found
    }

    /// Whether the fetch that kept a source was canceled before anybody was served. The script that cancels decides this in one step in Redis: a later write
    /// of the worker belongs to nobody, however late. If Redis does not answer, the fetch counts as not canceled.
    private func isWithdrawn(_ entry: CachedSource) async -> Bool {
        guard let fetches, let fetch = entry.fetch, let tag = RedisTag(of: fetch), entry.storedAt > WallClock.now - Self.memory else { return false }
        guard let reply = try? await fetches.node(for: tag).command(["HMGET", .string(fetch), "state", "withdrawn"]) else { return false }
        return reply.array?.first?.string == "cancelled" || reply.array?.last?.string == "unserved"
    }

    /// Whether a source was purged since the run began that brought it; nil if Redis does not answer.
    private func isPurged(_ urls: [String], _ key: String, since: Int64) async -> Bool? {
        guard let purges else { return false }
        return try? await purges.hits(urls, kept: .source(key), since: since)
    }

    /// Returns a beginning, unless its source was purged since.
    private func usable(_ image: StoredImage, of key: String) async -> PartialSource? {
        guard let partial = PartialSource(image) else { return nil }
        return await isPurged([partial.url, partial.finalURL], key, since: partial.since) == false ? partial : nil
    }

    /// Whether a URL was purged since a run began. If Redis does not answer, the run cannot end either.
    func isPurged(_ url: String, since: Int64) async -> Bool { (try? await purges?.hits([url], since: since)) ?? false }

    /// Removes a source that a canceled fetch has kept, unless another fetch has kept it since.
    func forget(_ digest: String, by fetch: String) async {
        guard case .found(let image)? = await look(keys.key(digest)), image.info["fetch"] == .string(fetch) else { return }
        let mark = await Loop.work(on: image.bytes.count) { StoredMark(image) }
        _ = try? await counted(.remove) { () async throws(TintypeError) in try await store.remove(mark) }
    }

    /// Marks that no decoder could read these bytes. A request for a picture then asks the origin for new ones.
    /// - Parameter sha256: the hash of the bytes; an entry with other bytes stays as it is.
    func spoil(_ digest: String, sha256: String?) async {
        guard case .found(var image)? = await look(keys.key(digest)), let entry = CachedSource(image), entry.info.sha256 == sha256, !entry.isSpoiled else {
            return
        }
        var facts = image.info.object ?? [:]
        facts["spoiled"] = true
        image.info = .object(facts)
        await write(image)
    }

    /// Keeps a source, in place of the present entry.
    /// - Parameter use: the cache options of the request.
    func keep(_ source: CachedSource, as digest: String, for use: CacheUse) async {
        let image = source.stored(as: keys.key(digest), ttl: use.ttl, longest: store.kind == "redis" ? Self.maxInRedis : Self.longest, stale: use.maxStale)
        guard image.expiresAt ?? 0 > WallClock.now else { return }
        await write(image)
    }

    /// Returns the beginning of a download that broke off.
    func partial(_ digest: String) async -> PartialSource? {
        let key = keys.key(digest)
        guard let image = await read(PartialSource.key(key)) else { return nil }
        return await usable(image, of: key)
    }

    /// Records that a worker resumes a beginning, before it asks for the remainder. A worker that dies of it leaves this record behind.
    /// - Returns: false if too many workers have died of it; the beginning is then removed.
    func take(_ digest: String) async -> Bool {
        let key = CachedSource.takers(of: keys.key(digest))
        let before = max(0, (await read(key))?.info["taken"]?.int ?? 0)
        guard before < PartialSource.maxDeaths else {
            logger.warning("a partial download is dropped because its workers have died", ["source": digest, "deaths": before])
            await forgetPartial(digest)
            return false
        }
        let now = WallClock.now
        await write(
            StoredImage(
                key: key, contentType: "application/octet-stream", info: ["taken": JSON(before + 1)], source: [:], bytes: [], storedAt: now,
                expiresAt: now + PartialSource.lifetime))
        return true
    }

    /// Removes the record: the worker has survived the download.
    func giveBack(_ digest: String) async { await remove(CachedSource.takers(of: keys.key(digest))) }

    /// Keeps the beginning of a download. If the download has ended meanwhile, the beginning is removed again.
    func keep(_ broken: BrokenDownload) async {
        let digest = broken.digest
        writing[digest, default: 0] += 1
        await write(broken.partial.stored(of: keys.key(digest), by: broken.fetch, since: broken.since))
        writing[digest, default: 1] -= 1
        guard writing[digest] == 0 else { return }
        writing[digest] = nil
        if ended.remove(digest) != nil { await remove(PartialSource.key(keys.key(digest))) }
        if !broken.isLive { await giveBack(digest) }
    }

    /// Whether a beginning of this source is still being written.
    func isWriting(_ digest: String) -> Bool { writing[digest] != nil }

    /// Removes the beginning of a download that has ended.
    func forgetPartial(_ digest: String) async {
        if writing[digest] != nil { ended.insert(digest) }
        await remove(PartialSource.key(keys.key(digest)))
        await giveBack(digest)
    }

    /// Whether this worker is the one that revalidates a source which was served stale.
    func beginAsk(_ digest: String) async -> Bool { await claims?.take(keys.key(digest)) ?? true }

    /// - Parameter pause: the time before the next revalidation.
    func endAsk(_ digest: String, pause: Duration?) async { await claims?.release(keys.key(digest), after: pause) }

    func forget(_ digest: String) async { await remove(keys.key(digest)) }

    private func remove(_ key: String) async { _ = try? await counted(.remove) { () async throws(TintypeError) in try await store.remove(key) } }

    private func read(_ key: String) async -> StoredImage? { if case .found(let image)? = await look(key) { image } else { nil } }

    private func look(_ key: String) async -> StoreLookup? { try? await counted(.get) { () async throws(TintypeError) in try await store.look(up: key) } }

    private func look(_ key: String, orElse other: String) async -> (StoreLookup?, StoreLookup?) {
        let found = try? await counted(.get, entries: { $0.1 == nil ? 1 : 2 }) { () async throws(TintypeError) in
            try await store.look(up: key, orElse: other)
        }
        return found ?? (nil, nil)
    }

    private func write(_ image: StoredImage) async { try? await counted(.put) { () async throws(TintypeError) in try await store.put(image) } }

    /// Counts and times an operation of the store, and logs its failure.
    /// - Parameter entries: returns the number of entries of an answer.
    func counted<T>(
        _ operation: StoreOperation, entries: (T) -> Int = { _ in 1 }, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        let began = ContinuousClock.now
        do throws(TintypeError) {
            let answer = try await body()
            metrics.ended(operation, of: "sources", isDone: true, count: entries(answer), since: began)
            return answer
        } catch {
            metrics.ended(operation, of: "sources", isDone: false, since: began)
            logger.warning("the source cache failed", ["operation": operation.rawValue, "error": error.description])
            throw error
        }
    }
}
