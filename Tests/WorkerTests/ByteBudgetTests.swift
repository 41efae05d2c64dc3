import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// The order in which downloads wait for bytes.
@Suite(.timeLimit(.minutes(1)), .scoped) struct ByteBudgetTests {
    @Test @Loop func `the oldest download continues without room, and the next one after it`() {
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

    /// Otherwise each complete source would let the next one in, until all are there.
    @Test @Loop func `while complete sources are held, no download continues without room`() {
        let budget = ByteBudget(capacity: 100)
        let (first, second) = (budget.begin(), budget.begin())
        #expect(first.take(100) && !second.take(1))
        first.endDownload()
        #expect(!second.take(1) && budget.pausedDownloads == 1, "its bytes come back when it is made")
        first.release()
        #expect(budget.pausedDownloads == 0 && second.take(100) && second.take(1), "no other fetch holds any now")
        second.release()
    }

    @Test @Loop func `fetches that hold their sources and wait for layers do not wait for each other`() {
        let budget = ByteBudget(capacity: 100)
        let (one, other) = (budget.begin(), budget.begin())
        #expect(one.take(60) && other.take(40))
        for reservation in [one, other] { reservation.endDownload() }
        one.awaitMore()
        let layer = one.ofLayer()
        #expect(!layer.take(1), "the other one will give its bytes back")
        other.awaitMore()
        let later = other.ofLayer()
        #expect(layer.take(50) && !later.take(1) && budget.used == 150)
        layer.endDownload()
        one.haveMore()
        #expect(!later.take(1), "the first one is made")
        for reservation in [one, layer] { reservation.release() }
        #expect(budget.pausedDownloads == 0 && later.take(1))
        for reservation in [other, later] { reservation.release() }
        #expect(budget.used == 0)
    }

    @Test @Loop func `a fetch exceeds the budget by its largest source only, and the youngest holder gives up for it`() throws {
        let budget = ByteBudget(capacity: 100)
        let (one, two, three) = (budget.begin(), budget.begin(), budget.begin())
        #expect(one.take(40) && two.take(30) && three.take(30))
        for reservation in [one, two, three] {
            reservation.endDownload()
            reservation.awaitMore()
        }
        let layers = [one, two, three].map { $0.ofLayer() }
        #expect(layers.allSatisfy { $0.take(1) == ($0 === layers[0]) } && layers[0].take(39))
        #expect(budget.used == 140, "the budget plus forty")
        layers[0].endDownload()
        let more = one.ofLayer()
        #expect(!more.take(10) && three.end == .evicted && two.end == nil && !layers[2].take(1) && layers[2].verdict(1) == .stop)
        #expect(throws: TintypeError.noRoom) { try layers[2].check() }
        for reservation in [three, layers[2]] { reservation.release() }
        #expect(more.take(30) && budget.used == 140 && !more.take(1) && two.end == .evicted)
        for reservation in [two, layers[1]] { reservation.release() }
        #expect(more.take(30) && budget.used == 140)
        let last = one.ofLayer()
        #expect(last.take(20) && budget.used == 160, "it is alone, and fills the budget without its largest")
        #expect(!last.take(1) && one.end == .refused, "it is alone, and over the budget without its largest")
        #expect(throws: TintypeError.tooManyPictures(100)) { try more.check() }
        one.allow()
        more.release()
        #expect(one.ofLayer().take(20))
    }

    /// Fetches of one to five pictures come and go in every order. A fetch that gave up begins again.
    @Test(arguments: 0..<40) @Loop func `all fetches end, and never hold more than the budget and one source`(seed: Int) throws {
        final class Fetch {
            let sizes: [Int]
            var (reservation, layers): (ByteReservation?, [ByteReservation]) = (nil, [])
            var (index, taken, isWaiting, rests) = (0, 0, false, 0)
            init(_ sizes: [Int]) { self.sizes = sizes }
        }
        var dice = Dice(UInt64(seed))
        let budget = ByteBudget(capacity: 100)
        var fetches = (0..<12).map { _ in
            Fetch((0..<Int.random(in: 1...5, using: &dice)).map { _ in Int.random(in: 1...(dice.chance(0.2) ? 90 : 40), using: &dice) })
        }
        let largest = fetches.flatMap(\.sizes).max() ?? 0
        var (refused, evicted, idle) = (0, 0, 0)
        /// - Returns: whether anything happened.
        func step(_ fetch: Fetch) throws -> Bool {
            func restart() {
                for reservation in fetch.layers + [fetch.reservation].compactMap({ $0 }) { reservation.release() }
                (fetch.reservation, fetch.layers, fetch.index, fetch.taken, fetch.isWaiting) = (nil, [], 0, 0, false)
            }
            let reservation = fetch.reservation ?? budget.begin()
            fetch.reservation = reservation
            guard fetch.index < fetch.sizes.count else {
                restart()
                fetches.removeAll { $0 === fetch }
                return true
            }
            if fetch.index > 0, !fetch.isWaiting {
                reservation.awaitMore()
                fetch.layers.append(reservation.ofLayer())
                fetch.isWaiting = true
            }
            let one = fetch.layers.last ?? reservation
            guard !one.isPaused else { return false }
            let part = min(Int.random(in: 1...20, using: &dice), fetch.sizes[fetch.index] - fetch.taken)
            switch one.verdict(part) {
            case .pause: return true
            case .stop:
                if reservation.end == .evicted {
                    evicted += 1
                    restart()
                } else {
                    refused += 1
                    #expect(fetch.sizes.reduce(0, +) - (fetch.sizes.max() ?? 0) > 100, "\(fetch.sizes)")
                    restart()
                    fetches.removeAll { $0 === fetch }
                }
                return true
            case .proceed: fetch.taken += part
            }
            #expect(budget.used <= 100 + largest, "\(budget.used)")
            guard fetch.taken == fetch.sizes[fetch.index] else { return true }
            one.endDownload()
            if fetch.isWaiting { reservation.haveMore() }
            (fetch.index, fetch.taken, fetch.isWaiting) = (fetch.index + 1, 0, false)
            return true
        }
        while !fetches.isEmpty {
            let next = dice.of(fetches)
            if try step(next) {
                idle = 0
            } else {
                idle += 1
            }
            guard idle < 2000 else { throw TestFailure("nothing goes on any more: \(fetches.map(\.sizes)), \(budget.used) held") }
        }
        #expect(budget.used == 0)
    }

    @Test @Loop func `arrivals wait for room, one by one if there is little`() async throws {
        let budget = ByteBudget(capacity: 100)
        let (one, other) = (budget.begin(), budget.begin())
        let (began, gate) = (OneShot<Void>(), OneShot<Void>())
        let scope = TaskScope()
        var came: [Int] = []
        scope.run("one") {
            came.append(
                (try? await one.arrive(
                    {
                        began.complete(.success(()))
                        try? await gate.wait()
                        return 90
                    }, size: { $0 })) ?? 0)
        }
        try await began.wait()
        scope.run("other") { came.append((try? await other.arrive({ 80 }, size: { $0 })) ?? 0) }
        try await TestSupport.Gate.until("the other one waits") { budget.pausedDownloads == 1 }
        gate.complete(.success(()))
        await scope.drain()
        #expect(came == [90, 80] && budget.used == 170, "with any room one may arrive")
        for reservation in [one, other] { reservation.release() }
        #expect(budget.used == 0)
    }

    @Test @Loop func `a download that nobody waits for never continues without room`() {
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
