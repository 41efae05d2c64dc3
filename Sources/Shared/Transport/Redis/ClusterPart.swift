import TintypeCore

/// One slot of a Redis Cluster as a Redis of its own, for connections that wait or listen. Its primary is the server that has the slot.
@Loop
final class ClusterPart: RedisTopology {
    private let cluster: ClusterTopology
    private let slot: Int
    nonisolated let redacted: String
    nonisolated let timeout: Duration

    init(_ cluster: ClusterTopology, slot: Int) {
        (self.cluster, self.slot) = (cluster, slot)
        (redacted, timeout) = (cluster.redacted, cluster.timeout)
    }

    var standing: RedisStanding { cluster.standing }
    func open(name: String) async throws(RedisError) -> RedisConnection { try await cluster.open(slot: slot, name: name) }
    func begin() { cluster.begin() }
    func end() { cluster.end() }
    func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool { cluster.follow(redirect, from: asked) }
    /// A connection that was closed because its slot has moved says nothing about its server.
    func doubt(_ server: SocketAddress) { if cluster.map.primary(of: slot) == server { cluster.doubt(server) } }
}

/// One server of a Redis Cluster as a Redis of its own, for commands. Its `ClusterClients` drops it when the server has no slot any more.
@Loop
final class ClusterMember: RedisTopology {
    private let cluster: ClusterTopology
    private let address: SocketAddress
    nonisolated let redacted: String
    nonisolated let timeout: Duration

    init(_ cluster: ClusterTopology, at address: SocketAddress) {
        (self.cluster, self.address) = (cluster, address)
        (redacted, timeout) = ("\(address) of \(cluster.redacted)", cluster.timeout)
    }

    var standing: RedisStanding { cluster.standing }
    func open(name: String) async throws(RedisError) -> RedisConnection { try await cluster.open(at: address, name: name) }
    func begin() {}
    func end() {}
    func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool { cluster.follow(redirect, from: asked) }
    func doubt(_ server: SocketAddress) { cluster.doubt(server) }
}
