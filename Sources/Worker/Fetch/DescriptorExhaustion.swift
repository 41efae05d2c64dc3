import TintypeCore
import TintypeTransport

/// Decides when a fetch that finds no file descriptor is released, and logs the shortage at most once a minute.
@Loop final class DescriptorExhaustion {
    private var logThrottle = LogThrottle()
    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?

    nonisolated init() {}

    /// The longest time for which fetches are released. It is limited because there may be no other worker, and the fetch would come back for ever.
    private static let patience = Duration.seconds(60)
    /// After this time without a shortage, the next one counts as a new shortage.
    private static let pause = Duration.seconds(10)

    /// Records a fetch that found no descriptor.
    /// - Returns: whether to release the fetch; false once the shortage has lasted so long that it counts as a failure.
    func note(_ logger: Logger, at now: ContinuousClock.Instant = .now) -> Bool {
        if last.map({ now - $0 > Self.pause }) ?? true { first = now }
        last = now
        guard let first, now - first <= Self.patience else { return false }
        if logThrottle.shouldLog("") {
            logger.warning("no file descriptor is left: fetches are released for other workers", ["limit": Descriptors.limit])
        }
        return true
    }
}
