package import TintypeTransport

/// The knowledge of a lender about the shards of one queue, and the rounds in which it lends. The caller asks the shards.
@Loop
package struct LentShares {
    /// The most that each shard may run, by its last answer; nil if that is unknown.
    private var held: [Int?]
    /// The same as it is kept for the next lender.
    private var kept: [Int?]
    /// The shards with waiting work and unused permits in the last round.
    private var short: Set<Int> = []

    /// - Parameter kept: the shares that the last lender has kept (`Queue.lent`).
    package init(_ sharded: ShardedQueue, kept: [Int?] = []) {
        self.kept = kept.count == sharded.count ? kept : Array(repeating: nil, count: sharded.count)
        held = self.kept
    }

    /// A question to a shard, which may change its share.
    package struct Question: Sendable, Hashable {
        package let shard: Int
        package let share: Int?
    }

    /// A shard that needs help, and how many fetches could run there now.
    package struct Short: Sendable, Hashable {
        package let shard, fetches: Int
        /// Whether no worker serves it.
        package let isHomeless: Bool
    }

    /// The findings of a round.
    package struct Round: Sendable {
        /// The last answer of each shard; nil for one that is silent.
        package let loads: [SharePlan.Load?]
        /// The shards in which work waits though it could run: at once where no worker is, else for the second time in a row.
        package let short: [Short]
    }

    /// Makes a round. The share of a silent shard counts as running. If that share is unknown, no share is raised.
    /// - Parameters:
    ///   - total: the limit.
    ///   - ask: asks shards, all at once if it can; nil for each that does not answer. Such a shard may have taken its share all the same.
    ///   - keep: keeps the shares for the next lender. Without success, no share is raised.
    package mutating func lend(
        _ total: Int, ask: @Loop ([Question]) async -> [SharePlan.Load?], keep: @Loop ([Int?]) async -> Bool = { _ in true }
    ) async -> Round {
        var now = await ask(held.indices.map { Question(shard: $0, share: nil) })
        let isKnown = zip(now, held).allSatisfy { $0 != nil || $1 != nil }
        // bounded: ShardedQueue.most shards.
        let unknown = zip(now, held).reduce(0) { $0 + ($1.0 == nil ? $1.1 ?? 0 : 0) }
        let plan = SharePlan(total: total, loads: now, unknown: unknown)
        // While nothing can be raised, shares are lowered only if they are more than the limit.
        // bounded: ShardedQueue.most shards.
        let isOver = now.reduce(unknown) { $0 + ($1?.share ?? 0) } > total
        let lowered = isKnown || isOver ? plan.lowered(now).map { Question(shard: $0.place, share: $0.share) } : []
        // One that does not answer may still have its higher share.
        for (question, answer) in zip(lowered, lowered.isEmpty ? [] : await ask(lowered)) { now[question.shard] = answer ?? now[question.shard] }
        if isKnown {
            let raised = plan.raised(now, total: total, unknown: unknown).map { Question(shard: $0.place, share: $0.share) }
            var most = bounds(now)
            for question in raised { most[question.shard] = max(most[question.shard] ?? 0, question.share ?? 0) }
            // Before, so that another lender knows in any case.
            if !raised.isEmpty, await isKept(most, keep) {
                for (question, answer) in zip(raised, await ask(raised)) {
                    now[question.shard] = answer ?? now[question.shard]?.with(share: question.share ?? 0)
                }
            }
        }
        held = bounds(now)
        _ = await isKept(held, keep)
        return Round(loads: now, short: found(now))
    }

    private func bounds(_ now: [SharePlan.Load?]) -> [Int?] { zip(now, held).map { $0?.held ?? $1 } }

    private mutating func isKept(_ most: [Int?], _ keep: @Loop ([Int?]) async -> Bool) async -> Bool {
        if most == kept { return true }
        guard await keep(most) else {
            // It may or may not have been kept.
            kept = []
            return false
        }
        kept = most
        return true
    }

    private mutating func found(_ now: [SharePlan.Load?]) -> [Short] {
        let present = Set(now.indices.filter { now[$0].map { $0.waiting > 0 && $0.running < $0.share } ?? false })
        defer { short = present }
        return present.sorted().compactMap { shard in
            guard let load = now[shard], load.workers == 0 || short.contains(shard) else { return nil }
            return Short(shard: shard, fetches: min(load.waiting, load.share - load.running), isHomeless: load.workers == 0)
        }
    }
}
