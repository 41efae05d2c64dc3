import TintypeCore
package import TintypeTransport

extension Queue {
    /// Seconds for which a queue keeps an id longer than the receipt is known there, since a receipt may end late.
    private nonisolated static let margin = 60.0

    /// Reserves an id that a client has chosen for its receipt, for as long as the receipt may be known. A client that asks for a receipt names no
    /// queue. Call it before the submit, and again before each repetition of the submit.
    ///
    /// Queues share nothing in Redis, so the queue `default` decides for all. Its own `submit` checks the id itself and needs no reservation.
    /// - Parameter token: the token of this attempt, for `giveBack`.
    /// - Returns: false if another queue knows the id.
    package func reserve(_ s: Submission, token: String) async throws(RedisError) -> Bool {
        guard hasToReserve(s) else { return true }
        let reply = try await reserve(s.receipt, token, for: Self.milliseconds(s.deadlineSeconds + s.keepSeconds + Self.margin))
        switch PlainReply(reply) {
        case .ok: return true
        case .other: return false
        case .made, nil: throw Self.unexpected(.reserve)
        }
    }

    /// Frees the id of a submission that failed, so that other queues may use it. Nothing happens while another attempt, earlier or later, holds a
    /// reservation for this queue: that attempt may have submitted the receipt.
    package func giveBack(_ s: Submission, token: String) async throws(RedisError) {
        guard hasToReserve(s) else { return }
        _ = try await reserve(s.receipt, token, for: 0)
    }

    package func hasToReserve(_ s: Submission) -> Bool { s.isChosen && name != Self.judge }

    private func reserve(_ receipt: String, _ token: String, for milliseconds: Int64) async throws(RedisError) -> RedisReply {
        try await run(shared: .reserve, [.receipt: .string(receipt), .queue: .string(name), .token: .string(token), .time: .int(milliseconds)])
    }

    nonisolated static let judge = QueueKeys.shared.name
}

/// The way of the messages for any program: events of receipts, of queues and of groups (docs/redis.md). The memory tiers of coordinators use it too.
///
/// Each queue has its own in Redis, where scripts read it. The last coordinator to connect writes its setting to all queues.
package enum PublicChannels: String, Sendable, CaseIterable {
    /// PUBLISH. In a cluster, each message goes to every server.
    case plain
    /// SPUBLISH. In a cluster, only the servers of the queue's slot get the message. Such channels have no patterns.
    case sharded

    /// The command that sends a message.
    package var command: String { self == .plain ? "PUBLISH" : "SPUBLISH" }

    /// The way where the operator names none.
    package static func usual(isCluster: Bool) -> PublicChannels { isCluster ? .sharded : .plain }
}

/// The names of the queues that store a queue with several shards. The first shard has the queue's own name, the others `<queue>~<index>.<suffix>`.
///
/// No client can name them: the names of queues have no `~`. The suffix spreads the shards over the servers of a Redis Cluster. There are as many equal
/// ranges of slots as shards, and each shard lies in the middle half of its range. Slots as they come would leave some servers without a shard.
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
