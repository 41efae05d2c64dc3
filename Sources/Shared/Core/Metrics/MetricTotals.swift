/// The numbers of some metrics of one process at one moment. The difference of two moments is what happened between them. A value.
///
/// A counter has one number. A histogram has its count, its sum, and the count of each bucket; what is above the last bound is in the count alone.
package struct MetricTotals: Sendable, Hashable {
    /// The numbers by the name of the metric, then by its labels with a space in front of each. Series of zeros are left out.
    private var metrics: [String: [String: [Double]]] = [:]

    package init() {}

    package init?(_ json: JSON) {
        guard let members = json.object?.members else { return nil }
        for (key, value) in members {
            guard let numbers = value.double.map({ [$0] }) ?? value.array?.compactMap(\.double), numbers.allSatisfy(\.isFinite) else { return nil }
            let end = key.firstIndex(of: " ") ?? key.endIndex
            metrics[String(key[..<end]), default: [:]][String(key[end...])] = numbers
        }
    }

    package var json: JSON {
        func number(_ value: Double) -> JSON { JSON((value * 1e6).rounded() / 1e6) }
        let all = metrics.flatMap { name, series in series.map { (name + $0.key, $0.value) } }.sorted { $0.0 < $1.0 }
        return .object(JSONObject(all.map { ($0.0, $0.1.count == 1 ? number($0.1[0]) : .array($0.1.map(number))) }))
    }

    package var isEmpty: Bool { metrics.isEmpty }

    /// Adds the numbers of a series.
    mutating func add(_ metric: Metric, _ labels: [String], _ numbers: [Double]) {
        guard numbers.contains(where: { $0 != 0 }) else { return }
        add(metric.description.name, labels.map { " " + $0 }.joined(), numbers)
    }

    private mutating func add(_ name: String, _ labels: String, _ numbers: [Double]) {
        guard let known = metrics[name]?[labels] else { return metrics[name, default: [:]][labels] = numbers }
        let (long, short) = known.count < numbers.count ? (numbers, known) : (known, numbers)
        metrics[name]?[labels] = long.indices.map { $0 < short.count ? long[$0] + short[$0] : long[$0] }
    }

    /// Returns what was added since an earlier moment of the same process.
    package func since(_ earlier: MetricTotals) -> MetricTotals {
        var result = MetricTotals()
        for (name, series) in metrics {
            for (labels, numbers) in series {
                let before = earlier.metrics[name]?[labels] ?? []
                let added = numbers.indices.map { max(0, numbers[$0] - ($0 < before.count ? before[$0] : 0)) }
                if added.contains(where: { $0 != 0 }) { result.metrics[name, default: [:]][labels] = added }
            }
        }
        return result
    }

    /// Adds the numbers of another one.
    package mutating func add(_ other: MetricTotals) {
        for (name, series) in other.metrics { for (labels, numbers) in series { add(name, labels, numbers) } }
    }

    /// Returns a part of it, such as a third for one of three seconds.
    package func divided(by parts: Double) -> MetricTotals {
        var part = self
        part.metrics = metrics.mapValues { $0.mapValues { $0.map { $0 / parts } } }
        return part
    }

    /// The sum of a counter over all its series whose labels pass.
    package func sum(of metric: Metric, where passes: ([Substring]) -> Bool = { _ in true }) -> Double {
        all(of: metric).reduce(0) { passes($1.labels) ? $0 + ($1.numbers.first ?? 0) : $0 }
    }

    /// The series of a metric, with their labels.
    package func all(of metric: Metric) -> [(labels: [Substring], numbers: [Double])] {
        (metrics[metric.description.name] ?? [:]).map { (Array($0.key.split(separator: " ", omittingEmptySubsequences: false).dropFirst()), $0.value) }
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

/// The metrics whose totals all processes tell each other, for `stats.series`.
package enum FleetMetrics {
    package static let ofWorkers: [Metric] = [
        .fetchesFinished, .fetchQueuedSeconds, .fetchPhaseSeconds, .errors, .downloadBytes, .pixelExits, .cacheLookups, .sourceBytes, .resultBytes,
        .resultSourceBytes,
    ]
    package static let ofCoordinators: [Metric] = [.rpcRequests, .submits, .cacheLookups, .httpRequests, .doorRequests, .callbacks, .reaped]
}
