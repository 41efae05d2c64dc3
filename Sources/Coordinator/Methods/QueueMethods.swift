import TintypeCore
import TintypeTransport
import TintypeQueue

/// `queue.list`: lists all queues.
struct QueueList: RPCMethod {
    let name = "queue.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in
            var infos: [JSON] = []
            try await services.registry.eachWhole { queue throws(RedisError) in if let info = try await queue.info() { infos.append(info.json) } }
            return .array(infos)
        }
    }
}

/// `queue.get`: the state of a queue.
struct QueueGet: RPCMethod {
    let name = "queue.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in try await queue.info()?.json }
    }
}

extension Services {
    /// Answers a call with the result of `body` for a queue; nil means that the queue does not exist.
    func answer(_ call: Call, _ name: String, _ body: @escaping @Loop (WholeQueue) async throws(RedisError) -> JSON?) {
        call.run(in: scope) { [self] () async throws(TintypeError) in try await ask(name, body) }
    }

    /// Returns the result of `body` for a queue.
    /// - Throws: `unknownQueue` if the result is nil; the error of Redis.
    func ask(_ name: String, _ body: @Loop (WholeQueue) async throws(RedisError) -> JSON?) async throws(TintypeError) -> JSON {
        // Another coordinator may have changed its settings as a whole just now.
        _ = try? await registry.names()
        do throws(RedisError) {
            if let answer = try await body(registry.whole(name)) { return answer }
        } catch {
            logger.refused("asking about a queue", error)
            throw TintypeError(error)
        }
        throw QueueRegistry.unknown(name)
    }
}

/// `queue.pause`: stops new claims; running work goes on.
struct QueuePause: RPCMethod {
    let name = "queue.pause"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { [services] queue async throws(RedisError) in
            let answer = try await queue.pause()?.json
            for part in queue.parts { services.registry[part.name]?.channel.ping() }
            return answer
        }
    }
}

/// `queue.resume`: ends a pause.
struct QueueResume: RPCMethod {
    let name = "queue.resume"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { [services] queue async throws(RedisError) in
            let answer = try await queue.resume()?.json
            for part in queue.parts { services.registry[part.name]?.channel.ping() }
            return answer
        }
    }
}

/// `queue.cancelAll`: cancels all waiting and running fetches of a queue.
struct QueueCancelAll: RPCMethod {
    let name = "queue.cancelAll"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in
            guard try await queue.info(hosts: false) != nil else { return nil }
            try await queue.cancelAll(reason: "queue cancelled")
            return try await queue.info()?.json
        }
    }
}
