import Synchronization

/// Keeps one connection to one of several coordinators. When it is lost, the next address is tried, and after a round of all a pause is made.
final class Connector: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct State {
        var next = 0
        var live: Wire?
        /// Those that wait for a connection.
        var waiters: [Int: UnsafeContinuation<Result<Wire, Failure>, Never>] = [:]
        var nextWaiter = 0
        var connecting: Task<Void, Never>?
        var latest = "no answer in time"
        var isClosed = false
    }

    let addresses: [Address]
    private let loop: Loop
    private let dial: Dial
    private let token: Token?
    private let connectTimeout: Duration
    private let silence: Duration
    private let log: (@Sendable (String) -> Void)?
    private let state = Mutex(State())

    init(
        _ addresses: [Address], loop: Loop, tls: TLSContext?, token: Token?, connectTimeout: Duration, silence: Duration,
        log: (@Sendable (String) -> Void)?
    ) {
        (self.addresses, self.loop, self.token, self.connectTimeout, self.silence, self.log) = (addresses, loop, token, connectTimeout, silence, log)
        dial = Dial(loop: loop, tls: tls)
    }

    /// The connection that is open; nil while there is none.
    var live: Wire? { state.withLock { $0.live } }

    /// The address in use, or the next one.
    var address: Address { state.withLock { $0.live?.address ?? addresses[$0.next] } }

    /// Returns the open connection, or waits for one.
    func wire(until: Instant) async -> Result<Wire, Failure> {
        if let live { return .success(live) }
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let timer = loop.at(until) { [weak self] in self?.expire(id) }
        defer { loop.cancel(timer) }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                add(id, waiter)
                if Task.isCancelled { give(id, .failure(.cancelled)) }
            }
        } onCancel: {
            give(id, .failure(.cancelled))
        }
    }

    /// Leaves a coordinator that is stopping. Calls that wait for its answers go on there; everything new goes to the next one.
    func leave(_ wire: Wire) {
        lose(wire, "it is stopping")
        wire.retire()
    }

    func close() {
        let (live, waiters) = state.withLock { state in
            state.isClosed = true
            state.connecting?.cancel()
            defer { (state.live, state.waiters) = (nil, [:]) }
            return (state.live, state.waiters)
        }
        live?.close("the client was closed")
        for waiter in waiters.values { waiter.resume(returning: .failure(.refused(.closed))) }
    }

    // MARK: - Waiting

    private func add(_ id: Int, _ waiter: UnsafeContinuation<Result<Wire, Failure>, Never>) {
        let early = state.withLock { state -> Result<Wire, Failure>? in
            if state.isClosed { return .failure(.refused(.closed)) }
            if let live = state.live { return .success(live) }
            state.waiters[id] = waiter
            if state.connecting == nil { state.connecting = Task { [weak self] in await self?.connect() } }
            return nil
        }
        if let early { waiter.resume(returning: early) }
    }

    private func give(_ id: Int, _ outcome: Result<Wire, Failure>) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.resume(returning: outcome)
    }

    private func expire(_ id: Int) {
        let latest = state.withLock { $0.latest }
        let names = addresses.map(\.description).joined(separator: ", ")
        give(id, .failure(.refused(.local(.connect, "no coordinator answers at \(names); the last failure: \(latest)"))))
    }

    private func giveAll(_ outcome: Result<Wire, Failure>) {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: outcome) }
    }

    // MARK: - Connecting

    /// Tries the addresses while somebody waits.
    private func connect() async {
        var backoff = Backoff()
        while isWanted {
            // A wrong token or certificate of one coordinator says nothing about the others.
            var refusals: [TintypeError] = []
            var pause: Duration?
            for _ in addresses {
                let address = self.address
                switch await open(address) {
                case .success(let wire): return take(wire)
                case .failure(let failure):
                    let error = failure.error("the connection")
                    log?("no connection to \(address): \(error.message)")
                    pause = error.retryAfter.map { .bounded($0) }
                    if case .refused(let error) = failure, !error.isRetryable || error.data["limit"] == "wrongTokens" { refusals.append(error) }
                    state.withLock { state in
                        state.latest = error.message
                        state.next = (state.next + 1) % addresses.count
                    }
                }
            }
            if refusals.count == addresses.count {
                state.withLock { $0.connecting = nil }
                return giveAll(.failure(.refused(refusals[0])))
            }
            try? await Task.sleep(for: pause ?? backoff.next())
        }
    }

    /// Whether somebody waits for a connection. If not, the next one that does begins anew.
    private var isWanted: Bool {
        state.withLock { state in
            let isWanted = !state.waiters.isEmpty && !state.isClosed
            if !isWanted { state.connecting = nil }
            return isWanted
        }
    }

    private func take(_ wire: Wire) {
        let isClosed = state.withLock { state in
            state.connecting = nil
            if !state.isClosed { state.live = wire }
            return state.isClosed
        }
        if isClosed { return wire.close("the client was closed") }
        // It may have ended before it was taken.
        if wire.hasEnded { lose(wire, "the connection was closed") }
        log?("connected to \(wire.address)")
        giveAll(.success(wire))
    }

    private func open(_ address: Address) async -> Result<Wire, Failure> {
        let until = Instant.now + connectTimeout
        let greeting: (method: String, params: JSON)
        switch await token?.text() {
        case .failure(let failure): return .failure(failure)
        case .success(let text): greeting = ("session.authenticate", ["token": .string(text)])
        case nil: greeting = ("system.ping", [:])
        }
        switch await dial.open(address, until: until) {
        case .failure(let failure): return .failure(failure)
        case .success(let stream):
            let wire = Wire(stream, to: address, loop: loop, silence: silence) { [weak self] wire, reason in self?.lose(wire, reason) }
            // A coordinator without room closes the connection at once: only an answer shows that this one serves.
            switch await wire.call(greeting.method, greeting.params, until: until) {
            case .success: return .success(wire)
            case .failure(let failure):
                let refusal = wire.refusal
                wire.close("the connection was refused")
                if case .lost = failure, let refusal { return .failure(.refused(refusal)) }
                if case .refused(let error) = failure, error.name == .deadlineExceeded { return .failure(.lost(error.message, wasSent: false)) }
                return .failure(failure)
            }
        }
    }

    private func lose(_ wire: Wire, _ reason: String) {
        let isLive = state.withLock { state in
            guard state.live === wire else { return false }
            state.live = nil
            state.next = (state.next + 1) % addresses.count
            state.latest = "\(wire.address): \(wire.refusal?.message ?? reason)"
            return true
        }
        if isLive { log?("left \(wire.address): \(reason)") }
    }
}
