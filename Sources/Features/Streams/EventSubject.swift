import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// The subject of a stream of events: a receipt with all its events, or a queue with the terminal events of its receipts.
enum EventSubject: Sendable, Hashable {
    /// - queue: The name of its queue or shard.
    case receipt(String, queue: String)
    /// - shards: The names of its shards.
    case queue(String, shards: [String])

    /// The public channels in Redis, each with its tag.
    var channels: [(tag: RedisTag, name: String)] {
        switch self {
        case .receipt(let id, let queue):
            let keys = QueueKeys(queue)
            return [(keys.tag, keys.publicEvents(receipt: id))]
        case .queue(_, let shards): return shards.map(QueueKeys.init).map { ($0.tag, $0.publicEvents) }
        }
    }
}
