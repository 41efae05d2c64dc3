import Shared

/// `blacklist.remove`: lets sources be asked again that failed before.
struct BlacklistRemove: RPCMethod {
    let name = "blacklist.remove"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        var ids = params["ids"]?.array?.compactMap(\.string) ?? []
        if let id = params["id"]?.string { ids.append(id) }
        if let url = params["url"]?.string {
            // What is only probed is another source.
            for isProbe in [false, true] {
                let request: JSON = ["url": .string(url), "fetch": params["fetch"] ?? .null]
                ids.append(try ImageRequest(request, isProbe: isProbe, rules: services.admission.rules).source.digest)
            }
        }
        guard !ids.isEmpty else { throw .invalidParams(path: "id", value: nil, expected: "an id, ids, or the url of a request") }
        let named = ids
        services.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var removed = 0
            for queue in queues { removed += try await queue.unlist(named) }
            return ["removed": JSON(removed)]
        }
    }
}
