import TintypeCore
import Testing

/// The verdict on a request, and its counter.
@Suite(.timeLimit(.minutes(1))) struct ObjectiveTests {
    private static let (soon, bound, late) = (0.001, ObjectiveVerdict.bound, ObjectiveVerdict.bound + 0.001)

    static let loads: [(error: ErrorName?, seconds: Double, verdict: ObjectiveVerdict)] = [
        (nil, soon, .good), (nil, bound, .good), (nil, late, .slow),
        // Failures of Tintype itself, each once however slow.
        (.internalError, soon, .failed), (.internalError, late, .failed), (.overloaded, soon, .failed), (.overloaded, late, .failed),
        (.storeFailed, soon, .failed), (.unavailable, soon, .failed), (.workerLost, late, .failed),
        // The time alone decides.
        (.deadlineExceeded, soon, .good), (.deadlineExceeded, late, .slow),
        // Failures of the source or of the request.
        (.httpStatus, soon, .good), (.httpStatus, late, .slow), (.badImageData, bound, .good), (.invalidParams, soon, .good), (.timeout, late, .slow),
        (.forbidden, soon, .good), (.shuttingDown, soon, .good),
    ]

    @Test(arguments: loads.indices) func `an answer to image.load is good, slow or failed`(index: Int) {
        let row = Self.loads[index]
        #expect(ObjectiveVerdict(row.error, after: row.seconds) == row.verdict, "\(row)")
    }

    @Test(arguments: [
        (200, soon, ObjectiveVerdict.good), (200, bound, .good), (200, late, .slow), (304, soon, .good), (202, soon, .good),
        (500, soon, .failed), (503, soon, .failed), (500, late, .failed), (503, late, .failed),
        (404, soon, .good), (422, late, .slow), (429, soon, .good), (502, soon, .good), (502, late, .slow), (504, soon, .good), (504, late, .slow),
    ]) func `an answer of the picture door is good, slow or failed`(status: Int, seconds: Double, verdict: ObjectiveVerdict) {
        #expect(ObjectiveVerdict(status: status, after: seconds) == verdict)
    }

    @Test func `a client that leaves is slow after the bound, and before it nobody knows`() {
        #expect(ObjectiveVerdict(leftAfter: Self.soon) == nil && ObjectiveVerdict(leftAfter: Self.bound) == nil)
        #expect(ObjectiveVerdict(leftAfter: Self.late) == .slow)
    }

    @Test func `each entrance has all series from the start, and counts for itself`() {
        let metrics = Metrics()
        let (load, door) = (ObjectiveCounter(.load, metrics), ObjectiveCounter(.door, metrics))
        let text = metrics.text()
        for entrance in ObjectiveCounter.Entrance.allCases {
            for verdict in ObjectiveVerdict.allCases {
                #expect(text.contains("tintype_objective_total{entrance=\"\(entrance.rawValue)\",verdict=\"\(verdict.rawValue)\"} 0\n"))
            }
        }
        for verdict in ObjectiveVerdict.allCases + [.slow] { load.count(verdict) }
        door.count(.failed)
        func counts(_ entrance: String) -> [Double] { ObjectiveVerdict.allCases.map { metrics.value(.objective, labels: entrance, $0.rawValue) } }
        #expect(counts("load") == [1, 2, 1] && counts("door") == [0, 0, 1])
    }
}
