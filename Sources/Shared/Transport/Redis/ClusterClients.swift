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
    /// The clients of servers that have no slot yet, but to which one is on its way, and their last use.
    private var guests: [SocketAddress: (client: RedisClient, used: ContinuousClock.Instant)] = [:]
    /// When a command on a slot was last refused because the slot moves.
    private var redirected: [Int: ContinuousClock.Instant] = [:]
    /// Stands for the server of a slot that none has. It never connects.
    private let nobody: RedisClient
    private var callbacks: [@Loop () -> Void] = []
    private var isStarted = false
    /// The tasks that wait for the server of a slot, by slot; without a slot: for all servers.
    private var waiting: [Int?: Condition] = [:]

    /// The pause before a slot on its way is asked for again.
    private static let pause = Duration.milliseconds(50)
    /// How long a server without slots keeps its client after the last use. Its move may have been given up.
    private static let stay = Duration.seconds(60)

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

    func client(of slot: Int) -> RedisClient { cluster.map.primary(of: slot).flatMap { clients[$0] } ?? nobody }
    /// The client of a server with slots; nil if it is none.
    func client(at address: SocketAddress) -> RedisClient? { clients[address] }

    /// The reason for which the server of a slot is not connected; nil if it is.
    func failure(of slot: Int) -> RedisError? {
        let client = client(of: slot)
        return client === nobody ? .unavailable("no server is known to have slot \(slot); repeating") : client.failure
    }

    /// The time since which commands on a slot reach its server: since the connection, or since the last refusal because the slot moves. It is nil
    /// without a connection.
    func connectedSince(_ slot: Int) -> ContinuousClock.Instant? {
        client(of: slot).connectedSince.map { since in redirected[slot].map { max(since, $0) } ?? since }
    }

    /// The time of the last refusal of a command because the slot moves.
    func redirected(_ slot: Int) -> ContinuousClock.Instant? { redirected[slot] }

    /// Notes a refusal because a slot moves.
    /// - Returns: the refusal; nil for another error.
    @discardableResult
    func note(_ error: RedisError, _ slot: Int) -> ClusterRedirect? {
        guard case .unavailable(let text) = error, let redirect = ClusterRedirect(text) else { return nil }
        redirected[slot] = .now
        return redirect
    }

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
        for client in Array(clients.values) + guests.values.map(\.client) { client.stop() }
        (clients, guests) = ([:], [:])
    }

    func onConnected(_ body: @escaping @Loop () -> Void) {
        callbacks.append(body)
        for client in clients.values { client.onConnected.append(body) }
    }

    private func isConnected(_ slot: Int?) -> Bool { slot.map { client(of: $0).isConnected } ?? isConnected }

    /// Resumes the tasks whose server is connected by now. Those of another server go on waiting, however often slots move.
    private func resume() {
        for (slot, condition) in waiting where isConnected(slot) {
            waiting[slot] = nil
            condition.signal()
        }
    }

    /// Makes clients for servers that are new, and stops those of servers that have no slot any more.
    private func follow() {
        guard isStarted else { return }
        for (address, client) in clients where !cluster.map.primaries.contains(address) {
            clients[address] = nil
            client.stop()
        }
        for address in cluster.map.primaries where clients[address] == nil {
            let client = guests.removeValue(forKey: address)?.client ?? begin(at: address)
            client.onConnected = callbacks + [{ [weak self] in self?.resume() }]
            clients[address] = client
            if client.isConnected { for callback in callbacks { callback() } }
        }
        resume()
    }

    private func begin(at address: SocketAddress) -> RedisClient {
        let client = make(ClusterMember(cluster, at: address))
        client.start()
        return client
    }

    /// Returns the client of a server that a refusal has named, also of one without slots.
    private func client(named address: SocketAddress) -> RedisClient {
        if let known = clients[address] { return known }
        for (address, guest) in guests where guest.used + Self.stay < .now {
            guests[address] = nil
            guest.client.stop()
        }
        let client = guests[address]?.client ?? begin(at: address)
        guests[address] = (client, .now)
        return client
    }

    /// Waits until the server of a slot, or without a slot all servers, are connected.
    /// - Throws: `.unavailable` when they are not in time.
    func untilConnected(_ slot: Int?, within time: Duration) async throws(RedisError) {
        let end = ContinuousClock.now + time
        while !isConnected(slot) {
            let left = end - .now
            guard left > .zero, !Task.isCancelled else { throw slot.flatMap { failure(of: $0) } ?? failure ?? .unavailable("not connected yet") }
            let condition = waiting[slot] ?? Condition()
            waiting[slot] = condition
            await condition.wait(within: left)
        }
    }

    /// Sends a command again that was refused by a server without the slot, until it is served or the time for an answer is over.
    /// - Parameters:
    ///   - isAlone: whether the key of the command shares the slot with no other.
    ///   - refusal: the first failure.
    ///   - send: sends the command to a server. `isAsked`: behind `ASKING`.
    /// - Throws: the last refusal, or another failure.
    func again(
        _ slot: Int, isAlone: Bool, after refusal: RedisError, within time: Duration,
        _ send: (_ client: RedisClient, _ isAsked: Bool) async throws(RedisError) -> RedisReply
    ) async throws(RedisError) -> RedisReply {
        let end = ContinuousClock.now + time
        var refusal = refusal
        var number = 0
        while let redirect = note(refusal, slot), ContinuousClock.now < end, !Task.isCancelled {
            number += 1
            var target: RedisClient?
            if redirect.kind == .ask, isAlone, let host = client(of: slot).address, let address = redirect.address(from: host) {
                target = client(named: address)
            }
            if let target {
                try await target.untilConnected(within: max(end - .now, Self.pause))
            } else {
                // The first MOVED has named the server. Servers that name each other in turn have not heard of a move yet.
                if redirect.kind != .moved || number > 1 { try? await Loop.sleep(Self.pause) }
                try await untilConnected(slot, within: max(end - .now, Self.pause))
            }
            do throws(RedisError) {
                return try await send(target ?? client(of: slot), target != nil)
            } catch {
                refusal = error
            }
        }
        throw refusal
    }
}
