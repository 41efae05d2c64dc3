/// Counts the requests at one entrance for the objective. The series are looked up once, so that the first scrape has all of them.
package struct ObjectiveCounter: Sendable {
    /// The entrances that the objective is about.
    package enum Entrance: String, Sendable, CaseIterable {
        /// `image.load`.
        case load
        /// The picture door.
        case door
    }

    private let metrics: Metrics
    private let good: Metrics.Handle
    private let slow: Metrics.Handle
    private let failed: Metrics.Handle

    package init(_ entrance: Entrance, _ metrics: Metrics) {
        func handle(_ verdict: ObjectiveVerdict) -> Metrics.Handle { metrics.handle(.objective, labels: entrance.rawValue, verdict.rawValue) }
        self.metrics = metrics
        (good, slow, failed) = (handle(.good), handle(.slow), handle(.failed))
    }

    package func count(_ verdict: ObjectiveVerdict) {
        switch verdict {
        case .good: metrics.add(good)
        case .slow: metrics.add(slow)
        case .failed: metrics.add(failed)
        }
    }
}
