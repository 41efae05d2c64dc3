import TintypeCore

/// Decides about a batch of spans that a collector has not taken (OTLP/HTTP, Failures). Pure.
enum SpanRetry {
    /// The number of tries in total.
    static let tries = 5
    /// The longest pause in seconds, whatever the collector says.
    static let longest = 30.0

    /// The seconds before the second try. Each further pause is twice as long.
    static let firstPause = 1.0

    /// Returns the seconds until the next try; nil if the batch is dropped. A collector that is away or busy is asked again.
    /// - Parameter failures: The number of failed tries, at least 1.
    static func pause(after error: TintypeError, failures: Int) -> Double? {
        guard failures < tries else { return nil }
        if let status = error.details["status"]?.int {
            guard [429, 502, 503, 504].contains(status) else { return nil }
        } else {
            guard [.dns, .connect, .timeout, .connectionLost].contains(error.name) else { return nil }
        }
        let usual = firstPause * Double(1 << (failures - 1))
        return min(max(error.details["retryAfter"]?.double ?? 0, usual), longest)
    }
}
