import Testing
import TintypeQueue

@testable import Coordinator

/// The progress events that a client gets.
@Suite(.timeLimit(.minutes(1))) struct ProgressThrottleTests {
    /// A progress event: time, phase, fraction. Its sequence number names it.
    struct Report: Sendable {
        let now: Double
        let phase: String
        let fraction: Double?
        init(_ now: Double, _ phase: String, _ fraction: Double?) { (self.now, self.phase, self.fraction) = (now, phase, fraction) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reports: [Report]
        /// The numbers of the events that are sent, including the flush at the end.
        let sent: [Int]
    }

    static let cases: [Case] = [
        Case(testDescription: "the first one", reports: [Report(0, "download", 0)], sent: [0]),
        Case(
            testDescription: "too early and too little waits, and is the last after all",
            reports: [Report(0, "download", 0), Report(0.1, "download", 0.01)], sent: [0, 1]),
        Case(
            testDescription: "of several withheld only the last",
            reports: [Report(0, "download", 0), Report(0.1, "download", 0.01), Report(0.2, "download", 0.02)], sent: [0, 2]),
        Case(
            testDescription: "the interval makes it due",
            reports: [Report(0, "download", 0), Report(0.25, "download", 0.01), Report(0.3, "download", 0.02)], sent: [0, 1, 2]),
        Case(
            testDescription: "the fraction makes it due",
            reports: [Report(0, "download", 0), Report(0.01, "download", 0.05), Report(0.02, "download", 0.06)], sent: [0, 1, 2]),
        Case(
            testDescription: "a complete one always",
            reports: [Report(0, "download", 0.99), Report(0.01, "download", 1)], sent: [0, 1]),
        Case(
            testDescription: "the last of a phase comes before the next phase",
            reports: [Report(0, "download", 0.1), Report(0.01, "download", 0.11), Report(0.02, "decode", nil)], sent: [0, 1, 2]),
        Case(
            testDescription: "without a known whole only the interval counts",
            reports: [Report(0, "download", nil), Report(0.1, "download", nil), Report(0.26, "download", nil)], sent: [0, 2]),
        Case(
            testDescription: "a fraction that falls, after a retry, is news",
            reports: [Report(0, "download", 0.8), Report(0.01, "download", 0)], sent: [0, 1]),
    ]

    @Test(arguments: cases)
    func `progress is sent after an interval or a fraction, and the last event always`(_ one: Case) {
        var throttle = ProgressThrottle(interval: 0.25, fraction: 0.05)
        var sent: [Int] = []
        for (number, report) in one.reports.enumerated() {
            let event = ReceiptEvent(type: .progress, sequence: number, at: "0", body: "")
            let due = throttle.progress(event, ProgressThrottle.Step(phase: report.phase, fraction: report.fraction), now: report.now)
            sent += due.map(\.sequence)
        }
        sent += throttle.flush().map(\.sequence)
        #expect(sent == one.sent)
    }

    @Test func `no event is lost when reports keep the requested pace, a little early or late`() {
        var throttle = ProgressThrottle(interval: 0.02, fraction: 1)
        let moments = (0..<50).map { number -> Double in
            let late = number % 2 == 0 ? 0.002 : -0.001
            return Double(number) * 0.0205 + late
        }
        let sent = moments.enumerated().flatMap { number, now in
            throttle.progress(
                ReceiptEvent(type: .progress, sequence: number, at: "0", body: ""), ProgressThrottle.Step(phase: "download", fraction: nil), now: now)
        }
        #expect(sent.map(\.sequence) == Array(0..<50))
    }

    @Test func `an interval of zero passes every event`() {
        var throttle = ProgressThrottle(interval: 0, fraction: 1)
        for number in 0..<10 {
            let event = ReceiptEvent(type: .progress, sequence: number, at: "0", body: "")
            #expect(throttle.progress(event, ProgressThrottle.Step(phase: "download", fraction: 0.5), now: 1).map(\.sequence) == [number])
        }
        #expect(throttle.flush().isEmpty)
    }
}
