import TintypeImages

/// The question to the memory tier for the result of a request with one output. Pure.
struct MemoryQuestion: Sendable {
    let key: String
    /// The greatest age in seconds, in place of the freshness from the origin.
    let ttl: Double?
    /// The tags that the result must have.
    let tags: Set<String>

    /// - Returns: nil if memory may not answer the request (`AdmissionPlan.readsMemory`).
    init?(_ plan: AdmissionPlan) {
        guard plan.readsMemory, let key = plan.outputs.first?.digest else { return nil }
        (self.key, ttl, tags) = (key, plan.request.ttl, plan.tags)
    }
}
