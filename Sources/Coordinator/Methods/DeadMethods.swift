import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `dead.list`: lists dead letters, newest first.
struct DeadList: RPCMethod {
    let name = "dead.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int.map { Int($0) } ?? 100
        let cursor = ListCursor(params)
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info() != nil else { return nil }
            let page = try await queue.deadLetters(limit: limit, after: cursor)
            var answer: JSONObject = ["items": .array(page.items.map(\.json))]
            answer["cursor"] = page.next.map { .string($0.text) }
            return .object(answer)
        }
    }
}

/// `dead.retry`: queues the fetches of dead letters again.
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

/// `dead.remove`: deletes dead letters.
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
