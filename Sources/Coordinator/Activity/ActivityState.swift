/// Whether work is shown to be going on: the four states of AFNetworkActivityIndicatorManager, so that short bursts show nothing and
/// short pauses do not flicker. Pure: the clock is the caller's.
struct ActivityState: Sendable, Hashable {
    enum Phase: Sendable, Hashable {
        /// Nothing goes on, and nothing is shown.
        case notActive
        /// Work has begun. What happens before its time is over counts for nothing; then it is shown if there is work at that moment.
        case delayingStart
        /// Work goes on and is shown.
        case active
        /// There is none any more. It is shown until the time is over, unless new work comes first.
        case delayingEnd
    }

    /// Seconds from the first work to its being shown, and from the last work to the end of that.
    let startDelay: Double, endDelay: Double
    private(set) var phase = Phase.notActive
    /// Receipts in flight.
    private(set) var running = 0
    /// When the time of this phase is over; nil where it has none.
    private(set) var due: Double?

    var isShown: Bool { phase == .active || phase == .delayingEnd }

    init(startDelay: Double, endDelay: Double) {
        self.startDelay = startDelay
        self.endDelay = endDelay
    }

    /// So many are in flight now; fewer than none are none.
    /// - Parameter now: seconds of a clock that never goes back.
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

    /// Time has passed.
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
