package import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeStores

/// The sources a fleet has downloaded, as they came, so that a new rendition costs no download and a stale one often no body. Called on the
/// loop. A cache that is broken fails no fetch: what it cannot give is downloaded, what it cannot keep is counted and logged.
@Loop package final class SourceCache {
    private let store: any ResultStore
    /// What makes the keys under which sources lie.
    private let keys: KeySecret
    private let metrics: Metrics
    private let logger: Logger
    /// The Redis that knows of fetches; nil: none is known to be withdrawn.
    private let fetches: RedisNodes?
    private let claims: AskClaims?
    /// Beginnings that are being written, by source digest, and those of them whose download has ended since.
    private var writing: [String: Int] = [:]
    private var ended: Set<String> = []

    /// Seconds what is stale is kept for the next 304: the seven days of SDImageCache. An hour where it takes the memory that a queue may need.
    private static let longest = 7.0 * 86_400
    private static let longestInRedis = 3600.0

    /// Seconds for which Redis remembers that a fetch was withdrawn (`RECORD` of fetches.lua).
    private static let memory = 600.0

    /// - Parameter fetches: the Redis of the queue; not closed here.
    package init(store: any ResultStore, fetches: RedisNodes? = nil, keys: KeySecret = .none, metrics: Metrics, logger: Logger) {
        (self.store, self.fetches, self.keys, self.metrics, self.logger) = (store, fetches, keys, metrics, logger)
        claims = fetches.map { AskClaims($0) }
    }

    /// What is kept of a source, fresh or not. What a withdrawn fetch has left is forgotten.
    func entry(_ digest: String) async -> CachedSource? { await find(digest).entry }

    /// The same, and why there is nothing.
    func find(_ digest: String) async -> (entry: CachedSource?, reason: CacheMiss) {
        switch await look(keys.key(digest)) {
        case .found(let image):
            guard let entry = CachedSource(image) else { return (nil, .unreadable) }
            guard await isWithdrawn(entry) else { return (entry, .absent) }
            await forget(digest)
            return (nil, .absent)
        case .expired: return (nil, .expired)
        case .unreadable: return (nil, .unreadable)
        case .absent, nil: return (nil, .absent)
        }
    }

    /// Whether the fetch that kept a source was withdrawn before anybody was served. Redis decides it in one step, by the script that withdraws:
    /// whatever the worker writes after that, however late, is nobody's. A Redis that does not answer has withdrawn nothing.
    private func isWithdrawn(_ entry: CachedSource) async -> Bool {
        guard let fetches, let fetch = entry.fetch, let tag = RedisTag(of: fetch), entry.storedAt > WallClock.now - Self.memory else { return false }
        guard let reply = try? await fetches.node(for: tag).command(["HMGET", .string(fetch), "st", "cx"]) else { return false }
        return reply.array?.first?.string == "can" || reply.array?.last?.string == "1"
    }

    /// Forgets a source that a withdrawn fetch has kept, unless another one has kept it since.
    func forget(_ digest: String, by fetch: String) async {
        if case .found(let image)? = await look(keys.key(digest)), image.info["fetch"]?.string == fetch { await forget(digest) }
    }

    /// No decoder took these bytes: who wants a picture asks the origin for others.
    /// - Parameter sha256: of the bytes; an entry of others stays as it is.
    func spoil(_ digest: String, sha256: String?) async {
        guard case .found(var image)? = await look(keys.key(digest)), let entry = CachedSource(image), entry.info.sha256 == sha256, !entry.isSpoiled else {
            return
        }
        var facts = image.info.object ?? [:]
        facts["spoiled"] = true
        image.info = .object(facts)
        await write(image)
    }

    /// Keeps a source, in place of what was kept before.
    /// - Parameter use: of the request that it came for.
    func keep(_ source: CachedSource, as digest: String, for use: CacheUse) async {
        let image = source.stored(
            as: keys.key(digest), ttl: use.ttl, longest: store.kind == "redis" ? Self.longestInRedis : Self.longest, stale: use.longestStale)
        guard image.expiresAt ?? 0 > WallClock.now else { return }
        await write(image)
    }

    /// The beginning of a download that broke off.
    func partial(_ digest: String) async -> PartialSource? {
        guard let image = await read(PartialSource.key(keys.key(digest))) else { return nil }
        return PartialSource(image)
    }

    /// Takes note that a worker goes on with a beginning, before it asks for the rest: a worker that dies of it takes nothing back.
    /// - Returns: false when as many have died of it as may, so that it is forgotten instead.
    func take(_ digest: String) async -> Bool {
        let key = CachedSource.takers(of: keys.key(digest))
        let before = max(0, (await read(key))?.info["taken"]?.int ?? 0)
        guard before < PartialSource.mostDeaths else {
            logger.warning("a beginning is forgotten whose workers have died", ["source": digest, "deaths": before])
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

    /// Takes it back: the worker has lived to the end of it.
    func giveBack(_ digest: String) async { await remove(CachedSource.takers(of: keys.key(digest))) }

    /// What is written when its download has ended meanwhile is forgotten again.
    func keep(_ broken: BrokenDownload) async {
        let digest = broken.digest
        writing[digest, default: 0] += 1
        await write(broken.partial.stored(of: keys.key(digest), by: broken.fetch))
        writing[digest, default: 1] -= 1
        guard writing[digest] == 0 else { return }
        writing[digest] = nil
        if ended.remove(digest) != nil { await remove(PartialSource.key(keys.key(digest))) }
        if !broken.isLive { await giveBack(digest) }
    }

    /// Whether a beginning of it is still being written.
    func isWriting(_ digest: String) -> Bool { writing[digest] != nil }

    /// The download has come to its end: of its beginning nothing is kept.
    func forgetPartial(_ digest: String) async {
        if writing[digest] != nil { ended.insert(digest) }
        await remove(PartialSource.key(keys.key(digest)))
        await giveBack(digest)
    }

    /// Whether this worker is the one of its fleet that asks for a source which was served stale.
    func beginAsk(_ digest: String) async -> Bool { await claims?.take(keys.key(digest)) ?? true }

    /// - Parameter pause: for how long nobody asks again.
    func endAsk(_ digest: String, pause: Duration?) async { await claims?.release(keys.key(digest), after: pause) }

    /// Keeps no more of a source.
    func forget(_ digest: String) async { await remove(keys.key(digest)) }

    private func remove(_ key: String) async {
        do throws(TintypeError) {
            _ = try await store.remove(key)
        } catch {
            count("remove", error)
        }
    }

    private func read(_ key: String) async -> StoredImage? { if case .found(let image)? = await look(key) { image } else { nil } }

    private func look(_ key: String) async -> StoreLookup? {
        do throws(TintypeError) {
            let found = try await store.look(up: key)
            metrics.add(.storeOperations, labels: "sources", "get", "ok")
            return found
        } catch {
            count("get", error)
            return nil
        }
    }

    private func write(_ image: StoredImage) async {
        do throws(TintypeError) {
            try await store.put(image)
            metrics.add(.storeOperations, labels: "sources", "put", "ok")
        } catch {
            count("put", error)
        }
    }

    private func count(_ operation: String, _ error: TintypeError) {
        metrics.add(.storeOperations, labels: "sources", operation, "failed")
        logger.warning("the cache of sources failed", ["operation": operation, "error": error.description])
    }
}
