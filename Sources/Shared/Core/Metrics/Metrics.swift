import Synchronization

/// The metrics of one process. Made in `main` and passed down; for any thread (one short lock a call).
///
/// Label values are in the order of the description. A metric keeps at most 1,000 series. Further series are
/// counted under `other`, so that input from clients cannot fill the memory.
package final class Metrics: Sendable {
    private struct Series {
        var value = 0.0
        var buckets: [UInt64] = []
        var count: UInt64 = 0
    }

    private static let seriesLimit = 1000
    private static let descriptions = Metric.allCases.map(\.description)
    private let series = Mutex<[[[String]: Series]]>(Array(repeating: [:], count: Metric.allCases.count))

    /// All metrics. Counters and gauges without labels start at 0, so that the first scrape has them.
    package init() {
        for metric in Metric.allCases where Self.descriptions[metric.rawValue].labels.isEmpty {
            change(metric, []) { _ in }
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
    package func observe(_ metric: Metric, _ value: Double, labels: String...) {
        let bounds = Self.descriptions[metric.rawValue].buckets
        change(metric, labels) { series in
            if let bucket = bounds.firstIndex(where: { value <= $0 }) { series.buckets[bucket] += 1 }
            series.value += value
            series.count += 1
        }
    }

    /// Counts one observation of a histogram of seconds.
    package func observe(_ metric: Metric, _ duration: Duration, labels: String...) {
        let bounds = Self.descriptions[metric.rawValue].buckets
        let seconds = duration / .seconds(1)
        change(metric, labels) { series in
            if let bucket = bounds.firstIndex(where: { seconds <= $0 }) { series.buckets[bucket] += 1 }
            series.value += seconds
            series.count += 1
        }
    }

    /// Returns the value of a counter or gauge, or the sum of a histogram; 0 for an unused series.
    package func value(_ metric: Metric, labels: String...) -> Double {
        series.withLock { $0[metric.rawValue][labels]?.value ?? 0 }
    }

    /// Removes all series of a gauge, before they are set again for the existing queues or tiers.
    package func reset(_ metric: Metric) {
        series.withLock { $0[metric.rawValue] = [:] }
    }

    private func change(_ metric: Metric, _ labels: [String], _ body: (inout Series) -> Void) {
        let description = Self.descriptions[metric.rawValue]
        precondition(labels.count == description.labels.count, "\(description.name) takes labels \(description.labels)")
        series.withLock { all in
            if let known = all[metric.rawValue].index(forKey: labels) { return body(&all[metric.rawValue].values[known]) }
            let labels = all[metric.rawValue].count >= Self.seriesLimit ? labels.map { _ in "other" } : labels
            let empty = Series(buckets: Array(repeating: 0, count: description.buckets.count))
            body(&all[metric.rawValue][labels, default: empty])
        }
    }

    /// Returns the answer to `GET /metrics`: Prometheus' text format 0.0.4. Metrics without a series are left out.
    package func prometheusText() -> String {
        let all = series.withLock { $0 }
        var text = ""
        for (description, series) in zip(Self.descriptions, all) where !series.isEmpty {
            text += "# HELP \(description.name) \(description.help)\n# TYPE \(description.name) \(description.kind.rawValue)\n"
            for (values, one) in series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text += Self.lines(description, values, one)
            }
        }
        return text
    }

    private static func lines(_ description: MetricDescription, _ values: [String], _ series: Series) -> String {
        let labels = zip(description.labels, values).map { "\($0)=\"\(escaped($1))\"" }
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        guard description.kind == .histogram else { return "\(description.name)\(braces) \(number(series.value))\n" }
        var text = ""
        var total: UInt64 = 0
        for (bound, count) in zip(description.buckets, series.buckets) {
            total += count
            let inside = (labels + ["le=\"\(number(bound))\""]).joined(separator: ",")
            text += "\(description.name)_bucket{\(inside)} \(total)\n"
        }
        text += "\(description.name)_bucket{\((labels + ["le=\"+Inf\""]).joined(separator: ","))} \(series.count)\n"
        return text + "\(description.name)_sum\(braces) \(number(series.value))\n\(description.name)_count\(braces) \(series.count)\n"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n", "\r", "\r\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}
