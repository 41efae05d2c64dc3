package import TintypeCore
package import TintypeTransport

/// Groups. Their records are stored beside the queue `default`, whatever queues their requests use. Call these functions on that queue.
extension Queue {
    /// Starts a group. Repeating the call is harmless.
    /// - Parameter requests: the JSON text of each request.
    /// - Returns: the token to drive the group with; nil if the group has ended, as an empty group has.
    /// - Throws: `.outOfMemory` when Redis is full. Nothing was changed then.
    package func start(group: GroupRecord, coordinator: String, requests: [String]) async throws(RedisError) -> String? {
        let head: [RedisArgument] = [
            .string(group.id), .string(coordinator), .int(times.lease.milliseconds), .string(group.kind.rawValue),
            group.isStrict ? "1" : "0", .int(Int64(group.concurrency)),
        ]
        let reply = try await run(.groupStart, head + requests.map { .string($0) })
        guard let token = reply.string else { throw Self.unexpected(.groupStart, reply) }
        return token.isEmpty ? nil : token
    }

    /// Renews the leases of the groups that a coordinator drives, and takes over groups that nobody has driven for a lease.
    /// - Parameters:
    ///   - lease: by default the lease of the queue; zero gives the groups up.
    ///   - adopting: how many groups to take over at most.
    ///   - onlyGivenUp: takes over only groups that were given up, not those whose lease has run out. After an outage no coordinator could renew a
    ///     lease.
    package func drive(
        _ held: [GroupLease], coordinator: String, lease: Duration? = nil, adopting: Int, onlyGivenUp: Bool = false
    ) async throws(RedisError) -> GroupDriveAnswer {
        let head: [RedisArgument] = [
            .string(coordinator), .int((lease ?? times.lease).milliseconds), .int(Int64(adopting)), onlyGivenUp ? "1" : "0",
            .string(GroupRecord.forsaken.json.text),
        ]
        let reply = try await run(.groupDrive, head + held.flatMap { [.string($0.group), .string($0.token)] })
        guard let lists = reply.array, lists.count == 3 else { throw Self.unexpected(.groupDrive, reply) }
        let words = lists.map { ($0.array ?? []).compactMap(\.string) }
        let taken = stride(from: 0, to: words[2].count - 1, by: 2).map { GroupLease(group: words[2][$0], token: words[2][$0 + 1]) }
        return GroupDriveAnswer(lost: words[0], over: words[1], taken: taken)
    }

    /// Notes that a request is about to be submitted.
    package func begin(_ held: GroupLease, index: Int, _ begun: GroupRecord.Begun) async throws(RedisError) -> GroupBeginAnswer {
        let reply = try await run(.groupBegin, [.string(held.group), .string(held.token), .int(Int64(index)), .string(begun.text)])
        guard let answer = GroupBeginAnswer(reply) else { throw Self.unexpected(.groupBegin, reply) }
        return answer
    }

    /// Records the end of a request. Repeat the call until it is answered.
    /// - Parameters:
    ///   - outcome: `{state, result? | error?}`.
    ///   - failure: the error; nil if the request succeeded.
    package func settle(
        _ held: GroupLease, index: Int, outcome: JSON, failure: TintypeError?
    ) async throws(RedisError) -> GroupSettleAnswer {
        let reply = try await run(
            .groupSettle,
            [
                .string(held.group), .string(held.token), .int(Int64(index)), failure == nil ? "1" : "0", .string(outcome.text),
                .string(failure?.json.text ?? ""),
            ])
        let words = reply.array ?? []
        if RunReply(reply) == .stale { return .stale }
        guard words.count == 2, let state = words[0].string.flatMap({ GroupRecord.State(script: $0) }), let total = words[1].int else {
            throw Self.unexpected(.groupSettle, reply)
        }
        return .noted(state, total: Int(total))
    }

    package func cancel(group: String, reason: String) async throws(RedisError) -> GroupCancelAnswer {
        let reply = try await run(.groupCancel, [.string(group), .string(JSON.string(reason).text)])
        guard let answer = GroupCancelAnswer(reply) else { throw Self.unexpected(.groupCancel, reply) }
        return answer
    }

    /// Adds steps to a chain that runs.
    /// - Parameters:
    ///   - call: an id of this call, so that repeating it adds nothing.
    ///   - most: the maximum number of steps of a chain.
    ///   - mostBytes: the maximum size of all its requests that have not ended.
    package func append(
        group: String, call: String, requests: [String], most: Int, mostBytes: Int = GroupRecord.mostAsked
    ) async throws(RedisError) -> GroupAppendAnswer {
        let head: [RedisArgument] = [.string(group), .string(call), .int(Int64(most)), .int(Int64(mostBytes))]
        let reply = try await run(.groupAppend, head + requests.map { .string($0) })
        let words = reply.array ?? []
        switch AppendReply(reply) {
        case .ok: return .ok
        case .unknown: return .unknown
        case .kind: return .otherKind
        case .ended: return .ended
        case .full: return .full(Int(words.last?.int ?? 0))
        case .long: return .long(Int(words.last?.int ?? 0))
        case nil: throw Self.unexpected(.groupAppend, reply)
        }
    }

    /// Reads a group; nil if the group is unknown.
    package func group(_ id: String, _ extent: GroupRecord.Extent) async throws(RedisError) -> GroupRecord? {
        let words: [RedisArgument] =
            switch extent {
            case .state: [""]
            case .results(let first, let limit): ["r", .int(Int64(first)), .int(Int64(min(limit, .max >> 32))), .int(Int64(GroupRecord.mostRead))]
            case .requests(let first): ["q", .int(Int64(first)), .int(Int64(GroupRecord.mostRead))]
            case .outcomes(let indices): ["o", .int(Int64(GroupRecord.mostRead))] + indices.prefix(GroupRecord.mostNamed).map { .int(Int64($0)) }
            }
        let reply = try await run(.groupRead, [.string(id)] + words)
        if reply.isNull { return nil }
        guard let record = GroupRecord(id: id, reply.array ?? []) else { throw Self.unexpected(.groupRead, reply) }
        return record
    }
}
