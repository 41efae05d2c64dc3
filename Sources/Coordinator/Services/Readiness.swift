import TintypeCore
import TintypeTransport
import TintypeQueue

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
