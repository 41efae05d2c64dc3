package import TintypeCore

/// The servers of a Redis, and which of them has the keys of a tag. Callers name the tag of their keys; no other code knows a connection.
///
/// One server has all slots, unless the Redis is a cluster. A cluster has one connection to each server that has a slot.
@Loop
package final class RedisNodes {
    /// The map of the slots; nil: `sole` has all of them.
    let cluster: ClusterTopology?
    /// The only server. In a cluster it never connects, and stands for the server of a slot that none is known to have.
    let sole: RedisClient
    private let make: @Loop (any RedisTopology) -> RedisClient
    /// The clients of a cluster's servers.
    var clients: [SocketAddress: RedisClient] = [:]
    /// The clients of servers that have no slot yet, but to which one is on its way, and their last use.
    var guests: [SocketAddress: (client: RedisClient, used: ContinuousClock.Instant)] = [:]
    /// When a command on a slot was last refused because the slot moves.
    var redirected: [Int: ContinuousClock.Instant] = [:]
    private var callbacks: [@Loop () -> Void] = []
    private var isStarted = false
    /// The tasks that wait for the server of a slot, by slot; without a slot: for all servers.
    private var waiting: [Int?: Condition] = [:]

    package init(_ only: RedisClient) { (cluster, sole, make) = (nil, only, { _ in only }) }

    /// - Parameters:
    ///   - topology: where the primary is. A `RedisEndpoint` is one server.
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - scripts: loaded on every new connection.
    ///   - requirement: the check of a server. A server that fails it counts as unreachable.
    ///   - meter: counts commands and connections; nil: they are not counted.
    package init(
        _ topology: any RedisTopology, name: String, logger: Logger, scripts: [LuaScript] = [], requirement: RedisRequirement? = nil, meter: RedisMeter? = nil
    ) {
        make = { RedisClient($0, name: name, logger: logger, scripts: scripts, requirement: requirement, meter: meter) }
        (cluster, sole) = (topology as? ClusterTopology, make(topology))
    }

    /// Returns the node for the keys of a tag. It may be kept: it looks up the server for each command.
    package func node(for tag: RedisTag) -> RedisNode { RedisNode(self, tag) }

    /// A connection to each server, in the order of their slots. They are for commands on servers and not on keys, such as a walk through all keys.
    package var servers: [RedisClient] { cluster.map { $0.map.primaries.compactMap { clients[$0] } } ?? [sole] }

    /// Returns the connection to the server that has a slot now.
    func server(ofSlot slot: Int) -> RedisClient { cluster?.map.primary(of: slot).flatMap { clients[$0] } ?? sole }

    /// The number of slots that have a server.
    private var covered: Int { cluster?.map.covered ?? HashSlot.count }

    /// Whether all servers are connected.
    package var isConnected: Bool { covered == HashSlot.count && servers.allSatisfy(\.isConnected) }
    /// The time since which all servers are connected; nil unless they are.
    package var connectedSince: ContinuousClock.Instant? { isConnected ? servers.compactMap(\.connectedSince).max() : nil }
    /// The reason for which one of them is not connected; nil if all are.
    package var failure: RedisError? {
        if let broken = servers.first(where: { !$0.isConnected }) { return broken.failure }
        return covered == HashSlot.count ? nil : .unavailable("the servers of \(covered) of \(HashSlot.count) slots are known; repeating")
    }

    /// The time since which commands on a slot reach its server: since the connection, or since the last refusal because the slot moves. It is nil
    /// without a connection.
    func connectedSince(_ slot: Int) -> ContinuousClock.Instant? {
        server(ofSlot: slot).connectedSince.map { since in redirected[slot].map { max(since, $0) } ?? since }
    }

    /// The reason for which the server of a slot is not connected; nil if it is.
    func failure(of slot: Int) -> RedisError? {
        let client = server(ofSlot: slot)
        return cluster != nil && client === sole ? .unavailable("no server is known to have slot \(slot); repeating") : client.failure
    }

    /// The number of commands that wait for their replies.
    package var pending: Int { servers.reduce(0) { $0 + $1.pending } }
    /// The primary and its switches as they are known, for metrics.
    package var primaryStatus: PrimaryStatus { sole.topology.primaryStatus }
    /// The default time for an answer.
    var patience: Duration { sole.topology.timeout }
    /// The addresses of the servers, for logs.
    package var redacted: String { sole.topology.redacted }

    /// Adds a callback for each time that a connection is ready. Callbacks run in the order added.
    package func onConnected(_ body: @escaping @Loop () -> Void) {
        callbacks.append(body)
        for client in servers { client.onConnected.append(body) }
    }

    /// Starts to connect, and retries for ever.
    package func start() {
        guard let cluster else { return sole.start() }
        guard !isStarted else { return }
        isStarted = true
        cluster.follow(self) { [weak self] in self?.follow() }
        cluster.begin()
        follow()
    }

    /// Closes the connections and stops retrying. Waiting commands fail.
    package func stop() {
        guard let cluster else { return sole.stop() }
        guard isStarted else { return }
        isStarted = false
        cluster.unfollow(self)
        cluster.end()
        for client in Array(clients.values) + guests.values.map(\.client) { client.stop() }
        (clients, guests) = ([:], [:])
    }

    /// Makes clients for servers that are new, and stops those of servers that have no slot any more.
    private func follow() {
        guard isStarted, let primaries = cluster?.map.primaries else { return }
        for (address, client) in clients where !primaries.contains(address) {
            clients[address] = nil
            client.stop()
        }
        for address in primaries where clients[address] == nil {
            let client = guests.removeValue(forKey: address)?.client ?? begin(at: address)
            client.onConnected = callbacks + [{ [weak self] in self?.resume() }]
            clients[address] = client
            if client.isConnected { for callback in callbacks { callback() } }
        }
        resume()
    }

    /// Starts a client of a server of the cluster.
    func begin(at address: SocketAddress) -> RedisClient {
        let client = make(cluster.map { ClusterPart($0, .server(address)) } ?? sole.topology)
        client.start()
        return client
    }

    private func isConnected(_ slot: Int?) -> Bool { slot.map { server(ofSlot: $0).isConnected } ?? isConnected }

    /// Resumes the tasks whose server is connected by now. Those of another server go on waiting, however often slots move.
    private func resume() {
        for (slot, condition) in waiting where isConnected(slot) {
            waiting[slot] = nil
            condition.signal()
        }
    }

    /// Waits until the server of a slot, or without a slot all servers, are connected.
    /// - Throws: `.unavailable` when they are not in time.
    package func untilConnected(_ slot: Int? = nil, within time: Duration) async throws(RedisError) {
        guard cluster != nil else { return try await sole.untilConnected(within: time) }
        let end = ContinuousClock.now + time
        while !isConnected(slot) {
            let left = end - .now
            guard left > .zero, !Task.isCancelled else { throw slot.flatMap { failure(of: $0) } ?? failure ?? .unavailable("not connected yet") }
            let condition = waiting[slot] ?? Condition()
            waiting[slot] = condition
            await condition.wait(within: left)
        }
    }

    /// Waits until one of several sorted sets has a member and pops it, and then runs other commands (`RedisClient.block`).
    ///
    /// A server of a cluster refuses keys of several slots (`RedisErrorReply.crossSlot`); only `MarkerWaiter` calls this function, with a part of a
    /// cluster (`RedisTopology.part`). Connections that wait do nothing else, so they must not be shared.
    /// - Returns: the result of each command, the wait first.
    func pop(
        anyOf keys: [String], within time: Duration, then others: [[RedisArgument]], countedBy meter: WaitMeter?
    ) async -> [Result<RedisReply, RedisError>] {
        let seconds = Double(max(10, time.milliseconds)) / 1000
        return await sole.block(["BZPOPMIN"] + keys.map { .string($0) } + [.string("\(seconds)")], for: time, then: others, countedBy: meter)
    }

    /// Ends the wait of another connection now, as if its time were over.
    /// - Returns: false if it did not wait at this moment.
    package func unblock(_ other: RedisNodes) async throws(RedisError) -> Bool {
        let client = cluster == nil ? sole : other.sole.address.flatMap { clients[$0] }
        return try await client?.unblock(other.sole) ?? false
    }
}
