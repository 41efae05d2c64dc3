package import TintypeCore

/// A Redis Cluster: its servers share the slots of the keys, and slots move.
///
/// - It asks the servers that it knows every ten seconds, up to 16 at once. A server with slots that fails is asked about sooner, each second at most.
///   The latest epoch counts, and there the majority (`ClusterAnswer`).
/// - `MOVED` changes the map at once, is a reason to ask, and counts more than an answer for some seconds (`MovedSlots`).
/// - Connections that belong to one slot, those that wait or listen, are closed when another server gets the slot. Their owners open new ones
///   (`ClusterPart`). Connections for commands belong to a server, and `RedisNodes` has one to each.
///
/// Lives on the loop. All clients of a process share it (`RedisTopologies`). It keeps a connection to each server that it asks.
@Loop
package final class ClusterTopology: RedisTopology {
    package nonisolated let redacted: String
    package nonisolated let timeout: Duration
    let url: ClusterURL
    private let name: String
    private let logger: Logger
    private let scope = TaskScope()
    private var users = 0
    private var timer: LoopTimer?
    private var ticks = 0
    private(set) var isAsking = false
    private var mustAsk = false
    /// Whether the last answers showed no cluster that serves all slots, or a server with slots has failed since.
    private(set) var isTroubled = false
    private var switches = 0
    private var changes = 0
    private var connections: [(slot: Int, connection: RedisConnection)] = []
    private var followers: [ObjectIdentifier: @Loop () -> Void] = [:]
    private let mapped = Condition()
    private var moved = MovedSlots()
    /// The connections that ask, and the servers to which one is being opened.
    private var asking: [SocketAddress: RedisConnection] = [:]
    private var opening: Set<SocketAddress> = []
    private var logThrottle = LogThrottle()
    /// The servers of the slots as far as they are known.
    private(set) var map = SlotMap()

    /// The interval of questions while something is wrong.
    private static let interval = Duration.seconds(1)
    /// The number of intervals between two questions while all is well.
    private static let rest = 10
    /// The least time between two questions. Up to half of it is added, so that many programs do not ask at once.
    private static let pause = Duration.seconds(1)
    /// The longest wait for the answers of all servers, if one has answered.
    private static let patience = Duration.milliseconds(500)
    /// The most servers that are asked at once.
    private static let mostAsked = 16

    /// - Parameter name: the name of the connections that ask, in `CLIENT LIST`, without spaces.
    init(_ url: ClusterURL, name: String, logger: Logger) {
        (self.url, self.name, redacted, timeout) = (url, name, url.redacted, url.server.timeout)
        self.logger = logger
    }

    /// A cluster has several primaries, so this names none.
    package var primaryStatus: PrimaryStatus { PrimaryStatus(primary: nil, switches: switches, changes: changes) }

    package func begin() {
        users += 1
        guard users == 1 else { return }
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.tick() }
        ask()
    }

    package func end() {
        users -= 1
        guard users == 0 else { return }
        timer = nil
        scope.cancelAll()
        for connection in asking.values { connection.close("stopped") }
        asking = [:]
    }

    /// Calls a function after each change of the map, until `unfollow`.
    func follow(_ owner: AnyObject, _ body: @escaping @Loop () -> Void) { followers[ObjectIdentifier(owner)] = body }
    func unfollow(_ owner: AnyObject) { followers[ObjectIdentifier(owner)] = nil }

    // MARK: Connections

    /// Connects to the first server.
    package func open(name: String) async throws(RedisError) -> RedisConnection { try await open(slot: 0, name: name) }

    package func part(of tag: RedisTag) -> any RedisTopology { ClusterPart(self, .slot(tag.slot)) }

    /// Connects to the server that has a slot. The connection is closed when another server gets the slot.
    func open(slot: Int, name: String) async throws(RedisError) -> RedisConnection {
        if map.primary(of: slot) == nil { await untilMapped() }
        guard let address = map.primary(of: slot) else {
            ask()
            throw .unavailable("no server of \(redacted) is known to have slot \(slot); repeating")
        }
        let opened = try await open(at: address, name: name) { [weak self] connection in
            guard let self else { return }
            connections.removeAll { $0.connection.closed.isComplete }
            connections.append((slot, connection))
        }
        // The slot may have moved before the connection was among those that a move closes.
        if map.primary(of: slot) != address { opened.close("another server has the slot") }
        guard !opened.closed.isComplete else { throw .unavailable("the connection to \(address) broke, or another server has slot \(slot)") }
        return opened
    }

    /// Connects to a server, whatever its slots are.
    func open(at address: SocketAddress, name: String, onOpen: (@Loop (RedisConnection) -> Void)? = nil) async throws(RedisError) -> RedisConnection {
        do throws(RedisError) {
            return try await RedisConnection.open(url.server.at(address), name: name, onOpen: onOpen)
        } catch {
            doubt(address)
            throw error
        }
    }

    package func doubt(_ server: SocketAddress) {
        moved.forget(server)
        // A server without slots is not needed.
        guard map.primaries.isEmpty || map.primaries.contains(server) else { return }
        isTroubled = true
        ask()
    }

    /// Follows a refusal that names another server. A slot on its way changes nothing.
    /// - Returns: true, since servers of a cluster send such refusals.
    package func follow(_ redirect: ClusterRedirect, from asked: SocketAddress) -> Bool {
        guard redirect.kind == .moved, let slot = redirect.slot, let address = redirect.address(from: asked) else { return true }
        moved.note(slot, at: address, now: .now)
        use(map.moving([slot: address]))
        ask()
        return true
    }

    /// Waits until a map is known, at most for the time of an answer.
    func untilMapped() async {
        guard map.covered == 0 else { return }
        ask()
        await mapped.wait(within: timeout)
    }

    // MARK: Questions

    private func tick() {
        ticks += 1
        if isTroubled || ticks % Self.rest == 0 { ask() }
    }

    /// Asks the servers soon.
    func ask() {
        mustAsk = true
        guard !isAsking, users > 0 else { return }
        isAsking = true
        scope.run("ask the cluster") { [weak self] in await self?.askOn() }
    }

    private func askOn() async {
        defer {
            isAsking = false
            // The topology may have been stopped and started again meanwhile.
            if mustAsk { ask() }
        }
        while mustAsk, !Task.isCancelled {
            mustAsk = false
            await askAll()
            do { try await Loop.sleep(Self.pause * Double.random(in: 1...1.5)) } catch { return }
        }
    }

    private func askAll() async {
        var asked: [SocketAddress] = []
        for address in map.primaries.shuffled() + url.servers where !asked.contains(address) && asked.count < Self.mostAsked { asked.append(address) }
        for (address, connection) in asking where !asked.contains(address) {
            asking[address] = nil
            connection.close("not asked any more")
        }
        let found = await ask(asked, patience: Self.patience, within: timeout) { [self] address throws(RedisError) in try await answer(of: address) }
        let answered = found.filter { (try? $0.answer.get()) != nil }
        let best = ClusterAnswer.agreed(among: answered.compactMap { try? $0.answer.get() }, known: map)
        // A server of the URL may be gone for ever.
        let isIncomplete = asked.contains { address in best?.map.primaries.contains(address) == true && !answered.contains { $0.server == address } }
        isTroubled = isIncomplete || best?.isServing != true || best?.map.covered != HashSlot.count
        guard let best, best.map.covered > 0 else {
            let failures = found.compactMap { if case .failure(let error) = $0.answer { error } else { nil } }
            let reason = (failures.first ?? (found.count < asked.count ? .timedOut : nil)).map { "\($0)" } ?? "no server has a slot"
            if logThrottle.shouldLog(reason) {
                logger.warning("no server tells the slots of the Redis Cluster; retrying", ["redis": redacted, "error": reason])
            }
            return
        }
        logThrottle.end()
        use(moved.applied(to: best.map, now: .now))
    }

    private func answer(of address: SocketAddress) async throws(RedisError) -> ClusterAnswer {
        let connection = try await connection(toAsk: address)
        let replies = await connection.commands([["CLUSTER", "INFO"], ["CLUSTER", "SLOTS"]], timeout: timeout)
        let (info, slots) = (try RedisConnection.checked(replies[0]), try RedisConnection.checked(replies[1]))
        guard let answer = ClusterAnswer(info: info, slots: slots, from: address) else { throw .reply("\(address) does not tell its cluster's slots") }
        return answer
    }

    /// - Throws: `.timedOut` for a server that has not answered the question before.
    private func connection(toAsk address: SocketAddress) async throws(RedisError) -> RedisConnection {
        if let known = asking[address], !known.closed.isComplete {
            guard known.pending == 0 else { throw .timedOut }
            return known
        }
        guard opening.insert(address).inserted else { throw .timedOut }
        defer { opening.remove(address) }
        let opened = try await RedisConnection.open(url.server.at(address), name: "\(name)-cluster")
        guard users > 0 else {
            opened.close("stopped")
            throw .unavailable("stopped")
        }
        asking[address] = opened
        return opened
    }

    private func use(_ new: SlotMap) {
        guard new != map else { return }
        let old = map
        map = new
        if old.covered > 0 { changes += 1 }
        if Set(old.primaries) != Set(new.primaries) {
            if old.covered > 0 { switches += 1 }
            let servers = new.primaries.map(\.description).joined(separator: " ")
            logger.notice("the Redis Cluster has these primaries", ["redis": redacted, "primaries": servers])
        }
        let moved = connections.filter { $0.connection.address != new.primary(of: $0.slot) }
        connections.removeAll { $0.connection.address != new.primary(of: $0.slot) || $0.connection.closed.isComplete }
        for (_, connection) in moved { connection.close("another server has the slot") }
        for follower in followers.values { follower() }
        mapped.signal()
    }
}
