import Shared

/// Whether a coordinator may say of workers that they are dead. Pure.
///
/// Not for one lease after its connection was made, nor after it stood still itself: whoever could not beat meanwhile, for the same reason
/// perhaps, is not dead.
struct ReapWarmUp: Sendable {
    /// Looks come each second; one this late shows that the process, or the whole machine, stood still.
    static let standstill = Duration.seconds(3)

    private var lastLook: ContinuousClock.Instant?
    private var awakeSince: ContinuousClock.Instant?

    /// To be asked each second.
    mutating func mayReap(at now: ContinuousClock.Instant, connectedSince: ContinuousClock.Instant?) -> Bool {
        if let lastLook, now - lastLook > Self.standstill { awakeSince = now }
        lastLook = now
        guard let connectedSince else { return false }
        return now - max(connectedSince, awakeSince ?? connectedSince) >= Queue.lease
    }
}
