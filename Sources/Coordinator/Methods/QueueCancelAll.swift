import TintypeCore
import TintypeTransport
import TintypeQueue

/// `queue.cancelAll`: withdraws everything that waits or runs in a queue.
struct QueueCancelAll: RPCMethod {
    let name = "queue.cancelAll"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info() != nil else { return nil }
            try await queue.cancelAll(reason: "queue cancelled")
            return try await queue.info()?.json
        }
    }
}
