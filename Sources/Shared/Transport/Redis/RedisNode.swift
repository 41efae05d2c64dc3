/// The server that has the keys of one tag. It is looked up for each command, since another server may have the keys by the next one.
///
/// A debug build traps at a command with a key of another tag.
@Loop
package struct RedisNode {
    private let nodes: RedisNodes
    package let tag: RedisTag
    private var client: RedisClient { nodes.server(of: tag) }

    init(_ nodes: RedisNodes, _ tag: RedisTag) { (self.nodes, self.tag) = (nodes, tag) }

    package var isConnected: Bool { client.isConnected }
    /// The time since which the present connection is up; nil without one.
    package var connectedSince: ContinuousClock.Instant? { client.connectedSince }

    /// The default time for an answer.
    package var timeout: Duration { client.topology.timeout }

    /// Returns the server's text of a refused write that is no older than `time`.
    package func refusal(within time: Duration) -> String? { client.refusal(within: time) }

    /// Waits until there is a connection.
    /// - Throws: `.unavailable` when there is none in time.
    package func untilConnected(within time: Duration) async throws(RedisError) {
        guard let cluster = nodes.cluster else { return try await client.untilConnected(within: time) }
        try await cluster.untilConnected(tag, within: time)
    }

    /// Sends one command on keys of this tag and waits for its reply (`RedisClient.command`).
    package func command(_ arguments: [RedisArgument], timeout: Duration? = nil) async throws(RedisError) -> RedisReply {
        check(arguments)
        do throws(RedisError) {
            return try await client.command(arguments, timeout: timeout)
        } catch {
            guard let cluster = nodes.cluster else { throw error }
            let time = timeout ?? self.timeout
            return try await cluster.again(tag, after: error, within: time) { (client, isAsked) throws(RedisError) in
                isAsked ? try await client.asking(arguments, timeout: time) : try await client.command(arguments, timeout: timeout)
            }
        }
    }

    /// Sends a command whose reply is ignored. Without a connection the command is lost.
    package func sendWithoutReply(_ arguments: [RedisArgument]) {
        check(arguments)
        client.sendWithoutReply(arguments)
    }

    /// Runs a script on keys of this tag (`RedisClient.run`).
    package func run(
        _ script: LuaScript, keys: [String], _ arguments: [RedisArgument], timeout: Duration? = nil
    ) async throws(RedisError) -> RedisReply {
        assert(keys.allSatisfy(tag.owns), "script \(script.name) was sent to the server of \(tag.prefix) with the keys \(keys)")
        do throws(RedisError) {
            return try await client.run(script, keys: keys, arguments, timeout: timeout)
        } catch {
            guard let cluster = nodes.cluster else { throw error }
            let time = timeout ?? self.timeout
            return try await cluster.again(tag, after: error, within: time) { (client, isAsked) throws(RedisError) in
                // The server may not have the script, and takes its text as well.
                isAsked
                    ? try await client.asking(["EVAL", .string(script.source), .int(Int64(keys.count))] + keys.map { .string($0) } + arguments, timeout: time)
                    : try await client.run(script, keys: keys, arguments, timeout: timeout)
            }
        }
    }

    private func check(_ arguments: [RedisArgument]) {
        assert(tag.objection(to: arguments) == nil, tag.objection(to: arguments) ?? "")
    }
}
