package import TintypeCore

/// The connections that listen to a Redis. Each tag belongs to one of them, as in `RedisNodes` for commands.
///
/// In a cluster, each tag has a connection of its own, to the server of its slot.
@Loop
package final class RedisChannels {
    private let isCluster: Bool
    private let make: @Loop (RedisTag?) -> RedisSubscriber
    /// By tag; in one server, a single one for all tags, without a tag.
    private var subscribers: [RedisTag?: RedisSubscriber]
    private var isStarted = false

    package init(_ only: RedisSubscriber) { (isCluster, make, subscribers) = (false, { _ in only }, [nil: only]) }

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - meter: counts connections; nil: they are not counted.
    package init(_ topology: any RedisTopology, name: String, logger: Logger, meter: RedisMeter? = nil) {
        make = { tag in RedisSubscriber(tag.map { topology.part(of: $0) } ?? topology, name: name, logger: logger, meter: meter) }
        isCluster = topology is ClusterTopology
        subscribers = isCluster ? [:] : [nil: make(nil)]
    }

    /// Returns the connection that receives the channels of a tag now.
    package func subscriber(for tag: RedisTag) -> RedisSubscriber {
        let key = isCluster ? tag : nil
        if let known = subscribers[key] { return known }
        let subscriber = make(key)
        subscribers[key] = subscriber
        if isStarted { subscriber.start() }
        return subscriber
    }

    package func start() {
        isStarted = true
        for subscriber in subscribers.values { subscriber.start() }
    }

    package func stop() {
        isStarted = false
        for subscriber in subscribers.values { subscriber.stop() }
    }

    /// Whether all connections are up.
    package var isConnected: Bool { subscribers.values.allSatisfy(\.isConnected) }

    /// Subscribes to a channel of a tag (`RedisSubscriber.subscribe`).
    package func subscribe(
        _ channel: String, _ kind: RedisChannelKind = .plain, of tag: RedisTag, confirmed: (@Loop () -> Void)? = nil,
        _ onMessage: @escaping @Loop (_ channel: String, _ payload: [UInt8]) -> Void
    ) -> RedisSubscription {
        assert(tag.owns(channel), "\(channel) is no channel of \(tag.prefix)")
        return subscriber(for: tag).subscribe(channel, kind, confirmed: confirmed, onMessage)
    }

    package func unsubscribe(_ subscription: RedisSubscription) {
        guard let tag = RedisTag(of: subscription.channel), let subscriber = subscribers[isCluster ? tag : nil] else { return }
        subscriber.unsubscribe(subscription)
        // A queue may be used once and never again.
        guard isCluster, subscriber.isEmpty else { return }
        subscribers[tag] = nil
        subscriber.stop()
    }
}

/// The three ways of Redis to listen, with the first letter of their commands.
package enum RedisChannelKind: String, Sendable, CaseIterable {
    /// A channel of PUBLISH. In a cluster, each message goes to every server.
    case plain = ""
    /// All channels of PUBLISH that match a pattern.
    case pattern = "P"
    /// A channel of SPUBLISH. In a cluster, only the servers of its slot get the message. Redis 7.0 and newer, also without a cluster.
    case sharded = "S"

    /// The command that subscribes; its confirmation begins with the same word in small letters.
    var joining: String { rawValue + "SUBSCRIBE" }
    /// The command that unsubscribes.
    var leaving: String { rawValue + "UNSUBSCRIBE" }

    /// Reads the first word of a confirmation.
    init?(joined word: String) {
        guard let kind = Self.allCases.first(where: { $0.joining.lowercased() == word }) else { return nil }
        self = kind
    }

    /// The first words of messages; all other replies answer a command.
    static let messages: Set<String> = ["message", "pmessage", "smessage"]
}
