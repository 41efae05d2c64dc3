package import TintypeCore

/// Which failures of downloads are tried again, in place of the service's own list. What the service fails at by itself is not theirs. A pure value.
package struct RetryClasses: Sendable, Hashable {
    /// As they are named, sorted.
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

    /// What `init` reads.
    var json: JSON { .array(words.map { .string($0) }) }

    /// What keeps fetches apart that are of one source: one is tried again where the other is not.
    package var distinction: String { "on" + Digest.sha256Hex(json.bytes(), digits: 8) }

    /// The error with what these say of trying again.
    package func judged(_ error: TintypeError) -> TintypeError {
        // A handshake that may be tried again failed by a fault of the worker's.
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
