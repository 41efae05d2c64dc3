import Testing

@testable import Coordinator

/// When trouble with Redis is a reason to leave the proxy, by a clock that the test moves.
@Suite struct ReadinessGraceTests {
    /// Looks, as second and trouble, and whether each is a reason; the grace is ten seconds.
    @Test(
        arguments: [
            // It has not served yet.
            [(0, true, true), (1, true, true), (2, false, false), (3, true, false)],
            // A switch.
            [(0, false, false), (1, true, false), (6, true, false), (7, false, false)],
            // An outage, and another one.
            [(0, false, false), (1, true, false), (10, true, false), (11, true, true), (60, true, true), (61, false, false), (62, true, false)],
            // One good look begins a new time.
            [(0, false, false), (1, true, false), (9, false, false), (10, true, false), (19, true, false), (20, true, true)],
        ] as [[(Int, Bool, Bool)]])
    func `trouble is a reason after the grace, and at once before the first service`(looks: [(Int, Bool, Bool)]) {
        var grace = ReadinessGrace(.seconds(10))
        let start = ContinuousClock.now
        for (second, isTroubled, isReason) in looks {
            #expect(grace.judge(isTroubled ? "away" : nil, at: start + .seconds(second)) == (isReason ? "away" : nil), "second \(second)")
        }
    }
}
