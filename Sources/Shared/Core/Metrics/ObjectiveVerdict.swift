/// The verdict on one request, for the objective: 99 in 100 are good. A pure value.
package enum ObjectiveVerdict: String, Sendable, Hashable, CaseIterable {
    case good
    /// The answer came too late, or the client left when it was too late already.
    case slow
    /// Tintype itself failed, however fast. A failure of the source or of the request is no such failure.
    case failed

    /// The most seconds that a good answer takes.
    package static let bound = 2.0

    private init(after seconds: Double) { self = seconds > Self.bound ? .slow : .good }

    /// The verdict on an answer to `image.load`.
    /// - Parameter error: nil for a result.
    package init(_ error: ErrorName?, after seconds: Double) {
        if let error, Self.failures.contains(error) { self = .failed } else { self.init(after: seconds) }
    }

    /// The verdict on an answer of the picture door. The origin is the cause of 502 and 504.
    package init(status: Int, after seconds: Double) {
        if status == 500 || status == 503 { self = .failed } else { self.init(after: seconds) }
    }

    /// The verdict on a client that left before its answer; nil if it left so soon that nobody knows what it would have got.
    package init?(leftAfter seconds: Double) {
        guard seconds > Self.bound else { return nil }
        self = .slow
    }

    /// The errors that are failures of Tintype itself. A deadline is too late or not, by its time alone.
    private static let failures: Set<ErrorName> = [.internalError, .overloaded, .storeFailed, .unavailable, .workerLost]
}
