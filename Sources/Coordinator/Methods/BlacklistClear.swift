import Shared

/// `blacklist.clear`: lets every source be asked again.
struct BlacklistClear: RPCMethod {
    let name = "blacklist.clear"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var removed = 0
            for queue in queues { removed += try await queue.clearBlacklist() }
            return ["removed": JSON(removed)]
        }
    }
}
