import Shared
import Testing

@testable import Worker

/// Whose bytes wait for whose.
@Suite(.timeLimit(.minutes(1))) struct ByteBudgetTests {
    @Test @Loop func `the oldest of downloads goes on without room, and the next when it is over`() {
        let budget = ByteBudget(capacity: 100)
        let (first, second) = (budget.begin(), budget.begin())
        #expect(first.take(80) && second.take(20))
        #expect(!second.take(1) && first.take(50))
        #expect(budget.used == 150 && budget.pausedDownloads == 1)
        first.release()
        #expect(budget.pausedDownloads == 0 && second.take(80))
        second.release()
        #expect(budget.used == 0)
    }

    /// Else each that has come whole would let the next one in, until all are there.
    @Test @Loop func `while whole sources are held no download goes on without room`() {
        let budget = ByteBudget(capacity: 100)
        let (first, second) = (budget.begin(), budget.begin())
        #expect(first.take(100) && !second.take(1))
        first.endDownload()
        #expect(!second.take(1) && budget.pausedDownloads == 1, "its bytes come back when it is made")
        first.release()
        #expect(budget.pausedDownloads == 0 && second.take(100) && second.take(1), "nobody else has any now")
        second.release()
    }

    @Test @Loop func `fetches that hold their sources and wait for layers do not wait for each other`() {
        let budget = ByteBudget(capacity: 100)
        let (one, other) = (budget.begin(), budget.begin())
        #expect(one.take(60) && other.take(40))
        for share in [one, other] { share.endDownload() }
        let (layer, later) = (budget.begin(), budget.begin())
        #expect(!layer.take(1) && !later.take(1))
        one.awaitMore()
        #expect(!layer.take(1), "the other one will give its bytes back")
        other.awaitMore()
        #expect(budget.pausedDownloads == 1 && layer.take(50) && !later.take(1))
        layer.endDownload()
        one.haveMore()
        #expect(!later.take(1))
        for share in [one, layer] { share.release() }
        #expect(budget.pausedDownloads == 0 && later.take(1))
        for share in [other, later] { share.release() }
        #expect(budget.used == 0)
    }

    @Test @Loop func `what nobody waits for never goes on without room`() {
        let budget = ByteBudget(capacity: 100)
        let wanted = budget.begin()
        let extra = wanted.another()
        wanted.release()
        let next = budget.begin()
        #expect(extra.take(60) && next.take(40) && !extra.take(1) && next.take(10))
        next.release()
        #expect(extra.take(1))
        extra.release()
        #expect(budget.used == 0)
    }
}
