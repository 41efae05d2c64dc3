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
