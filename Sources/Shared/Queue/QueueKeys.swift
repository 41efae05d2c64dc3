package import TintypeCore
import TintypeTransport

/// The names of a queue's keys in Redis. The scripts build theirs from the same prefix. Sources/Shared/queue.md lists all of them.
package struct QueueKeys: Sendable, Hashable {
    /// The tag of all keys: the name of the queue.
    package let tag: RedisTag
    package var prefix: String { tag.prefix }

    package init(_ queue: String) { tag = RedisTag(queue) }

    /// The tag of the keys that exist once for all queues. They are stored beside the queue `default`.
    package static let shared = RedisTag("default")

    /// The names of all configured queues: a hash, name → a mark that is new each time. `default` need not be in it.
    package static let registry = shared.prefix + "queues"

    /// The names of queues that workers serve and that do not exist: a zset, name → the end of the announcement (ms).
    package static let strays = shared.prefix + "strays"

    /// The settings of a queue with shards as a whole (`ShardedQueue`); only beside `default`.
    package static func sharded(_ queue: String) -> String { shared.prefix + "sh:" + queue }
    /// The coordinator that lends shares of limits to shards; only beside `default`.
    package static let lender = shared.prefix + "lender"

    /// The marker that wakes an idle worker.
    package var marker: String { prefix + "mark" }
    /// Two keys of the live workers: id → JSON, and id → last heartbeat in ms.
    package var workers: String { prefix + "workers" }
    package var workersSeen: String { prefix + "wseen" }
    package func receipt(_ id: String) -> String { prefix + "r:" + id }
    package func fetch(_ id: String) -> String { prefix + "f:" + id }
    /// The queue of an id that a client has chosen; only beside `default`.
    package static func owner(ofReceipt id: String) -> String { shared.prefix + "id:" + id }
    package func group(_ id: String) -> String { prefix + "g:" + id }
    /// The write that shows whether replicas have everything before it. Nothing reads it.
    package var durable: String { prefix + "durable" }
    /// The index entry of a finished rendition.
    package func result(_ digest: String) -> String { prefix + "x:" + digest }

    /// The results and sources of a tag.
    package func tag(_ name: String) -> String { prefix + "tg:" + name }
    /// The settings of the queue `default`.
    package static let settings = shared.prefix + "cfg"
    /// The keys that purges by tag were about in the last days, only of `default`.
    package static let purgedKeys = shared.prefix + "pk"
    /// The purges of the last days, only of `default`.
    package static let purges = shared.prefix + "pg"

    /// The channel on which the memory tiers of coordinators inform each other.
    package static let memoryNews = shared.prefix + "memory"
    /// The channel on which coordinators exchange their totals. A sharded channel.
    package static let totals = shared.prefix + "totals"

    /// The channel with all events of a group, as JSON for any program. Groups are stored beside the queue `default`.
    package static func publicEvents(group: String) -> String { shared.prefix + "groups:" + group }

    /// The numbered channel of one coordinator, with messages of `QueueEvent`. A sharded channel.
    package func events(coordinator: String) -> String { prefix + "ev:" + coordinator }
    /// The channel on which workers learn that a fetch is stopped or watched, with messages of `ControlMessage`. A sharded channel.
    package var control: String { prefix + "ctl" }
    /// The channel with all events of a receipt, as JSON for any program (docs/protocol.md).
    package func publicEvents(receipt: String) -> String { prefix + "events:" + receipt }
    /// The channel with the terminal events of the queue (docs/protocol.md).
    package var publicEvents: String { prefix + "events" }
}
