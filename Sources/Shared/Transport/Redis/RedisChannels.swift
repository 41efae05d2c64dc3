package import TintypeCore

/// The connections that listen to a Redis. Each tag belongs to one of them, as in `RedisNodes` for commands.
@Loop
package final class RedisChannels {
    private let only: RedisSubscriber

    package init(_ only: RedisSubscriber) { self.only = only }

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    package convenience init(_ topology: any RedisTopology, name: String, logger: Logger) {
        self.init(RedisSubscriber(topology, name: name, logger: logger))
    }

    /// Returns the connection that receives the channels of a tag now.
    package func subscriber(for tag: RedisTag) -> RedisSubscriber { only }

    package func start() { only.start() }
    package func stop() { only.stop() }
    /// Whether all connections are up.
    package var isConnected: Bool { only.isConnected }

    /// Subscribes to a channel of a tag (`RedisSubscriber.subscribe`).
    package func subscribe(
        _ channel: String, _ kind: RedisChannelKind = .plain, of tag: RedisTag, confirmed: (@Loop () -> Void)? = nil,
        _ onMessage: @escaping @Loop (_ channel: String, _ payload: [UInt8]) -> Void
    ) -> RedisSubscription {
        assert(tag.owns(channel), "\(channel) is no channel of \(tag.prefix)")
        return subscriber(for: tag).subscribe(channel, kind, confirmed: confirmed, onMessage)
    }

    package func unsubscribe(_ subscription: RedisSubscription) {
        guard let tag = RedisTag(of: subscription.channel) else { return }
        subscriber(for: tag).unsubscribe(subscription)
    }
}
