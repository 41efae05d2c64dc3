import Testing

@testable import Shared

@Suite(.timeLimit(.minutes(1)))
struct TransferDeadlinesTests {
    private static let start = ContinuousClock.now
    private func deadlines() -> TransferDeadlines {
        let limits = TransferTimeouts(connect: .seconds(10), idle: .seconds(15), total: .seconds(60))
        return TransferDeadlines(limits: limits, started: Self.start, end: Self.start + limits.total)
    }

    @Test func `connecting has its own limit, and idling counts from when it was done`() {
        let deadlines = deadlines()
        #expect(
            TransferDeadlines(
                limits: TransferTimeouts(connect: .seconds(10), idle: .seconds(2)), started: Self.start, end: Self.start + .seconds(60)
            ).check(at: Self.start, connectedAfter: nil) == .checkAgain(Self.start + .seconds(2)))
        #expect(deadlines.check(at: Self.start + .seconds(9), connectedAfter: nil) == .checkAgain(Self.start + .seconds(10)))
        #expect(deadlines.check(at: Self.start + .seconds(10), connectedAfter: nil) == .expired(.connect))
        #expect(deadlines.check(at: Self.start + .seconds(10), connectedAfter: .seconds(9)) == .checkAgain(Self.start + .seconds(24)))
        #expect(deadlines.check(at: Self.start + .seconds(24), connectedAfter: .seconds(9)) == .expired(.idle))
    }

    @Test func `a byte puts idling off and not the total`() {
        var deadlines = deadlines()
        deadlines.lastActivity = Self.start + .seconds(30)
        #expect(deadlines.check(at: Self.start + .seconds(44), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(45)))
        deadlines.lastActivity = Self.start + .seconds(59)
        #expect(deadlines.check(at: Self.start + .seconds(59), connectedAfter: .seconds(1)) == .checkAgain(Self.start + .seconds(60)))
        #expect(deadlines.check(at: Self.start + .seconds(60), connectedAfter: .seconds(1)) == .expired(.total))
        #expect(deadlines.check(at: Self.start + .seconds(60), connectedAfter: nil) == .expired(.total))
    }

    @Test func `the time for which we held it up counts for nothing`() {
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
