import TintypeCore
import TintypeTransport
import TintypeQueue

/// `dead.remove`: throws away the records of fetches that were given up.
struct DeadRemove: RPCMethod {
    let name = "dead.remove"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let ids = params["ids"]?.array?.compactMap(\.string) ?? []
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info() != nil else { return nil }
            return ["removed": JSON(try await queue.discard(dead: ids))]
        }
    }
}
