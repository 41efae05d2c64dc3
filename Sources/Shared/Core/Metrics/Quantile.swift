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
