import TestSupport
import Testing

@testable import Coordinator

/// Lost messages, detected by the numbers of the others.
@Suite(.timeLimit(.minutes(1))) struct EventSequenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let numbers: [Int64]
        let verdicts: [EventSequence.Verdict]
        var testDescription: String { "\(numbers)" }
    }

    static let cases: [Case] = [
        Case(numbers: [], verdicts: []),
        Case(numbers: [1, 2, 3], verdicts: [.whole, .whole, .whole]),
        Case(numbers: [17, 18], verdicts: [.whole, .whole]),
        Case(numbers: [5, 7], verdicts: [.whole, .gap(missed: 1)]),
        Case(numbers: [5, 9, 10], verdicts: [.whole, .gap(missed: 3), .whole]),
        Case(numbers: [5, 5], verdicts: [.whole, .gap(missed: nil)]),
        Case(numbers: [500, 1, 2], verdicts: [.whole, .gap(missed: nil), .whole]),
        Case(numbers: [.max - 1, .max], verdicts: [.whole, .whole]),
    ]

    @Test(arguments: cases)
    func `a jump is a gap, a lower number is a lost counter, and the first number is accepted`(_ one: Case) {
        var sequence = EventSequence()
        #expect(one.numbers.map { sequence.received($0) } == one.verdicts)
    }

    @Test func `a confirmation starts over`() {
        var sequence = EventSequence()
        #expect(sequence.received(3) == .whole)
        sequence.confirmed()
        #expect(sequence.last == nil)
        #expect(sequence.received(40) == .whole)
        #expect(sequence.received(42) == .gap(missed: 1))
    }

    @Test(arguments: 0..<50)
    func `the first message after any loss shows the loss`(seed: Int) {
        var random = Dice(UInt64(seed) + 1)
        var sequence = EventSequence()
        var before: Int64?
        for number in Int64(1)...200 where random.next() % 10 < 7 {
            let isNext = before.map { $0 + 1 == number } ?? true
            #expect((sequence.received(number) == .whole) == isNext)
            before = number
        }
    }
}
