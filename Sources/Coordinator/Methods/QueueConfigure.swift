import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// `queue.configure`: changes a queue, or creates it.
struct QueueConfigure: RPCMethod {
    let name = "queue.configure"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let name = params["queue"]?.string ?? ""
        var change = QueueChange(
            order: params["order"]?.string.flatMap { QueueOrder(rawValue: $0) }, maxConcurrent: params["maxConcurrent"]?.int,
            maxConcurrentPerHost: params["maxConcurrentPerHost"]?.int, maxQueued: params["maxQueued"]?.int)
        let count = params["shards"]?.int.map { Int($0) }
        change.hostLimits = try params["hostLimits"]?.object.map { limits throws(TintypeError) in try Self.hosts(limits) }
        call.run(in: services.scope) { [self, change, services] () async throws(TintypeError) in
            let names = try await services.registry.names()
            if !names.contains(name), names.count >= QueueRoom.most, await !services.queueRoom.make() {
                throw TintypeError(
                    .limitExceeded, .admission, "there are \(names.count) queues, which is the limit, and none of them can be removed",
                    details: ["limit": "queues", "allowed": JSON(QueueRoom.most)])
            }
            if let count { try await split(name, into: count) }
            let answer = try await services.ask(name) { queue async throws(RedisError) in
                // A new queue begins with this coordinator's own limits, and so does a queue that was removed since the check.
                if try await queue.info() == nil { try await services.defaults.set(of: queue.parts[0]) }
                return try await queue.configure(change, services.admission.rules.hostLimits) { shard throws(RedisError) in
                    try await services.defaults.set(of: shard)
                }?.json
            }
            // The next request goes by the new settings.
            _ = try? await services.registry.names()
            return answer
        }
    }

    /// Gives a queue shards, unless it has as many.
    /// - Throws: `invalidParams` if the queue has another number, or has fetches.
    private func split(_ name: String, into count: Int) async throws(TintypeError) {
        let whole = services.registry.whole(name)
        guard count != whole.sharded?.count ?? 1 else { return }
        if let there = whole.sharded?.count {
            throw .invalidParams(path: "shards", value: JSON(count), expected: "\(there), the shards it has; another queue may have another number")
        }
        let isEmpty: Bool
        let rules = services.admission.rules.hostLimits
        do throws(RedisError) {
            let info = try await whole.parts[0].configure(QueueChange()) { () throws(RedisError) in try await services.defaults.set(of: whole.parts[0]) }
            isEmpty = info.map { $0.queued + $0.delayed + $0.running == 0 } ?? false
            if isEmpty, let info {
                try await whole.split(into: count, info, usual: services.defaults.maxQueued, rules) {
                    services.registry.queue($0)
                } setDefaults: { shard, index, sharded throws(RedisError) in
                    try await services.defaults.set(of: shard, as: index, sharded)
                }
            }
        } catch {
            throw TintypeError(error)
        }
        guard isEmpty else {
            throw .invalidParams(path: "shards", value: JSON(count), expected: "1, since fetches of this queue wait or run")
        }
        _ = try await services.registry.names()
    }

    /// - Throws: `invalidParams` for a text that cannot be the host of a source.
    private static func hosts(_ limits: JSONObject) throws(TintypeError) -> [String: Int] {
        var hosts: [String: Int] = [:]
        for (text, limit) in limits.members {
            guard let host = QueueChange.host(text) else {
                throw .invalidParams(
                    path: ParameterType.join("hostLimits", text), value: .string(text),
                    expected: "a host without scheme, port and path, such as \"example.org\"")
            }
            hosts[host] = limit.int ?? 1
        }
        return hosts
    }
}
