import TintypeCore

/// A connection to Redis that is opened again after each break, with back-off, for ever. `RedisClient` sends commands on it, and `RedisSubscriber` listens.
///
/// Lives on the loop. Between `start` and `stop` it keeps its owner alive.
@Loop
final class KeptConnection {
    /// The work of the owner at each step.
    @Loop
    protocol Owner: AnyObject {
        /// Prepares a new connection.
        /// - Throws: the reason for which this server cannot be used.
        func prepare(_ opened: RedisConnection) async throws(RedisError)
        /// Uses a connection that is ready.
        func begin(_ opened: RedisConnection)
        /// Called when the connection has ended.
        /// - Parameter reason: nil after `stop`.
        func lost(_ reason: String?)
        /// Called when no connection could be opened and prepared.
        func failed(_ error: RedisError)
        /// Called at regular intervals while there is a connection.
        func beat(_ connection: RedisConnection)
    }

    let topology: any RedisTopology
    /// The present connection; nil without one.
    private(set) var current: RedisConnection?
    /// The time since which it is up.
    private(set) var since: ContinuousClock.Instant?
    private let name: String
    private let use: RedisMeter.Connection
    private let meter: RedisMeter?
    private let scope = TaskScope()
    private var heartbeat: LoopTimer?
    private var wasConnected = false

    /// - Parameters:
    ///   - name: the name in `CLIENT LIST`, without spaces.
    ///   - meter: counts connections that were made anew; nil: they are not counted.
    init(_ topology: any RedisTopology, name: String, for use: RedisMeter.Connection, _ meter: RedisMeter?) {
        (self.topology, self.name, self.use, self.meter) = (topology, name, use, meter)
    }

    func start(_ owner: some Owner, beatingEvery interval: Duration) {
        guard heartbeat == nil else { return }
        topology.begin()
        scope.run("redis \(use) \(name)") { await self.keep(owner) }
        heartbeat = LoopTimer(after: interval, repeating: true) { [weak self, weak owner] in
            if let connection = self?.current { owner?.beat(connection) }
        }
    }

    func stop() {
        guard heartbeat != nil else { return }
        scope.cancelAll()
        heartbeat = nil
        topology.end()
        current?.close("stopped")
        (current, since) = (nil, nil)
    }

    private func keep(_ owner: some Owner) async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do throws(RedisError) {
                let opened = try await open(owner)
                guard !Task.isCancelled else { return opened.close("stopped") }
                let start = ContinuousClock.now
                await serve(opened, owner)
                // A connection that breaks at once (to a replica, say) is not worth fifty tries a second.
                if start.duration(to: .now) > .seconds(2) { backoff.reset() }
            } catch {
                owner.failed(error)
            }
            if Task.isCancelled { return }
            do { try await Loop.sleep(backoff.next()) } catch { return }
        }
    }

    private func open(_ owner: some Owner) async throws(RedisError) -> RedisConnection {
        let opened = try await topology.open(name: name)
        do throws(RedisError) {
            try await owner.prepare(opened)
        } catch {
            opened.close("\(error)")
            topology.doubt(opened.address)
            throw error
        }
        return opened
    }

    /// Offers the connection to the owner until it breaks.
    private func serve(_ opened: RedisConnection, _ owner: some Owner) async {
        (current, since) = (opened, .now)
        if wasConnected { meter?.reconnected(use) }
        wasConnected = true
        owner.begin(opened)
        let reason = try? await opened.closed.wait()
        if current === opened { (current, since) = (nil, nil) }
        opened.close("stopped")
        if !Task.isCancelled { topology.doubt(opened.address) }
        owner.lost(Task.isCancelled ? nil : reason)
    }
}
