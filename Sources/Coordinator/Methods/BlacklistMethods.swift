import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// The methods `blacklist.*`.
@Loop
struct BlacklistMethods {
    let admission: Admission
    let questions: QueueQuestions

    var all: [CoreMethod] {
        [
            CoreMethod("blacklist.list", list), CoreMethod("blacklist.remove", remove),
            CoreMethod("blacklist.clear") { [self] call, params in
                remove(call, params) { queue async throws(RedisError) in try await queue.clearBlacklist() }
            },
        ]
    }

    private func list(_ call: Call, _ params: JSON) {
        let limit = params["limit"]?.int ?? 100
        let cursor = ListCursor(params)
        questions.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            try await queues.list(from: cursor, limit) { queue, limit, cursor throws(RedisError) in
                try await queue.blacklist(limit: limit, after: cursor)
            } json: {
                $0.json
            }
        }
    }

    // MARK: Removal

    /// The members that name a source.
    private static let source = ["url", "urls", "fetch", "cache"]

    /// Returns a request for the same source. Members that a probe does not accept are left out of a probe.
    /// - Parameter traits: The facts about the source to ask for.
    private static func request(_ params: JSON, isProbe: Bool, _ traits: [PictureTrait] = []) -> JSON {
        let taken = Set((isProbe ? ImageRequest.probeParameters : ImageRequest.parameters).map(\.name))
        var request = JSONObject()
        for name in source where taken.contains(name) { request[name] = params[name] }
        if request["cache"] != nil { request["cache"] = params["cache"]?["scope"].map { ["scope": $0] } }
        if !traits.isEmpty { request["describe"] = .array(traits.map { .string($0.rawValue) }) }
        return .object(request)
    }

    /// Removes sources that are named by their ids or by a request.
    private func remove(_ call: Call, _ params: JSON) throws(TintypeError) {
        var ids = params["ids"]?.array?.compactMap(\.string) ?? []
        if let id = params["id"]?.string { ids.append(id) }
        if Self.source.prefix(2).contains(where: { params[$0]?.isNull == false }) {
            // A probe has a source key of its own, and so has a request that reads the source as far as its EXIF.
            for (isProbe, traits) in [(false, []), (true, []), (true, [.exif])] as [(Bool, [PictureTrait])] {
                let request = Self.request(params, isProbe: isProbe, traits)
                ids.append(admission.keys.key(try ImageRequest(request, isProbe: isProbe, rules: admission.rules).source.digest))
            }
        } else if let lonely = Self.source.first(where: { params[$0]?.isNull == false }) {
            throw .invalidParams(path: lonely, value: params[lonely], expected: "url or urls beside it")
        }
        guard !ids.isEmpty else { throw .invalidParams(path: "id", value: nil, expected: "an id, ids, or the url of a request") }
        let named = ids
        remove(call, params) { queue async throws(RedisError) in try await queue.unlist(named) }
    }

    /// Answers with the number of entries that `body` has removed.
    private func remove(_ call: Call, _ params: JSON, _ body: @escaping @Loop (Queue) async throws(RedisError) -> Int) {
        questions.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var removed = 0
            try await Queue.each(of: queues) { queue throws(RedisError) in removed += try await body(queue) }
            return ["removed": JSON(removed)]
        }
    }
}
