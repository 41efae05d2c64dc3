import TintypeQueue

/// Decides whether this coordinator may declare workers dead. Pure.
///
/// It may not for one lease after each of these events:
/// - Its connection was made. Workers that lost Redis for the same reason could not send heartbeats.
/// - This process stood still, perhaps with the whole machine and its workers.
/// - The clock of Redis was set forward. Leases that were given by the old clock look expired.
struct ReaperGracePeriod: Sendable {
    /// The time in which a live worker sends a heartbeat.
    private let lease: Duration
    /// Checks run every second. A check that is later than this shows that the process, or the whole machine, stood still.
    private let standstill: Duration
    private var lastLook: ContinuousClock.Instant?
    private var awakeSince: ContinuousClock.Instant?
    /// The last reading of the clock of Redis in epoch ms, and its time here.
    private var clock: (shown: Int64, at: ContinuousClock.Instant)?
    /// The most ms that the clock of Redis may gain on ours between two checks.
    private static let slack: Int64 = 3000

    init(lease: Duration) {
        self.lease = lease
        standstill = min(.seconds(3), .seconds(1) + lease / 5)
    }

    /// The state of a queue that is new here. Its server may have another clock.
    var ofAnotherServer: ReaperGracePeriod {
        var other = self
        other.clock = nil
        return other
    }

    /// Must be called every second.
    mutating func mayReap(at now: ContinuousClock.Instant, connectedSince: ContinuousClock.Instant?) -> Bool {
        if let lastLook, now - lastLook > standstill { awakeSince = now }
        lastLook = now
        guard let connectedSince else { return false }
        return now - max(connectedSince, awakeSince ?? connectedSince) >= lease
    }

    /// Returns the latest plausible time of the clock of Redis; nil before the first reading.
    func latest(at now: ContinuousClock.Instant) -> Int64? {
        // bounded: by the time that this process runs.
        clock.map { $0.shown + Int64(($0.at.duration(to: now) / .milliseconds(1)).rounded()) + Self.slack }
    }

    /// Records a reading of the clock of Redis.
    /// - Parameter asked: The time of the question, so that a slow answer does not make the reading look late.
    mutating func read(clock: Int64, asked: ContinuousClock.Instant) { self.clock = (clock, asked) }

    /// Records that the clock of Redis was set forward.
    mutating func jumped(at now: ContinuousClock.Instant) { awakeSince = now }
}
