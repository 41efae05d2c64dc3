import TintypeTransport
import TintypeQueue

/// The subject of a stream of events: a receipt with all its events, or a queue with the terminal events of its receipts.
enum EventSubject: Sendable, Hashable {
    case receipt(String, queue: String)
    case queue(String)

    /// The keys of its queue.
    private var keys: QueueKeys {
        switch self {
        case .receipt(_, let queue), .queue(let queue): QueueKeys(queue)
        }
    }

    /// The tag of its channel.
    var tag: RedisTag { keys.tag }

    /// The public channel in Redis.
    var channel: String {
        switch self {
        case .receipt(let id, _): keys.publicEvents(receipt: id)
        case .queue: keys.publicEvents
        }
    }
}
