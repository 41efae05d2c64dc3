package import TintypeCore

/// Measures how late the loop runs its timers, which is how long any other work waits for the loop. Counts and logs the turns that take too long. Lives on
/// the loop.
///
/// It measures four times a second, so a delay of 250 ms or more is always seen, and a shorter one sometimes. Every turn is measured (`LoopTurns`).
@Loop
package final class LoopLag {
    private static let interval = Duration.milliseconds(250)

    private let lag: Metrics.Handle
    private let longTurns: Metrics.Handle
    private let metrics: Metrics
    private let logger: Logger
    private var logThrottle = LogThrottle()
    private var timer: LoopTimer?
    /// The number of long turns that are counted.
    private var counted = 0

    /// - Parameter metrics: gets `Metric.loopLagSeconds` and `Metric.loopLongTurnSeconds`.
    package init(_ metrics: Metrics, _ logger: Logger) {
        (self.metrics, self.logger) = (metrics, logger)
        (lag, longTurns) = (metrics.handle(.loopLagSeconds), metrics.handle(.loopLongTurnSeconds))
    }

    package func start() {
        // The next turn begins behind the work of a program that starts.
        timer = LoopTimer(after: .zero) { [weak self] in
            self?.counted = Loop.turns.count
            self?.arm()
        }
    }

    package func stop() { timer = nil }

    private func arm() {
        let due = ContinuousClock.now + Self.interval
        // Not a repeating timer: after a long delay, only libevent would know when that one is due next.
        timer = LoopTimer(after: Self.interval) { [weak self] in
            guard let self else { return }
            metrics.observe(lag, max(.zero, ContinuousClock.now - due) / .seconds(1))
            count(Loop.turns)
            arm()
        }
    }

    private func count(_ turns: LoopTurns) {
        for turn in turns.latest.suffix(turns.count - counted) {
            metrics.observe(longTurns, turn.length / .seconds(1))
            guard logThrottle.shouldLog(turn.type ?? "") else { continue }
            logger.warning(
                "the event loop stood still in one turn, and everything else waited; there is at most one such line a minute for each type",
                ["milliseconds": turn.length.milliseconds, "type": turn.type ?? "task"])
        }
        counted = turns.count
    }
}
