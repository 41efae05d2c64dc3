import Testing

@testable import Coordinator
@testable import TintypeActivity

/// The behavior of AFNetworkActivityIndicatorManager, with its delays of 1 s and 0.17 s.
@Suite(.timeLimit(.minutes(1))) struct ActivityStateTests {
    enum Step: Sendable {
        /// This number of receipts is in flight at this time.
        case running(Int, at: Double)
        /// The timer fires, or nothing happens, at this time.
        case time(Double)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        /// The phase after each step.
        let phases: [ActivityState.Phase]
        /// The times at which the display changes, the first beginning first.
        let changes: [Double]
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing happens without work", steps: [.running(0, at: 0), .time(5)], phases: [.notActive, .notActive], changes: []),
        Case(
            testDescription: "work is shown after a second",
            steps: [.running(1, at: 0), .time(0.99), .time(1)], phases: [.delayingStart, .delayingStart, .active], changes: [1]),
        Case(
            testDescription: "a short burst is never shown",
            steps: [.running(1, at: 0), .running(0, at: 0.4), .time(1), .time(2)],
            phases: [.delayingStart, .delayingStart, .notActive, .notActive], changes: []),
        Case(
            testDescription: "the start is not put off by changes: only work at its end counts",
            steps: [.running(1, at: 0), .running(0, at: 0.2), .running(2, at: 0.9), .time(1)],
            phases: [.delayingStart, .delayingStart, .delayingStart, .active], changes: [1]),
        Case(
            testDescription: "a burst after a burst waits a second of its own",
            steps: [.running(1, at: 0), .running(0, at: 0.5), .time(1), .running(1, at: 1.1), .time(2), .time(2.1)],
            phases: [.delayingStart, .delayingStart, .notActive, .delayingStart, .delayingStart, .active], changes: [2.1]),
        Case(
            testDescription: "it is shown for a little longer than there is work",
            steps: [.running(1, at: 0), .time(1), .running(0, at: 3), .time(3.16), .time(3.17)],
            phases: [.delayingStart, .active, .delayingEnd, .delayingEnd, .notActive], changes: [1, 3.17]),
        Case(
            testDescription: "new work in the end delay goes on being shown, without a second's wait, and stops the timer",
            steps: [.running(1, at: 0), .time(1), .running(0, at: 3), .running(1, at: 3.1), .time(3.2), .time(9)],
            phases: [.delayingStart, .active, .delayingEnd, .active, .active, .active], changes: [1]),
        Case(
            testDescription: "each pause has its own end delay",
            steps: [.running(1, at: 0), .time(1), .running(0, at: 3), .running(1, at: 3.1), .running(0, at: 3.15), .time(3.2), .time(3.32)],
            phases: [.delayingStart, .active, .delayingEnd, .active, .delayingEnd, .delayingEnd, .notActive], changes: [1, 3.32]),
        Case(
            testDescription: "more or less of it changes nothing while there is some",
            steps: [.running(1, at: 0), .time(1), .running(7, at: 2), .running(1, at: 3), .time(4)],
            phases: [.delayingStart, .active, .active, .active, .active], changes: [1]),
        Case(
            testDescription: "fewer than none are none",
            steps: [.running(-3, at: 0), .running(1, at: 1), .time(2)], phases: [.notActive, .delayingStart, .active], changes: [2]),
        Case(
            testDescription: "a timer that comes late changes nothing of what was due",
            steps: [.running(1, at: 0), .running(0, at: 1.5), .time(1.6), .running(1, at: 4)],
            phases: [.delayingStart, .delayingEnd, .delayingEnd, .delayingStart], changes: [1.5, 4]),
    ]

    @Test(arguments: cases) func `activity is shown and hidden after the delays`(test: Case) {
        var state = ActivityState(startDelay: 1, endDelay: 0.17)
        var phases: [ActivityState.Phase] = []
        var changes: [Double] = []
        for step in test.steps {
            let before = state.isShown
            let now: Double
            switch step {
            case .running(let count, let at):
                now = at
                state.set(running: count, now: at)
            case .time(let at):
                now = at
                state.advance(to: at)
            }
            phases.append(state.phase)
            if state.isShown != before { changes.append(now) }
            #expect((state.due != nil) == (state.phase == .delayingStart || state.phase == .delayingEnd))
        }
        #expect(phases == test.phases)
        #expect(changes == test.changes)
    }
}
