import Synchronization

/// A TCP connection to a coordinator: one message a line, answers in any order.
///
/// While answers are due and nothing comes, the coordinator is asked whether it is alive.
package final class Wire: StreamReader {
    package typealias Instant = ContinuousClock.Instant
    package typealias Outcome = Result<JSON, Failure>

    /// Takes what concerns one receipt, group or subscription, on the thread of the loop.
    package struct Listener: Sendable {
        /// A notification has come: its method and its parameters.
        let notice: @Sendable (String, JSON) -> Void
        /// The connection is over.
        let lost: @Sendable (String) -> Void
    }

    /// The coordinator reads no further requests while 1,024 are unanswered: some are left for those that cancel, and must not wait.
    static let mostUnanswered = 1000
    /// A longer request is refused whole, without its id.
    static let mostBytes = 4 << 20
    /// Inline bytes come in base64, up to 8 MiB for each rendition.
    private static let longestLine = 512 << 20
    private static let urgent: Set<String> = ["receipt.cancel", "system.ping"]

    private struct Pending {
        let waiter: UnsafeContinuation<Outcome, Never>
        let method: String
        let until: Instant
        /// Names the subscription in an answer, whose events may follow in the same piece.
        let claim: (name: @Sendable (JSON) -> String?, listener: Listener)?
    }

    private struct State {
        var pending: [Int: Pending] = [:]
        /// The bytes that the loop sends next. The order of its messages is that of the lock, so that a cancel stays behind its request.
        var out: [UInt8] = []
        /// Requests that wait for their place.
        var waiting: [(id: Int, line: [UInt8])] = []
        var firstWaiting = 0
        var unanswered = 0
        var listeners: [String: [(id: Int, listener: Listener)]] = [:]
        var heard = Instant.now
        var pinged: Instant?
        var isWatched = false
        var isLeaving = false
        /// The answer of a coordinator that accepts no connection.
        var refusal: TintypeError?
        var end: String?
    }

    let address: Address
    private let stream: Stream
    private let loop: Loop
    private let silence: Duration
    private let kept: Set<String>
    private let other: Listener?
    private let onEnd: @Sendable (Wire, String) -> Void
    private let ids = Atomic(0)
    private let lines = Mutex(Lines(most: longestLine))
    private let state = Mutex(State())

    /// - Parameters:
    ///   - silence: The time without a byte after which the coordinator is asked, and again until it counts as gone.
    ///   - kept: The members of messages that stay texts.
    ///   - other: Hears each message that is no answer, in their order: the method and parameters of a notification, or `error` and an error without an id.
    ///   - onEnd: Called once, on the thread of the loop.
    package init(
        _ stream: Stream, to address: Address, loop: Loop, silence: Duration, keeping kept: Set<String> = [],
        other: (@Sendable (String, JSON) -> Void)? = nil, onEnd: @escaping @Sendable (Wire, String) -> Void
    ) {
        (self.stream, self.address, self.loop, self.silence, self.kept, self.onEnd) = (stream, address, loop, silence, kept, onEnd)
        self.other = other.map { Listener(notice: $0, lost: { _ in }) }
        stream.start(self)
    }

    package var refusal: TintypeError? { state.withLock { $0.refusal } }
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    // MARK: - Calls

    /// Sends a request, and waits for its answer.
    ///
    /// - Parameters:
    ///   - until: When it is given up.
    ///   - claim: For a subscription: where its answer has its name, and who listens to it.
    package func call(
        _ method: String, _ params: JSON, until: Instant, claim: (name: @Sendable (JSON) -> String?, listener: Listener)? = nil
    ) async -> Outcome {
        let id = ids.add(1, ordering: .relaxed).newValue
        let line = Self.line(id, method, params)
        if line.count > Self.mostBytes {
            let words = "the request has \(line.count) bytes, and a message at most 4 MiB: upload large sources, and send many items in several groups"
            return .failure(.refused(.local(.invalidRequest, words)))
        }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                add(id, Pending(waiter: waiter, method: method, until: until, claim: claim), line)
                // A task that was cancelled before has called `onCancel` already.
                if Task.isCancelled { giveUp(id, .cancelled) }
            }
        } onCancel: {
            giveUp(id, .cancelled)
        }
    }

    /// Sends a request whose answer nobody needs, such as a cancel. Returns whether the connection takes it.
    @discardableResult
    func errand(_ method: String, _ params: JSON) -> Bool {
        let id = ids.add(1, ordering: .relaxed).newValue
        let line = Self.line(id, method, params)
        let stirs = state.withLock { state -> Bool? in
            if state.end != nil { return nil }
            state.unanswered += 1
            return send(line, &state)
        }
        if stirs == true { stream.stir() }
        return stirs != nil
    }

    /// Leaves a message to the loop. Returns whether the loop has to be told: of many messages, one tells it.
    private func send(_ line: [UInt8], _ state: inout State) -> Bool {
        defer { state.out.append(contentsOf: line) }
        return state.out.isEmpty
    }

    func drain(into bytes: inout [UInt8]) {
        state.withLock { swap(&$0.out, &bytes) }
    }

    private func add(_ id: Int, _ pending: Pending, _ line: [UInt8]) {
        let (end, stirs) = state.withLock { state -> (String?, Bool) in
            if let end = state.end { return (end, false) }
            state.pending[id] = pending
            watch(&state)
            if state.unanswered >= Self.mostUnanswered, !Self.urgent.contains(pending.method) {
                state.waiting.append((id, line))
                return (nil, false)
            }
            state.unanswered += 1
            if state.unanswered > 2 || !state.out.isEmpty { return (nil, send(line, &state)) }
            // A caller that is alone writes itself, without the loop.
            stream.send(line)
            return (nil, false)
        }
        if stirs { stream.stir() }
        if let end { pending.waiter.resume(returning: .failure(.lost("\(address): \(end)", wasSent: false))) }
    }

    private func giveUp(_ id: Int, _ failure: Failure) {
        let (pending, stirs) = state.withLock { state -> (Pending?, Bool) in
            guard let pending = state.pending.removeValue(forKey: id) else { return (nil, false) }
            defer { rest(&state) }
            if let place = state.waiting[state.firstWaiting...].firstIndex(where: { $0.id == id }) {
                state.waiting.remove(at: place)
                return (pending, false)
            }
            return (pending, send(Self.line(nil, "$/cancelRequest", ["id": .integer(id)]), &state))
        }
        if stirs { stream.stir() }
        pending?.waiter.resume(returning: .failure(failure))
    }

    /// Writes a message without building it as a value.
    static func line(_ id: Int?, _ method: String, _ params: JSON) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(320)
        bytes.append(contentsOf: #"{"jsonrpc":"2.0","#.utf8)
        if let id {
            bytes.append(contentsOf: #""id":"#.utf8)
            JSON.integer(id).write(into: &bytes)
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(contentsOf: #""method":""#.utf8)
        bytes.append(contentsOf: method.utf8)
        bytes.append(contentsOf: #"","params":"#.utf8)
        params.write(into: &bytes)
        bytes.append(contentsOf: "}\n".utf8)
        return bytes
    }

    // MARK: - Listeners

    /// Passes notifications that name this receipt, group or subscription to a listener, until it leaves.
    ///
    /// - Returns: The number by which it leaves; nil when the connection is over.
    func listen(_ name: String, _ listener: Listener) -> Int? {
        let id = ids.add(1, ordering: .relaxed).newValue
        return state.withLock { state in
            if state.end != nil { return nil }
            state.listeners[name, default: []].append((id, listener))
            watch(&state)
            return id
        }
    }

    func leave(_ name: String, _ id: Int) {
        state.withLock { state in
            state.listeners[name]?.removeAll { $0.id == id }
            if state.listeners[name]?.isEmpty == true { state.listeners[name] = nil }
            rest(&state)
        }
    }

    /// Ends all listeners of a subscription.
    func leave(_ name: String) {
        state.withLock { state in
            state.listeners[name] = nil
            rest(&state)
        }
    }

    // MARK: - The end

    /// Takes no more requests, and ends when the last answer is there.
    func retire() {
        state.withLock { state in
            state.isLeaving = true
            rest(&state)
        }
    }

    package func close(_ reason: String) {
        stream.close(reason)
    }

    func ended(_ reason: String) {
        let (pending, unsent, listeners) = state.withLock { state in
            state.end = reason
            defer { (state.pending, state.waiting, state.listeners) = ([:], [], [:]) }
            return (state.pending, Set(state.waiting[state.firstWaiting...].map(\.id)), state.listeners.values.flatMap { $0 })
        }
        onEnd(self, reason)
        for (id, one) in pending { one.waiter.resume(returning: .failure(.lost("\(address): \(reason)", wasSent: !unsent.contains(id)))) }
        for one in listeners { one.listener.lost("\(address): \(reason)") }
    }

    // MARK: - Reading

    private enum Delivery {
        case answer(UnsafeContinuation<Outcome, Never>, Outcome)
        case notice(Listener, String, JSON)
    }

    func received(_ bytes: UnsafeBufferPointer<UInt8>) {
        var messages: [JSON] = []
        var isForeign = false
        let fits = lines.withLock { lines in
            lines.take(bytes) { line in
                do throws(JSONFault) { messages.append(try JSON(parsing: line, keeping: kept)) } catch { isForeign = true }
            }
        }
        var deliveries: [Delivery] = []
        deliveries.reserveCapacity(messages.count)
        let stirs = state.withLock { state in
            state.heard = .now
            state.pinged = nil
            let wasEmpty = state.out.isEmpty
            for message in messages { take(message, &state, &deliveries) }
            return wasEmpty && !state.out.isEmpty
        }
        if stirs { stream.stir() }
        for delivery in deliveries {
            switch delivery {
            case .answer(let waiter, let outcome): waiter.resume(returning: outcome)
            case .notice(let listener, let method, let params): listener.notice(method, params)
            }
        }
        if isForeign {
            close("the answer is not JSON-RPC: check that this is the coordinator's JSON-RPC port")
        } else if !fits {
            close("the coordinator sent a line that is too long")
        }
    }

    private func take(_ message: JSON, _ state: inout State, _ deliveries: inout [Delivery]) {
        if let id = message["id"]?.intValue {
            // That of a ping is 0.
            if id == 0 { return }
            state.unanswered -= 1
            letIn(&state)
            // There is none for the answer of a request that was given up.
            if let pending = state.pending.removeValue(forKey: id) {
                if let error = message["error"] {
                    deliveries.append(.answer(pending.waiter, .failure(.refused(TintypeError(body: error)))))
                } else {
                    let result = message["result"] ?? .null
                    if let claim = pending.claim, let name = claim.name(result) { state.listeners[name, default: []].append((id, claim.listener)) }
                    deliveries.append(.answer(pending.waiter, .success(result)))
                }
            }
            rest(&state)
        } else if let method = message["method"]?.stringValue {
            let params = message["params"] ?? [:]
            if let other { deliveries.append(.notice(other, method, params)) }
            guard let name = (params["subscription"] ?? params["receipt"] ?? params["group"])?.stringValue else { return }
            for one in state.listeners[name] ?? [] { deliveries.append(.notice(one.listener, method, params)) }
        } else if let error = message["error"] {
            state.refusal = TintypeError(body: error)
            if let other { deliveries.append(.notice(other, "error", error)) }
        }
    }

    private func letIn(_ state: inout State) {
        guard state.firstWaiting < state.waiting.count, state.unanswered < Self.mostUnanswered else { return }
        state.unanswered += 1
        _ = send(state.waiting[state.firstWaiting].line, &state)
        state.waiting[state.firstWaiting].line = []
        state.firstWaiting += 1
        if state.firstWaiting == state.waiting.count {
            state.waiting.removeAll(keepingCapacity: true)
            state.firstWaiting = 0
        } else if state.firstWaiting >= 1024 {
            state.waiting.removeFirst(state.firstWaiting)
            state.firstWaiting = 0
        }
    }

    // MARK: - Watching

    /// Something is due: the coordinator has to answer.
    private func watch(_ state: inout State) {
        if state.isWatched || state.end != nil { return }
        state.isWatched = true
        state.heard = .now
        state.pinged = nil
        checkSoon()
    }

    private func checkSoon() {
        loop.at(.now + min(.milliseconds(100), silence / 4)) { [weak self] in self?.check() }
    }

    private func rest(_ state: inout State) {
        if state.isLeaving, state.pending.isEmpty, state.listeners.isEmpty { stream.close("the client has left") }
    }

    private func check() {
        let now = Instant.now
        let (late, silent, stirs) = state.withLock { state -> ([(Int, String)], String?, Bool) in
            if state.end != nil || state.pending.isEmpty && state.listeners.isEmpty {
                state.isWatched = false
                return ([], nil, false)
            }
            checkSoon()
            let late = state.pending.filter { $0.value.until <= now }.map { ($0.key, $0.value.method) }
            if let pinged = state.pinged {
                let silent = Int((now - state.heard).seconds.rounded())
                if now - pinged >= silence { return (late, "the coordinator has stopped answering: no bytes arrived for \(silent) s", false) }
            } else if now - state.heard >= silence {
                state.pinged = now
                // It has a right of its own beside 1,024 unanswered requests.
                return (late, nil, send(Self.line(0, "system.ping", [:]), &state))
            }
            return (late, nil, false)
        }
        if stirs { stream.stir() }
        for (id, method) in late { giveUp(id, .refused(.late("\(address): \(method)"))) }
        if let silent { close(silent) }
    }
}
