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
    /// When everything must be over, set by the first hop; later by the time it was made to wait here.
    private(set) var end: ContinuousClock.Instant
    /// When the last byte came or went out, or the transfer last went on after a pause.
    var lastActivity: ContinuousClock.Instant
    /// Since when it waits because there is no room for its bytes here: no fault of its server.
    private var pausedAt: ContinuousClock.Instant?
    var isPaused: Bool { pausedAt != nil }

    init(limits: TransferTimeouts, started: ContinuousClock.Instant, end: ContinuousClock.Instant) {
        (self.limits, self.started, self.end, lastActivity) = (limits, started, end, started)
    }

    mutating func pause(at now: ContinuousClock.Instant) { pausedAt = pausedAt ?? now }

    /// Goes on after a pause, which no limit counts.
    mutating func resume(at now: ContinuousClock.Instant) {
        guard let pausedAt else { return }
        end += now - pausedAt
        lastActivity = now
        self.pausedAt = nil
    }

    /// - Parameter connectedAfter: how long connecting took; nil while it still does.
    func check(at now: ContinuousClock.Instant, connectedAfter: Duration?) -> Answer {
        // Nothing runs out before it goes on.
        if isPaused { return .checkAgain(now + limits.idle) }
        if now >= end { return .expired(.total) }
        guard let connectedAfter else {
            let limit = started + limits.connect
            // It may connect in the next instant and then idle.
            return now >= limit ? .expired(.connect) : .checkAgain(min(limit, now + limits.idle, end))
        }
        let limit = max(lastActivity, started + connectedAfter) + limits.idle
        return now >= limit ? .expired(.idle) : .checkAgain(min(limit, end))
    }
}
