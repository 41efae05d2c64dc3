package import TintypeCore

/// A client that keeps one connection to Redis: it pipelines commands, loads scripts and reconnects with back-off for ever.
///
/// Lives on the loop. Any number of tasks may wait for commands at once. Without a connection, commands fail at once with `.unavailable`, so that
/// callers decide how long to wait. `untilConnected` helps them.
@Loop
package final class RedisClient {
    /// Called each time a connection is ready, in the order added, before tasks in `untilConnected` continue.
    package var onConnected: [@Loop () -> Void] = []

    private let kept: KeptConnection
    private let logger: Logger
    private let scripts: [LuaScript]
    private let connected = Condition()
    private let requirement: RedisRequirement?
    private let meter: RedisMeter?
    private var lastFailure = RedisError.unavailable("not connected yet")
    private var logThrottle = LogThrottle()
    /// The server's last refusal to write: its time, its text, and the commands and scripts that were refused. It ends when the server takes one of them.
    private var refused: (at: ContinuousClock.Instant, text: String, names: Set<String>)?

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - scripts: loaded on every new connection, so that the first call of each finds it.
    ///   - requirement: the check of the server. A server that fails it counts as unreachable.
    ///   - meter: counts commands and connections; nil: they are not counted.
    package init(
        _ topology: any RedisTopology, name: String, logger: Logger, scripts: [LuaScript] = [], requirement: RedisRequirement? = nil, meter: RedisMeter? = nil
    ) {
        kept = KeptConnection(topology, name: name, for: .commands, meter)
        self.logger = logger.with(["redis": topology.redacted])
        (self.scripts, self.requirement, self.meter) = (scripts, requirement, meter)
    }

    /// Starts to connect, and retries for ever.
    package func start() { kept.start(self, beatingEvery: .seconds(1)) }

    /// Closes the connection and stops retrying. Waiting commands fail.
    package func stop() { kept.stop() }

    package var topology: any RedisTopology { kept.topology }
    private var connection: RedisConnection? { kept.current }
    package var isConnected: Bool { connection != nil }
    /// The time since which the present connection is up; nil without one.
    package var connectedSince: ContinuousClock.Instant? { kept.since }

    /// The number of commands that wait for their replies.
    package var pending: Int { connection?.pending ?? 0 }

    /// The reason for which there is no connection; nil while there is one.
    package var failure: RedisError? { connection == nil ? lastFailure : nil }

    /// The reason for which the server refuses writes, if it has refused one in the last 10 s and has not taken the same since. A process that serves a
    /// queue writes more often than that.
    package var refusal: String? { refusal(within: .seconds(10)).map { "Redis refuses to write: \($0)" } }

    /// Returns the server's text of a refused write that is no older than `time`.
    package func refusal(within time: Duration) -> String? { refused.flatMap { $0.at + time > .now ? $0.text : nil } }

    /// Waits until there is a connection.
    /// - Throws: `.unavailable` when there is none in time.
    package func untilConnected(within time: Duration) async throws(RedisError) {
        guard !isConnected, await !connected.wait(within: time) else { return }
        throw lastFailure
    }

    /// Sends one command, pipelined with all others under way, and waits for its reply.
    /// - Parameter timeout: the time after which the whole connection is given up; by default that of the URL.
    /// - Throws: `RedisError`, also for error replies.
    package func command(_ arguments: [RedisArgument], timeout: Duration? = nil) async throws(RedisError) -> RedisReply {
        try await command(arguments, named: arguments[0].text, timeout: timeout)
    }

    /// - Parameter name: the name of the command or script for metrics.
    private func command(_ arguments: [RedisArgument], named name: String, timeout: Duration?) async throws(RedisError) -> RedisReply {
        guard let connection else { throw lastFailure }
        let began = ContinuousClock.now
        let result: Result<RedisReply, RedisError> = await withCheckedContinuation { continuation in
            connection.send(arguments, timeout: timeout ?? topology.timeout) { continuation.resume(returning: $0) }
        }
        meter?.ended(name, result, since: began)
        do throws(RedisError) {
            return try checked(result, of: name, on: connection)
        } catch {
            // The connection is up, so without this pause a caller that retries would do so at once.
            // `RedisNodes.again` pauses by itself.
            if case .unavailable(let text) = error, ClusterRedirect(text) == nil, self.connection === connection { try? await Loop.sleep(Self.refusalPause) }
            throw error
        }
    }

    /// Sends several commands at once: one round trip for any number of them.
    /// - Returns: the result of each, in the order of the commands.
    func commands(_ commands: [[RedisArgument]]) async -> [Result<RedisReply, RedisError>] {
        guard let connection else { return Array(repeating: .failure(lastFailure), count: commands.count) }
        let began = ContinuousClock.now
        let results = await connection.commands(commands, timeout: topology.timeout)
        for (command, result) in zip(commands, results) { meter?.ended(command[0].text, result, since: began) }
        return checked(results, of: commands, on: connection)
    }

    /// Sends a command whose reply is ignored. Without a connection the command is lost.
    package func sendWithoutReply(_ arguments: [RedisArgument]) { connection?.send(arguments, timeout: topology.timeout) { _ in } }

    private static let refusalPause = Duration.milliseconds(100)

    /// - Parameter name: the command or script.
    private func checked(_ result: Result<RedisReply, RedisError>, of name: String, on connection: RedisConnection) throws(RedisError) -> RedisReply {
        let reply = try result.get()
        guard case .error(let text) = reply else {
            // Reads are never refused, so they are no sign.
            if refused?.names.contains(name) == true { refused = nil }
            return reply
        }
        switch RedisErrorReply(text) {
        case .outOfMemory: throw .outOfMemory
        case .readOnly, .loading, .primaryDown, .unblocked, .clusterDown:
            // This server cannot serve us now, and its further replies do not matter: connect to it, or its successor, again.
            connection.close(text)
            throw .unavailable(text)
        case .schema(let number, let queue?): throw .foreignQueue(queue, schema: number)
        case .schema(let number, nil):
            // The keys belong to another program since. A new connection shows whether they still do.
            connection.close(text)
            throw .otherSchema(number)
        case .diskFailed, .tooFewReplicas:
            // Nothing was done, here and below, and all of these refusals pass.
            refused = (.now, text, (refused?.names ?? []).union([name]))
            throw .unavailable(text)
        case .busy: throw .unavailable(text)
        case .redirect(let redirect):
            meter?.redirected(redirect.kind)
            guard topology.follow(redirect, from: connection.address) || redirect.kind == .tryAgain else { throw .reply(text) }
            throw .unavailable(text)
        case .unknownScript, .notPermitted, .crossSlot, .other: throw .reply(text)
        }
    }

    private func checked(
        _ results: [Result<RedisReply, RedisError>], of commands: [[RedisArgument]], on connection: RedisConnection
    ) -> [Result<RedisReply, RedisError>] {
        zip(commands, results).map { command, result in
            Result { () throws(RedisError) in try checked(result, of: command[0].text, on: connection) }
        }
    }

    /// Runs a script by its digest. A script that the server has forgotten is loaded and run again.
    /// - Throws: `RedisError`.
    package func run(
        _ script: LuaScript, keys: [String], _ arguments: [RedisArgument], timeout: Duration? = nil
    ) async throws(RedisError) -> RedisReply {
        let words = script.command(keys: keys, arguments)
        do {
            return try await command(words, named: script.name, timeout: timeout)
        } catch .reply(let text) where RedisErrorReply(text) == .unknownScript {
            _ = try await command(["SCRIPT", "LOAD", .string(script.source)], timeout: timeout)
            return try await command(words, named: script.name, timeout: timeout)
        }
    }

    /// Sends a command that blocks at the server for up to `time`, together with others that the server runs the moment the first is over. So no round
    /// trip lies between them. Use a separate client: everything behind the command waits.
    ///
    /// Clients have been known to wait for ever after a reconnect. This one gives the connection up a second after `time`. With other commands it waits
    /// for the timeout of any command instead, since their replies are worth more.
    /// - Parameter meter: counts the other commands; nil: they are not counted.
    /// - Returns: the result of each command, the blocking one first. One that failed does not hide the results of the others.
    package func block(
        _ arguments: [RedisArgument], for time: Duration, then others: [[RedisArgument]] = [], countedBy meter: WaitMeter? = nil
    ) async -> [Result<RedisReply, RedisError>] {
        guard let connection else { return Array(repeating: .failure(lastFailure), count: 1 + others.count) }
        let results = await connection.commands(
            [arguments] + others, timeout: time + (others.isEmpty ? min(.seconds(1), topology.timeout) : topology.timeout)
        ) { meter?.heard($0, $1) }
        meter?.ended(results)
        return checked(results, of: [arguments] + others, on: connection)
    }

    /// Sends commands together, and behind them a wait until replicas have the writes of this connection. Use a separate client: everything behind the
    /// wait waits too.
    /// - Parameters:
    ///   - replicas: how many replicas to wait for.
    ///   - time: the longest wait. A second later the connection is given up.
    ///   - heard: called for each reply when it comes, with the index of its command. Those to the commands come before the wait is over.
    /// - Returns: the result of each command, and last the number of replicas.
    func commands(
        _ commands: [[RedisArgument]], thenWaitFor replicas: Int, within time: Duration, heard: @escaping @Loop (Int, RedisReply) -> Void
    ) async -> [Result<RedisReply, RedisError>] {
        guard let connection else { return Array(repeating: .failure(lastFailure), count: commands.count + 1) }
        // 0 would wait for ever.
        let wait: [RedisArgument] = ["WAIT", .int(Int64(replicas)), .int(max(1, time.milliseconds))]
        let results = await connection.commands(commands + [wait], timeout: max(.zero, time) + min(.seconds(1), topology.timeout), heard: heard)
        return checked(results, of: commands + [wait], on: connection)
    }

    /// The address of the connected server; nil without a connection.
    var address: SocketAddress? { connection?.address }

    /// Sends a command that the server accepts although the slot of its key is still on its way to it.
    /// - Throws: `RedisError`, also for error replies.
    func asking(_ arguments: [RedisArgument], timeout: Duration) async throws(RedisError) -> RedisReply {
        guard let connection else { throw lastFailure }
        return try checked(await connection.commands([["ASKING"], arguments], timeout: timeout)[1], of: arguments[0].text, on: connection)
    }

    /// Ends the blocking command of another client now, as if its time were over.
    ///
    /// While a server pauses writes, as for a planned switch, CLIENT UNBLOCK aborts it if the pause holds the other client's command back (redis/redis#14164,
    /// valkey-io/valkey#2111). The script does nothing. But it waits for the end of the pause, and the server runs the commands behind it in the same round.
    /// - Returns: false if the client was not blocked at this moment.
    package func unblock(_ other: RedisClient) async throws(RedisError) -> Bool {
        guard let identifier = other.connection?.identifier else { return false }
        return try await commands([["EVAL", "return 0", "0"], ["CLIENT", "UNBLOCK", .int(identifier)]])[1].get().int == 1
    }
}

extension RedisClient: KeptConnection.Owner {
    /// Checks the server, and loads the scripts.
    func prepare(_ opened: RedisConnection) async throws(RedisError) {
        try await examine(opened)
        let loads = scripts.map { ["SCRIPT", "LOAD", RedisArgument.string($0.source)] }
        for reply in await opened.commands(loads, timeout: topology.timeout) { _ = try RedisConnection.checked(reply) }
    }

    /// Checks the server's schema, and its user.
    /// - Throws: the reason for which this server must not be used. A server that gives no answer is used: its scripts check for themselves.
    private func examine(_ opened: RedisConnection) async throws(RedisError) {
        guard let checks = requirement?.checks else { return }
        let replies = await opened.commands(checks.map(\.command), timeout: topology.timeout)
        guard let objection = zip(checks, replies).lazy.compactMap({ check, reply in (try? reply.get()).flatMap(check.objection) }).first else { return }
        throw objection
    }

    func begin(_ opened: RedisConnection) {
        logThrottle.end()
        // Another server may be the primary since.
        refused = nil
        logger.info("connected to Redis")
        for callback in onConnected { callback() }
        connected.signal()
    }

    func lost(_ reason: String?) {
        lastFailure = .unavailable(reason ?? "stopped")
        if let reason { logger.warning("lost the connection to Redis", ["reason": reason]) }
    }

    func failed(_ error: RedisError) {
        switch error {
        case .otherSchema:
            lastFailure = error
            if logThrottle.shouldLog("\(error)") { logger.error("this Redis has keys of another schema; nothing is written; retrying", ["error": error]) }
        case .unavailable, .connectionLost, .timedOut, .outOfMemory, .foreignQueue, .reply, .invalidURL:
            if case .unavailable = error { lastFailure = error } else { lastFailure = .unavailable("\(error)") }
            if logThrottle.shouldLog("\(lastFailure)") { logger.warning("cannot connect to Redis; retrying", ["error": lastFailure]) }
        }
    }

    /// Pings a silent connection. Without an answer in time the connection ends.
    func beat(_ connection: RedisConnection) {
        guard connection.pending == 0, connection.lastHeard + topology.timeout < .now else { return }
        connection.send(["PING"], timeout: topology.timeout) { _ in }
    }
}

/// The checks of a Redis on each new connection, before any other command.
package struct RedisRequirement: Sendable {
    /// One command, and the meaning of its reply.
    package struct Check: Sendable {
        package let command: [RedisArgument]
        /// Returns the reason for which a Redis with this reply must not be used; nil if it may. An error reply is a reply too.
        package let objection: @Sendable (RedisReply) -> RedisError?

        package init(command: [RedisArgument], objection: @escaping @Sendable (RedisReply) -> RedisError?) {
            self.command = command
            self.objection = objection
        }
    }

    /// They are sent together, so all of them take one round trip.
    package let checks: [Check]

    package init(_ checks: [Check]) { self.checks = checks }
}
