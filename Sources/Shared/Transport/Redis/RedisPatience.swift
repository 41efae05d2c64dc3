/// How long somebody asks a Redis again that has not answered, and what is done between two tries. A value; `RedisNode.retrying` waits.
package struct RedisPatience: Sendable {
    /// What is done before the next try.
    package enum Rest: Sendable, Hashable {
        /// A connection is waited for.
        case forConnection
        case time(Duration)
    }

    /// No try begins after this; nil: whoever tries ends it otherwise.
    package let limit: ContinuousClock.Instant?
    private var refusals: Int
    private var backoff: Backoff?

    /// - Parameters:
    ///   - refusals: how many errors are borne that a repetition does not mend.
    ///   - backoff: how long is waited, whether or not there is a connection; nil: until there is one.
    package init(until limit: ContinuousClock.Instant? = nil, refusals: Int = 0, backoff: Backoff? = nil) {
        (self.limit, self.refusals, self.backoff) = (limit, refusals, backoff)
    }

    /// - Returns: nil if there is to be no other try.
    package mutating func rest(after error: RedisError, at now: ContinuousClock.Instant) -> Rest? {
        if !error.isRetryable { refusals -= 1 }
        guard refusals >= 0, limit.map({ now < $0 }) ?? true else { return nil }
        guard var next = backoff else { return .forConnection }
        defer { backoff = next }
        return .time(next.next())
    }
}
