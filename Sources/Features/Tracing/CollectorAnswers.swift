import TintypeCore

/// The part of a batch that a collector has not taken although its answer is a success (OTLP/HTTP, Partial Success). Pure.
struct RejectedSpans: Sendable, Hashable {
    /// The longest answer that is read.
    static let longestAnswer = 64 << 10
    private static let longestMessage = 200

    /// The number of spans.
    let count: Int
    /// The collector's own words; nil: it sent none. Without rejected spans, they are a warning.
    let message: String?

    /// - Parameters:
    ///   - answer: The body. One that cannot be read reports no rejected span.
    ///   - sent: The number of spans in the batch, which limits `count`.
    init(_ answer: [UInt8], of sent: Int) {
        let told = (try? JSON(parsing: answer))?["partialSuccess"]
        // JSON of protobuf has 64-bit numbers as texts, and readers take both.
        let number = told?["rejectedSpans"]
        count = min(max(0, number?.int ?? number?.string.flatMap { Int($0) } ?? 0), sent)
        message = (told?["errorMessage"]?.string).flatMap { $0.isEmpty ? nil : String($0.prefix(Self.longestMessage)) }
    }

    /// Whether the answer reports rejected spans or a warning.
    var isNotable: Bool { count > 0 || message != nil }
}

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
