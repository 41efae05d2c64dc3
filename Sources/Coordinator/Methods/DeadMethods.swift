import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `dead.list`: lists dead letters, newest first.
struct DeadList: RPCMethod {
    let name = "dead.list"
    let questions: QueueQuestions

    func begin(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int.map { Int($0) } ?? 100
        let cursor = ListCursor(params)
        questions.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info(hosts: false) != nil else { return nil }
            return try await queue.parts.list(from: cursor, limit) { part, limit, cursor throws(RedisError) in
                try await part.deadLetters(limit: limit, after: cursor)
            } json: {
                $0.json
            }
        }
    }
}

/// `dead.retry`: queues the fetches of dead letters again.
struct DeadRetry: RPCMethod {
    let name = "dead.retry"
    let questions: QueueQuestions

    func begin(_ call: Call, _ params: JSON) {
        let ids = params["ids"]?.array?.compactMap(\.string) ?? []
        questions.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info(hosts: false) != nil else { return nil }
            var retried = 0
            for part in queue.parts { retried += try await part.retry(dead: ids) }
            return ["retried": JSON(retried)]
        }
    }
}

/// `dead.remove`: deletes dead letters.
struct DeadRemove: RPCMethod {
    let name = "dead.remove"
    let questions: QueueQuestions

    func begin(_ call: Call, _ params: JSON) {
        let ids = params["ids"]?.array?.compactMap(\.string) ?? []
        questions.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info(hosts: false) != nil else { return nil }
            var removed = 0
            for part in queue.parts { removed += try await part.discard(dead: ids) }
            return ["removed": JSON(removed)]
        }
    }
}
