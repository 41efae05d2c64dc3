import TintypeCore
package import TintypeTransport

/// The purges of the last days, as Redis lists them. A kept source is asked about here before it is used, since stores cannot list sources by URL. So
/// is a result of the second place of results, which is never written.
///
/// Times are those of the clock of Redis, so clocks of other machines do not count. One call to Redis tells whether there was a purge since the list
/// was last read. Lives on the loop.
@Loop
package final class PurgeList {
    private let node: RedisNode
    /// The time of the newest purge in `purges`.
    private var newest: Int64 = 0
    private var purges: [(target: PurgeTarget, at: Int64)] = []

    package init(_ redis: RedisNodes) { node = redis.node(for: QueueKeys.shared) }

    /// Returns whether a source or result was purged.
    /// - Parameters:
    ///   - urls: the URLs of the source, as results show them.
    ///   - kept: its key in a store; nil if it was not kept.
    ///   - since: when the run began that brought it. Epoch ms of Redis; 0 if unknown.
    package func hits(_ urls: [String], kept: PurgedKey? = nil, since: Int64) async throws(RedisError) -> Bool {
        guard let last = try await node.command(["HGET", .string(QueueKeys.settings), "purgedAt"]).int, last >= since else {
            return false
        }
        if last != newest {
            let listed = try await node.command(["ZRANGE", .string(QueueKeys.purges), "0", "-1", "WITHSCORES"]).array ?? []
            purges = stride(from: 0, to: listed.count - 1, by: 2).compactMap { place in
                guard let target = listed[place].string.flatMap({ PurgeTarget(member: $0) }), let at = listed[place + 1].int
                else { return nil }
                return (target, at)
            }
            newest = last
        }
        let forms = PurgeTarget.forms(of: urls)
        if purges.contains(where: { $0.at >= since && $0.target.hits(forms: forms) }) { return true }
        guard let kept else { return false }
        return try await node.command(["ZSCORE", .string(QueueKeys.purgedKeys), .string(kept.member)]).int.map { $0 >= since } ?? false
    }
}
