package import TintypeCore

/// The server that has the keys of one tag. It is looked up for each command, since another server may have the keys by the next one.
///
/// A debug build traps at a command with a key of another tag.
@Loop
package struct RedisNode {
    private let nodes: RedisNodes
    package let tag: RedisTag
    /// The slot of the tag; 0 where the Redis is no cluster.
    private let slot: Int
    /// The connection to that server now.
    var client: RedisClient { nodes.server(ofSlot: slot) }

    init(_ nodes: RedisNodes, _ tag: RedisTag) {
        (self.nodes, self.tag) = (nodes, tag)
        slot = nodes.cluster == nil ? 0 : tag.slot
    }

    /// Stands for that server. Two nodes with equal ones have the same server now.
    package var server: ObjectIdentifier { ObjectIdentifier(client) }
    package var isConnected: Bool { client.isConnected }
    /// The time since which commands reach the server: since the connection, or since the last refusal because the slot moves. It is nil without a
    /// connection.
    package var connectedSince: ContinuousClock.Instant? { nodes.connectedSince(slot) }
    /// Whether a command was refused within this time because the slot moves to another server.
    package func isMoving(within time: Duration) -> Bool { nodes.redirected[slot].map { $0 + time > .now } ?? false }
    /// The reason for which the server is not connected, or refuses writes (`RedisClient.refusal`); nil if it serves.
    package var obstacle: String? { nodes.failure(of: slot)?.description ?? client.refusal }

    /// The default time for an answer.
    package var timeout: Duration { client.topology.timeout }

    /// Returns the server's text of a refused write that is no older than `time`.
    package func refusal(within time: Duration) -> String? { client.refusal(within: time) }

    /// Waits until there is a connection.
    /// - Throws: `.unavailable` when there is none in time.
    package func untilConnected(within time: Duration) async throws(RedisError) {
        try await nodes.untilConnected(slot, within: time)
    }

    /// Sends one command on keys of this tag and waits for its reply (`RedisClient.command`).
    /// - Parameter waits: whether the command waits for a slot that moves, at most for the time of an answer; else that is a failure.
    package func command(_ arguments: [RedisArgument], timeout: Duration? = nil, waits: Bool = true) async throws(RedisError) -> RedisReply {
        check(arguments)
        let time = timeout ?? self.timeout
        return try await served(within: time, waits: waits) { (client, isAsked) throws(RedisError) in
            isAsked ? try await client.asking(arguments, timeout: time) : try await client.command(arguments, timeout: timeout)
        }
    }

    /// Sends several commands on keys of this tag at once, and waits for all replies: one round trip for any number of them.
    /// - Returns: the replies, in the order of the commands.
    /// - Throws: the first failure.
    package func commands(_ commands: [[RedisArgument]]) async throws(RedisError) -> [RedisReply] {
        for command in commands { check(command) }
        let results = await client.commands(commands)
        var replies: [RedisReply] = []
        replies.reserveCapacity(results.count)
        for (command, result) in zip(commands, results) {
            var first = Optional(result)
            // One that a cluster refuses here goes to the right server by itself.
            let reply = try await served(within: timeout, waits: true) { [timeout] (client, isAsked) throws(RedisError) in
                if let known = first.take() { return try known.get() }
                return isAsked ? try await client.asking(command, timeout: timeout) : try await client.command(command)
            }
            replies.append(reply)
        }
        return replies
    }

    /// Sends a command whose reply is ignored. Without a connection the command is lost.
    package func sendWithoutReply(_ arguments: [RedisArgument]) {
        check(arguments)
        client.sendWithoutReply(arguments)
    }

    /// Runs a script on keys of this tag (`RedisClient.run`).
    /// - Parameter waits: as in `command`.
    package func run(
        _ script: LuaScript, keys: [String], _ arguments: [RedisArgument], timeout: Duration? = nil, waits: Bool = true
    ) async throws(RedisError) -> RedisReply {
        assert(keys.allSatisfy(tag.owns), "script \(script.name) was sent to the server of \(tag.prefix) with the keys \(keys)")
        let time = timeout ?? self.timeout
        return try await served(within: time, waits: waits) { (client, isAsked) throws(RedisError) in
            // The server may not have the script, and takes its text as well.
            isAsked
                ? try await client.asking(["EVAL", .string(script.source), .int(Int64(keys.count))] + keys.map { .string($0) } + arguments, timeout: time)
                : try await client.run(script, keys: keys, arguments, timeout: timeout)
        }
    }

    /// Sends a command to the server of the tag, and again if a cluster refuses it there.
    private func served(
        within time: Duration, waits: Bool, _ send: (_ client: RedisClient, _ isAsked: Bool) async throws(RedisError) -> RedisReply
    ) async throws(RedisError) -> RedisReply {
        do throws(RedisError) {
            return try await send(client, false)
        } catch {
            guard waits else {
                nodes.note(error, slot)
                throw error
            }
            return try await nodes.again(slot, isAlone: tag.isAlone, after: error, within: time, send)
        }
    }

    private func check(_ arguments: [RedisArgument]) {
        assert(tag.objection(to: arguments) == nil, tag.objection(to: arguments) ?? "")
    }
}

extension RedisNode {
    /// The shortest pause between tries: the connection may be back when its failure is reported.
    private static let pause = Duration.milliseconds(20)
    private static let forEver = Duration.seconds(1 << 30)

    /// Repeats a call until Redis has answered it. This is the only function that waits for an unreachable Redis.
    ///
    /// It ends with an answer, when the patience is used up, when the task is cancelled, or when `goesOn` returns false. The call must be harmless to
    /// repeat. It may check at each try whether any caller still needs it, and answer that.
    /// - Parameters:
    ///   - goesOn: called with each failure before the pause; false ends the loop.
    ///   - body: one try.
    /// - Throws: the last error.
    package func retrying<Answer>(
        _ patience: RedisPatience, after goesOn: @Loop (RedisError) -> Bool = { _ in true }, _ body: @Loop () async throws(RedisError) -> Answer
    ) async throws(RedisError) -> Answer {
        var patience = patience
        while true {
            do throws(RedisError) {
                return try await body()
            } catch {
                guard goesOn(error), !Task.isCancelled, let pause = patience.pause(after: error, at: .now), await wait(pause, until: patience.limit) else {
                    throw error
                }
            }
        }
    }

    /// Waits before the next try.
    /// - Returns: whether another try makes sense.
    private func wait(_ pause: RedisPatience.Pause, until limit: ContinuousClock.Instant?) async -> Bool {
        switch pause {
        case .forConnection where !isConnected:
            return (try? await untilConnected(within: limit.map { $0 - .now } ?? Self.forEver)) != nil
        case .forConnection: return await wait(.time(Self.pause), until: limit)
        case .time(let time): return (try? await Loop.sleep(time)) != nil && limit.map { ContinuousClock.now < $0 } ?? true
        }
    }
}
