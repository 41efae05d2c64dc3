import TintypeCore

/// The part of a batch that a collector has not taken although its answer is a success (OTLP/HTTP, Partial Success). Pure.
struct RejectedSpans: Sendable, Hashable {
    /// The longest answer that is read.
    static let longestAnswer = 64 << 10
    private static let longestMessage = 200

    /// The number of spans.
    let count: Int
    /// The collector's own words; nil: it says nothing. Without rejected spans, they are a warning.
    let message: String?

    /// - Parameters:
    ///   - answer: The body. One that cannot be read tells of nothing.
    ///   - sent: The number of spans in the batch, which limits `count`.
    init(_ answer: [UInt8], of sent: Int) {
        let told = (try? JSON(parsing: answer))?["partialSuccess"]
        // JSON of protobuf has 64-bit numbers as texts, and readers take both.
        let number = told?["rejectedSpans"]
        count = min(max(0, number?.int ?? number?.string.flatMap { Int($0) } ?? 0), sent)
        message = (told?["errorMessage"]?.string).flatMap { $0.isEmpty ? nil : String($0.prefix(Self.longestMessage)) }
    }

    /// Whether the answer tells of anything.
    var isNotable: Bool { count > 0 || message != nil }
}
