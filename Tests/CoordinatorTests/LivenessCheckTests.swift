import TestSupport
import TintypeQueue
import Testing

@testable import Coordinator

/// The receipts that Redis is asked about again, and the times.
@Suite(.timeLimit(.minutes(1))) struct LivenessCheckTests {
    enum Step: Sendable {
        case begin(LivenessCheck.Cause), heard(EventType), asked, answered(isOurs: Bool)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The steps, each a second after the one before; the first at 0.
        let steps: [Step]
        let cause: LivenessCheck.Cause
        /// Seconds after the last step.
        let due: Double

        init(_ name: String, _ steps: [Step], _ cause: LivenessCheck.Cause, _ due: Double) {
            (testDescription, self.steps, self.cause, self.due) = (name, steps, cause, due)
        }
    }

    static let cases: [Case] = [
        Case("nothing has happened", [], .none, .infinity),
        Case("it waits", [.heard(.queued)], .none, .infinity),
        Case("it waits, and was read at a gap", [.asked, .answered(isOurs: true)], .none, .infinity),
        Case("it runs", [.heard(.started)], .running, 2),
        Case("it runs, and something new comes", [.heard(.started), .asked, .heard(.progress)], .running, 2),
        Case("it runs, and nothing is new", [.heard(.started), .asked], .running, 4),
        Case("the same again", [.heard(.started), .asked, .answered(isOurs: true), .asked], .running, 8),
        Case("and again, and again", [.heard(.started), .asked, .asked, .asked, .asked], .running, 8),
        Case("its run has failed, and it waits again", [.heard(.started), .heard(.retrying)], .none, .infinity),
        Case("its run was given back", [.heard(.progress), .heard(.queued)], .none, .infinity),
        Case("what is shown meanwhile is no run", [.heard(.cached)], .none, .infinity),
        Case("it was found in Redis", [.begin(.unproven)], .unproven, 2),
        Case("it was found, and Redis does not answer", [.begin(.unproven), .asked, .asked], .unproven, 8),
        Case("it was found, and Redis has answered", [.begin(.unproven), .asked, .answered(isOurs: true)], .none, .infinity),
        Case("it was found, and an event is no proof of those before", [.begin(.unproven), .heard(.started)], .unproven, 2),
        Case("it is another's", [.begin(.elsewhere)], .elsewhere, 2),
        Case("it is another's, and has been for long", [.begin(.elsewhere), .asked, .answered(isOurs: false), .asked, .asked], .elsewhere, 8),
        Case("it was ours until now", [.answered(isOurs: false)], .elsewhere, 2),
        Case("it was another's until now", [.begin(.elsewhere), .asked, .answered(isOurs: true)], .unproven, 2),
        Case("and is asked for once more", [.begin(.elsewhere), .answered(isOurs: true), .asked, .answered(isOurs: true)], .none, .infinity),
    ]

    @Test(arguments: cases)
    func `a receipt is asked about where a message could be missed without a gap, and never while it only waits`(_ one: Case) {
        var liveness = LivenessCheck()
        var now = 0.0
        for (second, step) in one.steps.enumerated() {
            now = Double(second)
            switch step {
            case .begin(let cause): liveness.begin(cause, at: now)
            case .heard(let type): liveness.heard(type, at: now)
            case .asked: liveness.asked(at: now)
            case .answered(let isOurs): liveness.answered(isOurs: isOurs, at: now)
            }
        }
        #expect(liveness.cause == one.cause)
        #expect(liveness.due - now == one.due)
    }
}
