import TintypeCore

/// The times of a phase, as `stats.series` counts them in buckets. Those of several points add up, which quantiles do not. A value.
struct PhaseHistogram: Sendable, Hashable {
    /// The most buckets that are kept of an answer.
    private static let most = 1000

    private(set) var count = 0.0
    /// The seconds of all together.
    private(set) var sum = 0.0
    /// The counts by the place of their upper end in the bounds.
    private var buckets: [Double] = []

    /// Adds the histogram of a point: `buckets` has the place of the first bucket, then the counts from there on.
    mutating func add(_ phase: JSON) {
        count += phase["count"]?.double ?? 0
        sum += phase["sum"]?.double ?? 0
        let numbers = phase["buckets"]?.array ?? []
        guard let first = numbers.first?.int, (0..<Self.most).contains(first) else { return }
        for (place, number) in zip(first..<Self.most, numbers.dropFirst()) {
            buckets += Array(repeating: 0, count: max(0, place + 1 - buckets.count))
            buckets[place] += number.double ?? 0
        }
    }

    /// Estimates a quantile; nil without times or bounds.
    func quantile(_ part: Double, _ bounds: [Double]) -> Double? { Quantile.estimate(part, of: count, in: buckets, bounds) }
}
