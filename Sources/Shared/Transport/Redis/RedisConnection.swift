import TintypeCore

/// One open connection to Redis: replies come in the order of the commands. Its owner reconnects.
///
/// Lives on the loop. A command without an answer in time ends the whole connection, because every later reply would go to the wrong command.
@Loop
package final class RedisConnection {
    typealias Completion = @Loop (Result<RedisReply, RedisError>) -> Void

    /// The server's address.
    let address: SocketAddress
    /// Completed with the reason when the connection is gone. A value and not a callback: the end may come before any code looks.
    let closed = OneShot<String>()
    /// Called for replies that no command waits for: the messages of a subscriber.
    var onPush: (@Loop (RedisReply) -> Void)?
    /// The server's id of this connection.
    private(set) var identifier: Int64?
    private(set) var lastHeard = ContinuousClock.now

    private struct Waiter {
        let deadline: ContinuousClock.Instant
        let completion: Completion
    }

    private let stream: ByteStream
    private let codec = RedisCodec()
    private var waiters = FIFO<Waiter>()
    private var watch: LoopTimer?

    /// Connects and logs in. The connection is ready for commands when this returns.
    /// - Parameter onOpen: called before the login, so that the connection can be closed from then on.
    /// - Throws: `RedisError.unavailable` when there is no connection.
    static func open(
        _ endpoint: RedisEndpoint, name: String, onOpen: (@Loop (RedisConnection) -> Void)? = nil
    ) async throws(RedisError) -> RedisConnection {
        let timeout = endpoint.timeout
        let stream: ByteStream
        do {
            let transport: any Transport = if let files = endpoint.tls { try await TLSClient.reading(files) } else { PlainTransport() }
            stream = try await ByteStream.connect(endpoint.address, over: transport, timeout: timeout)
        } catch {
            throw .unavailable((error as? SettingError)?.message ?? "\(error)")
        }
        let connection = RedisConnection(stream, to: endpoint.address)
        onOpen?(connection)
        do {
            var words: [[RedisArgument]] = []
            if let password = endpoint.password {
                words.append(["AUTH"] + (endpoint.user.map { [.string($0)] } ?? []) + [.string(password)])
            }
            if endpoint.database != 0 { words.append(["SELECT", .int(Int64(endpoint.database))]) }
            // A server that still loads its data answers PING with an error. Retry it later.
            words += [["CLIENT", "SETNAME", .string(name)], ["PING"], ["CLIENT", "ID"]]
            connection.identifier = try await connection.commands(words, timeout: timeout).map(checked).last?.int
        } catch {
            let error = shown(error)
            connection.close("not usable: \(error)")
            throw .unavailable("\(error)")
        }
        return connection
    }

    /// Returns the error without the words of the command. If AUTH was renamed, Redis repeats the words of the unknown command, and with them the password.
    private static func shown(_ error: RedisError) -> RedisError {
        guard case .reply(let text) = error, let words = text.firstRange(of: ", with args beginning with") else { return error }
        return .reply(String(text[..<words.lowerBound]))
    }

    private init(_ stream: ByteStream, to address: SocketAddress) {
        (self.stream, self.address) = (stream, address)
        stream.onBytes = { [weak self] in self?.received($0) }
        stream.onEnd = { [weak self] end in
            switch end {
            case .eof: self?.close("the server closed it")
            case .failed(let reason): self?.close(reason)
            }
        }
    }

    /// Sends a command. `completion` gets its reply; an error reply is a success of kind `.error`.
    func send(_ arguments: [RedisArgument], timeout: Duration, _ completion: @escaping Completion) {
        precondition(!arguments.isEmpty, "a command has a name")
        guard !closed.isComplete else { return completion(.failure(.unavailable("the connection is closed"))) }
        guard RedisCodec.fits(arguments) else { return completion(.failure(.reply("the command is longer than Redis accepts"))) }
        waiters.append(Waiter(deadline: .now + timeout, completion: completion))
        write(arguments)
        guard watch == nil else { return }
        watch = LoopTimer(after: .milliseconds(250), repeating: true) { [weak self] in self?.checkDeadlines() }
    }

    /// Sends a command whose reply comes as a push: SUBSCRIBE and related commands, PING of a subscriber.
    func write(_ arguments: [RedisArgument]) {
        codec.format(arguments) { stream.write($0) }
    }

    /// Sends several commands at once and waits for all replies: one round trip for any number of them.
    /// - Parameter heard: called for each reply when it comes, with the index of its command. The replies before a blocking command come before its own.
    /// - Returns: the reply to each, in the order of the commands. An error reply is a success of kind `.error`.
    func commands(
        _ commands: [[RedisArgument]], timeout: Duration, heard: (@Loop (Int, RedisReply) -> Void)? = nil
    ) async -> [Result<RedisReply, RedisError>] {
        guard !commands.isEmpty else { return [] }
        let replies = Replies()
        return await withCheckedContinuation { continuation in
            for command in commands {
                send(command, timeout: timeout) { result in
                    if let heard, case .success(let reply) = result { heard(replies.all.count, reply) }
                    replies.all.append(result)
                    if replies.all.count == commands.count { continuation.resume(returning: replies.all) }
                }
            }
        }
    }

    /// The replies so far to commands that were sent together.
    @Loop private final class Replies {
        var all: [Result<RedisReply, RedisError>] = []
    }

    /// Returns the reply.
    /// - Throws: `.reply` for an error reply; else the failure of the connection.
    static func checked(_ result: Result<RedisReply, RedisError>) throws(RedisError) -> RedisReply {
        let reply = try result.get()
        if case .error(let text) = reply { throw .reply(text) }
        return reply
    }

    /// The number of commands that wait for their replies.
    var pending: Int { waiters.count }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        lastHeard = .now
        let failure = codec.parse(bytes) { reply in
            // A callback may have closed the connection. No command waits for the other replies then.
            guard !closed.isComplete else { return }
            guard let waiter = waiters.popFirst() else {
                onPush?(reply)
                return
            }
            waiter.completion(.success(reply))
        }
        if let failure { close("not the Redis protocol: \(failure)") }
    }

    /// Runs every quarter of a second while a command waits. An idle connection has no timer.
    private func checkDeadlines() {
        guard pending > 0 else { return watch = nil }
        let now = ContinuousClock.now
        guard waiters.elements.contains(where: { $0.deadline <= now }) else { return }
        close("no answer in time", late: now)
    }

    /// Gives the connection up. Waiting commands fail, those whose time is over with `.timedOut`.
    func close(_ reason: String, late: ContinuousClock.Instant? = nil) {
        guard closed.complete(.success(reason)) else { return }
        watch = nil
        stream.close()
        let left = waiters
        waiters = FIFO()
        for waiter in left.elements {
            let isLate = late.map { waiter.deadline <= $0 } ?? false
            waiter.completion(.failure(isLate ? .timedOut : .connectionLost(reason)))
        }
    }
}
