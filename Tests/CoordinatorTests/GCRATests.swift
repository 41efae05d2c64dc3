import Testing

@testable import Coordinator

/// The rate of a client: so many requests a second, and so many at once.
@Suite(.timeLimit(.minutes(1))) struct GCRATests {
    /// A rate, a burst, and requests at times with the expected answers: nil for a request that is counted, else the seconds to wait.
    private static let table: [(perSecond: Double, burst: Int, requests: [(at: Double, wait: Double?)])] = [
        // A burst, then one at each interval.
        (2, 3, [(10, nil), (10, nil), (10, nil), (10, 0.5), (10.25, 0.25), (10.5, nil), (10.5, 0.5), (11, nil)]),
        // Without a burst, requests must keep the pace.
        (10, 1, [(0, nil), (0, 0.1), (0.05, 0.05), (0.1, nil), (0.2, nil)]),
        // A refused request uses nothing up.
        (1, 1, [(0, nil), (0.5, 0.5), (0.6, 0.4), (0.7, 0.3), (1, nil)]),
        // A long rest fills the burst, and no more.
        (1, 2, [(0, nil), (0, nil), (1000, nil), (1000, nil), (1000, 1)]),
        // Slow rates, and fast ones.
        (0.01, 1, [(0, nil), (50, 50), (100, nil)]),
        (1_000_000, 1, [(1_000_000, nil), (1_000_000, 0.000_001), (1_000_000.000_002, nil)]),
    ]

    @Test func `requests are counted or told how long to wait`() {
        for (number, row) in Self.table.enumerated() {
            var rate = GCRA(perSecond: row.perSecond, burst: row.burst)
            for request in row.requests {
                let wait = rate.take(at: request.at)
                #expect((wait == nil) == (request.wait == nil), "row \(number) at \(request.at): \(String(describing: wait))")
                if let wait, let expected = request.wait { #expect(abs(wait - expected) < 1e-6, "row \(number) at \(request.at): \(wait)") }
            }
        }
    }

    @Test(arguments: [(0.1, 1), (3, 7), (200, 400), (999.9, 13)]) func `whoever waits as long as told comes in time, and no more pass than the rate`(
        perSecond: Double, burst: Int
    ) {
        var rate = GCRA(perSecond: perSecond, burst: burst)
        var (now, passed) = (12_345.678, 0)
        let start = now
        while passed < burst + 100 {
            guard let wait = rate.take(at: now) else {
                passed += 1
                continue
            }
            now += wait
            #expect(rate.left(at: now) == 1)
        }
        let most = Double(burst) + (now - start) * perSecond
        #expect(Double(passed) <= most + 0.1 && Double(passed) > most - 1.1)
    }

    @Test func `what is left falls with each request and rises with time`() {
        var rate = GCRA(perSecond: 2, burst: 3)
        var left = [rate.left(at: 5)]
        for _ in 0..<4 {
            _ = rate.take(at: 5)
            left.append(rate.left(at: 5))
        }
        #expect(left == [3, 2, 1, 0, 0])
        #expect([5.4, 5.5, 6, 6.5, 100].map { rate.left(at: $0) } == [0, 1, 2, 3, 3])
    }

    @Test func `another rate keeps what was used`() {
        var rate = GCRA(perSecond: 1, burst: 10)
        for _ in 0..<8 { _ = rate.take(at: 0) }
        rate.change(perSecond: 4, burst: 20, at: 0)
        #expect(rate.left(at: 0) == 12 && rate.left(at: 1) == 16)
        rate.change(perSecond: 1, burst: 5, at: 1)
        // Four are used of five.
        #expect(rate.left(at: 1) == 1)
        rate.change(perSecond: 1, burst: 2, at: 1)
        let wait = rate.take(at: 1)
        #expect(rate.left(at: 1) == 0 && wait == 3)
    }

    @Test func `a rate that nobody has used stays unused when it changes`() {
        var rate = GCRA(perSecond: 4, burst: 4)
        rate.change(perSecond: 2, burst: 4, at: 9000)
        #expect(rate.left(at: 10) == 4)
    }
}
