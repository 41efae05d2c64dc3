package import TintypeCore
package import TintypeTransport

/// A subscription to a public channel, or to that of the memory tiers, plain and sharded.
///
/// The last coordinator to connect decides by which of the two the scripts publish (`PublicChannels`). One with another setting may connect at any
/// time, so each coordinator listens to both. A message comes by one of them alone, from one server, so none comes twice and their order
/// stays. A subscription that followed the field of the queue would be deaf from the change to its next look at the field.
@Loop
package final class PublicSubscription {
    private let channels: RedisChannels
    private var both: [RedisSubscription] = []

    /// - Parameters:
    ///   - confirmed: Called each time Redis has confirmed both, also after reconnecting.
    ///   - onMessage: Called with the payload of each message.
    package init(
        _ channel: String, of tag: RedisTag, on channels: RedisChannels, confirmed: @escaping @Loop () -> Void,
        _ onMessage: @escaping @Loop (_ payload: [UInt8]) -> Void
    ) {
        self.channels = channels
        both = [.plain, .sharded].map { kind in
            channels.subscribe(
                channel, kind, of: tag, confirmed: { [weak self] in if self?.isConfirmed == true { confirmed() } }, { _, payload in onMessage(payload) })
        }
    }

    /// Whether Redis has confirmed both on the present connection.
    package var isConfirmed: Bool { !both.isEmpty && both.allSatisfy(\.isConfirmed) }

    package func end() {
        for subscription in both { channels.unsubscribe(subscription) }
        both = []
    }
}
