package import TintypeCore
package import TintypeTransport
package import TintypeImages

extension Queue {
    /// How many of each kind one `reap` ends at most: some milliseconds of Redis, in which everybody else waits.
    package nonisolated static let reapPage = 100

    /// How long a run is left alone before it may be asked to give its place to another client's: most sources come in less.
    package nonisolated static let undisturbed = Duration.seconds(10)

    /// Ends what has outlived its time: leases of dead workers, deadlines of receipts, waits of delayed fetches, records of silent workers
    /// and coordinators. Each second, by any coordinator whose connection has been whole for one lease: an outage of Redis must not look
    /// like the death of all workers. Where clients wait for places that another one has, runs of that one are asked to give way.
    /// - Parameters:
    ///   - clock: what the clock of Redis may show at the most: was it set forward, nothing is done.
    ///   - undisturbed: how long a run is left alone before it may be asked to give way.
    package func reap(notAfter clock: Int64? = nil, undisturbed: Duration = Queue.undisturbed) async throws(RedisError) -> ReapAnswer {
        let reply = try await run(
            scripts.reap,
            [
                .int(Int64(Self.reapPage)), dice(), .string(Self.workerLost), 60_000, .int(times.coordinatorSilence.milliseconds),
                clock.map { .int($0) } ?? "",
                .int(undisturbed.milliseconds),
            ])
        guard let shown = reply.array?.first?.string.flatMap({ Int64($0) }) else { throw Self.unexpected(scripts.reap, reply) }
        if reply.array?.count == 1 { return ReapAnswer(clock: shown, hasJumped: true) }
        let counts = (reply.array ?? []).dropFirst().compactMap(\.int)
        guard counts.count == 5, let gone = reply.array?.last?.array else { throw Self.unexpected(scripts.reap, reply) }
        return ReapAnswer(
            clock: shown, expiredLeases: Int(counts[0]), deadlines: Int(counts[1]), promoted: Int(counts[2]), forgottenWorkers: Int(counts[3]),
            askedToYield: Int(counts[4]), goneCoordinators: gone.compactMap(\.string))
    }

    /// Withdraws what a coordinator that is gone has left: the receipts whose clients were its own and that are not detached, and those that were
    /// cancelled elsewhere and handed to it. Then it is forgotten; should it live after all, it is told as after any break. By whoever reaps; two
    /// at once do no harm.
    /// - Returns: how many receipts were withdrawn.
    package func abandon(coordinator: String) async throws(RedisError) -> Int {
        var cursor = "0"
        var count = 0
        var turn = HalfShare()
        while true {
            let reply = try await run(scripts.abandon, [.string(coordinator), .string(cursor), 100, .int(times.coordinatorSilence.milliseconds)])
            guard let words = reply.array, words.count == 2, let next = words[0].string else { throw Self.unexpected(scripts.abandon, reply) }
            count += Int(words[1].int ?? 0)
            cursor = next
            guard cursor != "0", await turn.rest() else { return count }
        }
    }

    /// The script writes the true phase and number over these.
    private nonisolated static let workerLost = TintypeError(
        .workerLost, .queue, "the worker that ran it stopped answering", details: ["attempts": 0]
    ).json.text
    /// The scripts hold the same words (`LATE`).
    package nonisolated static let deadlineExceeded = TintypeError(
        .deadlineExceeded, .queue, "the deadline passed before the work was done; ask again with a longer deadline", details: ["attempts": 0])

    /// - Returns: nil if there is no such queue.
    package func info() async throws(RedisError) -> QueueInfo? {
        let reply = try await run(scripts.info, [])
        if reply.isNull { return nil }
        guard let words = reply.array, words.count == 14, let order = words[0].string else { throw Self.unexpected(scripts.info, reply) }
        let numbers = words.map { Int($0.int ?? 0) }
        let ruled = HostLimits(queued: words[12].pairs)
        return QueueInfo(
            name: name, order: order == "l" ? .lifo : .fifo, paused: numbers[1] == 1,
            limits: QueueLimits(
                maxConcurrent: numbers[2], maxConcurrentPerHost: numbers[3],
                hostLimits: words[10].pairs.compactMapValues { Int($0) },
                ruleLimits: ruled.shown, rulePaces: ruled.shownPaces, maxQueued: numbers[4]),
            queued: numbers[5], delayed: numbers[6], running: numbers[7], dead: numbers[8],
            oldestQueuedSeconds: numbers[9] < 0 ? nil : Double(numbers[9]) / 1000,
            heldHosts: words[11].pairs.compactMapValues { Double($0).map { $0 / 1000 } }, workers: numbers[13])
    }

    /// Changes settings.
    /// - Parameters:
    ///   - create: whether a queue that does not exist is made.
    ///   - whenMade: called when it was made by this.
    /// - Returns: nil if there is no such queue and none was made.
    package func configure(
        _ change: QueueChange, create: Bool = true, whenMade: @Loop () async throws(RedisError) -> Void = {}
    ) async throws(RedisError) -> QueueInfo? {
        var settings: [(String, RedisArgument)] = []
        if let order = change.order { settings.append(("order", .string(order.letter))) }
        if let max = change.maxConcurrent { settings.append(("max", .int(Int64(max)))) }
        if let max = change.maxConcurrentPerHost { settings.append(("hmax", .int(Int64(max)))) }
        if let max = change.maxQueued { settings.append(("maxq", .int(Int64(max)))) }
        if let paused = change.paused { settings.append(("paused", paused ? "1" : "0")) }
        var arguments: [RedisArgument] = [create ? "1" : "0", change.hostLimits == nil ? "0" : "1", .int(Int64(settings.count))]
        for (name, value) in settings { arguments += [.string(name), value] }
        for (host, limit) in change.hostLimits ?? [:] { arguments += [.string(host), .int(Int64(limit))] }
        // The name first: a listed queue that is not there yet does no harm, one that nobody lists would.
        if create { try await list() }
        switch PlainWord(try await run(scripts.configure, arguments)) {
        case .ok: break
        case .made: try await whenMade()
        case .other, nil: return nil
        }
        // And again: it may have been taken away between the two, and its name be about to go.
        if create { try await list() }
        return try await info()
    }

    /// Sets what counts while nobody has configured it otherwise; the last one to say so counts.
    /// - Parameters:
    ///   - maxQueued: how many fetches may wait.
    ///   - hostLimits: what counts for hosts of which `hostLimits` of the queue say nothing; in place of all that was said before.
    package func setDefaults(maxQueued: Int, hostLimits: HostLimits) async throws(RedisError) {
        var arguments: [RedisArgument] = [.int(Int64(maxQueued))]
        for (pattern, value) in hostLimits.queued { arguments += [.string(pattern), .string(value)] }
        _ = try await run(scripts.defaults, arguments)
    }

    /// Stops new claims; running work goes on.
    package func pause() async throws(RedisError) -> QueueInfo? { try await configure(QueueChange(paused: true), create: false) }

    package func resume() async throws(RedisError) -> QueueInfo? { try await configure(QueueChange(paused: false), create: false) }

    /// The names of all queues, `default` first.
    package static func names(_ redis: RedisNodes) async throws(RedisError) -> [String] {
        let listed = (try await shared(redis).command(["HKEYS", .string(QueueKeys.registry)]).array ?? []).compactMap(\.string)
        return ["default"] + listed.filter { $0 != "default" }.sorted()
    }

    /// Says that a worker serves queues that nobody has, so that it can be seen. For a minute: as long as it is so it is said again. Each name has
    /// a time of its own, so nothing untrue is told where one of these commands is the last that comes through.
    package static func announce(missing names: [String], _ redis: RedisNodes) async throws(RedisError) {
        // A connection that is open outlasts a change of the schema, and no script looks at it here.
        let node = shared(redis)
        if let objection = QueueSchema.requirement.objection(try await node.command(QueueSchema.requirement.command)) { throw objection }
        let now = try await clock(redis)
        let key = RedisArgument.string(QueueKeys.strays)
        _ = try await node.command(["ZADD", key] + names.flatMap { [.int(now + strayness), .string($0)] })
        _ = try await node.command(["PEXPIRE", key, .int(strayness)])
        _ = try await node.command(["ZREMRANGEBYSCORE", key, "-inf", .int(now)])
    }

    /// ms for which what was announced stands.
    private nonisolated static let strayness: Int64 = 60_000

    /// The names of queues that workers may serve and nobody has: no list of queues has them.
    package static func missing(_ redis: RedisNodes) async throws(RedisError) -> [String] {
        let listing: [RedisArgument] = ["ZRANGE", .string(QueueKeys.strays), .string("(\(try await clock(redis))"), "+inf", "BYSCORE"]
        let strays = (try await shared(redis).command(listing).array ?? []).compactMap(\.string)
        guard !strays.isEmpty else { return [] }
        return Set(strays).subtracting(try await names(redis)).sorted()
    }

    /// What each worker of this queue last said of itself, and when (epoch ms).
    package func workers() async throws(RedisError) -> [(id: String, info: JSON, seen: Int64)] {
        let infos = try await node.command(["HGETALL", .string(keys.workers)]).pairs
        let seen = try await node.command(["ZRANGE", .string(keys.workersSeen), "0", "-1", "WITHSCORES"]).pairs
        return infos.keys.sorted().map { id in
            let info = (try? JSON(parsing: infos[id] ?? "")) ?? .null
            return (id, info, seen[id].flatMap { WireNumber.digits($0) } ?? 0)
        }
    }

    /// What the clock of Redis shows, epoch ms: what all times in it are by.
    package static func clock(_ redis: RedisNodes) async throws(RedisError) -> Int64 {
        let words = (try await shared(redis).command(["TIME"]).array ?? []).compactMap(\.int)
        guard words.count == 2 else { throw .reply("TIME answered something else") }
        return words[0] * 1000 + words[1] / 1000
    }

    /// Puts a result into the index that nobody has made here: its bytes are in the store.
    /// - Parameters:
    ///   - info: RenditionInfo.
    ///   - source: SourceInfo.
    package func index(_ digest: String, info: JSON, source: JSON, seconds: Double) async throws(RedisError) {
        // A line each, as `settle` writes them: RenditionInfo, SourceInfo, no description.
        let entry = RedisArgument.string("\(info.text)\n\(source.text)\n")
        _ = try await node.command(["SET", .string(keys.result(digest)), entry, "PX", .int(max(1, Self.milliseconds(seconds)))])
    }

    /// Changes what the index says of a result's metadata, for as long as it speaks of it. What a worker writes meanwhile stays.
    /// - Parameter metadata: nil takes it away.
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

    /// Whether the index speaks of a result.
    package func isIndexed(_ digest: String) async throws(RedisError) -> Bool {
        try await node.command(["EXISTS", .string(keys.result(digest))]).int == 1
    }

    /// Takes results out of the index: their bytes are gone, or must not be served any more.
    /// - Returns: how many were in it.
    @discardableResult
    package func forget(results digests: [String]) async throws(RedisError) -> Int {
        guard !digests.isEmpty else { return 0 }
        return Int(try await node.command(["UNLINK"] + digests.map { .string(keys.result($0)) }).int ?? 0)
    }

    /// Takes all results out of the index, a few hundred at a time.
    @discardableResult
    package func forgetAllResults() async throws(RedisError) -> Int {
        var cursor = "0"
        var count = 0
        repeat {
            let reply = try await node.command(["SCAN", .string(cursor), "MATCH", .string(keys.result("*")), "COUNT", "500"])
            guard let parts = reply.array, parts.count == 2, let next = parts[0].string else { throw .reply("SCAN answered something else") }
            let found = parts[1].array?.compactMap(\.string) ?? []
            if !found.isEmpty { count += Int(try await node.command(["UNLINK"] + found.map { .string($0) }).int ?? 0) }
            cursor = next
        } while cursor != "0"
        return count
    }
}
