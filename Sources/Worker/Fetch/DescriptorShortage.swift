import TintypeCore
import TintypeTransport

/// What becomes of fetches that there is no descriptor for: how long they are given back, and that it is told once a minute.
@Loop final class DescriptorShortage {
    private var trouble = RepeatedTrouble()
    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?

    nonisolated init() {}

    /// How long what is given back costs nothing: no other worker may be there to take it, and it would go round for ever.
    private static let patience = Duration.seconds(60)
    /// After so long without one it is another shortage.
    private static let pause = Duration.seconds(10)

    /// Takes note of a fetch that found none.
    /// - Returns: whether it is to be given back; false once this has lasted so long that it counts as a failure.
    func note(_ logger: Logger, at now: ContinuousClock.Instant = .now) -> Bool {
        if last.map({ now - $0 > Self.pause }) ?? true { first = now }
        last = now
        guard let first, now - first <= Self.patience else { return false }
        if trouble.isNews("") {
            logger.warning("no file descriptor is left: fetches are given back for other workers", ["limit": Descriptors.limit])
        }
        return true
    }
}
