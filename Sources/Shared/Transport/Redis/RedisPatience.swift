/// How long a caller retries a Redis that has not answered, and the pause between two tries. A value; `RedisNode.retrying` waits.
package struct RedisPatience: Sendable {
    /// The pause before the next try.
    package enum Pause: Sendable, Hashable {
        /// Until there is a connection.
        case forConnection
        case time(Duration)
    }

    /// No try begins after this time; nil if the caller ends the tries in another way.
    package let limit: ContinuousClock.Instant?
    private var refusals: Int
    private var backoff: Backoff?

    /// - Parameters:
    ///   - refusals: the number of errors allowed that a repetition does not fix.
    ///   - backoff: the pauses, whether or not there is a connection; nil to wait for a connection.
    package init(until limit: ContinuousClock.Instant? = nil, refusals: Int = 0, backoff: Backoff? = nil) {
        (self.limit, self.refusals, self.backoff) = (limit, refusals, backoff)
    }

    /// Returns the pause before the next try; nil to stop.
    package mutating func pause(after error: RedisError, at now: ContinuousClock.Instant) -> Pause? {
        if !error.isRetryable { refusals -= 1 }
        guard refusals >= 0, limit.map({ now < $0 }) ?? true else { return nil }
        guard var next = backoff else { return .forConnection }
        defer { backoff = next }
        return .time(next.next())
    }
}
