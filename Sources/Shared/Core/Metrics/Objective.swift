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

/// The verdict on one request, for the objective: 99 in 100 are good. A pure value.
package enum ObjectiveVerdict: String, Sendable, Hashable, CaseIterable {
    case good
    /// The answer came too late, or the client left when it was too late already.
    case slow
    /// Tintype itself failed, however fast. A failure of the source or of the request is no such failure.
    case failed

    /// The most seconds that a good answer takes.
    package static let bound = 2.0

    private init(after seconds: Double) { self = seconds > Self.bound ? .slow : .good }

    /// The verdict on an answer to `image.load`.
    /// - Parameter error: nil for a result.
    package init(_ error: ErrorName?, after seconds: Double) {
        if let error, Self.failures.contains(error) { self = .failed } else { self.init(after: seconds) }
    }

    /// The verdict on an answer of the picture door. The origin is the cause of 502 and 504.
    package init(status: Int, after seconds: Double) {
        if status == 500 || status == 503 { self = .failed } else { self.init(after: seconds) }
    }

    /// The verdict on a client that left before its answer; nil if it left so soon that nobody knows what it would have got.
    package init?(leftAfter seconds: Double) {
        guard seconds > Self.bound else { return nil }
        self = .slow
    }

    /// The errors that are failures of Tintype itself. A deadline is too late or not, by its time alone.
    private static let failures: Set<ErrorName> = [.internalError, .overloaded, .storeFailed, .unavailable, .workerLost]
}

/// A quantile of a histogram. Pure.
package enum Quantile {
    /// Estimates a quantile, evenly within a bucket, as `histogram_quantile` of Prometheus does. Above the last bound, it is that bound.
    /// - Parameters:
    ///   - count: the number of all values.
    ///   - bounds: the upper ends of the buckets.
    /// - Returns: nil without values or bounds.
    package static func estimate(_ part: Double, of count: Double, in buckets: some Sequence<Double>, _ bounds: [Double]) -> Double? {
        guard count > 0, !bounds.isEmpty else { return nil }
        var (left, low) = (count * part, 0.0)
        for (high, inside) in zip(bounds, buckets) {
            if inside > 0, left <= inside { return low + (high - low) * left / inside }
            (left, low) = (left - inside, high)
        }
        return bounds.last
    }
}
