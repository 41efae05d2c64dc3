import TintypeCore

/// The clients for commands to the servers of a Redis Cluster: one for each server that has a slot.
///
/// A refusal that names another server is no failure: nothing was done, and the command goes to that server. A slot on its way is waited for. A script that
/// followed `ASK` would find no queue at the other server, and begin a second one there. A key that shares its slot with no other has no such parts, so
/// its commands follow `ASK`. Lives on the loop.
@Loop
final class ClusterClients {
    let cluster: ClusterTopology
    private let make: @Loop (any RedisTopology) -> RedisClient
    private var clients: [SocketAddress: RedisClient] = [:]
    /// Stands for the server of a slot that none has. It never connects.
    private let nobody: RedisClient
    private var callbacks: [@Loop () -> Void] = []
    private var isStarted = false

    /// The pause before a slot on its way is asked for again.
    private static let pause = Duration.milliseconds(50)

    init(_ cluster: ClusterTopology, _ make: @escaping @Loop (any RedisTopology) -> RedisClient) {
        (self.cluster, self.make) = (cluster, make)
        nobody = make(cluster)
    }

    /// The clients of all servers, in the order of their slots.
    var all: [RedisClient] { cluster.map.primaries.compactMap { clients[$0] } }
    var isConnected: Bool { cluster.map.covered == HashSlot.count && all.allSatisfy(\.isConnected) }
    var failure: RedisError? {
        if let broken = all.first(where: { !$0.isConnected }) { return broken.failure }
        let covered = cluster.map.covered
        return covered == HashSlot.count ? nil : .unavailable("the servers of \(covered) of \(HashSlot.count) slots are known; repeating")
    }

    func client(of tag: RedisTag) -> RedisClient { cluster.map.primary(of: tag.slot).flatMap { clients[$0] } ?? nobody }

    func start() {
        guard !isStarted else { return }
        isStarted = true
        cluster.follow(self) { [weak self] in self?.follow() }
        cluster.begin()
        follow()
    }

    func stop() {
        guard isStarted else { return }
        isStarted = false
        cluster.unfollow(self)
        cluster.end()
        for client in clients.values { client.stop() }
        clients = [:]
    }

    func onConnected(_ body: @escaping @Loop () -> Void) {
        callbacks.append(body)
        for client in clients.values { client.onConnected.append(body) }
    }

    /// Makes clients for servers that are new, and stops those of servers that have no slot any more.
    private func follow() {
        guard isStarted else { return }
        for (address, client) in clients where !cluster.map.primaries.contains(address) {
            clients[address] = nil
            client.stop()
        }
        for address in cluster.map.primaries where clients[address] == nil {
            let client = make(ClusterMember(cluster, at: address))
            client.onConnected = callbacks
            clients[address] = client
            client.start()
        }
    }

    /// Waits until the server of a tag, or without a tag all servers, are connected.
    /// - Throws: `.unavailable` when they are not in time.
    func untilConnected(_ tag: RedisTag?, within time: Duration) async throws(RedisError) {
        let end = ContinuousClock.now + time
        while true {
            let isThere = tag.map { client(of: $0).isConnected } ?? isConnected
            if isThere { return }
            let left = end - .now
            guard left > .zero, !Task.isCancelled else { throw tag.flatMap { client(of: $0).failure } ?? failure ?? .unavailable("not connected yet") }
            // In steps, since another server may have the slot meanwhile.
            let absent = tag.map { client(of: $0) } ?? all.first { !$0.isConnected } ?? nobody
            try? await absent.untilConnected(within: min(left, Self.pause))
        }
    }

    /// Sends a command again that was refused by a server without the slot, until it is served or the time for an answer is over.
    /// - Parameters:
    ///   - refusal: the first failure.
    ///   - send: sends the command to a server. `isAsked`: behind `ASKING`.
    /// - Throws: the last refusal, or another failure.
    func again(
        _ tag: RedisTag, after refusal: RedisError, within time: Duration,
        _ send: (_ client: RedisClient, _ isAsked: Bool) async throws(RedisError) -> RedisReply
    ) async throws(RedisError) -> RedisReply {
        let end = ContinuousClock.now + time
        var refusal = refusal
        var number = 0
        while case .unavailable(let text) = refusal, let redirect = ClusterRedirect(text), ContinuousClock.now < end, !Task.isCancelled {
            number += 1
            var target: RedisClient?
            if redirect.kind == .ask, tag.isAlone, let host = client(of: tag).address, let address = redirect.address(from: host) { target = clients[address] }
            if target == nil {
                // The first MOVED has named the server. Servers that name each other in turn have not heard of a move yet.
                if redirect.kind != .moved || number > 1 { try? await Loop.sleep(Self.pause) }
                try await untilConnected(tag, within: max(end - .now, Self.pause))
            }
            do throws(RedisError) {
                return try await send(target ?? client(of: tag), target != nil)
            } catch {
                refusal = error
            }
        }
        throw refusal
    }
}
