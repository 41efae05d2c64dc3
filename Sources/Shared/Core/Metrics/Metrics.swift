import Synchronization

/// The metrics of one process. Made in `main` and passed down; for any thread (one short lock a call).
///
/// Label values are in the order of the description. A metric keeps at most 1,000 series. Further series are
/// counted under `other`, so that input from clients cannot fill the memory.
package final class Metrics: Sendable {
    /// The numbers of one series.
    struct Series {
        var value = 0.0
        var buckets: [UInt64] = []
        var count: UInt64 = 0
        /// The latest observation of a bucket that was made within a trace, by the index of the bucket. Few series have any.
        var exemplars: [Int: Exemplar] = [:]

        mutating func count(_ observed: Double, in bounds: [Double], _ trace: TraceContext?) {
            let bucket = bounds.firstIndex { observed <= $0 }
            if let bucket { buckets[bucket] += 1 }
            value += observed
            count += 1
            if let trace, trace.isSampled { exemplars[bucket ?? bounds.count] = Exemplar(trace: trace.trace, value: observed, at: WallClock.now) }
        }
    }

    /// An observation that leads to its trace (OpenMetrics 1.0, Exemplars).
    struct Exemplar {
        let trace: TraceID
        let value: Double
        /// Seconds since 1970.
        let at: Double
    }

    private static let seriesLimit = 1000
    private static let descriptions = Metric.allCases.map(\.description)
    private let table = Mutex(Table())

    /// The series of all metrics, each in a place that it keeps.
    private struct Table {
        var places: [[[String]: Int]] = Array(repeating: [:], count: Metric.allCases.count)
        var series: [Series] = []
        /// Places of removed series.
        var free: [Int] = []
    }

    /// All metrics. Counters and histograms without labels start at 0, so that the first scrape has them. A gauge begins with its first value, since 0 would
    /// claim something that nobody has looked up.
    package init() {
        for metric in Metric.allCases {
            let description = Self.descriptions[metric.rawValue]
            if description.labels.isEmpty, description.kind != .gauge { change(metric, []) { _ in } }
        }
    }

    /// Adds to a counter or moves a gauge.
    package func add(_ metric: Metric, _ amount: Double = 1, labels: String...) {
        change(metric, labels) { $0.value += amount }
    }

    /// Sets a gauge.
    package func set(_ metric: Metric, _ value: Double, labels: String...) {
        change(metric, labels) { $0.value = value }
    }

    /// Counts one observation of a histogram.
    /// - Parameter trace: The trace in which it was made. If that is sent, the series leads to it.
    package func observe(_ metric: Metric, _ value: Double, labels: String..., trace: TraceContext? = nil) {
        let bounds = Self.descriptions[metric.rawValue].buckets
        change(metric, labels) { $0.count(value, in: bounds, trace) }
    }

    /// Counts one observation of a histogram of seconds.
    package func observe(_ metric: Metric, _ duration: Duration, labels: String...) {
        let bounds = Self.descriptions[metric.rawValue].buckets
        change(metric, labels) { $0.count(duration / .seconds(1), in: bounds, nil) }
    }

    /// Returns the value of a counter or gauge, or the sum of a histogram; 0 for an unused series.
    package func value(_ metric: Metric, labels: String...) -> Double {
        table.withLock { table in table.places[metric.rawValue][labels].map { table.series[$0].value } ?? 0 }
    }

    /// Removes all series of a gauge, before they are set again for the existing queues or tiers.
    package func reset(_ metric: Metric) {
        table.withLock { table in
            table.free += table.places[metric.rawValue].values
            table.places[metric.rawValue] = [:]
        }
    }

    // MARK: Handles

    /// A series that is changed so often that its labels are looked up once. Not for gauges that are `reset`.
    package struct Handle: Sendable {
        fileprivate let metric: Metric
        fileprivate let place: Int
    }

    /// Returns the handle of a series. The series exists from then on.
    package func handle(_ metric: Metric, labels: String...) -> Handle {
        Handle(metric: metric, place: table.withLock { Self.place(of: metric, labels, in: &$0) })
    }

    /// Adds to a counter.
    package func add(_ handle: Handle, _ amount: Double = 1) {
        table.withLock { $0.series[handle.place].value += amount }
    }

    /// Counts one observation of a histogram.
    /// - Parameter trace: The trace that a sampled observation leads to.
    package func observe(_ handle: Handle, _ value: Double, trace: TraceContext? = nil) {
        let bounds = Self.descriptions[handle.metric.rawValue].buckets
        table.withLock { $0.series[handle.place].count(value, in: bounds, trace) }
    }

    private func change(_ metric: Metric, _ labels: [String], _ body: (inout Series) -> Void) {
        table.withLock { table in body(&table.series[Self.place(of: metric, labels, in: &table)]) }
    }

    private static func place(of metric: Metric, _ labels: [String], in table: inout Table) -> Int {
        let description = descriptions[metric.rawValue]
        precondition(labels.count == description.labels.count, "\(description.name) takes labels \(description.labels)")
        if let known = table.places[metric.rawValue][labels] { return known }
        let labels = table.places[metric.rawValue].count >= seriesLimit ? labels.map { _ in "other" } : labels
        if let known = table.places[metric.rawValue][labels] { return known }
        let empty = Series(buckets: Array(repeating: 0, count: description.buckets.count))
        let place = table.free.popLast() ?? table.series.count
        if place == table.series.count { table.series.append(empty) } else { table.series[place] = empty }
        table.places[metric.rawValue][labels] = place
        return place
    }

    /// Returns the series of some metrics by their labels.
    func series(of metrics: [Metric]) -> [(Metric, [[String]: Series])] {
        table.withLock { table in metrics.map { ($0, table.places[$0.rawValue].mapValues { table.series[$0] }) } }
    }

    /// Returns the answer to `GET /metrics`. Metrics without a series are left out.
    package func text(_ format: MetricsFormat = .prometheus) -> String {
        let table = table.withLock { $0 }
        let all = table.places.map { $0.mapValues { table.series[$0] } }
        var text = ""
        for (description, series) in zip(Self.descriptions, all) where !series.isEmpty {
            text += format.head(description)
            for (values, one) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text += format.lines(description, values, one)
            }
        }
        return text + format.end
    }
}
