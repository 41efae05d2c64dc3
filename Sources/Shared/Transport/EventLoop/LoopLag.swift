package import TintypeCore

/// Measures how late the loop runs its timers, which is how long any other work waits for the loop. Lives on the loop.
///
/// It looks four times a second, so a delay of 250 ms or more is always seen, and a shorter one sometimes.
@Loop
package final class LoopLag {
    private static let interval = Duration.milliseconds(250)

    private let lag: Metrics.Handle
    private let metrics: Metrics
    private var timer: LoopTimer?

    /// - Parameter metrics: gets `Metric.loopLagSeconds`.
    package init(_ metrics: Metrics) {
        self.metrics = metrics
        lag = metrics.handle(.loopLagSeconds)
    }

    package func start() { arm() }

    package func stop() { timer = nil }

    private func arm() {
        let due = ContinuousClock.now + Self.interval
        // Not a repeating timer: after a long delay, only libevent would know when that one is due next.
        timer = LoopTimer(after: Self.interval) { [weak self] in
            guard let self else { return }
            metrics.observe(lag, max(.zero, ContinuousClock.now - due) / .seconds(1))
            arm()
        }
    }
}
