package import TintypeCore

/// The servers of a Redis, and which of them has the keys of a tag. Callers name the tag of their keys; no other code knows a connection.
///
/// One server has all keys, unless the Redis is a cluster.
@Loop
package final class RedisNodes {
    private enum Clients {
        case one(RedisClient)
        case cluster(ClusterClients)
    }

    private let clients: Clients
    private let topology: any RedisTopology

    package init(_ only: RedisClient) { (clients, topology) = (.one(only), only.topology) }

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - scripts: loaded on every new connection.
    ///   - requirement: the check of a server. A server that fails it counts as unreachable.
    ///   - meter: counts commands and connections; nil: nobody does.
    package init(
        _ topology: any RedisTopology, name: String, logger: Logger, scripts: [LuaScript] = [], requirement: RedisRequirement? = nil, meter: RedisMeter? = nil
    ) {
        let make: @Loop (any RedisTopology) -> RedisClient = {
            RedisClient($0, name: name, logger: logger, scripts: scripts, requirement: requirement, meter: meter)
        }
        self.topology = topology
        if let cluster = topology as? ClusterTopology { clients = .cluster(ClusterClients(cluster, make)) } else { clients = .one(make(topology)) }
    }

    /// The clients of a cluster; nil for one server.
    var cluster: ClusterClients? { if case .cluster(let clients) = clients { clients } else { nil } }

    /// Returns the node for the keys of a tag. It may be kept: it looks up the server for each command.
    package func node(for tag: RedisTag) -> RedisNode { RedisNode(self, tag) }

    /// Returns the connection to the server that has a slot now; the only one where the Redis is no cluster.
    func server(ofSlot slot: Int) -> RedisClient {
        switch clients {
        case .one(let only): only
        case .cluster(let clients): clients.client(of: slot)
        }
    }

    /// The connection where the Redis is no cluster; nil in a cluster.
    var only: RedisClient? { if case .one(let only) = clients { only } else { nil } }

    /// A connection to each server, for commands on servers and not on keys, such as a walk through all keys.
    package var servers: [RedisClient] {
        switch clients {
        case .one(let only): [only]
        case .cluster(let clients): clients.all
        }
    }

    /// Starts to connect, and retries for ever.
    package func start() {
        switch clients {
        case .one(let only): only.start()
        case .cluster(let clients): clients.start()
        }
    }

    /// Closes the connections and stops retrying. Waiting commands fail.
    package func stop() {
        switch clients {
        case .one(let only): only.stop()
        case .cluster(let clients): clients.stop()
        }
    }

    /// Whether all servers are connected.
    package var isConnected: Bool {
        switch clients {
        case .one(let only): only.isConnected
        case .cluster(let clients): clients.isConnected
        }
    }
    /// The time since which all servers are connected; nil unless they are.
    package var connectedSince: ContinuousClock.Instant? {
        switch clients {
        case .one(let only): only.connectedSince
        case .cluster(let clients): clients.isConnected ? clients.all.compactMap(\.connectedSince).max() : nil
        }
    }
    /// The reason for which one of them is not connected; nil if all are.
    package var failure: RedisError? {
        switch clients {
        case .one(let only): only.failure
        case .cluster(let clients): clients.failure
        }
    }
    /// The number of commands that wait for their replies.
    package var pending: Int { servers.reduce(0) { $0 + $1.pending } }
    /// The primary and its switches as they are known, for metrics.
    package var standing: RedisStanding { topology.standing }
    /// The default time for an answer.
    var patience: Duration { topology.timeout }
    /// The addresses of the servers, for logs.
    package var redacted: String { topology.redacted }

    /// Adds a callback for each time that a connection is ready. Callbacks run in the order added.
    package func onConnected(_ body: @escaping @Loop () -> Void) {
        switch clients {
        case .one(let only): only.onConnected.append(body)
        case .cluster(let clients): clients.onConnected(body)
        }
    }

    /// Waits until all servers are connected.
    /// - Throws: `.unavailable` when they are not in time.
    package func untilConnected(within time: Duration) async throws(RedisError) {
        switch clients {
        case .one(let only): try await only.untilConnected(within: time)
        case .cluster(let clients): try await clients.untilConnected(nil, within: time)
        }
    }

    /// Waits until one of several sorted sets has a member and pops it, and then runs other commands (`RedisClient.block`).
    ///
    /// A server of a cluster refuses keys of several slots (`RedisErrorReply.crossSlot`); only `RedisWaits` calls this function, with a part of a
    /// cluster (`RedisTopology.part`). Connections that wait do nothing else, so they must not be shared.
    /// - Returns: the result of each command, the wait first.
    func pop(
        anyOf keys: [String], within time: Duration, then others: [[RedisArgument]], countedBy meter: WaitMeter?
    ) async -> [Result<RedisReply, RedisError>] {
        let seconds = Double(max(10, time.milliseconds)) / 1000
        guard let only else { return Array(repeating: .failure(.unavailable("not connected yet")), count: 1 + others.count) }
        return await only.block(["BZPOPMIN"] + keys.map { .string($0) } + [.string("\(seconds)")], for: time, then: others, countedBy: meter)
    }

    /// Ends the wait of another connection now, as if its time were over.
    /// - Returns: false if it did not wait at this moment.
    package func unblock(_ other: RedisNodes) async throws(RedisError) -> Bool {
        guard let waiting = other.only else { return false }
        guard let cluster else { return try await only?.unblock(waiting) ?? false }
        guard let client = waiting.address.flatMap({ cluster.client(at: $0) }) else { return false }
        return try await client.unblock(waiting)
    }
}
