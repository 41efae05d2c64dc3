/// Tells the time limits of a transfer apart, and holds its server to a lowest rate. A pure value: the clock is the caller's.
struct TransferDeadlines {
    enum Which: String { case connect, idle, total, rate }
    enum Answer: Equatable {
        case expired(Which)
        /// Nothing can expire before then.
        case checkAgain(ContinuousClock.Instant)
    }

    let limits: TransferTimeouts
    /// The least that the server's bytes must come at; nil: any rate will do.
    let lowestRate: LowestRate?
    /// The window that counts now: since when, and the bytes that have come in it. nil until the first byte of the response.
    private var window: (start: ContinuousClock.Instant, bytes: Int64)?
    /// When this hop began.
    let started: ContinuousClock.Instant
    /// When everything must be over, set by the first hop; later by the time it was made to wait here.
    private(set) var end: ContinuousClock.Instant
    /// When the last byte came or went out, or the transfer last went on after a pause.
    var lastActivity: ContinuousClock.Instant
    /// Since when it waits because there is no room for its bytes here: no fault of its server.
    private var pausedAt: ContinuousClock.Instant?
    var isPaused: Bool { pausedAt != nil }

    init(limits: TransferTimeouts, lowestRate: LowestRate? = nil, started: ContinuousClock.Instant, end: ContinuousClock.Instant) {
        (self.limits, self.lowestRate, self.started, self.end, lastActivity) = (limits, lowestRate, started, end, started)
    }

    /// Takes note of bytes of the response, head or body. How long a server thinks before the first of them is `idle`'s matter.
    mutating func received(_ count: Int, at now: ContinuousClock.Instant) {
        lastActivity = now
        window = window.map { ($0.start, $0.bytes + Int64(count)) } ?? (now, Int64(count))
    }

    mutating func pause(at now: ContinuousClock.Instant) { pausedAt = pausedAt ?? now }

    /// Goes on after a pause, which no limit counts.
    mutating func resume(at now: ContinuousClock.Instant) {
        guard let pausedAt else { return }
        end += now - pausedAt
        window?.start += now - pausedAt
        lastActivity = now
        self.pausedAt = nil
    }

    /// Judges the rate of a window that is over, and begins the next one there.
    private mutating func isTooSlow(at now: ContinuousClock.Instant) -> Bool {
        guard let lowestRate, let window, now >= window.start + lowestRate.window else { return false }
        let time = now - window.start
        self.window = (now, 0)
        return Double(window.bytes) < Double(lowestRate.bytesPerSecond) * (time / .seconds(1))
    }

    /// - Parameter connectedAfter: how long connecting took; nil while it still does.
    mutating func check(at now: ContinuousClock.Instant, connectedAfter: Duration?) -> Answer {
        // Nothing runs out before it goes on.
        if isPaused { return .checkAgain(now + limits.idle) }
        if now >= end { return .expired(.total) }
        guard let connectedAfter else {
            let limit = started + limits.connect
            // It may connect in the next instant and then idle.
            return now >= limit ? .expired(.connect) : .checkAgain(min(limit, now + limits.idle, end, nextJudgement(from: now)))
        }
        let limit = max(lastActivity, started + connectedAfter) + limits.idle
        if now >= limit { return .expired(.idle) }
        if isTooSlow(at: now) { return .expired(.rate) }
        return .checkAgain(min(limit, end, nextJudgement(from: now)))
    }

    /// When a rate can be judged next. The first byte may come in the next instant: its window is looked at one window late at the most.
    private func nextJudgement(from now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        lowestRate.map { (window?.start ?? now) + $0.window } ?? end
    }
}

/// The least that a server's bytes must come at, on average over a window. A pure value.
package struct LowestRate: Sendable, Hashable {
    package let bytesPerSecond: Int
    package let window: Duration

    /// nil for a rate of 0, which any is above.
    package init?(bytesPerSecond: Int, window: Duration = .seconds(30)) {
        guard bytesPerSecond > 0 else { return nil }
        (self.bytesPerSecond, self.window) = (bytesPerSecond, window)
    }
}
