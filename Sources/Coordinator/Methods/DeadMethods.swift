import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// The methods `dead.*`, about dead letters.
@Loop
struct DeadMethods {
    let questions: QueueQuestions

    var all: [CoreMethod] { [CoreMethod("dead.list", list), CoreMethod("dead.retry", retry), CoreMethod("dead.remove", remove)] }

    /// Lists dead letters, newest first.
    private func list(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int.map { Int($0) } ?? 100
        let cursor = ListCursor(params)
        ask(call, params) { parts async throws(RedisError) in
            try await parts.list(from: cursor, limit) { part, limit, cursor throws(RedisError) in
                try await part.deadLetters(limit: limit, after: cursor)
            } json: {
                $0.json
            }
        }
    }

    /// Queues the fetches of dead letters again.
    private func retry(_ call: Call, _ params: JSON) {
        let ids = params["ids"]?.array?.compactMap(\.string) ?? []
        ask(call, params) { parts async throws(RedisError) in
            var retried = 0
            for part in parts { retried += try await part.retry(dead: ids) }
            return ["retried": JSON(retried)]
        }
    }

    /// Deletes dead letters.
    private func remove(_ call: Call, _ params: JSON) {
        let ids = params["ids"]?.array?.compactMap(\.string) ?? []
        ask(call, params) { parts async throws(RedisError) in
            var removed = 0
            for part in parts { removed += try await part.discard(dead: ids) }
            return ["removed": JSON(removed)]
        }
    }

    /// Answers with the result of `body` for a queue and its shards.
    private func ask(_ call: Call, _ params: JSON, _ body: @escaping @Loop ([Queue]) async throws(RedisError) -> JSON) {
        questions.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info(hosts: false) != nil else { return nil }
            return try await body(queue.parts)
        }
    }
}
