import TintypeCore
import TintypeTransport

/// The names of the queues that store a queue with several shards. The first shard has the queue's own name, the others `<queue>~<index>.<suffix>`.
///
/// No client can name them: the names of queues have no `~`. The suffix spreads the shards over the servers of a Redis Cluster.
/// There are as many equal ranges of slots as shards, and each shard lies in the middle half of its range. Slots as they come would leave some servers
/// without a shard.
package enum ShardNames {
    private static let mark: Character = "~"

    /// Returns the name of the queue that a shard belongs to, as clients know it; a queue without shards belongs to itself.
    package static func queue(of name: String) -> String { String(name.prefix { $0 != mark }) }

    /// Returns whether the name is that of a shard, but for the first one.
    package static func isShard(_ name: String) -> Bool { name.contains(mark) }

    /// Returns the slot of a queue's or shard's keys in a Redis Cluster, 0 to 16383.
    package static func slot(of name: String) -> Int { RedisTag(name).slot }

    /// Returns the names of all shards, the queue's own first.
    package static func all(of queue: String, count: Int) -> [String] {
        let width = HashSlot.count / count
        let home = RedisTag(queue).slot / width
        return [queue]
            + (1..<count).map { index in
                let start = (home + index) % count * width
                let middle = start + width / 4..<start + width - width / 4
                var suffix = 0
                while !middle.contains(RedisTag("\(queue)\(mark)\(index).\(suffix)").slot) { suffix += 1 }
                return "\(queue)\(mark)\(index).\(suffix)"
            }
    }
}
