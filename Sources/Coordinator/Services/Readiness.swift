import TintypeTransport

/// Whether this coordinator can serve every request.
@Loop
struct Readiness {
    let redis: RedisNodes
    let registry: QueueRegistry
    let invalidation: CacheInvalidation
    let admission: Admission

    /// The reason why it cannot; nil if it can.
    var obstacle: String? {
        if admission.isClosed { return "this coordinator is stopping" }
        if let failure = redis.failure { return failure.description }
        if let refusal = redis.refusal { return refusal }
        if registry["default"]?.channel.isConfirmed != true { return "the subscription for events is not confirmed" }
        if !invalidation.isConfirmed { return "the subscription for cache invalidations is not confirmed" }
        return nil
    }
}
