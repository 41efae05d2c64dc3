package import Shared

/// The sources a fleet has downloaded, as they came, so that a new rendition costs no download and a stale one often no body. Called on the
/// loop. A cache that is broken fails no fetch: what it cannot give is downloaded, what it cannot keep is counted and logged.
@Loop package final class SourceCache {
    private let store: any ResultStore
    /// What makes the keys under which sources lie.
    private let keys: KeySecret
    private let metrics: Metrics
    private let logger: Logger
    /// Beginnings that are being written, by source digest, and those of them whose download has ended since.
    private var writing: [String: Int] = [:]
    private var ended: Set<String> = []

    /// Seconds what is stale is kept for the next 304: the seven days of SDImageCache. An hour where it takes the memory that a queue may need.
    private static let longest = 7.0 * 86_400
    private static let longestInRedis = 3600.0

    package init(store: any ResultStore, keys: KeySecret = .none, metrics: Metrics, logger: Logger) {
        (self.store, self.keys, self.metrics, self.logger) = (store, keys, metrics, logger)
    }

    /// What is kept of a source, fresh or not.
    func entry(_ digest: String) async -> CachedSource? {
        guard let image = await read(keys.key(digest)) else { return nil }
        return CachedSource(image)
    }

    /// Keeps a source, in place of what was kept before.
    func keep(_ source: CachedSource, as digest: String, ttl: Double?) async {
        let image = source.stored(as: keys.key(digest), ttl: ttl, longest: store.kind == "redis" ? Self.longestInRedis : Self.longest)
        guard image.expiresAt ?? 0 > Timestamp.now().seconds else { return }
        await write(image)
    }

    /// The beginning of a download that broke off.
    func partial(_ digest: String) async -> PartialSource? {
        guard let image = await read(PartialSource.key(keys.key(digest))) else { return nil }
        return PartialSource(image)
    }

    /// What is written when its download has ended meanwhile is forgotten again.
    func keep(_ broken: BrokenDownload) async {
        let digest = broken.digest
        writing[digest, default: 0] += 1
        await write(broken.partial.stored(of: keys.key(digest), by: broken.fetch))
        writing[digest, default: 1] -= 1
        guard writing[digest] == 0 else { return }
        writing[digest] = nil
        if ended.remove(digest) != nil { await remove(PartialSource.key(keys.key(digest))) }
    }

    /// Whether a beginning of it is still being written.
    func isWriting(_ digest: String) -> Bool { writing[digest] != nil }

    /// The download has come to its end: of its beginning nothing is kept.
    func forgetPartial(_ digest: String) async {
        if writing[digest] != nil { ended.insert(digest) }
        await remove(PartialSource.key(keys.key(digest)))
    }

    /// Keeps no more of a source.
    func forget(_ digest: String) async { await remove(keys.key(digest)) }

    private func remove(_ key: String) async {
        do throws(TintypeError) {
            _ = try await store.remove(key)
        } catch {
            count("remove", error)
        }
    }

    private func read(_ key: String) async -> StoredImage? {
        do throws(TintypeError) {
            let image = try await store.get(key)
            metrics.add(.storeOperations, labels: "sources", "get", "ok")
            return image
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
