import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `dead.list`: fetches that were given up, newest first.
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
