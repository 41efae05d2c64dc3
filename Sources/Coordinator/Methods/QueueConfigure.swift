import Shared

/// `queue.configure`: changes a queue, or creates it.
struct QueueConfigure: RPCMethod {
    let name = "queue.configure"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        var change = QueueChange(
            order: params["order"]?.string.flatMap { QueueOrder(rawValue: $0) }, maxConcurrent: params["maxConcurrent"]?.int,
            maxConcurrentPerHost: params["maxConcurrentPerHost"]?.int, maxQueued: params["maxQueued"]?.int)
        if let limits = params["hostLimits"]?.object {
            change.hostLimits = Dictionary(limits.members.map { ($0.key.lowercased(), $0.value.int ?? 1) }, uniquingKeysWith: { $1 })
        }
        services.answer(call, params["queue"]?.string ?? "") { [change, services] queue async throws(RedisError) in
            // A queue that is made now begins with this coordinator's own limits.
            if try await queue.info() == nil { try await services.setDefaults(of: queue) }
            return try await queue.configure(change)?.json
        }
    }
}
