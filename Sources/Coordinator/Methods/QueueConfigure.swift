import TintypeCore
import TintypeTransport
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
        change.hostLimits = try params["hostLimits"]?.object.map { limits throws(TintypeError) in try Self.hosts(limits) }
        call.run(in: services.scope) { [change, services] () async throws(TintypeError) in
            let names = try await services.registry.names()
            if !names.contains(name), names.count >= QueueRoom.most, await !services.queueRoom.make() {
                throw TintypeError(
                    .limitExceeded, .admission, "there are \(names.count) queues, which is the limit, and none of them can be removed",
                    details: ["limit": "queues", "allowed": JSON(QueueRoom.most)])
            }
            return try await services.ask(name) { queue async throws(RedisError) in
                // A new queue begins with this coordinator's own limits, and so does a queue that was removed since the check.
                if try await queue.info() == nil { try await services.defaults.set(of: queue) }
                return try await queue.configure(change) { () throws(RedisError) in try await services.defaults.set(of: queue) }?.json
            }
        }
    }

    /// - Throws: `invalidParams` for a text that cannot be the host of a source.
    private static func hosts(_ limits: JSONObject) throws(TintypeError) -> [String: Int] {
        var hosts: [String: Int] = [:]
        for (text, limit) in limits.members {
            guard let host = QueueChange.host(text) else {
                throw .invalidParams(
                    path: "hostLimits.\(text)", value: .string(text), expected: "a host without scheme, port and path, such as \"example.org\"")
            }
            hosts[host] = limit.int ?? 1
        }
        return hosts
    }
}
