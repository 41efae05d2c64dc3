package import TintypeCore
package import TintypeQueue
package import TintypeTransport

/// The check whether Redis has memory for another request: the server that gets it.
///
/// Receipts, fetches, groups and dead letters stay for minutes to a week, and clients choose their length. Redis knows the total, so it is asked
/// once a second, and bytes that are sent in between are added. The scripts do not count, because they could not subtract entries that expire. In a Redis
/// Cluster, the servers of other queues and shards than `default` are asked every five seconds. See docs/decisions/ceilings.md.
@Loop
package final class RedisMemoryGuard {
    private nonisolated static let interval = Duration.seconds(1)
    /// The number of intervals between two questions to the other servers.
    private nonisolated static let rest = 5

    private let home: RedisNode
    private let most: Int?
    private let scope: TaskScope
    /// Returns the queues and shards in use.
    package var queues: @Loop () -> [Queue] = { [] }
    /// By the connection to each server.
    private var servers: [ObjectIdentifier: ServerMemoryEstimate] = [:]
    private var ticks = 0
    private var timer: LoopTimer?

    init(redis: RedisNodes, most: Int?, scope: TaskScope) {
        (home, self.most, self.scope) = (redis.node(for: QueueKeys.shared), most, scope)
    }

    package func start() { timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.tick() } }

    package func stop() { timer = nil }

    private func tick() {
        estimate(at: home).look()
        ticks += 1
        guard ticks % Self.rest == 0 else { return }
        let nodes = queues().map(\.node)
        // A server that has no queue any more, or another connection, is forgotten.
        let used = Set(([home] + nodes).map(\.server))
        servers = servers.filter { used.contains($0.key) }
        var looked: Set = [home.server]
        for node in nodes where looked.insert(node.server).inserted { estimate(at: node).look() }
    }

    private func estimate(at node: RedisNode) -> ServerMemoryEstimate {
        let server = node.server
        if let known = servers[server] { return known }
        let estimate = ServerMemoryEstimate(node, most: most, scope: scope)
        servers[server] = estimate
        return estimate
    }

    /// Whether more than half of the budget of a server is used. Receipts are then kept for a shorter time, so that one client's receipts expire before
    /// others are refused.
    /// - Parameter queue: a queue or shard of the server; nil: `default`.
    func isPressed(at queue: Queue? = nil) -> Bool { estimate(at: queue?.node ?? home).isPressed }

    /// Counts a request that is about to be sent.
    /// - Parameters:
    ///   - bytes: The length of its text.
    ///   - client: The client whose part of the memory it uses (`Session.sharer`).
    ///   - queue: The queue or shard that gets it; nil for what belongs to no queue.
    /// - Throws: `overloaded` if there is no memory for it.
    package func take(_ bytes: Int, of client: String, in queue: Queue? = nil) async throws(TintypeError) {
        try await estimate(at: queue?.node ?? home).take(bytes, of: client)
    }
}

/// The memory of a Redis in bytes, by its own report. Pure.
struct RedisMemory: Sendable, Hashable {
    /// The memory in use.
    let used: Int
    /// The memory that Redis may use: its `maxmemory`, or else three quarters of its machine's memory. Above that share, a Redis process can no
    /// longer rewrite its file.
    let most: Int

    /// Reads the answer of `INFO memory`; nil for any other text.
    init?(info: String) {
        var figures: [Substring: Int] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { figures[parts[0]] = Int(parts[1]) }
        }
        guard let used = figures["used_memory"], let limit = figures["maxmemory"] else { return nil }
        self.used = used
        most = limit > 0 ? limit : figures["total_system_memory"].map { $0 / 4 * 3 } ?? .max
    }

    /// The part that new requests may fill. The remaining eighth is for running work: its events, ends and results.
    var budget: Int { most / 8 * 7 }
}
