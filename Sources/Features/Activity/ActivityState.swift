import Coordinator
/// Whether activity is shown. It has the four states of AFNetworkActivityIndicatorManager, so that short bursts show nothing and short pauses do
/// not flicker. Pure: the caller passes the time.
struct ActivityState: Sendable, Hashable {
    enum Phase: Sendable, Hashable {
        /// There is no work, and nothing is shown.
        case notActive
        /// Work has begun and is not shown yet. When the delay ends, activity is shown if there is work at that moment.
        case delayingStart
        /// There is work, and it is shown.
        case active
        /// There is no work any more. Activity is shown until the delay ends or new work begins.
        case delayingEnd
    }

    /// Seconds from the first work to the display, and from the last work to the end of the display.
    let startDelay: Double, endDelay: Double
    private(set) var phase = Phase.notActive
    /// The number of receipts in flight.
    private(set) var running = 0
    /// The time at which this phase ends; nil for a phase without an end.
    private(set) var due: Double?

    var isShown: Bool { phase == .active || phase == .delayingEnd }

    init(startDelay: Double, endDelay: Double) {
        self.startDelay = startDelay
        self.endDelay = endDelay
    }

    /// Sets the number of receipts in flight. A negative number counts as 0.
    /// - Parameter now: Seconds of a clock that never goes back.
    mutating func set(running count: Int, now: Double) {
        advance(to: now)
        running = max(0, count)
        switch phase {
        case .notActive: if running > 0 { enter(.delayingStart, until: now + startDelay) }
        case .delayingStart: break
        case .active: if running == 0 { enter(.delayingEnd, until: now + endDelay) }
        case .delayingEnd: if running > 0 { enter(.active) }
        }
    }

    /// Ends the phase if its time is over.
    mutating func advance(to now: Double) {
        guard let due, now >= due else { return }
        switch phase {
        case .delayingStart: enter(running > 0 ? .active : .notActive)
        case .delayingEnd: enter(.notActive)
        case .notActive, .active: self.due = nil
        }
    }

    private mutating func enter(_ phase: Phase, until due: Double? = nil) {
        self.phase = phase
        self.due = due
    }
}
