package import TintypeCore
package import TintypeTransport
package import TintypeImages

extension Queue {
    /// The limit of each kind of work in one `reap`. It takes some milliseconds, during which Redis serves no other client.
    package nonisolated static let reapPage = 100

    /// How long a run goes on before it may be asked to yield to another client's. Most sources arrive in less time.
    package nonisolated static let undisturbed = Duration.seconds(10)

    /// Handles expired leases, deadlines and waits, and forgets silent workers and coordinators. Any coordinator calls it each second, once its
    /// connection has been whole for one lease. An outage of Redis must not look like the death of all workers. If another client holds all the permits
    /// that clients wait for, some of its runs are asked to yield.
    /// - Parameters:
    ///   - clock: the latest time that the clock of Redis may show. If the clock was set forward, nothing is done.
    ///   - undisturbed: how long a run goes on before it may be asked to yield.
    package func reap(notAfter clock: Int64? = nil, undisturbed: Duration = Queue.undisturbed) async throws(RedisError) -> ReapAnswer {
        // It may not wait for a slot that moves: the leases run out meanwhile.
        let reply = try await run(
            .reap,
            [
                .most: .int(Int64(Self.reapPage)), .jitter: dice(), .failure: .string(Self.workerLost), .workerSilence: 60_000,
                .coordinatorSilence: .int(times.coordinatorSilence.milliseconds), .latest: clock.map { .int($0) },
                .undisturbed: .int(undisturbed.milliseconds),
            ], waits: false)
        guard let shown = reply.array?.first?.int else { throw Self.unexpected(.reap) }
        if reply.array?.count == 1 { return ReapAnswer(clock: shown, hasJumped: true) }
        let counts = (reply.array ?? []).dropFirst().compactMap(\.int)
        guard counts.count == 6, let gone = reply.array?.last?.array else { throw Self.unexpected(.reap) }
        return ReapAnswer(
            clock: shown, expiredLeases: Int(counts[0]), deadlines: Int(counts[1]), promoted: Int(counts[2]), forgottenWorkers: Int(counts[3]),
            askedToYield: Int(counts[4]), hasMore: counts[5] == 1, goneCoordinators: gone.compactMap(\.string))
    }

    /// Cancels the receipts that a dead coordinator has left. These are the receipts of its own clients that are not detached, and receipts that were
    /// cancelled elsewhere and handed to it. Then the coordinator is forgotten. If it is alive after all, it learns of the changes as after any break.
    /// The reaper calls it; two calls at once do no harm.
    /// - Returns: the number of cancelled receipts.
    package func abandon(coordinator: String) async throws(RedisError) -> Int {
        try await endPages(ScriptArguments(.abandon, [.coordinator: .string(coordinator), .silence: .int(times.coordinatorSilence.milliseconds)]))
    }

    /// Repeats a script that ends receipts a page at a time.
    /// - Parameter began: the time of the first page, which the answer names; nil if the script does not ask for it.
    /// - Returns: the number of ended receipts.
    func endPages(_ arguments: ScriptArguments, began: ScriptOption? = nil) async throws(RedisError) -> Int {
        var (cursor, first, count) = ("0", "", 0)
        var turn = PagingPause()
        while true {
            var page = arguments
            page.add([.page: 100, .cursor: .string(cursor)])
            if let began { page.add([began: .ifAny(first)]) }
            let reply = try await run(page)
            guard let words = reply.array, words.count >= 2, let next = words[0].string, let ended = words[1].int else {
                throw Self.unexpected(arguments.script)
            }
            (cursor, first) = (next, words.last?.string ?? "")
            // bounded: the script counts the ends of one page.
            count += Int(ended)
            guard cursor != "0", await turn.pause() else { return count }
        }
    }

    /// The script replaces phase and number by the true ones.
    private nonisolated static let workerLost = TintypeError(
        .workerLost, .queue, "the worker that ran it stopped answering", details: ["attempts": 0]
    ).json.text
    /// The error of a receipt whose deadline has passed. The scripts end receipts with it (`ScriptConstants`).
    package nonisolated static let deadlineExceeded = TintypeError(
        .deadlineExceeded, .queue, "the deadline passed before the work was done; ask again with a longer deadline", details: ["attempts": 0])

    /// Reads the state of the queue; nil if there is no such queue.
    /// - Parameter hosts: whether to read the limits of hosts too. There may be thousands of them.
    package func info(hosts: Bool = true) async throws(RedisError) -> QueueInfo? {
        let reply = try await run(.info, [.int(times.lease.milliseconds), hosts ? "1" : "0"])
        if reply.isNull { return nil }
        guard let words = reply.array, words.count == 17, let order = words[0].string else { throw Self.unexpected(.info) }
        let numbers = words.map { Int($0.int ?? 0) }
        let ruled = HostLimits(queued: words[12].pairs)
        return QueueInfo(
            name: name, order: QueueOrder(rawValue: order) ?? .fifo, paused: numbers[1] == 1,
            limits: QueueLimits(
                maxConcurrent: numbers[2], maxConcurrentPerHost: numbers[3],
                hostLimits: words[10].pairs.compactMapValues { WireNumber.integer($0).map { Int($0) } },
                ruleLimits: ruled.shown, rulePaces: ruled.shownPaces, maxQueued: numbers[4]),
            queued: numbers[5], delayed: numbers[6], running: numbers[7], dead: numbers[8],
            oldestQueuedSeconds: numbers[9] < 0 ? nil : Double(numbers[9]) / 1000,
            heldHosts: words[11].pairs.compactMapValues { Double($0).map { $0 / 1000 } }, workers: numbers[13], blacklisted: numbers[14],
            askingHosts: Set((words[15].array ?? []).compactMap(\.string)), deadLetters: numbers[16])
    }

    /// Changes settings.
    /// - Parameters:
    ///   - create: whether to make the queue if it does not exist.
    ///   - whenMade: called if this call has made the queue.
    /// - Returns: nil if there is no such queue and none was made.
    package func configure(
        _ change: QueueChange, create: Bool = true, whenMade: @Loop () async throws(RedisError) -> Void = {}
    ) async throws(RedisError) -> QueueInfo? {
        let settings: KeyValuePairs<String, RedisArgument?> = [
            "order": change.order.map { .string($0.rawValue) }, "maxConcurrent": change.maxConcurrent.map { .int(Int64($0)) },
            "maxConcurrentPerHost": change.maxConcurrentPerHost.map { .int(Int64($0)) }, "maxQueued": change.maxQueued.map { .int(Int64($0)) },
            "paused": change.paused.map { $0 ? "1" : "0" }, "mark": change.mark.map { .string($0) },
        ]
        let words = settings.flatMap { name, value -> [RedisArgument] in value.map { [.string(name), $0] } ?? [] }
        var arguments: [RedisArgument] = [create ? "1" : "0", change.hostLimits == nil ? "0" : "1", .int(Int64(words.count / 2))] + words
        for (host, limit) in change.hostLimits ?? [:] { arguments += [.string(host), .int(Int64(limit))] }
        // List the name first: a listed queue that does not exist yet does no harm, but an unlisted one would be neglected.
        if create { try await list() }
        switch PlainReply(try await run(.configure, arguments)) {
        case .ok: break
        case .made: try await whenMade()
        case .other, nil: return nil
        }
        // List it again: between the two calls the queue may have been removed, and its name is removed next.
        if create { try await list() }
        return try await info()
    }

    /// Sets the defaults for queues without settings of their own. The last call counts.
    /// - Parameters:
    ///   - maxQueued: the maximum number of waiting fetches.
    ///   - hostLimits: the limits for hosts that the queue's own `hostLimits` do not name. They replace all earlier defaults.
    ///   - publicChannels: the way of its public events.
    package func setDefaults(maxQueued: Int, hostLimits: HostLimits, publicChannels: PublicChannels = .plain) async throws(RedisError) {
        var arguments: [RedisArgument] = [.int(Int64(maxQueued)), .string(publicChannels.rawValue)]
        for (pattern, value) in hostLimits.queued { arguments += [.string(pattern), .string(value)] }
        _ = try await run(.defaults, arguments)
    }

    /// Stops new claims. Running fetches go on.
    package func pause() async throws(RedisError) -> QueueInfo? { try await configure(QueueChange(paused: true), create: false) }

    package func resume() async throws(RedisError) -> QueueInfo? { try await configure(QueueChange(paused: false), create: false) }

    /// The names of all queues, `default` first.
    package static func names(_ redis: RedisNodes) async throws(RedisError) -> [String] {
        let listed = (try await shared(redis).command(["HKEYS", .string(QueueKeys.registry)]).array ?? []).compactMap(\.string)
        return ["default"] + listed.filter { $0 != "default" }.sorted()
    }

    /// Announces that a worker serves queues that do not exist, so that operators can see it. The announcement lasts for a minute, and the worker
    /// repeats it as long as it is true. Each name has its own time, so nothing wrong is shown if only one of these commands succeeds.
    package static func announce(missing names: [String], _ redis: RedisNodes) async throws(RedisError) {
        // An open connection outlives a change of the schema, and no script checks the schema here.
        let node = shared(redis)
        if let objection = QueueSchema.check.objection(try await node.command(QueueSchema.check.command)) { throw objection }
        let now = try await clock(redis)
        let key = RedisArgument.string(QueueKeys.strays)
        _ = try await node.command(["ZADD", key] + names.flatMap { [.int(now + strayness), .string($0)] })
        _ = try await node.command(["PEXPIRE", key, .int(strayness)])
        _ = try await node.command(["ZREMRANGEBYSCORE", key, "-inf", .int(now)])
    }

    /// Milliseconds for which an announcement lasts.
    private nonisolated static let strayness: Int64 = 60_000

    /// Returns the names of queues that workers may serve and that do not exist, so that no list of queues contains them.
    package static func missing(_ redis: RedisNodes) async throws(RedisError) -> [String] {
        let listing: [RedisArgument] = ["ZRANGE", .string(QueueKeys.strays), .string("(\(try await clock(redis))"), "+inf", "BYSCORE"]
        let strays = (try await shared(redis).command(listing).array ?? []).compactMap(\.string)
        guard !strays.isEmpty else { return [] }
        return Set(strays).subtracting(try await names(redis)).sorted()
    }

    /// Returns the last report of each worker of this queue, with its time (epoch ms).
    package func workers() async throws(RedisError) -> [(id: String, info: JSON, seen: Int64)] {
        let infos = try await node.command(["HGETALL", .string(keys.workers)]).pairs
        let seen = try await node.command(["ZRANGE", .string(keys.workersSeen), "0", "-1", "WITHSCORES"]).pairs
        return infos.keys.sorted().map { id in
            let info = (try? JSON(parsing: infos[id] ?? "")) ?? .null
            return (id, info, seen[id].flatMap { WireNumber.digits($0) } ?? 0)
        }
    }

    /// Returns the time of the clock of Redis in epoch ms, which the times of workers and purges refer to.
    package static func clock(_ redis: RedisNodes) async throws(RedisError) -> Int64 { try await clock(shared(redis)) }

    /// Returns the time of the clock of the queue's server in epoch ms. All times in the queue use this clock.
    package func clock() async throws(RedisError) -> Int64 { try await Self.clock(node) }

    private static func clock(_ node: RedisNode) async throws(RedisError) -> Int64 {
        let words = (try await node.command(["TIME"]).array ?? []).compactMap(\.int)
        guard words.count == 2 else { throw .reply("TIME gave an unexpected answer") }
        return words[0] * 1000 + words[1] / 1000
    }

    /// Adds a result to the index that was not made through this queue. Its bytes are in the store.
    /// - Parameters:
    ///   - info: RenditionInfo.
    ///   - source: SourceInfo.
    package func index(_ digest: String, info: JSON, source: JSON, seconds: Double) async throws(RedisError) {
        // One line each, as `settle` writes them: RenditionInfo, SourceInfo, no description.
        let entry = RedisArgument.string("\(info.text)\n\(source.text)\n")
        _ = try await node.command(["SET", .string(keys.result(digest)), entry, "PX", .int(max(1, Self.milliseconds(seconds)))])
    }

    /// Changes the metadata of a result in the index, if the index has the result. An entry that a worker writes meanwhile stays.
    /// - Parameter metadata: nil removes the metadata.
    package func setMetadata(of digest: String, to metadata: JSON?) async throws(RedisError) {
        let key = RedisArgument.string(keys.result(digest))
        guard let entry = try await node.command(["GET", key]).string, let end = entry.firstIndex(of: "\n"),
            var info = (try? JSON(parsing: String(entry[..<end])))?.object
        else { return }
        info["metadata"] = metadata
        _ = try await node.command(["EVAL", .string(Self.replacing), "1", key, .string(entry), .string(JSON.object(info).text + entry[end...])])
    }

    private static let replacing =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') end return 0"

    package func isIndexed(_ digest: String) async throws(RedisError) -> Bool {
        try await node.command(["EXISTS", .string(keys.result(digest))]).int == 1
    }

    /// Removes results from the index: their bytes are gone, or must not be served any more.
    /// - Returns: how many of them the index had.
    @discardableResult
    package func forget(results digests: [String]) async throws(RedisError) -> Int {
        guard !digests.isEmpty else { return 0 }
        return Int(try await node.command(["UNLINK"] + digests.map { .string(keys.result($0)) }).int ?? 0)
    }

    /// Removes all results from the index, a few hundred at a time.
    @discardableResult
    package func forgetAllResults() async throws(RedisError) -> Int {
        var count = 0
        try await eachResultKey { keys throws(RedisError) in
            // bounded: Redis counts the keys of one page.
            count += Int(try await node.command(["UNLINK"] + keys.map { .string($0) }).int ?? 0)
        }
        return count
    }

    /// Calls a function with the keys of the index, a page at a time. Redis does other work between two pages.
    func eachResultKey(_ body: @Loop ([String]) async throws(RedisError) -> Void) async throws(RedisError) {
        var next: RedisKeyCursor? = RedisKeyCursor()
        while let place = next {
            let page = try await redis.keys(matching: keys.result("*"), of: keys.tag, from: place)
            next = page.next
            if !page.keys.isEmpty { try await body(page.keys) }
        }
    }

    /// Calls a function with the members of a sorted set, a page at a time, until it returns false.
    func eachMember(of key: String, _ body: @Loop ([String]) async throws(RedisError) -> Bool) async throws(RedisError) {
        var cursor = "0"
        repeat {
            let reply = try await node.command(["ZSCAN", .string(key), .string(cursor), "COUNT", "500"])
            guard let words = reply.array, words.count == 2, let next = words[0].string, let found = words[1].array else {
                throw .reply("ZSCAN gave an unexpected answer")
            }
            // Each member is followed by its score.
            guard try await body(stride(from: 0, to: found.count, by: 2).compactMap { found[$0].string }) else { return }
            cursor = next
        } while cursor != "0"
    }
}
