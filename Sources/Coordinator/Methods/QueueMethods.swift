package import TintypeCore
package import TintypeImages
package import TintypeQueue
package import TintypeTransport

/// The methods `queue.*`.
@Loop
struct QueueMethods {
    let scope: TaskScope
    let registry: QueueRegistry
    let unusedQueues: UnusedQueueCollector
    let questions: QueueQuestions
    let defaults: OperatorDefaults
    let admission: Admission

    var all: [CoreMethod] {
        [
            CoreMethod("queue.list", list),
            CoreMethod("queue.get") { [self] call, params in ask(call, params) { queue async throws(RedisError) in try await queue.info() } },
            CoreMethod("queue.pause") { [self] call, params in change(call, params) { queue async throws(RedisError) in try await queue.pause() } },
            CoreMethod("queue.resume") { [self] call, params in change(call, params) { queue async throws(RedisError) in try await queue.resume() } },
            CoreMethod("queue.cancelAll", cancelAll), CoreMethod("queue.configure", configure),
        ]
    }

    private func list(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            var infos: [JSON] = []
            try await registry.eachWhole { queue throws(RedisError) in if let info = try await queue.info() { infos.append(info.json) } }
            return .array(infos)
        }
    }

    /// Cancels all waiting and running fetches of a queue.
    private func cancelAll(_ call: Call, _ params: JSON) {
        ask(call, params) { queue async throws(RedisError) in
            guard try await queue.info(hosts: false) != nil else { return nil }
            try await queue.cancelAll(reason: "queue cancelled")
            return try await queue.info()
        }
    }

    /// Pauses a queue, or ends its pause. Running work goes on.
    private func change(_ call: Call, _ params: JSON, _ body: @escaping @Loop (WholeQueue) async throws(RedisError) -> QueueInfo?) {
        ask(call, params) { [registry] queue async throws(RedisError) in
            let info = try await body(queue)
            for part in queue.parts { registry[part.name]?.channel.ping() }
            return info
        }
    }

    /// Answers with the state of a queue, as `body` returns it; nil means that the queue does not exist.
    private func ask(_ call: Call, _ params: JSON, _ body: @escaping @Loop (WholeQueue) async throws(RedisError) -> QueueInfo?) {
        questions.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in try await body(queue)?.json }
    }

    // MARK: Settings

    /// Changes a queue, or creates it.
    private func configure(_ call: Call, _ params: JSON) throws(TintypeError) {
        let name = params["queue"]?.string ?? ""
        var change = QueueChange(
            order: params["order"]?.string.flatMap { QueueOrder(rawValue: $0) }, maxConcurrent: params["maxConcurrent"]?.int,
            maxConcurrentPerHost: params["maxConcurrentPerHost"]?.int, maxQueued: params["maxQueued"]?.int)
        let count = params["shards"]?.int.map { Int($0) }
        change.hostLimits = try params["hostLimits"]?.object.map { limits throws(TintypeError) in try Self.hosts(limits) }
        call.run(in: scope) { [self, change] () async throws(TintypeError) in
            let names = try await registry.names()
            if !names.contains(name), names.count >= UnusedQueueCollector.most, await !unusedQueues.collect() {
                throw TintypeError(
                    .limitExceeded, .admission, "there are \(names.count) queues, which is the limit, and none of them can be removed",
                    details: ["limit": "queues", "allowed": JSON(UnusedQueueCollector.most)])
            }
            if let count { try await split(name, into: count) }
            let answer = try await questions.ask(name) { queue async throws(RedisError) in
                // A new queue begins with this coordinator's own limits, and so does a queue that was removed since the check.
                if try await queue.info() == nil { try await defaults.set(of: queue.parts[0]) }
                return try await queue.configure(change, admission.rules.hostLimits) { shard throws(RedisError) in
                    try await defaults.set(of: shard)
                }?.json
            }
            // The next request goes by the new settings.
            _ = try? await registry.names()
            return answer
        }
    }

    /// Gives a queue shards, unless it has as many.
    /// - Throws: `invalidParams` if the queue has another number, or has fetches.
    private func split(_ name: String, into count: Int) async throws(TintypeError) {
        let whole = registry.whole(name)
        guard count != whole.sharded?.count ?? 1 else { return }
        if let there = whole.sharded?.count {
            throw .invalidParams(path: "shards", value: JSON(count), expected: "\(there), the shards it has; another queue may have another number")
        }
        let rules = admission.rules.hostLimits
        let isEmpty = try await RedisError.translating { () async throws(RedisError) in
            let info = try await whole.parts[0].configure(QueueChange()) { () throws(RedisError) in try await defaults.set(of: whole.parts[0]) }
            guard let info, info.queued + info.delayed + info.running == 0 else { return false }
            try await whole.split(into: count, info, usual: defaults.maxQueued, rules) {
                registry.queue($0)
            } setDefaults: { shard, index, sharded throws(RedisError) in
                try await defaults.set(of: shard, as: index, sharded)
            }
            return true
        }
        guard isEmpty else {
            throw .invalidParams(path: "shards", value: JSON(count), expected: "1, since fetches of this queue wait or run")
        }
        _ = try await registry.names()
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

extension [Queue] {
    /// Returns a page of the lists of these queues or shards, one list after the other.
    /// - Parameters:
    ///   - cursor: The end of the page before.
    ///   - limit: The most items.
    ///   - page: Reads a part of one queue's list.
    @Loop
    package func list<Item>(
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
