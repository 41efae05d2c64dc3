import TintypeCore
import TintypeTransport
import TintypeQueue

/// `blacklist.clear`: lets every source be asked again.
struct BlacklistClear: RPCMethod {
    let name = "blacklist.clear"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, ofQueue: params["queue"]?.string) { queues async throws(RedisError) in
            var removed = 0
            try await Queue.each(of: queues) { queue throws(RedisError) in removed += try await queue.clearBlacklist() }
            return ["removed": JSON(removed)]
        }
    }
}
