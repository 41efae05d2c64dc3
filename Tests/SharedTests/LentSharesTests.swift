import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// Rounds of a lender with shards of a test, which answer as they are told.
@Suite(.timeLimit(.minutes(1)), .scoped) struct LentSharesTests {
    private typealias Load = SharePlan.Load

    /// Shards, of which some are silent.
    @Loop private final class Shards {
        var loads: [Load]
        var silent: Set<Int> = []
        var kept: [Int?] = []
        var keeps = true

        init(_ loads: [Load]) { self.loads = loads }

        var shares: [Int] { loads.map(\.share) }

        func round(_ lent: inout LentShares, total: Int) async -> LentShares.Round {
            await lent.lend(total) { [self] questions in
                questions.map { question in
                    if silent.contains(question.shard) { return nil }
                    let load = loads[question.shard]
                    if let share = question.share {
                        #expect(share <= load.share || (kept[question.shard] ?? 0) >= share, "it was kept before")
                        loads[question.shard] = Load(share: share, running: load.running, waiting: load.waiting, workers: load.workers)
                    }
                    return loads[question.shard]
                }
            } keep: { [self] held in
                if keeps { kept = held }
                return keeps
            }
        }
    }

    private static let queue = ShardedQueue(name: "default", count: 4)
    private static let hot =
        [Load(share: 4, running: 0, waiting: 0), Load(share: 4, running: 4, waiting: 90)] + Array(repeating: Load(share: 4, running: 0, waiting: 0), count: 2)

    @Test @Loop func `a new lender lends what is free though a shard is silent, as the last one has kept what that may run`() async {
        let shards = Shards(Self.hot)
        shards.silent = [0]
        var lent = LentShares(Self.queue, kept: [4, 4, 4, 4])
        _ = await shards.round(&lent, total: 16)
        #expect(shards.shares == [4, 10, 1, 1] && shards.kept == [4, 10, 1, 1])
        // With its answer, its share is lent too.
        shards.silent = []
        _ = await shards.round(&lent, total: 16)
        #expect(shards.shares == [2, 10, 2, 2] && shards.kept == [2, 10, 2, 2])
    }

    @Test @Loop func `a silent shard of which nobody knows leaves all as it is`() async {
        for kept in [[], [nil, 4, 4, 4], [1, 2]] as [[Int?]] {
            let shards = Shards(Self.hot)
            shards.silent = [0]
            var lent = LentShares(Self.queue, kept: kept)
            _ = await shards.round(&lent, total: 16)
            #expect(shards.shares == [4, 4, 4, 4])
        }
    }

    @Test @Loop func `nothing is raised that could not be kept for the next lender`() async {
        let shards = Shards(Self.hot)
        shards.keeps = false
        var lent = LentShares(Self.queue)
        _ = await shards.round(&lent, total: 16)
        #expect(shards.shares == [2, 4, 2, 2])
        shards.keeps = true
        _ = await shards.round(&lent, total: 16)
        #expect(shards.shares == [2, 10, 2, 2])
    }

    @Test @Loop func `a shard without a worker needs help at once, another one the second time`() async {
        let shards = Shards([
            Load(share: 4, running: 0, waiting: 1, workers: 0), Load(share: 4, running: 1, waiting: 9, workers: 2),
            Load(share: 4, running: 0, waiting: 0, workers: 0),
            Load(share: 4, running: 4, waiting: 9),
        ])
        var lent = LentShares(Self.queue)
        let first = await shards.round(&lent, total: 16)
        #expect(first.short.map(\.shard) == [0] && first.short[0].isHomeless)
        let second = await shards.round(&lent, total: 16)
        #expect(second.short.map(\.shard) == [0, 1, 3])
    }
}
