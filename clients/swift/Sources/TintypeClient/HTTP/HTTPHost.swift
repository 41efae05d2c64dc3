import Synchronization

/// The connections to the HTTP port of one coordinator.
///
/// When nothing comes for a while, the coordinator is asked whether it is alive, and all its requests fail if it is not.
package final class HTTPHost: Sendable {
    package typealias Instant = ContinuousClock.Instant

    private struct State {
        var idle: [HTTPConnection] = []
        var busy: [ObjectIdentifier: HTTPConnection] = [:]
        var heard = Instant.now
        var isWatched = false
        var question: Task<Void, Never>?
        var isRetired = false
        var isClosed = false
    }

    /// The most connections that are kept without a request.
    private static let mostIdle = 64

    let address: Address
    private let loop: Loop
    private let dial: Dial
    private let connectTimeout: Duration
    private let silence: Duration
    private let state = Mutex(State())
    #if canImport(Darwin)
        private let system = SystemHTTP()
    #endif

    package init(_ address: Address, loop: Loop, dial: Dial, connectTimeout: Duration, silence: Duration) {
        (self.address, self.loop, self.dial, self.connectTimeout, self.silence) = (address, loop, dial, connectTimeout, silence)
    }

    /// Sends a request, and waits for its answer.
    ///
    /// - Parameter isRepeatable: Whether the request may use a connection that the coordinator perhaps closes in this moment.
    package func exchange(_ request: HTTPRequest, until: Instant, isRepeatable: Bool = true) async -> Result<HTTPAnswer, Failure> {
        #if canImport(Darwin)
            if address.isSecure { return await system.exchange(request, to: address, until: until) }
        #endif
        while true {
            let kept = isRepeatable ? state.withLock { $0.idle.popLast() } : nil
            let connection: HTTPConnection
            if let kept {
                connection = kept
            } else {
                switch await open(until) {
                case .success(let opened): connection = opened
                case .failure(let failure): return .failure(failure)
                }
            }
            let outcome = await use(connection, request, until)
            // A connection that was kept may have been closed by the coordinator, which has not read the request then.
            if kept != nil, case .failure(.lost) = outcome, !connection.hasHeard { continue }
            return outcome
        }
    }

    /// Keeps no connection without a request any more.
    func retire() {
        let idle = state.withLock { state in
            state.isRetired = true
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { connection.fail(.cancelled) }
    }

    func close() {
        let (all, question) = state.withLock { state in
            state.isClosed = true
            defer { (state.idle, state.busy, state.question) = ([], [:], nil) }
            return (state.idle + state.busy.values, state.question)
        }
        question?.cancel()
        #if canImport(Darwin)
            system.close()
        #endif
        for connection in all { connection.fail(.refused(.closed)) }
    }

    // MARK: - Connections

    private func open(_ until: Instant) async -> Result<HTTPConnection, Failure> {
        switch await dial.open(address, until: min(until, .now + connectTimeout)) {
        case .failure(let failure): return .failure(failure)
        case .success(let stream): return .success(HTTPConnection(stream, to: address) { [weak self] in self?.hear() })
        }
    }

    private func use(_ connection: HTTPConnection, _ request: HTTPRequest, _ until: Instant) async -> HTTPConnection.Outcome {
        let isClosed = state.withLock { state in
            if state.isClosed { return true }
            if state.busy.isEmpty { state.heard = .now }
            state.busy[ObjectIdentifier(connection)] = connection
            if !state.isWatched {
                state.isWatched = true
                watch()
            }
            return false
        }
        if isClosed {
            connection.fail(.cancelled)
            return .failure(.refused(.closed))
        }
        let timer = loop.at(until) { connection.fail(.refused(.late("\(connection.address): \(request.name)"))) }
        if let most = request.mostSilence { watch(connection, most) }
        let outcome = await connection.exchange(request)
        loop.cancel(timer)
        let isKept = connection.isFree && request.pieces == nil
        let isSurplus = state.withLock { state in
            state.busy[ObjectIdentifier(connection)] = nil
            guard isKept, !state.isClosed, !state.isRetired, state.idle.count < Self.mostIdle else { return true }
            state.idle.append(connection)
            return false
        }
        if isSurplus { connection.fail(.cancelled) }
        return outcome
    }

    // MARK: - Watching

    private func hear() {
        state.withLock { $0.heard = .now }
    }

    private func watch() {
        loop.at(.now + min(.milliseconds(250), silence / 4)) { [weak self] in self?.check() }
    }

    /// Gives up a stream of events that is silent. Its connection has no other request.
    private func watch(_ connection: HTTPConnection, _ most: Duration) {
        loop.at(.now + most / 4) { [weak self] in
            guard let silence = connection.silence else { return }
            if silence > most {
                connection.fail(.lost("\(connection.address): no bytes arrived for \(Int(most.seconds)) s", wasSent: true))
            } else {
                self?.watch(connection, most)
            }
        }
    }

    private func check() {
        state.withLock { state in
            if state.busy.isEmpty || state.isClosed {
                state.isWatched = false
                return
            }
            watch()
            guard .now - state.heard > silence, state.question == nil else { return }
            state.question = Task { [weak self] in await self?.ask() }
        }
    }

    /// Asks over a connection of its own whether the coordinator is alive.
    private func ask() async {
        let until = Instant.now + silence
        var outcome: HTTPConnection.Outcome
        switch await open(until) {
        case .failure(let failure): outcome = .failure(failure)
        case .success(let connection):
            let timer = loop.at(until) { connection.fail(.lost("no answer", wasSent: true)) }
            outcome = await connection.exchange(HTTPRequest(path: "/healthz"))
            loop.cancel(timer)
            connection.fail(.cancelled)
        }
        let dead = state.withLock { state -> [HTTPConnection] in
            state.question = nil
            if case .success = outcome {
                state.heard = .now
                return []
            }
            defer { (state.busy, state.idle) = ([:], []) }
            return state.idle + state.busy.values
        }
        for connection in dead { connection.fail(.lost("\(address): the coordinator does not answer", wasSent: true)) }
    }
}
