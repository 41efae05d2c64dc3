package import TintypeTransport

/// The names under which a queue lives in Redis. The scripts build theirs from the same prefix; docs/redis.md lists them all.
package struct QueueKeys: Sendable, Hashable {
    /// The tag of all of them: the queue's name.
    package let tag: RedisTag
    /// What every key starts with.
    package var prefix: String { tag.prefix }

    package init(_ queue: String) { tag = RedisTag(queue) }

    /// The tag of what is there once for all queues: it lives beside the queue `default`.
    package static let shared = RedisTag("default")

    /// The names of all queues that were configured: a hash, name → a mark that is new each time. `default` need not be in it.
    package static let registry = shared.prefix + "queues"

    /// The names of queues that workers serve and nobody has: a zset, name → until when that stands (ms).
    package static let strays = shared.prefix + "strays"

    /// What a worker with nothing to do sleeps on.
    package var marker: String { prefix + "mark" }
    /// id → JSON of the workers that beat, and id → last beat in ms.
    package var workers: String { prefix + "workers" }
    package var workersSeen: String { prefix + "wseen" }
    /// The record of a receipt.
    package func receipt(_ id: String) -> String { prefix + "r:" + id }
    /// The record of a fetch.
    package func fetch(_ id: String) -> String { prefix + "f:" + id }
    /// The queue that an id chosen by a client belongs to; beside `default` alone.
    package static func owner(ofReceipt id: String) -> String { shared.prefix + "id:" + id }
    /// The index entry of a finished rendition.
    package func result(_ digest: String) -> String { prefix + "x:" + digest }

    /// What the memory tiers of coordinators tell each other.
    package static let memoryNews = shared.prefix + "memory"

    /// All events of a group, as JSON for anyone. Groups live beside the queue `default`.
    package static func publicEvents(group: String) -> String { shared.prefix + "groups:" + group }

    /// The numbered channel of one coordinator: `QueueEvent`.
    package func events(coordinator: String) -> String { prefix + "ev:" + coordinator }
    /// Where workers hear that a fetch is to stop or is watched: `ControlMessage`.
    package var control: String { prefix + "ctl" }
    /// PROTOCOL.md §7: all events of a receipt, as JSON for anyone.
    package func publicEvents(receipt: String) -> String { prefix + "events:" + receipt }
    /// PROTOCOL.md §7: the terminal events of the queue.
    package var publicEvents: String { prefix + "events" }
}
