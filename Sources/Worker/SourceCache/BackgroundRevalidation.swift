import TintypeCore
import TintypeTransport

/// Revalidates sources that were just served stale, for later requests. Nobody waits for a revalidation, and nobody hears of the outcome.
///
/// Revalidations do not use the queue, so they are few and polite instead. If there are too many, one is left out until the source is wanted
/// again. `RevalidationLocks` keeps other workers from the same revalidation. Lives on the loop; ends with `stop`.
@Loop final class BackgroundRevalidation {
    /// The most revalidations at once, for all hosts. For one host the limit is one.
    static let most = 4
    /// The pause for a host that refused a revalidation, unless the host names a longer one.
    static let pause = Duration.seconds(60)
    /// The longest pause, whatever the host says.
    static let maxPause = Duration.seconds(3600)

    /// The most seconds for one revalidation, whatever the request allows: without a byte, and in all.
    static let idle = 15.0
    static let total = 60.0

    private let scope = TaskScope()
    private var hosts: Set<String> = []
    private var pausedHosts: [String: ContinuousClock.Instant] = [:]
    private var isStopped = false

    /// Starts a revalidation, unless there are enough of them.
    /// - Parameter body: returns the failure, or nil.
    func begin(host: String, _ body: @escaping @Loop () async -> TintypeError?) {
        let now = ContinuousClock.now
        pausedHosts = pausedHosts.filter { $0.value > now }
        guard !isStopped, hosts.count < Self.most, pausedHosts[host] == nil, hosts.insert(host).inserted else { return }
        scope.run("ask for what is stale") { [self] in
            let failure = await body()
            hosts.remove(host)
            if let pause = Self.pause(after: failure) { pausedHosts[host] = .now + pause }
        }
    }

    /// Returns the pause for an origin after a retryable failure; nil after all others.
    static func pause(after failure: TintypeError?) -> Duration? {
        guard let failure, failure.isRetryable else { return nil }
        let wished = failure.details["retryAfter"]?.double.map { Duration.seconds(bounded: $0) } ?? pause
        return min(max(wished, pause), maxPause)
    }

    /// Starts no more revalidations, and ends those under way. A stopping worker does not wait for them.
    func stop() {
        isStopped = true
        scope.cancelAll()
    }

    /// Waits until none is under way.
    func ended() async { await scope.drain() }
}
