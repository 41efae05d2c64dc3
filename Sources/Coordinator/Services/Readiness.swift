import TintypeTransport
import TintypeQueue

/// Whether this coordinator can serve every request.
@Loop
struct Readiness {
    let registry: QueueRegistry
    let invalidation: CacheInvalidation
    let admission: Admission

    /// The reason why it cannot; nil if it can.
    var obstacle: String? {
        if admission.isClosed { return "this coordinator is stopping" }
        // Other servers of a cluster have other queues and results, and other requests need none of them.
        for handle in registry.all.sorted(by: { $0.name < $1.name }) {
            if let reason = handle.queue.node.obstacle { return reason }
        }
        if !registry.hasListed { return "the list of queues has not been read" }
        if registry["default"]?.channel.isConfirmed != true { return "the subscription for events is not confirmed" }
        if !invalidation.isConfirmed { return "the subscription for cache invalidations is not confirmed" }
        return nil
    }
}
