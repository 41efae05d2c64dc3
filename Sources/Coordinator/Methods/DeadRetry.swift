import TintypeCore
import TintypeTransport
import TintypeQueue

/// `dead.retry`: queues fetches that were given up once more.
struct DeadRetry: RPCMethod {
    let name = "dead.retry"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let ids = params["ids"]?.array?.compactMap(\.string) ?? []
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info() != nil else { return nil }
            return ["retried": JSON(try await queue.retry(dead: ids))]
        }
    }
}
