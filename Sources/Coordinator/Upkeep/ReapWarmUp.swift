import TintypeQueue

/// Whether a coordinator may say of workers that they are dead. Pure.
///
/// Not for one lease after its connection was made, nor after it stood still itself: whoever could not beat meanwhile, for the same reason
/// perhaps, is not dead. Nor after the clock of Redis was set forward: leases that were given by the old one look as if they had run out.
struct ReapWarmUp: Sendable {
    /// How long whoever lives has time to say so.
    private let lease: Duration
    /// Looks come each second; one this late shows that the process, or the whole machine, stood still.
    private let standstill: Duration
    private var lastLook: ContinuousClock.Instant?
    private var awakeSince: ContinuousClock.Instant?
    /// What the clock of Redis has shown, epoch ms, and when.
    private var clock: (shown: Int64, at: ContinuousClock.Instant)?
    /// How much further than ours it may go between two looks.
    private static let slack: Int64 = 3000

    init(lease: Duration) {
        self.lease = lease
        standstill = min(.seconds(3), .seconds(1) + lease / 5)
    }

    /// To be asked each second.
    mutating func mayReap(at now: ContinuousClock.Instant, connectedSince: ContinuousClock.Instant?) -> Bool {
        if let lastLook, now - lastLook > standstill { awakeSince = now }
        lastLook = now
        guard let connectedSince else { return false }
        return now - max(connectedSince, awakeSince ?? connectedSince) >= lease
    }

    /// What the clock of Redis may show at the most; nil before it was read.
    func latest(at now: ContinuousClock.Instant) -> Int64? {
        clock.map { $0.shown + Int64(($0.at.duration(to: now) / .milliseconds(1)).rounded()) + Self.slack }
    }

    /// The clock of Redis was read.
    /// - Parameter asked: when it was asked for, so that no slow answer makes it look too late.
    mutating func read(clock: Int64, asked: ContinuousClock.Instant) { self.clock = (clock, asked) }

    /// The clock of Redis was set forward.
    mutating func jumped(at now: ContinuousClock.Instant) { awakeSince = now }
}
