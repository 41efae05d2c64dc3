/// Tells the three time limits of a transfer apart. A pure value: the clock is the caller's.
struct TransferDeadlines {
    enum Which: String { case connect, idle, total }
    enum Answer: Equatable {
        case expired(Which)
        /// Nothing can expire before then.
        case checkAgain(ContinuousClock.Instant)
    }

    let limits: TransferTimeouts
    /// When this hop began.
    let started: ContinuousClock.Instant
    /// When everything must be over, set by the first hop.
    let end: ContinuousClock.Instant
    /// When the last byte came, or the transfer last went on after a pause.
    var lastActivity: ContinuousClock.Instant
    var isPaused = false

    init(limits: TransferTimeouts, started: ContinuousClock.Instant, end: ContinuousClock.Instant) {
        (self.limits, self.started, self.end, lastActivity) = (limits, started, end, started)
    }

    /// - Parameter connectedAfter: how long connecting took; nil while it still does.
    func check(at now: ContinuousClock.Instant, connectedAfter: Duration?) -> Answer {
        if now >= end { return .expired(.total) }
        guard let connectedAfter else {
            let limit = started + limits.connect
            // It may connect in the next instant and then idle.
            return now >= limit ? .expired(.connect) : .checkAgain(min(limit, now + limits.idle, end))
        }
        if isPaused { return .checkAgain(min(now + limits.idle, end)) }
        let limit = max(lastActivity, started + connectedAfter) + limits.idle
        return now >= limit ? .expired(.idle) : .checkAgain(min(limit, end))
    }
}
