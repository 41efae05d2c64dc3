import TintypeCore
import TintypeQueue
import TintypeTransport

/// Whether clients may be sent to this coordinator: it can answer something, perhaps not everything.
///
/// All coordinators share the servers of Redis. So the server of another queue or shard than `default` is no reason. That of `default` is one when
/// it is away for longer than a switch takes (`ReadinessGrace`). See docs/decisions/readiness.md.
@Loop
final class Readiness {
    private let registry: QueueRegistry
    private let invalidation: CacheInvalidation
    private let admission: Admission
    private var grace: ReadinessGrace
    private var timer: LoopTimer?

    /// The time between two looks. The trouble begins with the first one that sees it, whether or not anybody asks.
    private static let interval = Duration.milliseconds(500)

    init(registry: QueueRegistry, invalidation: CacheInvalidation, admission: Admission) {
        (self.registry, self.invalidation, self.admission) = (registry, invalidation, admission)
        // A switch that takes longer than a lease costs runs too.
        grace = ReadinessGrace(registry.times.lease)
    }

    func start() {
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in _ = self?.obstacle }
    }

    func stop() { timer = nil }

    /// The reason for which clients should go elsewhere; nil if they may come.
    var obstacle: String? {
        let reason = grace.judge(trouble, at: .now)
        return admission.isClosed ? "this coordinator is stopping" : reason
    }

    /// The trouble with the server of `default`, as it is now.
    private var trouble: String? {
        if let reason = registry.queue("default").node.obstacle { return reason }
        if !registry.hasListed { return "the list of queues has not been read" }
        if registry["default"]?.channel.isConfirmed != true { return "the subscription for events is not confirmed" }
        if !invalidation.isConfirmed { return "the subscription for cache invalidations is not confirmed" }
        return nil
    }
}

/// How long trouble with the Redis that all coordinators share is no reason to leave the proxy. Pure: the caller supplies the time.
///
/// All coordinators see that trouble at once. If each left, nobody would get what the others still can answer. So a coordinator that has served stays for
/// the time of a switch. One that has never served has nothing to stay for.
struct ReadinessGrace: Sendable {
    /// The trouble for which it stays, in time.
    let length: Duration
    private var hasServed = false
    private var since: ContinuousClock.Instant?

    init(_ length: Duration) { self.length = length }

    /// Takes a look.
    /// - Parameter trouble: what is wrong now; nil: nothing.
    /// - Returns: the trouble, if it is a reason to leave.
    mutating func judge(_ trouble: String?, at now: ContinuousClock.Instant) -> String? {
        guard let trouble else {
            (hasServed, since) = (true, nil)
            return nil
        }
        let begin = since ?? now
        since = begin
        return hasServed && now < begin + length ? nil : trouble
    }
}
