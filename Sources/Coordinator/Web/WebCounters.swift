package import TintypeCore
package import TintypeTransport

/// Counts the answers of HTTP by route and status. The series of each are looked up once.
@Loop
package final class WebCounters {
    private struct Series {
        let name: String
        let status: Int
        let requests: Metrics.Handle
        let bytes: Metrics.Handle
        let seconds: Metrics.Handle
    }

    private let metrics: Metrics
    /// A few routes with a few statuses each. The one that was used last comes first, so that the usual one is found at once.
    private var known: [Series] = []

    package init(_ metrics: Metrics) { self.metrics = metrics }

    /// Counts an answer.
    /// - Parameters:
    ///   - name: The name of the route.
    ///   - trace: The place of the request in a trace.
    package func count(_ name: String, status: Int, bytes: Int, seconds: Double, _ trace: TraceContext?) {
        let series = series(name, status)
        metrics.add(series.requests)
        metrics.add(series.bytes, Double(bytes))
        metrics.observe(series.seconds, seconds, trace: trace)
    }

    private func series(_ name: String, _ status: Int) -> Series {
        if let first = known.first, first.status == status, first.name == name { return first }
        if let place = known.firstIndex(where: { $0.status == status && $0.name == name }) {
            known.swapAt(0, place)
            return known[0]
        }
        let series = Series(
            name: name, status: status, requests: metrics.handle(.httpRequests, labels: name, "\(status)"),
            bytes: metrics.handle(.httpSentBytes, labels: name), seconds: metrics.handle(.httpSeconds, labels: name))
        known.insert(series, at: 0)
        return series
    }
}
