/// Durations and their percentiles, in milliseconds.
struct Latencies {
    private var values: [Double] = []

    mutating func add(_ duration: Duration) { values.append(duration / .milliseconds(1)) }

    var count: Int { values.count }

    /// `p50_ms=… p99_ms=… max_ms=…`
    var words: String { words(of: "") }

    /// Returns the same text with `name` before each figure's name.
    func words(of name: String) -> String {
        let sorted = values.sorted()
        func at(_ share: Double) -> String {
            guard !sorted.isEmpty else { return "none" }
            let value = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            return "\((value * 1000).rounded() / 1000)"
        }
        return "\(name)p50_ms=\(at(0.5)) \(name)p99_ms=\(at(0.99)) \(name)max_ms=\(at(1))"
    }
}

/// Returns a rate with one decimal.
func rate(_ count: Int, _ time: Duration) -> String { "\((Double(count) / (time / .seconds(1)) * 10).rounded() / 10)" }
