import TestSupport
import Testing

@testable import Coordinator

/// The action for a receipt that its clients leave, by its phase, its owner, and the clients that are left.
@Suite(.timeLimit(.minutes(1))) struct ReceiptLeavingTests {
    typealias Audience = ReceiptLife.Audience
    typealias LeaveActions = ReceiptLife.LeaveActions

    /// The relation of the leaving client to the receipt, and the state of the receipt.
    struct Leaving: Sendable, Hashable {
        var cancelsOnDisconnect = false
        var mayComeBack = false
        var isDetached = false
        var waits = false

        static let all = (0..<16).map { Leaving(cancelsOnDisconnect: $0 & 1 > 0, mayComeBack: $0 & 2 > 0, isDetached: $0 & 4 > 0, waits: $0 & 8 > 0) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let life: ReceiptLife
        let leaving: Leaving
        /// The action by the clients that are left: none, only observers, or at least one that keeps the work going.
        let expected: [LeaveActions]

        init(
            _ name: String, _ phase: ReceiptLife.Phase, isOurs: Bool = true, _ leaving: Leaving = Leaving(), done expected: [LeaveActions]
        ) {
            var life = ReceiptLifeTests.life(phase)
            life.belongs(toUs: isOurs)
            (testDescription, self.life, self.leaving, self.expected) = (name, life, leaving, expected)
        }
    }

    static let cases: [Case] = [
        Case("its submit is under way", .submitting, done: [.wait, [], []]),
        Case("its submit is under way, and only a load wanted it", .submitting, Leaving(cancelsOnDisconnect: true), done: [.withdraw, [], []]),
        Case("its submit is under way, and it is detached", .submitting, Leaving(isDetached: true), done: [[], [], []]),
        Case("it has left the table, and is being submitted", .forgotten, done: [.wait, [], []]),
        Case("it lives", .live, done: [[.tell, .wait], [], []]),
        Case("it lives, and waits for somebody already", .live, Leaving(waits: true), done: [.tell, [], []]),
        Case("it lives, and only a load wanted it", .live, Leaving(cancelsOnDisconnect: true), done: [.withdraw, [], []]),
        Case("it lives, is detached, and a load wanted it", .live, Leaving(cancelsOnDisconnect: true, isDetached: true), done: [[.tell, .forget], [], []]),
        Case("it lives and is detached", .live, Leaving(isDetached: true), done: [[.tell, .forget], [], []]),
        Case("it is late", .late, Leaving(mayComeBack: true), done: [[.tell, .wait], [], []]),
        Case("it is another's", .live, isOurs: false, done: [[.tell, .forget], .tell, []]),
        Case("it is another's, and a load wanted it", .live, isOurs: false, Leaving(cancelsOnDisconnect: true), done: [[.tell, .forget], .tell, []]),
        Case("it is another's, and its client may come back", .live, isOurs: false, Leaving(mayComeBack: true), done: [.wait, .wait, []]),
        Case("it is another's, and waits for somebody already", .live, isOurs: false, Leaving(waits: true), done: [[], [], []]),
        Case("it was another's, and is being submitted anew", .submitting, isOurs: false, done: [.wait, [], []]),
        Case("it has ended", .ended, Leaving(cancelsOnDisconnect: true), done: [[], [], []]),
        Case("it has ended before Redis had it", .endedEarly, Leaving(mayComeBack: true), done: [[], [], []]),
    ]

    private func actions(_ life: ReceiptLife, _ audience: Audience, _ leaving: Leaving) -> LeaveActions {
        life.left(
            to: audience, cancelsOnDisconnect: leaving.cancelsOnDisconnect, mayComeBack: leaving.mayComeBack, isDetached: leaving.isDetached,
            waits: leaving.waits)
    }

    @Test(arguments: cases)
    func `a receipt that a client leaves is canceled, waits, or is left to others`(_ one: Case) {
        for (audience, expected) in zip(Audience.allCases, one.expected) {
            #expect(actions(one.life, audience, one.leaving) == expected, "\(audience)")
        }
    }

    /// All 576 combinations.
    @Test func `a leaving client takes no receipt from other clients or observers`() {
        for phase in ReceiptLife.Phase.allCases {
            for isOurs in [true, false] {
                var life = ReceiptLifeTests.life(phase)
                life.belongs(toUs: isOurs)
                for leaving in Leaving.all {
                    let expected = Audience.allCases.map { actions(life, $0, leaving) }
                    #expect(expected[2] == [], "\(phase) \(leaving)")
                    #expect(!expected[1].contains(.forget) && !expected[1].contains(.withdraw), "\(phase) \(leaving)")
                    #expect(!expected[0].contains(.withdraw) || expected[0] == .withdraw && !leaving.isDetached, "\(phase) \(leaving)")
                    #expect(!life.isEnding || expected == [[], [], []], "\(phase) \(leaving)")
                    #expect(life.isAdmitted || expected.allSatisfy { !$0.contains(.tell) && !$0.contains(.forget) }, "\(phase) \(leaving)")
                }
            }
        }
    }

    @Test(arguments: ReceiptLife.Phase.allCases)
    func `a receipt is canceled or left to observers when no client has come back`(_ phase: ReceiptLife.Phase) {
        let life = ReceiptLifeTests.life(phase)
        #expect(Audience.allCases.map { life.waitIsOver($0) } == [.withdraw, .tell, []])
        #expect(Audience.allCases.map { life.handedOver(to: $0) } == [[.tell, .forget], .tell, .tell])
    }

    @Test(arguments: ReceiptLife.Phase.allCases, [true, false])
    func `a canceled request waits for the event only if it was the last of a receipt of this coordinator`(
        _ phase: ReceiptLife.Phase, isOurs: Bool
    ) {
        var life = ReceiptLifeTests.life(phase)
        life.belongs(toUs: isOurs)
        for isLast in [true, false] {
            for isAwaited in [true, false] {
                let expected: ReceiptLife.Cancellation =
                    switch phase {
                    case .live, .late: !isOurs ? .leaves : isLast && isAwaited ? .awaitsEnd : .goes(withdraws: isLast)
                    case .submitting, .forgotten: .goes(withdraws: isLast)
                    case .ended, .endedEarly: .goes(withdraws: false)
                    }
                #expect(life.cancellation(isLast: isLast, isAwaited: isAwaited) == expected, "last \(isLast), awaited \(isAwaited)")
            }
        }
    }
}
