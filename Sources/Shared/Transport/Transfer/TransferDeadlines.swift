/// The separate time limits of a transfer, and the lowest rate of its server. A pure value: the caller has the clock.
struct TransferDeadlines {
    enum Which: String { case connect, idle, total, rate }
    enum Answer: Equatable {
        case expired(Which)
        /// No limit can expire before this time.
        case checkAgain(ContinuousClock.Instant)
    }

    var limits: TransferTimeouts
    /// The lowest rate for the server's bytes; nil for no limit.
    let lowestRate: LowestRate?
    /// The current window: its start, and the bytes that arrived in it. nil until the first byte of the response.
    private var window: (start: ContinuousClock.Instant, bytes: Int64)?
    /// The start of this hop.
    let started: ContinuousClock.Instant
    /// The end of all time for the transfer. The first hop sets it, and pauses on our side move it later.
    private(set) var end: ContinuousClock.Instant
    /// The time of the last byte in either direction, or of the last end of a pause.
    var lastActivity: ContinuousClock.Instant
    /// The start of the present pause, in which there is no room for its bytes here. The server is not at fault.
    private var pausedAt: ContinuousClock.Instant?
    var isPaused: Bool { pausedAt != nil }

    init(limits: TransferTimeouts, lowestRate: LowestRate? = nil, started: ContinuousClock.Instant, end: ContinuousClock.Instant) {
        (self.limits, self.lowestRate, self.started, self.end, lastActivity) = (limits, lowestRate, started, end, started)
    }

    /// Notes bytes of the response, head or body. The limit `idle` covers the time before the first of them.
    mutating func received(_ count: Int, at now: ContinuousClock.Instant) {
        lastActivity = now
        window = window.map { ($0.start, $0.bytes + Int64(count)) } ?? (now, Int64(count))
    }

    mutating func pause(at now: ContinuousClock.Instant) { pausedAt = pausedAt ?? now }

    /// Ends a pause. No limit counts the time of the pause.
    mutating func resume(at now: ContinuousClock.Instant) {
        guard let pausedAt else { return }
        end += now - pausedAt
        window?.start += now - pausedAt
        lastActivity = now
        self.pausedAt = nil
    }

    /// Judges the rate of a window that has ended, and begins the next window.
    private mutating func isTooSlow(at now: ContinuousClock.Instant) -> Bool {
        guard let lowestRate, let window, now >= window.start + lowestRate.window else { return false }
        let time = now - window.start
        self.window = (now, 0)
        return Double(window.bytes) < Double(lowestRate.bytesPerSecond) * (time / .seconds(1))
    }

    /// Checks all limits.
    /// - Parameter connectedAfter: the time that connecting took; nil before it has ended.
    mutating func check(at now: ContinuousClock.Instant, connectedAfter: Duration?) -> Answer {
        // No limit expires during a pause.
        if isPaused { return .checkAgain(now + limits.idle) }
        if now >= end { return .expired(.total) }
        guard let connectedAfter else {
            let limit = started + limits.connect
            // The transfer may connect in the next instant and then idle.
            return now >= limit ? .expired(.connect) : .checkAgain(min(limit, now + limits.idle, end, nextJudgment(from: now)))
        }
        let limit = max(lastActivity, started + connectedAfter) + limits.idle
        if now >= limit { return .expired(.idle) }
        if isTooSlow(at: now) { return .expired(.rate) }
        return .checkAgain(min(limit, end, nextJudgment(from: now)))
    }

    /// Returns the next time at which the rate can be judged. The first byte may arrive in the next instant, so its window is judged at most one window
    /// late.
    private func nextJudgment(from now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        lowestRate.map { (window?.start ?? now) + $0.window } ?? end
    }
}

/// The lowest rate of a server's bytes, on average over a window. A pure value.
package struct LowestRate: Sendable, Hashable {
    package let bytesPerSecond: Int
    package let window: Duration

    /// nil for a rate of 0, which every rate exceeds.
    package init?(bytesPerSecond: Int, window: Duration = .seconds(30)) {
        guard bytesPerSecond > 0 else { return nil }
        (self.bytesPerSecond, self.window) = (bytesPerSecond, window)
    }
}
