package import TintypeCore

/// One subscription of a `RedisSubscriber`. Pass it to `unsubscribe` to end it.
@Loop
package final class RedisSubscription {
    package let channel: String
    package let kind: RedisChannelKind
    let onMessage: @Loop (String, [UInt8]) -> Void
    let onConfirmed: (@Loop () -> Void)?
    /// Whether Redis has confirmed the subscription on the present connection.
    package internal(set) var isConfirmed = false

    init(_ channel: String, _ kind: RedisChannelKind, _ confirmed: (@Loop () -> Void)?, _ message: @escaping @Loop (String, [UInt8]) -> Void) {
        (self.channel, self.kind, onConfirmed, onMessage) = (channel, kind, confirmed, message)
    }
}

/// A connection that only listens: it subscribes, receives messages, and subscribes again after every break.
///
/// Messages sent while the connection was down are lost, as always in Redis. `confirmed` is called when the owner has to read the state itself. Lives on the
/// loop. With the default timeout of 5 s (`RedisTopology.timeout`), it pings every 3 s and gives up a connection that was silent for 7 s. A channel
/// that Redis denies this user is retried every 10 s, while the others go on.
@Loop
package final class RedisSubscriber {
    private struct Question: Hashable {
        let channel: String
        let kind: RedisChannelKind

        /// The rule that the user's ACL lacks. Our own channels end in the id of a receipt or group, which must not be logged, so the rule covers all
        /// of a kind.
        var rule: String {
            let parts = channel.split(separator: ":", maxSplits: 3)
            return parts.count == 4 && parts[0] == "tintype" ? "&\(parts[0]):\(parts[1]):\(parts[2]):*" : "&\(channel)"
        }
    }

    private let kept: KeptConnection
    private let logger: Logger
    private let patience: Duration
    private let meter: RedisMeter?
    private var subscriptions: [Question: [RedisSubscription]] = [:]
    /// The number of SUBSCRIBE commands on their way, by channel. Only the confirmation of the last one counts, since an UNSUBSCRIBE may lie between.
    private var asked: [Question: Int] = [:]
    /// The number of SUNSUBSCRIBE commands on their way, by channel. Redis sends the same words when a slot has moved.
    private var leaving: [String: Int] = [:]
    /// All commands that wait for a reply, in order; nil for one without a channel. An error does not name its command, but each command has one reply,
    /// in order. So each command has one channel too. If a command names several, Redis refuses all of them because of one.
    private var unanswered = FIFO<Question?>()
    /// The channels that Redis has refused on this connection, and the time of the next try.
    private var refused: [Question: ContinuousClock.Instant] = [:]
    private var logThrottle = LogThrottle()
    private var refusals = LogThrottle()

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - patience: the pause before a refused channel is tried again.
    ///   - meter: counts connections; nil: they are not counted.
    package init(_ topology: any RedisTopology, name: String, logger: Logger, patience: Duration = .seconds(10), meter: RedisMeter? = nil) {
        kept = KeptConnection(topology, name: name, for: .subscriber, meter)
        (self.meter, self.patience) = (meter, patience)
        self.logger = logger.with(["redis": topology.redacted, "connection": "subscriber"])
    }

    package func start() { kept.start(self, beatingEvery: topology.timeout * 3 / 5) }
    package func stop() { kept.stop() }

    private var topology: any RedisTopology { kept.topology }
    private var connection: RedisConnection? { kept.current }
    package var isConnected: Bool { connection != nil }
    /// Whether it has no subscription.
    var isEmpty: Bool { subscriptions.isEmpty }

    /// Drops the connection, which is then opened again. For owners that miss messages.
    package func reconnect(_ reason: String) { connection?.close(reason) }

    /// Subscribes to a channel or, with `.pattern`, to all channels that match.
    /// - Parameters:
    ///   - confirmed: called each time Redis has confirmed the subscription, also after reconnecting.
    ///   - onMessage: called on the loop with channel and payload of each message.
    @discardableResult
    package func subscribe(
        _ channel: String, _ kind: RedisChannelKind = .plain, confirmed: (@Loop () -> Void)? = nil,
        _ onMessage: @escaping @Loop (_ channel: String, _ payload: [UInt8]) -> Void
    ) -> RedisSubscription {
        let subscription = RedisSubscription(channel, kind, confirmed, onMessage)
        subscriptions[Question(channel: channel, kind: kind), default: []].append(subscription)
        // Subscribed again even if the channel already has a subscription: this one waits for a confirmation.
        ask(Question(channel: channel, kind: kind))
        return subscription
    }

    package func unsubscribe(_ subscription: RedisSubscription) {
        let question = Question(channel: subscription.channel, kind: subscription.kind)
        subscriptions[question]?.removeAll { $0 === subscription }
        guard subscriptions[question]?.isEmpty != false else { return }
        subscriptions[question] = nil
        refused[question] = nil
        if connection != nil, subscription.kind == .sharded { leaving[subscription.channel, default: 0] += 1 }
        write([.string(subscription.kind.leaving), .string(subscription.channel)], nil)
    }

    private func ask(_ question: Question) {
        guard connection != nil else { return }
        asked[question, default: 0] += 1
        refused[question] = nil
        write([.string(question.kind.joining), .string(question.channel)], question)
    }

    private func write(_ command: [RedisArgument], _ question: Question?) {
        guard let connection else { return }
        unanswered.append(question)
        connection.write(command)
    }

    /// Notes the answer to one of the commands that subscribe to this channel.
    /// - Returns: whether it was the last one.
    private func answered(_ question: Question) -> Bool {
        let left = (asked[question] ?? 1) - 1
        asked[question] = left > 0 ? left : nil
        return left <= 0
    }

    private func confirmed(_ question: Question) {
        guard answered(question) else { return }
        for subscription in subscriptions[question] ?? [] where !subscription.isConfirmed {
            subscription.isConfirmed = true
            subscription.onConfirmed?()
        }
    }

    private func warn(_ message: String, _ error: String) {
        if logThrottle.shouldLog(error) { logger.warning(message, ["error": error]) }
    }

    /// Handles an error in place of an answer. A channel that the user may not read fails alone. Any other error ends the connection.
    private func refuse(_ question: Question?, _ text: String) {
        if let connection, case .redirect(let redirect) = RedisErrorReply(text), topology.follow(redirect, from: connection.address) {
            meter?.redirected(redirect.kind)
            connection.close("another server has the slot of a channel")
            return
        }
        guard let question, RedisErrorReply(text) == .notPermitted else {
            // A channel without a subscription stays silent, so the subscriber tries again on a new connection, for as long as it takes.
            warn("Redis refuses a command of the subscriber; retrying", text)
            connection?.close("refused: \(text)")
            return
        }
        guard answered(question), subscriptions[question] != nil else { return }
        refused[question] = .now + patience
        let rule = text.contains("' command") ? "+\(question.kind.joining.lowercased())" : question.rule
        guard refusals.shouldLog(rule) else { return }
        logger.warning("Redis refuses a subscription: the ACL of its user lacks a rule; retrying", ["rule": rule, "error": text])
    }

    private func received(_ reply: RedisReply) {
        let word = reply.array?.first?.string
        if word.map({ !RedisChannelKind.messages.contains($0) }) ?? true {
            let question = unanswered.popFirst() ?? nil
            if case .error(let text) = reply { return refuse(question, text) }
        }
        guard let words = reply.array, let word else { return }
        switch (word, words.count) {
        case ("message", 3...): deliver(.plain, words[1], words[1], words[2])
        case ("smessage", 3...): deliver(.sharded, words[1], words[1], words[2])
        case ("pmessage", 4...): deliver(.pattern, words[1], words[2], words[3])
        case ("subscribe", 2...), ("psubscribe", 2...), ("ssubscribe", 2...):
            if let channel = words[1].string, let kind = RedisChannelKind(joined: word) { confirmed(Question(channel: channel, kind: kind)) }
        case ("sunsubscribe", 2...):
            guard let channel = words[1].string else { return }
            if let left = leaving[channel] {
                leaving[channel] = left > 1 ? left - 1 : nil
                return
            }
            // This process has not left the channel: its slot has moved to another server, and this one sends no more messages.
            guard subscriptions[Question(channel: channel, kind: .sharded)] != nil else { return }
            connection?.close("the slot of a channel has moved")
        default: break
        }
    }

    private func deliver(_ kind: RedisChannelKind, _ subscribed: RedisReply, _ channel: RedisReply, _ payload: RedisReply) {
        guard let subscribed = subscribed.string, let channel = channel.string, let payload = payload.bytes else { return }
        for subscription in subscriptions[Question(channel: subscribed, kind: kind)] ?? [] { subscription.onMessage(channel, payload) }
    }
}

extension RedisSubscriber: KeptConnection.Owner {
    func prepare(_ opened: RedisConnection) {}

    func begin(_ opened: RedisConnection) {
        opened.onPush = { [weak self] in self?.received($0) }
        (asked, leaving, unanswered, refused) = ([:], [:], FIFO(), [:])
        for subscription in subscriptions.values.joined() { subscription.isConfirmed = false }
        for question in subscriptions.keys { ask(question) }
    }

    func lost(_ reason: String?) {
        if let reason { logger.info("lost the subscriber connection", ["reason": reason]) }
    }

    func failed(_ error: RedisError) { warn("cannot connect to Redis for its messages; retrying", "\(error)") }

    func beat(_ connection: RedisConnection) {
        if connection.lastHeard + topology.timeout * 7 / 5 < .now { return connection.close("silent for too long") }
        // Before the first SUBSCRIBE Redis answers +PONG, after it an array. Both only show that the connection is alive.
        write(["PING"], nil)
        let now = ContinuousClock.now
        for (question, time) in refused where time <= now { ask(question) }
    }
}
