import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores

/// Purges: removes everything that came from some sources, in all queues, stores and coordinators, and keeps runs under way from bringing it back.
///
/// The order matters. First the purge is noted, so that no run that begins now uses a kept source. Then runs under way are marked, so that nothing keeps
/// their results. Only then is the index read: a result that a run has put there before its mark is found. Lives on the loop.
@Loop
final class Purger {
    /// The numbers of things that a purge has hit.
    struct Counts: Sendable, Hashable {
        /// Results that were removed from the store.
        var results = 0
        /// Kept sources that were removed at once.
        var sources = 0
        /// Running fetches.
        var fetches = 0

        var json: JSONObject { ["results": JSON(results), "sources": JSON(sources), "fetches": JSON(fetches)] }
    }

    /// The most sources of a tag that the list of purges names, so that runs of clients without the tag do not bring them back.
    private static let maxNoted = 256

    private let results: any ResultStore
    private let sources: any ResultStore
    private let registry: QueueRegistry
    private let invalidation: CacheInvalidation
    private let logger: Logger

    init(results: any ResultStore, sources: any ResultStore, registry: QueueRegistry, invalidation: CacheInvalidation, logger: Logger) {
        (self.results, self.sources, self.registry) = (results, sources, registry)
        (self.invalidation, self.logger) = (invalidation, logger)
    }

    /// Purges a URL or a prefix.
    /// - Parameter source: the key of a kept source that is removed at once. All others are never used again, and go when they are looked for.
    /// - Throws: `unavailable` or `storeFailed`: repeat the purge then.
    func purge(_ target: PurgeTarget, source: String?) async throws(TintypeError) -> Counts {
        var work = Work()
        // The other coordinators forget in any case.
        defer { invalidation.publish(.purge(target)) }
        try await asking { () async throws(RedisError) in
            try await registry.queue(QueueKeys.shared.name).note(purges: [target])
            work.counts.fetches = try await mark { target.hits($0.urls, source: $0.source) }
            try await registry.each { queue throws(RedisError) in
                try await queue.eachResult(of: target) { digests throws(RedisError) in
                    try await queue.forget(results: await self.remove(results: digests, &work))
                }
            }
        }
        if let source { await remove(sources: [source], &work) }
        return try work.end(logger)
    }

    /// Purges what has a tag.
    /// - Parameter tag: its word (`CacheTag.word`).
    /// - Throws: as above.
    func purge(tag: String) async throws(TintypeError) -> Counts {
        var work = Work()
        var (digests, kept) = (Set<String>(), Set<String>())
        var marked: Set<RunLease> = []
        let collect: @Loop () async throws(RedisError) -> Void = { [self] () async throws(RedisError) in
            try await registry.each { queue throws(RedisError) in
                try await queue.eachRun { runs throws(RedisError) in
                    let hit = runs.filter { $0.tags.contains(tag) || kept.contains($0.source) }
                    if try await queue.mark(purged: hit.map(\.lease)) > 0 { marked.formUnion(hit.map(\.lease)) }
                    kept.formUnion(hit.map(\.source))
                }
                try await queue.eachTagged(tag) { results, sources in
                    digests.formUnion(results)
                    kept.formUnion(sources)
                }
            }
        }
        defer {
            invalidation.publish(.purgeTag(tag))
            for page in Array(digests).pages(of: 500) { invalidation.publish(.forget(page)) }
        }
        try await asking { () async throws(RedisError) in
            try await collect()
            if !kept.isEmpty { try await registry.queue(QueueKeys.shared.name).note(purges: kept.prefix(Self.maxNoted).map { PurgeTarget(source: $0) }) }
            // Runs that began before the note, and what they have made since.
            try await collect()
        }
        work.counts.fetches = marked.count
        let gone = await remove(results: Array(digests), &work)
        let dropped = await remove(sources: Array(kept), &work)
        try await asking { () async throws(RedisError) in
            try await registry.each { queue throws(RedisError) in
                for page in gone.pages(of: 500) {
                    try await queue.forget(results: page)
                    try await queue.untag(tag, results: page, sources: [])
                }
                for page in dropped.pages(of: 500) { try await queue.untag(tag, results: [], sources: page) }
            }
        }
        return try work.end(logger)
    }

    /// The part of a purge that is done, and why another part is not.
    private struct Work {
        var counts = Counts()
        var failure: TintypeError?

        /// - Throws: the first failure of a store.
        func end(_ logger: Logger) throws(TintypeError) -> Counts {
            guard let failure else { return counts }
            logger.warning("a purge could not remove everything", ["error": failure.description])
            throw failure
        }
    }

    /// Marks all runs that a test finds.
    /// - Returns: how many still ran.
    private func mark(_ isHit: @escaping @Loop (RunningFetch) -> Bool) async throws(RedisError) -> Int {
        var count = 0
        try await registry.each { queue throws(RedisError) in
            try await queue.eachRun { runs throws(RedisError) in count += try await queue.mark(purged: runs.filter { isHit($0) }.map(\.lease)) }
        }
        return count
    }

    /// Removes results from the store. The index keeps those that could not be removed, so that the purge can be repeated.
    /// - Returns: the removed ones, and those that were not there.
    private func remove(results digests: [String], _ work: inout Work) async -> [String] {
        var gone: [String] = []
        for digest in digests {
            do throws(TintypeError) {
                work.counts.results += try await results.remove(digest).count
                gone.append(digest)
            } catch {
                work.failure = work.failure ?? error
            }
        }
        return gone
    }

    /// Removes kept sources with their beginnings.
    /// - Returns: the removed ones, and those that were not there.
    @discardableResult
    private func remove(sources keys: [String], _ work: inout Work) async -> [String] {
        var gone: [String] = []
        for key in keys {
            do throws(TintypeError) {
                work.counts.sources += try await sources.remove(key).count
                try await sources.remove(CachedSource.beginning(of: key))
                try await sources.remove(CachedSource.takers(of: key))
                gone.append(key)
            } catch {
                work.failure = work.failure ?? error
            }
        }
        return gone
    }

    private func asking(_ body: @Loop () async throws(RedisError) -> Void) async throws(TintypeError) {
        do throws(RedisError) {
            try await body()
        } catch {
            logger.refused("a purge", error)
            throw TintypeError(error)
        }
    }
}

extension Array {
    /// The elements, so many at a time.
    fileprivate func pages(of size: Int) -> [[Element]] { stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) } }
}
