/// Decides how a limit is lent to the shards of a queue. Pure.
///
/// A shard runs at most its share. The shares never add up to more than the limit, also while they change. First some are lowered, and then others are
/// raised by no more than is free. A lowered shard may still run more than its share until its runs end, so its runs count if they are more.
package struct SharePlan: Sendable, Hashable {
    /// One shard, as it answered.
    package struct Load: Sendable, Hashable {
        package let share, running, waiting: Int
        /// The workers that serve it.
        package let workers: Int
        /// The mark of the settings that it has; empty without any.
        package let mark: String

        package init(share: Int, running: Int, waiting: Int, workers: Int = 1, mark: String = "") {
            (self.share, self.running, self.waiting, self.workers, self.mark) = (share, running, waiting, workers, mark)
        }

        /// Returns the state with another share.
        func with(share: Int) -> Load { Load(share: share, running: running, waiting: waiting, workers: workers, mark: mark) }

        /// The most fetches that it may run before it is asked again.
        var held: Int { max(share, running) }
    }

    /// The share that each shard should have. A shard that did not answer keeps its share, so it has none here.
    package let wanted: [Int?]

    /// - Parameters:
    ///   - total: the limit.
    ///   - loads: the shards. One that does not answer is nil.
    ///   - unknown: the sum of the shares of the shards that did not answer.
    package init(total: Int, loads: [Load?], unknown: Int = 0) {
        let known = loads.compactMap(\.self)
        guard !known.isEmpty else {
            wanted = loads.map { _ in nil }
            return
        }
        let room = max(0, total - unknown)
        // Each keeps a part, so that its next fetch starts at once.
        var shares = known.map { _ in room / (2 * loads.count) }
        // bounded: at most 64 shares of 2^53.
        var left = room - shares.reduce(0, +)
        // Then all shards with more demand than their share get the same, as far as it goes.
        let demands = known.map { $0.running + $0.waiting }
        while left > 0 {
            // With fewer permits than shards, those that run least are first, so that each has its turn.
            let short = demands.indices.filter { demands[$0] > shares[$0] }.sorted { (known[$0].running, $0) < (known[$1].running, $1) }
            guard !short.isEmpty else { break }
            let each = max(1, left / short.count)
            for index in short where left > 0 {
                let more = min(each, demands[index] - shares[index], left)
                shares[index] += more
                left -= more
            }
        }
        // The rest, which no shard needs now, is shared out evenly.
        for (place, index) in shares.indices.enumerated() where left > 0 {
            let more = left / (shares.count - place)
            shares[index] += more
            left -= more
        }
        var rest = shares[...]
        wanted = loads.map { load in load.map { _ in rest.removeFirst() } }
    }

    /// The shares to lower now, by the place of the shard. Lowering is always safe.
    package func lowered(_ loads: [Load?]) -> [(place: Int, share: Int)] {
        wanted.indices.compactMap { place in
            guard let load = loads[place], let share = wanted[place], share < load.share else { return nil }
            return (place, share)
        }
    }

    /// The shares to raise now.
    /// - Parameters:
    ///   - loads: the shards as they answered after the lowering.
    ///   - total: the limit.
    ///   - unknown: as at the start.
    package func raised(_ loads: [Load?], total: Int, unknown: Int = 0) -> [(place: Int, share: Int)] {
        // bounded: ShardedQueue.most shards.
        var free = total - unknown - loads.reduce(0) { $0 + ($1?.held ?? 0) }
        var raised: [(place: Int, share: Int)] = []
        for place in wanted.indices where free > 0 {
            guard let load = loads[place], let share = wanted[place], share > load.held || share > load.share else { continue }
            // A share up to the number of running fetches is free.
            let more = min(share - load.held, free)
            let next = more > 0 ? load.held + more : share
            guard next > load.share else { continue }
            raised.append((place, next))
            free -= max(0, more)
        }
        return raised
    }
}
