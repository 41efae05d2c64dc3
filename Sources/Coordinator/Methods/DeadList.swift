import Shared

/// `dead.list`: fetches that were given up, newest first.
struct DeadList: RPCMethod {
    let name = "dead.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int.map { Int($0) } ?? 100
        let skipped = ListCursor.skipped(params)
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info() != nil else { return nil }
            let (letters, total) = try await queue.deadLetters(limit: limit, skipping: skipped)
            var answer: JSONObject = ["items": .array(letters.map(\.json))]
            if skipped + limit < total { answer["cursor"] = .string("\(skipped + limit)") }
            return .object(answer)
        }
    }
}
