/// The pauses between tries: doubling, with jitter, up to a maximum. A value; the caller waits.
package struct Backoff: Sendable {
    private let first: Duration
    private let most: Duration
    private var tries = 0

    /// Defaults: 50 ms, doubling to 2 s.
    package init(first: Duration = .milliseconds(50), most: Duration = .seconds(2)) {
        self.first = first
        self.most = most
    }

    /// Returns the next pause: from half to all of the doubled time, so that many clients do not come back at once.
    package mutating func next() -> Duration {
        let full = min(most, first * (1 << min(tries, 16)))
        tries += 1
        return full * Double.random(in: 0.5...1)
    }

    /// Starts again after a success.
    package mutating func reset() { tries = 0 }
}

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
