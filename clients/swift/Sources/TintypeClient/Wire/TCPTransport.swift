/// JSON-RPC over TCP: one connection for everything.
final class TCPTransport: Transport {
    private let connector: Connector
    private let loop: Loop

    init(_ connector: Connector, loop: Loop) {
        (self.connector, self.loop) = (connector, loop)
    }

    var address: Address { connector.address }

    func call(_ method: String, _ params: JSON, until: Instant) async throws(TintypeError) -> JSON {
        var failure: Failure?
        // Nearly all calls end here.
        if let wire = connector.live {
            switch await wire.call(method, params, until: until) {
            case .success(let result): return result
            case .failure(let first):
                mind(first, wire)
                failure = first
            }
        }
        return try await Retry.run(method, until: until, after: failure) { await once(method, params, until) }
    }

    private func once(_ method: String, _ params: JSON, _ until: Instant) async -> Wire.Outcome {
        switch await connector.wire(until: until) {
        case .failure(let failure): return .failure(failure)
        case .success(let wire):
            let outcome = await wire.call(method, params, until: until)
            if case .failure(let failure) = outcome { mind(failure, wire) }
            return outcome
        }
    }

    private func mind(_ failure: Failure, _ wire: Wire) {
        if case .refused(let error) = failure, error.name == .shuttingDown { connector.leave(wire) }
    }

    // MARK: - Receipts

    func follow(_ work: Followed, sink: @escaping Sink) async throws(TintypeError) -> JSON {
        var isFirst = true
        return try await Retry.run(work.call.method, until: work.until) {
            switch await connector.wire(until: work.until) {
            case .failure(let failure): return .failure(failure)
            case .success(let wire):
                if !isFirst { sink(WireEvent.gap) }
                isFirst = false
                let outcome = await follow(work, on: wire, sink)
                if case .failure(let failure) = outcome { mind(failure, wire) }
                return outcome
            }
        }
    }

    private func follow(_ work: Followed, on wire: Wire, _ sink: @escaping Sink) async -> Wire.Outcome {
        let end = Once<Wire.Outcome>()
        let listener = Wire.Listener(
            notice: { method, params in
                // The last hook follows the terminal event, which ends the events of a task.
                if end.isGiven { return }
                var event = params
                if method == "image.hook", var members = params.objectValue {
                    members["type"] = "hook"
                    event = .object(members)
                }
                if WireEvent.isTerminal(event) { end.give(.success(event)) } else { sink(event) }
            },
            lost: { end.give(.failure(.lost($0, wasSent: true))) })
        // Events may come in front of the answer.
        guard let id = wire.listen(work.receipt, listener) else { return .failure(.lost("\(wire.address): the connection is over", wasSent: false)) }
        defer { wire.leave(work.receipt, id) }
        switch await wire.call(work.call.method, work.call.params, until: work.until) {
        case .failure(let failure): return .failure(failure)
        case .success(let answer):
            if let event = WireEvent.terminal(answer) { return .success(event) }
        }
        let timer = loop.at(work.until) { end.give(.failure(.refused(work.late))) }
        defer { loop.cancel(timer) }
        return await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            end.give(.failure(.cancelled))
        }
    }

    func withdraw(_ receipt: String) -> Bool {
        guard let wire = connector.live else { return false }
        return wire.errand("receipt.cancel", ["receipt": .string(receipt)])
    }

    // MARK: - Queues

    func watch(queue: String, sink: @escaping Sink) async throws(TintypeError) {
        var backoff = Backoff()
        var isFirst = true
        while true {
            let failure = await watchOnce(queue, sink) {
                backoff.reset()
                if !isFirst { sink(WireEvent.gap) }
                isFirst = false
            }
            guard let pause = Retry.pause(after: failure, "events.subscribe", &backoff) else { throw failure.error("events.subscribe") }
            try? await Task.sleep(for: pause)
        }
    }

    /// - Parameter begun: Called when the subscription is there.
    private func watchOnce(_ queue: String, _ sink: @escaping Sink, _ begun: () -> Void) async -> Failure {
        switch await connector.wire(until: .now + .seconds(365 * 86_400)) {
        case .failure(let failure): return failure
        case .success(let wire):
            let end = Once<Failure>()
            let listener = Wire.Listener(notice: { _, event in sink(event) }, lost: { end.give(.lost($0, wasSent: true)) })
            let claim = (name: { @Sendable (answer: JSON) in answer["subscription"]?.stringValue }, listener: listener)
            switch await wire.call("events.subscribe", ["queue": .string(queue)], until: .now + .seconds(30), claim: claim) {
            case .failure(let failure):
                mind(failure, wire)
                return failure
            case .success(let answer):
                begun()
                let failure = await withTaskCancellationHandler {
                    await end.value
                } onCancel: {
                    end.give(.cancelled)
                }
                if let name = answer["subscription"]?.stringValue {
                    wire.leave(name)
                    wire.errand("events.unsubscribe", ["subscription": .string(name)])
                }
                return failure
            }
        }
    }

    func close() {
        connector.close()
    }
}
