import TintypeTransport

/// Whether requests can be served whole.
@Loop
struct Readiness {
    let redis: RedisNodes
    let lanes: Lanes
    let cacheNews: CacheNews
    let admission: Admission

    /// Why they cannot; nil if they can.
    var obstacle: String? {
        if admission.isClosed { return "this coordinator is stopping" }
        if let failure = redis.failure { return failure.description }
        if let refusal = redis.refusal { return refusal }
        if lanes["default"]?.channel.isConfirmed != true { return "the subscription for events is not confirmed" }
        if !cacheNews.isConfirmed { return "the subscription for what caches are to forget is not confirmed" }
        return nil
    }
}
