package import TintypeCore

/// The connections that listen to a Redis. Each tag belongs to one of them, as in `RedisNodes` for commands.
///
/// In a cluster, each tag has a connection of its own, to the server of its slot.
@Loop
package final class RedisChannels {
    private let make: @Loop (RedisTag?) -> RedisSubscriber
    /// The connection for all tags; nil in a cluster.
    private let only: RedisSubscriber?
    private var apart: [RedisTag: RedisSubscriber] = [:]
    private var isStarted = false

    package init(_ only: RedisSubscriber) {
        self.only = only
        make = { _ in only }
    }

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - meter: counts connections; nil: nobody does.
    package init(_ topology: any RedisTopology, name: String, logger: Logger, meter: RedisMeter? = nil) {
        make = { tag in RedisSubscriber(tag.map { topology.part(of: $0) } ?? topology, name: name, logger: logger, meter: meter) }
        only = topology is ClusterTopology ? nil : make(nil)
    }

    /// Returns the connection that receives the channels of a tag now.
    package func subscriber(for tag: RedisTag) -> RedisSubscriber {
        if let known = only ?? apart[tag] { return known }
        let subscriber = make(tag)
        apart[tag] = subscriber
        if isStarted { subscriber.start() }
        return subscriber
    }

    private var all: [RedisSubscriber] { only.map { [$0] } ?? Array(apart.values) }

    package func start() {
        isStarted = true
        for subscriber in all { subscriber.start() }
    }

    package func stop() {
        isStarted = false
        for subscriber in all { subscriber.stop() }
    }

    /// Whether all connections are up.
    package var isConnected: Bool { all.allSatisfy(\.isConnected) }

    /// Subscribes to a channel of a tag (`RedisSubscriber.subscribe`).
    package func subscribe(
        _ channel: String, _ kind: RedisChannelKind = .plain, of tag: RedisTag, confirmed: (@Loop () -> Void)? = nil,
        _ onMessage: @escaping @Loop (_ channel: String, _ payload: [UInt8]) -> Void
    ) -> RedisSubscription {
        assert(tag.owns(channel), "\(channel) is no channel of \(tag.prefix)")
        return subscriber(for: tag).subscribe(channel, kind, confirmed: confirmed, onMessage)
    }

    package func unsubscribe(_ subscription: RedisSubscription) {
        guard let tag = RedisTag(of: subscription.channel), let subscriber = only ?? apart[tag] else { return }
        subscriber.unsubscribe(subscription)
        // A queue may be used once and never again.
        guard only == nil, subscriber.isEmpty else { return }
        apart[tag] = nil
        subscriber.stop()
    }
}
