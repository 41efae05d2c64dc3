package import TintypeCore
package import TintypeTransport

/// Groups. Their records are stored beside the queue `default`, whatever queues their requests use. Call these functions on that queue.
extension Queue {
    /// Starts a group. Repeating the call is harmless.
    /// - Parameter requests: the JSON text of each request.
    /// - Returns: the token to drive the group with; nil if the group has ended, as an empty group has.
    /// - Throws: `.outOfMemory` when Redis is full. Nothing was changed then.
    package func start(group: GroupRecord, coordinator: String, requests: [String]) async throws(RedisError) -> String? {
        let reply = try await run(
            .groupStart,
            [
                .group: .string(group.id), .coordinator: .string(coordinator), .lease: .int(times.lease.milliseconds), .kind: .string(group.kind.rawValue),
                .strict: .flag(group.isStrict), .concurrency: .int(Int64(group.concurrency)), .owner: .string(group.owner ?? ""),
            ], items: requests.map { .string($0) })
        let token = try Self.known(reply.string, of: .groupStart)
        return token.isEmpty ? nil : token
    }

    /// Renews the leases of the groups that a coordinator drives, and takes over groups without a driver for a lease.
    /// - Parameters:
    ///   - lease: by default the lease of the queue; zero gives the groups up.
    ///   - adopting: how many groups to take over at most.
    ///   - onlyGivenUp: takes over only groups that were given up, not those whose lease has run out. After an outage no coordinator could renew a
    ///     lease.
    package func drive(
        _ leases: [GroupLease], coordinator: String, lease: Duration? = nil, adopting: Int, onlyGivenUp: Bool = false
    ) async throws(RedisError) -> GroupDriveAnswer {
        // It may not wait for a slot that moves if it takes over groups whose leases have run out: they run out meanwhile.
        let reply = try await run(
            .groupDrive,
            [
                .coordinator: .string(coordinator), .lease: .int((lease ?? times.lease).milliseconds), .most: .int(Int64(adopting)),
                .onlyGivenUp: .flag(onlyGivenUp), .failure: .string(GroupRecord.forsaken.json.text),
            ], items: leases.flatMap { [.string($0.group), .string($0.token)] }, waits: onlyGivenUp)
        guard let lists = reply.array, lists.count == 3 else { throw Self.unexpected(.groupDrive) }
        let words = lists.map { ($0.array ?? []).compactMap(\.string) }
        let taken = stride(from: 0, to: words[2].count - 1, by: 2).map { GroupLease(group: words[2][$0], token: words[2][$0 + 1]) }
        return GroupDriveAnswer(lost: words[0], over: words[1], taken: taken)
    }

    /// Notes that a request is about to be submitted.
    package func begin(_ lease: GroupLease, index: Int, _ begun: GroupRecord.Begun) async throws(RedisError) -> GroupBeginAnswer {
        let reply = try await run(
            .groupBegin, [.group: .string(lease.group), .token: .string(lease.token), .index: .int(Int64(index)), .begun: .string(begun.text)])
        return try Self.known(GroupBeginAnswer(reply), of: .groupBegin)
    }

    /// Records the end of a request. Repeat the call until it is answered.
    /// - Parameters:
    ///   - outcome: `{state, result? | error?}`.
    ///   - failure: the error; nil if the request succeeded.
    ///   - from: the place that its result came from, if known.
    package func settle(
        _ lease: GroupLease, index: Int, outcome: JSON, failure: TintypeError?, from: ResultOrigin.Place? = nil
    ) async throws(RedisError) -> GroupSettleAnswer {
        let reply = try await run(
            .groupSettle,
            [
                .group: .string(lease.group), .token: .string(lease.token), .index: .int(Int64(index)), .outcome: .string(outcome.text),
                .failure: .ifAny(failure?.json.text), .from: .ifAny(from?.rawValue),
            ])
        let words = reply.array ?? []
        if RunReply(reply) == .stale { return .stale }
        guard words.count == 2, let state = words[0].string.flatMap({ GroupRecord.State(rawValue: $0) }), let total = words[1].int else {
            throw Self.unexpected(.groupSettle)
        }
        return .noted(state, total: Int(total))
    }

    package func cancel(group: String, reason: String) async throws(RedisError) -> GroupCancelAnswer {
        try Self.known(GroupCancelAnswer(await run(.groupCancel, [.string(group), .string(JSON.string(reason).text)])), of: .groupCancel)
    }

    /// Adds steps to a chain that runs.
    /// - Parameters:
    ///   - call: an id of this call, so that repeating it adds nothing.
    ///   - most: the maximum number of steps of a chain.
    ///   - mostBytes: the maximum size of all its requests that have not ended.
    package func append(
        group: String, call: String, requests: [String], most: Int, mostBytes: Int = GroupRecord.mostAsked
    ) async throws(RedisError) -> GroupAppendAnswer {
        let reply = try await run(
            .groupAppend, [.group: .string(group), .call: .string(call), .mostSteps: .int(Int64(most)), .mostBytes: .int(Int64(mostBytes))],
            items: requests.map { .string($0) })
        let words = reply.array ?? []
        switch AppendReply(reply) {
        case .ok: return .ok
        case .unknown: return .unknown
        case .kind: return .otherKind
        case .ended: return .ended
        case .full: return .full(Int(words.last?.int ?? 0))
        case .long: return .long(Int(words.last?.int ?? 0))
        case nil: throw Self.unexpected(.groupAppend)
        }
    }

    /// Reads a group; nil if the group is unknown.
    package func group(_ id: String, _ extent: GroupRecord.Extent) async throws(RedisError) -> GroupRecord? {
        let options: KeyValuePairs<ScriptOption, RedisArgument?>
        var items: [RedisArgument]?
        switch extent {
        case .state: options = [:]
        case .results(let first, let limit):
            options = [.part: "outcomes", .first: .int(Int64(first)), .most: .int(Int64(min(limit, .max >> 32)))]
        case .requests(let first): options = [.part: "requests", .first: .int(Int64(first))]
        case .outcomes(let indices):
            options = [.part: "named"]
            items = indices.prefix(GroupRecord.mostNamed).map { .int(Int64($0)) }
        }
        var arguments = ScriptArguments(.groupRead, [.group: .string(id), .mostBytes: .int(Int64(GroupRecord.mostRead))])
        arguments.add(options, items: items)
        let reply = try await run(arguments)
        if reply.isNull { return nil }
        // A page of requests or outcomes may have `mostRead` bytes.
        let length = if case .state = extent { 0 } else { GroupRecord.mostRead }
        let record = await Loop.work(on: length) { GroupRecord(id: id, reply.array ?? []) }
        return try Self.known(record, of: .groupRead)
    }
}
