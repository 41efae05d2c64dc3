/// One subscription of a `RedisSubscriber`; hand it back to end it.
@Loop
package final class RedisSubscription {
    package let channel: String
    package let isPattern: Bool
    let onMessage: @Loop (String, [UInt8]) -> Void
    let onConfirmed: (@Loop () -> Void)?
    /// Whether Redis has confirmed it on the present connection.
    var isConfirmed = false

    init(_ channel: String, _ isPattern: Bool, _ confirmed: (@Loop () -> Void)?, _ message: @escaping @Loop (String, [UInt8]) -> Void) {
        self.channel = channel
        self.isPattern = isPattern
        onConfirmed = confirmed
        onMessage = message
    }
}

/// A connection that only listens: subscribes, hears messages, subscribes again after every break.
///
/// Messages sent while the connection was down are lost, as Redis has it; `confirmed` says when to look at the state itself.
/// Lives on the loop. It pings every two seconds and gives a connection up that was silent for six, or where Redis refuses something.
@Loop
package final class RedisSubscriber {
    private struct Question: Hashable {
        let channel: String
        let isPattern: Bool
    }

    private let endpoint: RedisEndpoint
    private let name: String
    private let logger: Logger
    private let scope = TaskScope()
    private var connection: RedisConnection?
    private var subscriptions: [Question: [RedisSubscription]] = [:]
    /// SUBSCRIBE commands on the way, by channel: only the last one's confirmation counts, lest an UNSUBSCRIBE lie between.
    private var asked: [Question: Int] = [:]
    private var heartbeat: LoopTimer?
    private var trouble = RepeatedTrouble()

    package init(_ endpoint: RedisEndpoint, name: String, logger: Logger) {
        self.endpoint = endpoint
        self.name = name
        self.logger = logger.with(["redis": endpoint.redacted, "connection": "subscriber"])
    }

    package func start() {
        guard heartbeat == nil else { return }
        scope.run("redis subscriber \(name)") { [weak self] in await self?.keepConnected() }
        heartbeat = LoopTimer(after: .seconds(2), repeating: true) { [weak self] in self?.beat() }
    }

    package func stop() {
        scope.cancelAll()
        heartbeat = nil
        connection?.close("stopped")
        connection = nil
    }

    package var isConnected: Bool { connection != nil }

    /// Drops the connection; it comes back by itself. For owners that hear nothing where they should.
    package func reconnect(_ reason: String) { connection?.close(reason) }

    /// Listens to a channel or, with `pattern`, to all that match.
    /// - Parameters:
    ///   - confirmed: called each time Redis has confirmed the subscription, after reconnecting too.
    ///   - onMessage: channel and payload of each message, on the loop.
    @discardableResult
    package func subscribe(
        _ channel: String, pattern: Bool = false, confirmed: (@Loop () -> Void)? = nil,
        _ onMessage: @escaping @Loop (_ channel: String, _ payload: [UInt8]) -> Void
    ) -> RedisSubscription {
        let subscription = RedisSubscription(channel, pattern, confirmed, onMessage)
        subscriptions[Question(channel: channel, isPattern: pattern), default: []].append(subscription)
        // Asked for again even if somebody listens already: the confirmation is what this one waits for.
        if let connection { ask(connection, [channel], pattern: pattern) }
        return subscription
    }

    package func unsubscribe(_ subscription: RedisSubscription) {
        let question = Question(channel: subscription.channel, isPattern: subscription.isPattern)
        subscriptions[question]?.removeAll { $0 === subscription }
        guard subscriptions[question]?.isEmpty != false else { return }
        subscriptions[question] = nil
        connection?.write([subscription.isPattern ? "PUNSUBSCRIBE" : "UNSUBSCRIBE", .string(subscription.channel)])
    }

    private func keepConnected() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                let opened = try await RedisConnection.open(endpoint, name: name)
                guard !Task.isCancelled else { return opened.close("stopped") }
                let start = ContinuousClock.now
                await serve(opened)
                if start.duration(to: .now) > .seconds(2) { backoff.reset() }
            } catch {
                warn("cannot connect to Redis for its messages; trying on", "\(error)")
            }
            if Task.isCancelled { return }
            do { try await Loop.sleep(backoff.next()) } catch { return }
        }
    }

    private func serve(_ opened: RedisConnection) async {
        opened.onPush = { [weak self] in self?.received($0) }
        connection = opened
        asked = [:]
        for subscription in subscriptions.values.joined() { subscription.isConfirmed = false }
        for isPattern in [false, true] {
            let channels = subscriptions.keys.filter { $0.isPattern == isPattern }.map(\.channel)
            if !channels.isEmpty { ask(opened, channels.sorted(), pattern: isPattern) }
        }
        let reason = try? await opened.closed.wait()
        if connection === opened { connection = nil }
        opened.close("stopped")
        if let reason, !Task.isCancelled { logger.info("lost the subscriber connection", ["reason": reason]) }
    }

    private func ask(_ connection: RedisConnection, _ channels: [String], pattern: Bool) {
        for channel in channels { asked[Question(channel: channel, isPattern: pattern), default: 0] += 1 }
        connection.write([pattern ? "PSUBSCRIBE" : "SUBSCRIBE"] + channels.map { .string($0) })
    }

    private func confirmed(_ channel: String, pattern: Bool) {
        let question = Question(channel: channel, isPattern: pattern)
        let left = (asked[question] ?? 1) - 1
        asked[question] = left > 0 ? left : nil
        guard left <= 0 else { return }
        for subscription in subscriptions[question] ?? [] where !subscription.isConfirmed {
            subscription.isConfirmed = true
            subscription.onConfirmed?()
        }
    }

    private func beat() {
        guard let connection else { return }
        if connection.lastHeard + .seconds(6) < .now { return connection.close("silent for six seconds") }
        // Before the first SUBSCRIBE Redis answers +PONG, after it an array; both only count as having been heard.
        connection.write(["PING"])
    }

    private func warn(_ message: String, _ error: String) {
        if trouble.isNews(error) { logger.warning(message, ["error": error]) }
    }

    private func received(_ reply: RedisReply) {
        if case .error(let text) = reply {
            // Nothing says which command it was, and what is not subscribed is never heard: asked again on a new connection, for as long as it takes.
            warn("Redis refuses a subscription; trying on", text)
            connection?.close("refused: \(text)")
            return
        }
        guard let words = reply.array, let kind = words.first?.string else { return }
        switch (kind, words.count) {
        case ("message", 3...):
            guard let channel = words[1].string, let payload = words[2].bytes else { return }
            for subscription in subscriptions[Question(channel: channel, isPattern: false)] ?? [] { subscription.onMessage(channel, payload) }
        case ("pmessage", 4...):
            guard let pattern = words[1].string, let channel = words[2].string, let payload = words[3].bytes else { return }
            for subscription in subscriptions[Question(channel: pattern, isPattern: true)] ?? [] { subscription.onMessage(channel, payload) }
        case ("subscribe", 2...), ("psubscribe", 2...):
            if let channel = words[1].string { confirmed(channel, pattern: kind == "psubscribe") }
        default: break
        }
    }
}
