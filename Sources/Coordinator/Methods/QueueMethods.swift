import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

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

extension [Queue] {
    /// Returns a page of the lists of these queues or shards, one list after the other.
    /// - Parameters:
    ///   - cursor: The end of the page before.
    ///   - limit: The most items.
    ///   - page: Reads a part of one queue's list.
    @Loop
    func list<Item>(
        from cursor: ListCursor?, _ limit: Int, _ page: @Loop (Queue, Int, ListCursor?) async throws(RedisError) -> ListPage<Item>,
        json: (Item) -> JSON
    ) async throws(RedisError) -> JSON {
        var items: [JSON] = []
        var next: ListCursor?
        var last = cursor
        try await Queue.each(of: from(cursor?.queue)) { queue throws(RedisError) in
            guard next == nil else { return }
            // With no room left, this only checks whether there is more.
            let part = try await page(queue, limit - items.count, queue.name == cursor?.queue ? cursor : nil)
            items += part.items.map(json)
            if part.isMore { next = part.last ?? last }
            last = part.last ?? last
        }
        var answer: JSONObject = ["items": .array(items)]
        answer["cursor"] = next.map { .string($0.text) }
        return .object(answer)
    }

    /// Returns the queues from which a list continues at a cursor, in the order of `Queue.names`. The queue of the cursor may no longer exist.
    private func from(_ name: String?) -> [Queue] {
        guard let name, name != "default" else { return self }
        return filter { $0.name != "default" && $0.name >= name }
    }
}

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
