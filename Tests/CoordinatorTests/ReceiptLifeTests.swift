import TestSupport
import Testing

@testable import Coordinator

/// The life of a receipt: every pair of a phase and an event, and the resulting action.
@Suite(.timeLimit(.minutes(1))) struct ReceiptLifeTests {
    typealias Phase = ReceiptLife.Phase
    typealias CancelCause = ReceiptLife.CancelCause

    enum Event: Sendable, CaseIterable {
        case submitBegins, submitReturns, submitIsUnanswered, submitIsRefused, admit, lose
        case list, fly, unlist, forget
        case end, expire, watchAnew
        case withdraw, join, takeCancellation, belongsToOthers
    }

    enum Answer: Sendable, Hashable {
        case nothing, yes, no
        case listing(ReceiptLife.Listing)
        case deadline(ReceiptLife.Deadline)
        case cancelAction(ReceiptLife.CancelAction)
        case cancelCause(CancelCause?)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let event: Event
        /// The phase after the event, from each of `Phase.allCases`.
        let phases: [Phase]
        /// The answer in each phase.
        let answers: [Answer]
        var testDescription: String { "\(event)" }

        init(_ event: Event, _ phases: [Phase], _ answers: [Answer]) { (self.event, self.phases, self.answers) = (event, phases, answers) }
        /// Makes a row whose answer does not depend on the phase.
        init(_ event: Event, _ phases: [Phase], _ answer: Answer = .nothing) {
            self.init(event, phases, Array(repeating: answer, count: Phase.allCases.count))
        }
    }

    private static let unchanged = Phase.allCases

    /// The rows of receipts in the table, until they leave the table.
    static let table: [Row] = [
        Row(.submitBegins, unchanged),
        Row(.submitReturns, unchanged),
        Row(.submitIsUnanswered, unchanged),
        Row(.submitIsRefused, unchanged),
        Row(.admit, [.live, .live, .live, .late, .ended, .ended]),
        Row(.lose, [.submitting, .forgotten, .submitting, .submitting, .ended, .endedEarly]),
        Row(.list, unchanged),
        Row(.fly, unchanged, [.no, .no, .yes, .yes, .no, .no]),
        Row(.unlist, unchanged, [.listed, .unlisted, .listed, .listed, .listed, .listed].map { .listing($0) }),
        Row(
            .forget, [.forgotten, .forgotten, .live, .late, .ended, .endedEarly],
            [.listed, .unlisted, .listed, .listed, .listed, .listed].map { .listing($0) }),
        Row(.end, [.endedEarly, .endedEarly, .ended, .ended, .ended, .endedEarly], [.yes, .yes, .yes, .yes, .no, .no]),
        Row(
            .expire, [.submitting, .forgotten, .late, .late, .ended, .endedEarly],
            [.nothing, .nothing, .tell, .end, .nothing, .nothing].map { .deadline($0) }),
        Row(.watchAnew, [.submitting, .forgotten, .live, .live, .ended, .endedEarly]),
        Row(.withdraw, unchanged, [.later, .later, .now, .now, .nothing, .nothing].map { .cancelAction($0) }),
        Row(.join, unchanged),
        Row(.takeCancellation, unchanged, .cancelCause(nil)),
        Row(.belongsToOthers, unchanged),
    ]

    /// Returns a receipt in a phase.
    static func life(_ phase: Phase) -> ReceiptLife {
        var life = ReceiptLife()
        life.list()
        switch phase {
        case .submitting: break
        case .forgotten: _ = life.forget()
        case .live: life.admit()
        case .late:
            life.admit()
            _ = life.expire()
        case .ended:
            life.admit()
            _ = life.end()
        case .endedEarly: _ = life.end()
        }
        return life
    }

    static func apply(_ event: Event, to life: inout ReceiptLife) -> Answer {
        switch event {
        case .submitBegins: life.submitBegins()
        case .submitReturns: life.submitReturns()
        case .submitIsUnanswered: life.submitIsUnanswered()
        case .submitIsRefused: life.submitIsRefused()
        case .admit: life.admit()
        case .lose: life.lose()
        case .list: life.list()
        case .fly: return life.fly() ? .yes : .no
        case .unlist: return .listing(life.unlist())
        case .forget: return .listing(life.forget())
        case .end: return life.end() ? .yes : .no
        case .expire: return .deadline(life.expire())
        case .watchAnew: life.watchAnew()
        case .withdraw: return .cancelAction(life.withdraw(for: .requested))
        case .join: life.join()
        case .takeCancellation: return .cancelCause(life.takeCancellation())
        case .belongsToOthers: life.belongs(toUs: false)
        }
        return .nothing
    }

    @Test func `the table has every event and every phase`() {
        #expect(Self.table.map(\.event).count == Event.allCases.count && Set(Self.table.map(\.event)) == Set(Event.allCases))
        #expect(Self.table.allSatisfy { $0.phases.count == Phase.allCases.count && $0.answers.count == Phase.allCases.count })
        for phase in Phase.allCases { #expect(Self.life(phase).phase == phase) }
    }

    @Test func `the life of a receipt takes nine bytes`() { #expect(MemoryLayout<ReceiptLife>.size == 9) }

    @Test(arguments: table)
    func `an event leads from each phase to the next one`(_ row: Row) {
        for (index, phase) in Phase.allCases.enumerated() {
            var life = Self.life(phase)
            let answer = Self.apply(row.event, to: &life)
            #expect(life.phase == row.phases[index], "\(row.event) in \(phase)")
            #expect(answer == row.answers[index], "\(row.event) in \(phase)")
        }
    }

    @Test(arguments: [
        (Phase.submitting, false, false, false), (.forgotten, false, false, true), (.live, true, false, true), (.late, true, false, true),
        (.ended, true, true, true), (.endedEarly, false, true, true),
    ])
    func `a phase says whether Redis has it, whether it ends, and whether the first is known`(
        _ phase: Phase, isAdmitted: Bool, isEnding: Bool, isDecided: Bool
    ) {
        let life = Self.life(phase)
        #expect(life.isAdmitted == isAdmitted && life.isEnding == isEnding && life.isDecided == isDecided)
    }

    @Test func `a receipt is in flight from its admission until it leaves the table`() {
        var life = ReceiptLife()
        func apply(_ events: Event...) -> [Answer] { events.map { Self.apply($0, to: &life) }.filter { $0 != .nothing } }
        #expect(apply(.admit, .fly) == [.no], "not in the table")
        #expect(apply(.list, .fly, .fly) == [.yes, .no], "counted once")
        _ = apply(.list, .lose)
        #expect(life.listing == .inFlight, "lost and submitted anew")
        #expect(apply(.admit, .fly, .forget, .forget) == [.no, .listing(.inFlight), .listing(.unlisted)])
    }

    @Test func `a cancellation waits for the answer of the submit, and receipt.cancel overrides others`() {
        for first in CancelCause.allCases {
            for second in CancelCause.allCases {
                var life = ReceiptLife()
                #expect([first, second].map { life.withdraw(for: $0) } == [.later, .later] && life.cancelCause == (first == .cancelled ? first : second))
                var joined = life
                joined.join()
                #expect(joined.cancelCause == (life.cancelCause == .cancelled ? .cancelled : nil), "somebody waits for it")
                var admitted = life
                #expect(
                    Self.apply(.takeCancellation, to: &admitted) == .cancelCause(nil) && admitted.cancelCause == life.cancelCause,
                    "nobody knows whether Redis has it")
                admitted.admit()
                #expect(Self.apply(.takeCancellation, to: &admitted) == .cancelCause(life.cancelCause) && admitted.cancelCause == nil)
                var ended = life
                _ = ended.end()
                #expect(
                    Self.apply(.takeCancellation, to: &ended) == .cancelCause(nil) && ended.cancelCause == life.cancelCause,
                    "what may be queued is withdrawn yet")
            }
        }
    }

    @Test func `a cancellation is carried out later only if Redis may have the receipt`() {
        var life = ReceiptLife()
        _ = life.withdraw(for: .disconnected)
        #expect(life.revocation == nil)
        life.submitIsUnanswered()
        #expect(life.revocation == .disconnected)
        life.submitIsRefused()
        #expect(life.revocation == nil, "Redis has another request's")
    }

    @Test(arguments: Phase.allCases, [false, true])
    func `a failed submit is cleaned up when Redis does not have the receipt`(_ phase: Phase, keepsID: Bool) {
        var life = Self.life(phase)
        life.submitBegins()
        let hasIt = life.isAdmitted
        #expect(life.actionsAfterFailedSubmit(keepsID: keepsID) == (hasIt ? [] : keepsID ? .forget : [.forget, .giveBack]))
        life.submitBegins()
        #expect(life.actionsAfterFailedSubmit(keepsID: keepsID) == (hasIt || keepsID ? [] : .giveBack), "another submit is under way")
        life.submitIsUnanswered()
        #expect(life.actionsAfterFailedSubmit(keepsID: keepsID) == [])
        life.submitReturns()
        #expect(life.actionsAfterFailedSubmit(keepsID: keepsID) == (hasIt ? [] : .forget), "its id may be taken")
    }
}
