package import TintypeCore

/// The connections that listen to a Redis, and which of them hears the channels of a tag: as `RedisNodes` for commands.
@Loop
package final class RedisChannels {
    private let only: RedisSubscriber

    package init(_ only: RedisSubscriber) { self.only = only }

    /// - Parameter name: what `CLIENT LIST` shows; no spaces.
    package convenience init(_ endpoint: RedisEndpoint, name: String, logger: Logger) {
        self.init(RedisSubscriber(endpoint, name: name, logger: logger))
    }

    /// The connection that hears the channels of a tag now.
    package func subscriber(for tag: RedisTag) -> RedisSubscriber { only }

    package func start() { only.start() }
    package func stop() { only.stop() }
    /// Whether all are connected.
    package var isConnected: Bool { only.isConnected }

    /// Listens to a channel of a tag (`RedisSubscriber.subscribe`).
    package func subscribe(
        _ channel: String, of tag: RedisTag, confirmed: (@Loop () -> Void)? = nil,
        _ onMessage: @escaping @Loop (_ channel: String, _ payload: [UInt8]) -> Void
    ) -> RedisSubscription {
        assert(tag.owns(channel), "\(channel) is no channel of \(tag.prefix)")
        return subscriber(for: tag).subscribe(channel, confirmed: confirmed, onMessage)
    }

    package func unsubscribe(_ subscription: RedisSubscription) {
        guard let tag = RedisTag(of: subscription.channel) else { return }
        subscriber(for: tag).unsubscribe(subscription)
    }
}
