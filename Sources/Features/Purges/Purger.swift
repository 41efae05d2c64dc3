import Coordinator
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

    /// The most purges at once, in all and of one client: each of a URL or prefix reads the whole index. The last two places are for clients without one.
    private static let most = (all: 8, ofClient: 4, kept: 2)
    /// The clients of the purges under way.
    private var underWay: [String] = []
    /// The number of purges under way.
    var count: Int { underWay.count }

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
    /// - Parameters:
    ///   - source: the key of a kept source that is removed at once. All others are never used again, and go when they are looked for.
    ///   - client: the client that asks (`Session.sharer`).
    /// - Throws: `overloaded`; `unavailable` or `storeFailed`: repeat the purge then.
    func purge(_ target: PurgeTarget, source: String?, for client: String) async throws(TintypeError) -> Counts {
        try begin(client)
        defer { end(client) }
        var work = Work()
        // The other coordinators forget in any case, though a part of the purge fails.
        var isPublished = false
        defer { if !isPublished { invalidation.publish(.purge(target)) } }
        try await logger.translating("a purge") { () async throws(RedisError) in
            try await registry.queue(QueueKeys.shared.name).note(purges: [target])
            work.counts.fetches = try await mark { target.hits($0.urls) }
            try await registry.each { queue throws(RedisError) in
                try await queue.eachResult(of: target) { digests throws(RedisError) in
                    try await queue.forget(results: await self.remove(results: digests, &work))
                }
            }
        }
        if let source { await remove(sources: [source], &work) }
        try await logger.translating("a purge") { () async throws(RedisError) in try await invalidation.tell(.purge(target)) }
        isPublished = true
        return try work.end(logger)
    }

    /// - Throws: `overloaded` if too many purges are under way.
    private func begin(_ client: String) throws(TintypeError) {
        let (own, all) = (underWay.count { $0 == client }, underWay.count)
        guard own < Self.most.ofClient, all < Self.most.all - (own > 0 ? Self.most.kept : 0) else {
            throw TintypeError(
                .overloaded, .admission,
                "\(own) purges of this client and \(all) in all are under way, and at most \(Self.most.ofClient) and \(Self.most.all) may be. "
                    + "The last \(Self.most.kept) places are for clients without a purge: try again in 1 s", details: ["retryAfter": 1])
        }
        underWay.append(client)
    }

    private func end(_ client: String) {
        if let place = underWay.firstIndex(of: client) { underWay.remove(at: place) }
    }

    /// Purges what has a tag.
    /// - Parameters:
    ///   - tag: its word (`CacheTag.word`).
    ///   - client: as above.
    /// - Throws: as above.
    func purge(tag: String, for client: String) async throws(TintypeError) -> Counts {
        try begin(client)
        defer { end(client) }
        var work = Work()
        var (digests, kept) = (Set<String>(), Set<String>())
        var noted: Set<PurgedKey> = []
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
        var isPublished = false
        defer { if !isPublished { for message in news(tag, digests) { invalidation.publish(message) } } }
        try await logger.translating("a purge") { () async throws(RedisError) in
            // Runs that began before a key was noted may use it. So each round marks them, and finds what they have made since the round before.
            for _ in 0..<Self.rounds {
                try await collect()
                let new = Set(digests.map { PurgedKey.result($0) } + kept.map { PurgedKey.source($0) }).subtracting(noted)
                guard !new.isEmpty else { break }
                for page in Array(new).pages(of: 500) { try await registry.queue(QueueKeys.shared.name).note(keys: page) }
                noted.formUnion(new)
            }
        }
        work.counts.fetches = marked.count
        let gone = await remove(results: Array(digests), &work)
        let dropped = await remove(sources: Array(kept), &work)
        try await logger.translating("a purge") { () async throws(RedisError) in
            try await registry.each { queue throws(RedisError) in
                for page in gone.pages(of: 500) {
                    try await queue.forget(results: page)
                    try await queue.untag(tag, results: page, sources: [])
                }
                for page in dropped.pages(of: 500) { try await queue.untag(tag, results: [], sources: page) }
            }
            for message in news(tag, digests) { try await invalidation.tell(message) }
        }
        isPublished = true
        return try work.end(logger)
    }

    /// The most rounds of a purge by tag. Each one after the second needs a request with the tag that came during the round before.
    private static let rounds = 5

    /// Returns the messages to the memory of all coordinators.
    private func news(_ tag: String, _ digests: Set<String>) -> [CacheInvalidation.Message] {
        [.purgeTag(tag)] + Array(digests).pages(of: 500).map { .forget($0) }
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
}

extension Array {
    /// The elements, so many at a time.
    fileprivate func pages(of size: Int) -> [[Element]] { stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) } }
}
