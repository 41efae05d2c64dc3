package import TintypeCore

/// Where the primary of a Redis is. Clients and subscribers open their connections here, each time anew.
///
/// A `RedisEndpoint` is the simplest topology: one server, which is always the primary. `SentinelTopology` asks sentinels. A topology that learns of
/// another primary closes all connections to the old one, and their owners open new ones. A `ClusterTopology` has several primaries.
package protocol RedisTopology: Sendable {
    /// The address for logs, without the login.
    var redacted: String { get }
    /// The time for an answer. After it a connection is given up and another one made.
    var timeout: Duration { get }
    /// The primary and its switches as they are known now.
    @Loop var standing: RedisStanding { get }

    /// Connects to the primary and logs in.
    /// - Parameter name: the name in `CLIENT LIST`, without spaces.
    /// - Throws: `RedisError.unavailable` when there is no primary, or no connection to it.
    @Loop func open(name: String) async throws(RedisError) -> RedisConnection
    /// Returns the Redis for connections that wait for keys of a tag, or listen to its channels: a part of a cluster, else the whole.
    @Loop func part(of tag: RedisTag) -> any RedisTopology
    /// Follows a refusal by which a server names another one.
    /// - Parameter asked: the server that refused.
    /// - Returns: false if this is no cluster, where a command must not meet such a refusal.
    @Loop func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool
    /// Notes that a connection to a server has broken or is silent, or that the server cannot serve now. It may have a successor.
    @Loop func doubt(_ server: SocketAddress)
    /// Counts one more user. The first one starts what the topology needs to know the primary.
    @Loop func begin()
    /// Counts one user less. The last one stops it.
    @Loop func end()
}

/// The primary of a topology and its switches, for metrics.
package struct RedisStanding: Sendable, Hashable {
    /// The address of the server that takes writes; nil while none is known.
    package var primary: SocketAddress?
    /// How often another server has become the primary since the start.
    package var switches = 0
    /// How often the servers that have the keys have changed since the start; in a cluster also by slots that move.
    package var changes = 0
    /// The sentinels that are connected; nil for a Redis without sentinels.
    package var sentinels: Int?

    /// Sets the metrics to these values.
    package func sample(_ metrics: Metrics) {
        metrics.reset(.redisPrimary)
        if let primary { metrics.set(.redisPrimary, 1, labels: primary.description) }
        metrics.set(.redisSwitches, Double(switches))
        metrics.set(.redisTopologyChanges, Double(changes))
        if let sentinels { metrics.set(.redisSentinels, Double(sentinels)) }
    }
}

extension RedisTopology {
    @Loop package func part(of tag: RedisTag) -> any RedisTopology { self }
    @Loop package func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool { false }
    @Loop package func doubt(_ server: SocketAddress) {}
}

extension RedisEndpoint: RedisTopology {
    @Loop package var standing: RedisStanding { RedisStanding(primary: address) }
    @Loop package func open(name: String) async throws(RedisError) -> RedisConnection { try await RedisConnection.open(self, name: name) }
    @Loop package func begin() {}
    @Loop package func end() {}
}
