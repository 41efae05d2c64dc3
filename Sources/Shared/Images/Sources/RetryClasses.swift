package import TintypeCore

/// The failures of downloads that a request retries, in place of the service's own list. Failures of the service itself are not affected. A pure value.
package struct RetryClasses: Sendable, Hashable {
    /// The names in the request, sorted.
    private let words: [String]
    private let names: Set<ErrorName>
    private let statuses: [ClosedRange<Int>]

    private static let governed: [ErrorName] = [.dns, .connect, .tls, .timeout, .connectionLost, .httpStatus]

    static let type = ParameterType.array(
        of: .pattern(expectation: "one of \(governed.map(\.rawValue).joined(separator: ", ")), or a status or a range such as \"500-599\"") { isClass($0) },
        count: 0...32)

    private static func isClass(_ text: String) -> Bool { governed.contains { $0.rawValue == text } || Acceptance.range(text) != nil }

    /// Reads validated JSON; nil for nothing.
    init?(_ json: JSON?) {
        guard let texts = json?.array?.compactMap(\.string) else { return nil }
        words = Set(texts).sorted()
        names = Set(words.compactMap { ErrorName(rawValue: $0) })
        statuses = words.compactMap { Acceptance.range($0) }
    }

    /// The JSON that `init` reads.
    var json: JSON { .array(words.map { .string($0) }) }

    /// The difference that keeps fetches of one source apart, since one is retried where the other is not.
    package var distinction: String { "on" + Digest.sha256Hex(json.bytes(), digits: 8) }

    /// Returns the error with `isRetryable` set by these classes.
    package func judged(_ error: TintypeError) -> TintypeError {
        // A retryable TLS failure is a fault of the worker.
        guard error.phase == .download, Self.governed.contains(error.name), error.name != .tls || !error.isRetryable else { return error }
        var judged = error
        if error.name == .httpStatus {
            let status = error.details["status"]?.int
            judged.isRetryable = names.contains(.httpStatus) && error.isRetryable || statuses.contains { range in status.map(range.contains) ?? false }
        } else {
            judged.isRetryable = names.contains(error.name)
        }
        return judged
    }
}
