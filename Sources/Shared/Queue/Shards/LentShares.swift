package import TintypeTransport

/// The knowledge of a lender about the shards of one queue, and the rounds in which it lends. The caller asks the shards.
@Loop
package struct LentShares {
    /// The last answer of each shard; nil for one that has not answered this lender.
    private var loads: [SharePlan.Load?]
    /// The shards with waiting work and unused permits in the last round.
    private var short: Set<Int> = []

    package init(_ sharded: ShardedQueue) { loads = sharded.shards.map { _ in nil } }

    /// A shard that needs help, and how many fetches could run there now.
    package struct Short: Sendable, Hashable {
        package let shard, fetches: Int
    }

    /// Makes a round. A share is raised only if every shard has answered this lender. For a shard that is away, its last answer counts.
    /// - Parameters:
    ///   - total: the limit.
    ///   - ask: asks a shard, and perhaps changes its share; nil without an answer. The shard may have taken the share all the same.
    /// - Returns: the shards in which work waits for the second time in a row though it could run.
    package mutating func lend(_ total: Int, ask: @Loop (_ shard: Int, _ share: Int?) async -> SharePlan.Load?) async -> [Short] {
        var now: [SharePlan.Load?] = []
        for shard in loads.indices { now.append(await ask(shard, nil)) }
        let isKnown = zip(now, loads).allSatisfy { $0 != nil || $1 != nil }
        let unknown = zip(now, loads).reduce(0) { $0 + ($1.0 == nil ? $1.1?.held ?? 0 : 0) }
        let plan = SharePlan(total: total, loads: now, unknown: unknown)
        var areLowered = true
        // While nothing can be raised, shares are lowered only if they are more than the limit.
        let isOver = now.reduce(unknown) { $0 + ($1?.share ?? 0) } > total
        for (shard, share) in plan.lowered(now) where isKnown || isOver {
            let answer = await ask(shard, share)
            // Without an answer it may still have the higher share.
            if answer == nil { areLowered = false } else { now[shard] = answer }
        }
        if isKnown, areLowered {
            for (shard, share) in plan.raised(now, total: total, unknown: unknown) {
                guard let before = now[shard] else { continue }
                now[shard] = await ask(shard, share) ?? SharePlan.Load(share: share, running: before.running, waiting: before.waiting)
            }
        }
        for (shard, load) in now.enumerated() { loads[shard] = load ?? loads[shard] }
        let short = Set(now.indices.filter { now[$0].map { $0.waiting > 0 && $0.running < $0.share } ?? false })
        defer { self.short = short }
        return short.intersection(self.short).sorted().compactMap { shard in
            now[shard].map { Short(shard: shard, fetches: min($0.waiting, $0.share - $0.running)) }
        }
    }
}
