import Shared

/// `blacklist.list`: sources that are not asked again yet.
struct BlacklistList: RPCMethod {
    let name = "blacklist.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int ?? 100
        let skipped = ListCursor.skipped(params)
        services.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var items: [JSON] = []
            var (before, all) = (skipped, 0)
            // One list after the other, as if they were one.
            try await Queue.each(of: queues) { queue throws(RedisError) in
                let (entries, total) = try await queue.blacklist(limit: limit - items.count, skipping: before)
                items += entries.map(\.json)
                before = max(0, before - total)
                all += total
            }
            var answer: JSONObject = ["items": .array(items)]
            if skipped + limit < all { answer["cursor"] = .string("\(skipped + limit)") }
            return .object(answer)
        }
    }
}

extension Services {
    /// Answers a call with what `body` brings of one queue, or of all of them.
    func answer(_ call: Call, ofQueue name: String?, _ body: @escaping @Loop ([Queue]) async throws(RedisError) -> JSON) {
        call.run(in: scope) { [self] () async throws(TintypeError) in
            let names = try await lanes.names()
            if let name, !names.contains(name) { throw Lanes.unknown(name) }
            do throws(RedisError) {
                return try await body((name.map { [$0] } ?? names).map { lanes.queue($0) })
            } catch {
                logger.refused("asking about queues", error)
                throw TintypeError(error)
            }
        }
    }
}
