import TintypeCore
package import TintypeTransport

/// The values of a running fetch that a purge compares.
package struct RunningFetch: Sendable, Hashable {
    package let lease: RunLease
    /// The key of its source in the tier `sources`.
    package let source: String
    package let tags: Set<String>
    /// The URLs of its source, as results show them.
    package let urls: [String]
}

extension Queue {
    /// The most purges in the list of `default`. Each is compared with the URL of a kept source.
    package nonisolated static let maxPurges = 1000
    /// The most keys of purges by tag. Beyond them the oldest go: only a run from before that purge could still bring such a source back.
    package nonisolated static let maxPurgedKeys = 200_000
    /// How long a purge stays in the list: longer than a stale source is kept.
    private nonisolated static let purgeTime: Int64 = 8 * 86_400_000

    /// Notes purges in the list that all workers and coordinators ask before they use a kept source.
    /// - Parameter targets: at least one.
    package func note(purges targets: [PurgeTarget]) async throws(RedisError) { try await note(targets.map(\.member), most: Self.maxPurges) }

    /// Notes keys that a purge by tag is about.
    /// - Parameter keys: at least one.
    package func note(keys: [PurgedKey]) async throws(RedisError) { try await note(keys.map { "k " + $0.member }, most: Self.maxPurgedKeys) }

    private func note(_ members: [String], most: Int) async throws(RedisError) {
        _ = try await run(shared: .purge, [.most: .int(Int64(most)), .keep: .int(Self.purgeTime)], items: members.map { .string($0) })
    }

    /// Calls a function with the running fetches, a page at a time. A fetch that runs all the while is among them.
    package func eachRun(_ body: @Loop ([RunningFetch]) async throws(RedisError) -> Void) async throws(RedisError) {
        var cursor = "0"
        repeat {
            let reply = try await run(.purgeRuns, [.cursor: .string(cursor), .page: 50])
            guard let words = reply.array, let next = words.first?.string else { throw Self.unexpected(.purgeRuns) }
            try await body(words.dropFirst().compactMap { Self.running($0.array?.compactMap(\.string) ?? []) })
            cursor = next
        } while cursor != "0"
    }

    private nonisolated static func running(_ words: [String]) -> RunningFetch? {
        guard words.count >= 4, let token = Int64(words[1]) else { return nil }
        return RunningFetch(
            lease: RunLease(fetch: words[0], token: token), source: words[2], tags: Set(words[3].split(separator: " ").map(String.init)),
            urls: words[4...].map { UnsignedURL($0).description })
    }

    /// Marks runs whose source was purged. They answer their receipts, and their results are not kept.
    /// - Returns: how many of them still run.
    package func mark(purged runs: [RunLease]) async throws(RedisError) -> Int {
        guard !runs.isEmpty else { return 0 }
        return Int(try await run(.purgeMark, runs.flatMap { [.string($0.fetch), .int($0.token)] }).int ?? 0)
    }

    /// Calls a function with the digests of results whose source is purged, a page of the index at a time. Redis does other work between two pages.
    package func eachResult(
        of target: PurgeTarget, _ body: @Loop ([String]) async throws(RedisError) -> Void
    ) async throws(RedisError) {
        try await eachResultKey { names throws(RedisError) in
            let entries = try await node.command(["MGET"] + names.map { .string($0) }).array ?? []
            let found = zip(names, entries).filter { target.hits(Self.urls($0.1.string ?? "")) }
            if !found.isEmpty { try await body(found.map { String($0.0.dropFirst(keys.result("").count)) }) }
        }
    }

    /// Returns the URLs in the SourceInfo of an entry of the index, which is the second line.
    private nonisolated static func urls(_ entry: String) -> [String] {
        let lines = entry.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count > 1, let source = try? JSON(parsing: Array(lines[1])) else { return [] }
        return PurgeTarget.urls(of: source)
    }

    // MARK: Tags

    /// Calls a function with the digests of results and the keys of sources that have a tag, a page at a time.
    package func eachTagged(
        _ tag: String, _ body: @Loop (_ results: [String], _ sources: [String]) async throws(RedisError) -> Void
    ) async throws(RedisError) {
        try await eachMember(of: keys.tag(tag)) { members throws(RedisError) in
            func named(_ kind: String) -> [String] { members.filter { $0.hasPrefix(kind) }.map { String($0.dropFirst(kind.count)) } }
            if !members.isEmpty { try await body(named("x:"), named("s:")) }
            return true
        }
    }

    /// Removes results and sources from a tag.
    package func untag(_ tag: String, results: [String], sources: [String]) async throws(RedisError) {
        let members = results.map { "x:" + $0 } + sources.map { "s:" + $0 }
        guard !members.isEmpty else { return }
        _ = try await node.command(["ZREM", .string(keys.tag(tag))] + members.map { .string($0) })
    }
}
