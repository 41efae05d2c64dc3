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
