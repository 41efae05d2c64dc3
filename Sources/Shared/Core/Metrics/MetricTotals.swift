/// The numbers of some metrics of one process at one moment. The difference of two moments is what happened between them. A value.
///
/// A counter has one number. A histogram has its count, its sum, and the count of each bucket; what is above the last bound is in the count alone.
package struct MetricTotals: Sendable, Hashable {
    /// The numbers by series: the name of the metric and its labels, with spaces between. Series of zeros are left out.
    private var series: [String: [Double]] = [:]

    package init() {}

    package init?(_ json: JSON) {
        guard let members = json.object?.members else { return nil }
        for (key, value) in members {
            guard let numbers = value.double.map({ [$0] }) ?? value.array?.compactMap(\.double), numbers.allSatisfy(\.isFinite) else { return nil }
            series[key] = numbers
        }
    }

    package var json: JSON {
        func number(_ value: Double) -> JSON { JSON((value * 1e6).rounded() / 1e6) }
        return .object(
            JSONObject(series.sorted { $0.key < $1.key }.map { ($0.key, $0.value.count == 1 ? number($0.value[0]) : .array($0.value.map(number))) }))
    }

    package var isEmpty: Bool { series.isEmpty }

    /// Adds the numbers of a series.
    mutating func add(_ metric: Metric, _ labels: [String], _ numbers: [Double]) {
        guard numbers.contains(where: { $0 != 0 }) else { return }
        let key = ([metric.description.name] + labels).joined(separator: " ")
        series[key] = series[key].map { zip($0, numbers).map { $0 + $1 } } ?? numbers
    }

    /// Returns what was added since an earlier moment of the same process.
    package func since(_ earlier: MetricTotals) -> MetricTotals {
        combined(with: earlier) { max(0, $0 - $1) }
    }

    /// Returns the sum of two.
    package func adding(_ other: MetricTotals) -> MetricTotals {
        var sum = other.combined(with: self, +)
        for (key, numbers) in series where sum.series[key] == nil { sum.series[key] = numbers }
        return sum
    }

    /// Returns a part of it, such as a third for one of three seconds.
    package func divided(by parts: Double) -> MetricTotals {
        var part = self
        part.series = series.mapValues { $0.map { $0 / parts } }
        return part
    }

    private func combined(with other: MetricTotals, _ body: (Double, Double) -> Double) -> MetricTotals {
        var result = MetricTotals()
        for (key, numbers) in series {
            let others = other.series[key] ?? []
            let combined = numbers.indices.map { body(numbers[$0], $0 < others.count ? others[$0] : 0) }
            if combined.contains(where: { $0 != 0 }) { result.series[key] = combined }
        }
        return result
    }

    /// The sum of a counter over all its series whose labels pass.
    package func sum(of metric: Metric, where passes: ([Substring]) -> Bool = { _ in true }) -> Double {
        all(of: metric).reduce(0) { passes($1.labels) ? $0 + ($1.numbers.first ?? 0) : $0 }
    }

    /// The series of a metric, with their labels.
    package func all(of metric: Metric) -> [(labels: [Substring], numbers: [Double])] {
        let name = metric.description.name
        return series.compactMap { key, numbers in
            let words = key.split(separator: " ", omittingEmptySubsequences: false)
            return words.first.map { $0 == name } == true ? (Array(words.dropFirst()), numbers) : nil
        }
    }
}

extension Metrics {
    /// The labels with many values, over which totals are summed.
    private static let summed: Set<String> = ["queue", "method", "status"]

    /// Returns the present numbers of some metrics, without the labels `queue`, `method` and `status`.
    package func totals(of metrics: [Metric]) -> MetricTotals {
        var totals = MetricTotals()
        for (metric, all) in series(of: metrics) {
            let description = metric.description
            for (labels, one) in all {
                let numbers = description.kind == .histogram ? [Double(one.count), one.value] + one.buckets.map { Double($0) } : [one.value]
                totals.add(metric, zip(description.labels, labels).filter { !Self.summed.contains($0.0) }.map(\.1), numbers)
            }
        }
        return totals
    }
}
