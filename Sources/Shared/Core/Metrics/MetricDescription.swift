/// The kind of a metric, in Prometheus' terms.
package enum MetricKind: String, Sendable {
    /// Only ever rises.
    case counter
    /// Rises and falls.
    case gauge
    /// Observations counted into buckets, with their sum.
    case histogram
}

/// The description of one metric, for the `/metrics` text, docs/operations.md and the registry.
package struct MetricDescription: Sendable {
    /// The name in Prometheus' text, `tintype_` or `process_` included.
    package let name: String
    package let kind: MetricKind
    /// The label names; `Metrics` takes the values in this order.
    package let labels: [String]
    package let help: String
    /// Upper bounds of a histogram's buckets, ascending, without `+Inf`; empty for other kinds.
    package let buckets: [Double]

    static func counter(_ name: String, by labels: String..., help: String) -> MetricDescription {
        MetricDescription(name: name, kind: .counter, labels: labels, help: help, buckets: [])
    }

    static func gauge(_ name: String, by labels: String..., help: String) -> MetricDescription {
        MetricDescription(name: name, kind: .gauge, labels: labels, help: help, buckets: [])
    }

    /// A histogram of seconds.
    static func seconds(
        _ name: String, by labels: String..., buckets: [Double] = MetricDescription.workBuckets, help: String
    ) -> MetricDescription {
        MetricDescription(name: name, kind: .histogram, labels: labels, help: help, buckets: buckets)
    }

    /// For work on images and downloads: 1 ms to 60 s.
    static let workBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// For reads and writes of stores: 0.5 ms to 60 s.
    static let storeBuckets = [0.0005] + workBuckets
    /// For answers to clients, which may wait for a picture: 50 µs to 30 s. The bound of the objective is one of theirs.
    static let answerBuckets = quickBuckets.filter { $0 < 1 } + [0.5, 1, ObjectiveVerdict.bound, 5, 10, 30]
    /// For answers that come from memory or one Redis round trip: 50 µs to 1 s.
    static let quickBuckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
}
