import TintypeCore
import TintypeTransport

/// Asks for what was just served stale, for whoever comes next: nobody waits for them, and nobody is told how they went.
///
/// They stand outside the queue, so they are few and polite instead: what would be one too many is left out, and asked for the next time it is
/// wanted. That no other worker asks for the same is seen to by `AskClaims`. Lives on the loop; ends with `stop`.
@Loop final class StaleAsks {
    /// At once, of all hosts. Of one host there is one.
    static let most = 4
    /// How long a host is left alone that has refused one, unless it says for how long itself.
    static let pause = Duration.seconds(60)
    /// And at most, whatever it says.
    static let longestPause = Duration.seconds(3600)

    /// How long one may take at most, seconds, whatever the request allows: without a byte, and in all.
    static let idle = 15.0
    static let total = 60.0

    private let scope = TaskScope()
    private var hosts: Set<String> = []
    private var resting: [String: ContinuousClock.Instant] = [:]
    private var isStopped = false

    /// Begins an ask, unless there are enough of them.
    /// - Parameter body: answers why it failed, or nil.
    func begin(host: String, _ body: @escaping @Loop () async -> TintypeError?) {
        let now = ContinuousClock.now
        resting = resting.filter { $0.value > now }
        guard !isStopped, hosts.count < Self.most, resting[host] == nil, hosts.insert(host).inserted else { return }
        scope.run("ask for what is stale") { [self] in
            let failure = await body()
            hosts.remove(host)
            if let pause = Self.pause(after: failure) { resting[host] = .now + pause }
        }
    }

    /// How long an origin is left alone that has failed for now; nil for all others.
    static func pause(after failure: TintypeError?) -> Duration? {
        guard let failure, failure.isRetryable else { return nil }
        let wished = failure.details["retryAfter"]?.double.map { Duration.seconds(bounded: $0) } ?? pause
        return min(max(wished, pause), longestPause)
    }

    /// Begins none any more, and ends those under way: a worker that stops does not wait for them.
    func stop() {
        isStopped = true
        scope.cancelAll()
    }

    /// Waits until none is under way.
    func ended() async { await scope.drain() }
}
