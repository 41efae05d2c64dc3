import Testing

@testable import TintypeTransport

@Suite(.timeLimit(.minutes(1)))
struct TransferDeadlinesTests {
    private static let start = ContinuousClock.now
    private func deadlines() -> TransferDeadlines {
        let limits = TransferTimeouts(connect: .seconds(10), idle: .seconds(15), total: .seconds(60))
        return TransferDeadlines(limits: limits, started: Self.start, end: Self.start + limits.total)
    }

    @Test func `connecting has its own timeout, and the idle time counts from its end`() {
        var deadlines = deadlines()
        var short = TransferDeadlines(
            limits: TransferTimeouts(connect: .seconds(10), idle: .seconds(2)), started: Self.start, end: Self.start + .seconds(60))
        #expect(short.check(at: Self.start, connectedAfter: nil) == .checkAgain(Self.start + .seconds(2)))
        #expect(deadlines.check(at: Self.start + .seconds(9), connectedAfter: nil) == .checkAgain(Self.start + .seconds(10)))
        #expect(deadlines.check(at: Self.start + .seconds(10), connectedAfter: nil) == .expired(.connect))
        #expect(deadlines.check(at: Self.start + .seconds(10), connectedAfter: .seconds(9)) == .checkAgain(Self.start + .seconds(24)))
        #expect(deadlines.check(at: Self.start + .seconds(24), connectedAfter: .seconds(9)) == .expired(.idle))
    }

    @Test func `a byte resets the idle timeout and not the total`() {
        var deadlines = deadlines()
        deadlines.lastActivity = Self.start + .seconds(30)
        #expect(deadlines.check(at: Self.start + .seconds(44), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(45)))
        deadlines.lastActivity = Self.start + .seconds(59)
        #expect(deadlines.check(at: Self.start + .seconds(59), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(60)))
        #expect(deadlines.check(at: Self.start + .seconds(60), connectedAfter: .seconds(1)) == .expired(.total))
        #expect(deadlines.check(at: Self.start + .seconds(60), connectedAfter: nil) == .expired(.total))
    }

    struct RateCase: Sendable {
        /// Seconds since the beginning, and the number of bytes that came then.
        var bytes: [(at: Double, count: Int)]
        /// The seconds between which the download was paused.
        var pause: (from: Double, to: Double)?
        /// The time at which it ends as too slow; nil: not before the last checked moment.
        var endsAt: Double?
    }

    @Test(arguments: [
        // A little more than 1,024 bytes a second is enough, a little less is not.
        RateCase(bytes: (1...90).map { (Double($0), 1100) }),
        RateCase(bytes: (1...90).map { (Double($0), 1000) }, endsAt: 61),
        // All bytes at once, then none: the first window passes, the second does not.
        RateCase(bytes: [(1, 1 << 20)], endsAt: 61),
        RateCase(bytes: [(1, 1 << 20), (60, 1 << 20)], endsAt: 91),
        // The time before the first byte does not count in the rate.
        RateCase(bytes: [(80, 10)]),
        RateCase(bytes: []),
        // Pauses do not count.
        RateCase(bytes: [(1, 10)], pause: (from: 2, to: 50), endsAt: 79),
        RateCase(bytes: [(1, 10)], pause: (from: 2, to: 200)),
    ])
    func `a server that sends more slowly than it must is cut off, counted from its first byte`(one: RateCase) {
        let limits = TransferTimeouts(connect: .seconds(10), idle: .seconds(500), total: .seconds(1000))
        var deadlines = TransferDeadlines(
            limits: limits, lowestRate: LowestRate(bytesPerSecond: 1024), started: Self.start, end: Self.start + limits.total)
        var endedAt: Double?
        for second in 0...91 {
            let (time, now) = (Double(second), Self.start + .seconds(second))
            for bytes in one.bytes where bytes.at == time { deadlines.received(bytes.count, at: now) }
            if time == one.pause?.from { deadlines.pause(at: now) }
            if time == one.pause?.to { deadlines.resume(at: now) }
            if endedAt == nil, deadlines.check(at: now, connectedAfter: .seconds(0)) == .expired(.rate) { endedAt = time }
        }
        #expect(endedAt == one.endsAt)
    }

    @Test func `a rate is checked at the end of a window, and a rate of 0 is not`() {
        let limits = TransferTimeouts(connect: .seconds(500), idle: .seconds(500), total: .seconds(1000))
        var deadlines = TransferDeadlines(
            limits: limits, lowestRate: LowestRate(bytesPerSecond: 1), started: Self.start, end: Self.start + limits.total)
        #expect(deadlines.check(at: Self.start, connectedAfter: nil) == .checkAgain(Self.start + .seconds(30)))
        deadlines.received(40, at: Self.start + .seconds(2))
        #expect(deadlines.check(at: Self.start + .seconds(3), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(32)))
        #expect(deadlines.check(at: Self.start + .seconds(32), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(62)))
        #expect(LowestRate(bytesPerSecond: 0) == nil)
    }

    @Test func `the time of our own pauses does not count`() {
        var deadlines = deadlines()
        deadlines.pause(at: Self.start + .seconds(10))
        deadlines.pause(at: Self.start + .seconds(15))
        #expect(deadlines.check(at: Self.start + .seconds(50), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(65)))
        #expect(deadlines.check(at: Self.start + .seconds(100), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(115)))
        deadlines.resume(at: Self.start + .seconds(110))
        #expect(!deadlines.isPaused && deadlines.end == Self.start + .seconds(160))
        #expect(deadlines.check(at: Self.start + .seconds(124), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(125)))
        #expect(deadlines.check(at: Self.start + .seconds(125), connectedAfter: .seconds(1)) == .expired(.idle))
        deadlines.lastActivity = Self.start + .seconds(159)
        #expect(deadlines.check(at: Self.start + .seconds(159), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(160)))
        #expect(deadlines.check(at: Self.start + .seconds(160), connectedAfter: .seconds(1)) == .expired(.total))
        deadlines.resume(at: Self.start + .seconds(170))
        #expect(deadlines.end == Self.start + .seconds(160), "it was not paused")
    }
}
