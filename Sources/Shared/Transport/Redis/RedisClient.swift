package import TintypeCore

/// A client that keeps one connection to Redis, for ever: pipelines commands, loads scripts, reconnects with back-off.
///
/// Lives on the loop; any number of tasks may wait for commands at once. While there is no connection commands fail at once with
/// `.unavailable`, so that callers decide how long to be patient; `untilConnected` helps them.
@Loop
package final class RedisClient {
    package let endpoint: RedisEndpoint
    /// Called each time a connection is ready, in the order added, before those who wait for one go on.
    package var onConnected: [@Loop () -> Void] = []
    /// Since when the present connection has been whole; nil without one.
    package private(set) var connectedSince: ContinuousClock.Instant?

    private let name: String
    private let logger: Logger
    private let scripts: [LuaScript]
    private let scope = TaskScope()
    private var connection: RedisConnection?
    private var waiting: [OneShot<Void>] = []
    private let requirement: RedisRequirement?
    private var lastFailure = RedisError.unavailable("not connected yet")
    private var trouble = RepeatedTrouble()
    private var heartbeat: LoopTimer?
    /// When this server last refused to write, and in which words.
    private var refused: (at: ContinuousClock.Instant, text: String)?

    /// - Parameters:
    ///   - name: what `CLIENT LIST` shows; no spaces.
    ///   - scripts: loaded on every new connection, so that the first call of each finds it.
    ///   - requirement: a server that does not meet it counts as out of reach.
    package init(_ endpoint: RedisEndpoint, name: String, logger: Logger, scripts: [LuaScript] = [], requirement: RedisRequirement? = nil) {
        self.endpoint = endpoint
        self.name = name
        self.logger = logger.with(["redis": endpoint.redacted])
        self.scripts = scripts
        self.requirement = requirement
    }

    /// Begins to connect, and never stops trying.
    package func start() {
        guard heartbeat == nil else { return }
        scope.run("redis \(name)") { [weak self] in await self?.keepConnected() }
        heartbeat = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.beat() }
    }

    /// Closes the connection and stops trying; waiting commands fail.
    package func stop() {
        scope.cancelAll()
        heartbeat = nil
        connection?.close("stopped")
        connection = nil
        connectedSince = nil
    }

    package var isConnected: Bool { connection != nil }

    /// How many commands wait for their replies.
    package var pending: Int { connection?.pending ?? 0 }

    /// Why there is no connection; nil while there is one.
    package var failure: RedisError? { connection == nil ? lastFailure : nil }

    /// Why the server takes nothing that would change it, if it was so in the last ten seconds; whoever serves a queue writes more often than that.
    package var refusal: String? { refusal(within: .seconds(10)).map { "Redis refuses to write: \($0)" } }

    /// The server's words for why it takes nothing that would change it, if they are no older than that.
    package func refusal(within time: Duration) -> String? { refused.flatMap { $0.at + time > .now ? $0.text : nil } }

    private func keepConnected() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                let opened = try await RedisConnection.open(endpoint, name: name)
                try await examine(opened)
                let loads = scripts.map { ["SCRIPT", "LOAD", RedisArgument.string($0.source)] }
                for reply in await opened.commands(loads, timeout: endpoint.timeout) { _ = try RedisConnection.checked(reply) }
                guard !Task.isCancelled else { return opened.close("stopped") }
                trouble.end()
                let start = ContinuousClock.now
                await serve(opened)
                // One that breaks at once (a replica, say) is not worth fifty tries a second.
                if start.duration(to: .now) > .seconds(2) { backoff.reset() }
            } catch {
                note(error)
            }
            if Task.isCancelled { return }
            do { try await Loop.sleep(backoff.next()) } catch { return }
        }
    }

    private func note(_ error: RedisError) {
        switch error {
        case .otherSchema:
            lastFailure = error
            if trouble.isNews("\(error)") { logger.error("this Redis is not for this program; nothing is written, and it is asked again", ["error": error]) }
        case .unavailable, .connectionLost, .timedOut, .outOfMemory, .foreignQueue, .reply, .invalidURL:
            if case .unavailable = error { lastFailure = error } else { lastFailure = .unavailable("\(error)") }
            if trouble.isNews("\(lastFailure)") { logger.warning("cannot connect to Redis; trying on", ["error": lastFailure]) }
        }
    }

    /// - Throws: why this server must not be used. One that cannot say is used: its scripts look for themselves.
    private func examine(_ opened: RedisConnection) async throws(RedisError) {
        guard let requirement, let reply = try? await opened.command(requirement.command, timeout: endpoint.timeout),
            let objection = requirement.objection(reply)
        else { return }
        opened.close("\(objection)")
        throw objection
    }

    /// Offers the connection to callers until it breaks.
    private func serve(_ opened: RedisConnection) async {
        connection = opened
        connectedSince = .now
        logger.info("connected to Redis")
        for callback in onConnected { callback() }
        let ready = waiting
        waiting = []
        for waiter in ready { waiter.complete(.success(())) }
        let reason = try? await opened.closed.wait()
        if connection === opened {
            connection = nil
            connectedSince = nil
        }
        opened.close("stopped")
        lastFailure = .unavailable(reason ?? "stopped")
        if let reason, !Task.isCancelled { logger.warning("lost the connection to Redis", ["reason": reason]) }
    }

    /// A silent connection is asked whether it still lives; no answer in time ends it.
    private func beat() {
        guard let connection, connection.pending == 0, connection.lastHeard + endpoint.timeout < .now else { return }
        connection.send(["PING"], timeout: endpoint.timeout) { _ in }
    }

    /// Waits until there is a connection.
    /// - Throws: `.unavailable` when there is none within the time.
    package func untilConnected(within time: Duration) async throws(RedisError) {
        if isConnected { return }
        let ready = OneShot<Void>()
        waiting.append(ready)
        let timer = LoopTimer(after: time) { ready.complete(.failure(CancellationError())) }
        defer {
            timer.cancel()
            waiting.removeAll { $0 === ready }
        }
        do { try await ready.wait() } catch { throw lastFailure }
    }

    /// Sends one command, pipelined with whatever else is under way, and waits for its reply.
    /// - Parameter timeout: after this the whole connection is given up; that of the endpoint by default.
    /// - Throws: `RedisError`; error replies too.
    package func command(_ arguments: [RedisArgument], timeout: Duration? = nil) async throws(RedisError) -> RedisReply {
        guard let connection else { throw lastFailure }
        let result: Result<RedisReply, RedisError> = await withCheckedContinuation { continuation in
            connection.send(arguments, timeout: timeout ?? endpoint.timeout) { continuation.resume(returning: $0) }
        }
        do throws(RedisError) {
            return try checked(result, on: connection)
        } catch {
            // The connection is whole, so nothing else keeps whoever tries again from doing so at once.
            if case .unavailable = error, self.connection === connection { try? await Loop.sleep(Self.refusalPause) }
            throw error
        }
    }

    /// Sends a command whose reply nobody waits for, to be lost where there is no connection.
    package func tell(_ arguments: [RedisArgument]) { connection?.send(arguments, timeout: endpoint.timeout) { _ in } }

    private static let refusalPause = Duration.milliseconds(100)

    private func checked(_ result: Result<RedisReply, RedisError>, on connection: RedisConnection) throws(RedisError) -> RedisReply {
        let reply = try result.get()
        guard case .error(let text) = reply else { return reply }
        switch RedisErrorReply(text) {
        case .outOfMemory: throw .outOfMemory
        case .readOnly, .loading, .primaryDown, .unblocked, .clusterDown:
            // This server cannot serve us now, whatever it says next: look for it (or its successor) anew.
            connection.close(text)
            throw .unavailable(text)
        case .schema(let number, let queue?): throw .foreignQueue(queue, schema: number)
        case .schema(let number, nil):
            // The keys are another program's since: a new connection shows whether they still are.
            connection.close(text)
            throw .otherSchema(number)
        case .diskFailed, .tooFewReplicas:
            // Nothing was done, here and below, and all that passes.
            refused = (.now, text)
            throw .unavailable(text)
        case .busy, .tryAgain: throw .unavailable(text)
        case .unknownScript, .notPermitted, .other: throw .reply(text)
        }
    }

    /// Runs a script by its digest; one that the server has forgotten is loaded and run again.
    /// - Throws: `RedisError`.
    package func run(
        _ script: LuaScript, keys: [String], _ arguments: [RedisArgument], timeout: Duration? = nil
    ) async throws(RedisError) -> RedisReply {
        let words = script.command(keys: keys, arguments)
        do {
            return try await command(words, timeout: timeout)
        } catch .reply(let text) where RedisErrorReply(text) == .unknownScript {
            _ = try await command(["SCRIPT", "LOAD", .string(script.source)], timeout: timeout)
            return try await command(words, timeout: timeout)
        }
    }

    /// Sends a command that blocks at the server for up to `time`, and in the same breath others, which the server runs the moment the
    /// first is over: no round trip lies between. Use a client of its own: everything behind it waits.
    ///
    /// Clients have been known to wait for ever after a reconnect; a second past `time` this one gives the connection up,
    /// or the time of any command where others were sent along: their answers are worth more.
    /// - Returns: what became of each, the blocking one first: one that failed does not hide what the others did.
    package func block(
        _ arguments: [RedisArgument], for time: Duration, then others: [[RedisArgument]] = []
    ) async -> [Result<RedisReply, RedisError>] {
        guard let connection else { return Array(repeating: .failure(lastFailure), count: 1 + others.count) }
        let results = await connection.commands([arguments] + others, timeout: time + (others.isEmpty ? min(.seconds(1), endpoint.timeout) : endpoint.timeout))
        return results.map { result in
            do throws(RedisError) { return .success(try checked(result, on: connection)) } catch { return .failure(error) }
        }
    }

    /// Ends the blocking command of another client now, as if its time were over.
    /// - Returns: false if it was not blocked at this moment.
    package func unblock(_ other: RedisClient) async throws(RedisError) -> Bool {
        guard let identifier = other.connection?.identifier else { return false }
        return try await command(["CLIENT", "UNBLOCK", .int(identifier)]).int == 1
    }
}
