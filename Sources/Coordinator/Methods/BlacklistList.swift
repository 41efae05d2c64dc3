import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `blacklist.list`: sources that are not asked again yet.
struct BlacklistList: RPCMethod {
    let name = "blacklist.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int ?? 100
        let cursor = ListCursor(params)
        services.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var items: [JSON] = []
            var next: ListCursor?
            var last = cursor
            // One list after the other, as if they were one.
            try await Queue.each(of: queues.from(cursor?.queue)) { queue throws(RedisError) in
                guard next == nil else { return }
                // With no room left this looks whether there is anything.
                let page = try await queue.blacklist(limit: limit - items.count, after: queue.name == cursor?.queue ? cursor : nil)
                items += page.items.map(\.json)
                if page.isMore { next = page.last ?? last }
                last = page.last ?? last
            }
            var answer: JSONObject = ["items": .array(items)]
            answer["cursor"] = next.map { .string($0.text) }
            return .object(answer)
        }
    }
}

extension [Queue] {
    /// Those that a list comes to when it goes on in one of them; that one may be there no more. They are in the order of `Queue.names`.
    fileprivate func from(_ name: String?) -> [Queue] {
        guard let name, name != "default" else { return self }
        return filter { $0.name != "default" && $0.name >= name }
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
