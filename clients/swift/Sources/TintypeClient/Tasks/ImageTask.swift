#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import Synchronization

/// One submitted request. Await its image, or loop over its events, or both.
///
/// A lost connection does not end the task: the receipt is taken up again by its id, also at another coordinator.
/// When a Swift task that awaits the image or reads the events is cancelled, the request is withdrawn, unless it is detached.
public final class ImageTask: Sendable {
    typealias Outcome = Result<LoadedImage, TintypeError>

    private struct State {
        var outcome: Outcome?
        var waiters: [Int: UnsafeContinuation<Outcome, Never>] = [:]
        var nextWaiter = 0
        /// The `seq` of the latest event.
        var sequence = 0
        var attempt = 0
        var rendered: Set<String> = []
        var priority: ImageRequest.Priority?
        var worker: Task<Void, Never>?
    }

    /// The id by which any client of the service finds the request.
    public let receipt: String
    /// Whether the request goes on without its client.
    public let isDetached: Bool
    private let client: Tintype
    private let work: Followed
    private let hasProgress: Bool
    private let log: EventLog<ImageEvent>
    private let state = Mutex(State())

    init(_ work: Followed, client: Tintype, isDetached: Bool) {
        (receipt, self.work, self.client, self.isDetached) = (work.receipt, work, client, isDetached)
        let progress = work.request?["progress"]
        hasProgress = progress != nil && progress != false
        log = EventLog(weight: { $0.weight }, gap: { .gap(ImageEvent.Gap(after: 0)) })
        state.withLock { $0.worker = Task { await self.run() } }
    }

    // MARK: - Waiting

    /// The image.
    ///
    /// - Throws: ``TintypeError`` when the request fails. It is `cancelled` when the request was cancelled, or the Swift task that waits.
    public var image: LoadedImage {
        get async throws(TintypeError) {
            let id = state.withLock { state in
                state.nextWaiter += 1
                return state.nextWaiter
            }
            let outcome = await withTaskCancellationHandler {
                await withUnsafeContinuation { waiter in
                    let outcome = state.withLock { state -> Outcome? in
                        if let outcome = state.outcome { return outcome }
                        state.waiters[id] = waiter
                        return nil
                    }
                    if let outcome { waiter.resume(returning: outcome) } else if Task.isCancelled { giveUp(id) }
                }
            } onCancel: {
                giveUp(id)
            }
            return try outcome.get()
        }
    }

    /// Whether the request has ended, well or not.
    public var isFinished: Bool { state.withLock { $0.outcome != nil } }

    /// All events. A failure is an event here, and no error.
    ///
    /// Without `progress` in the request the terminal event comes alone, with perhaps a cached result and previews.
    public var events: ImageEvents {
        ImageEvents(log: log, withdraw: { [weak self] in self?.withdraw() })
    }

    /// The progress of the request, from 0 to 1 in each phase. Needs `progress` in the request.
    public var progress: some AsyncSequence<Double, Never> & Sendable {
        events.compactMap { event in
            if case .progress(let progress) = event { progress.fraction } else { nil }
        }
    }

    /// Small JPEGs of a source that is still arriving. Needs `progressive` in the request.
    public var previews: some AsyncSequence<Data, Never> & Sendable {
        events.compactMap { event in
            if case .preview(let preview) = event { preview.data.map { Data($0) } } else { nil }
        }
    }

    // MARK: - Acting

    /// Cancels the receipt. Its download ends when nobody else wants it.
    ///
    /// - Returns: Whether it was still going on.
    @discardableResult
    public func cancel() async throws(TintypeError) -> Bool {
        // The submit may be on its way still.
        for _ in 0..<20 {
            let answer = try await client.call("receipt.cancel", ["receipt": .string(receipt)])
            if answer["reason"] != "unknown" || isFinished { return answer["cancelled"] == true }
            try? await Task.sleep(for: .milliseconds(100))
            if Task.isCancelled { throw .withdrawn }
        }
        return false
    }

    /// Pauses the receipt. Its deadline goes on.
    public func pause() async throws(TintypeError) {
        _ = try await ask("receipt.pause")
    }

    /// Lets a paused receipt go on at its old place.
    public func resume() async throws(TintypeError) {
        _ = try await ask("receipt.resume")
    }

    /// Changes the priority: from -10 to 10, higher goes first.
    public func setPriority(_ priority: ImageRequest.Priority) async throws(TintypeError) {
        state.withLock { $0.priority = priority }
        _ = try await ask("receipt.setPriority", ["priority": priority.json])
    }

    /// The priority that was set last; nil for that of the request. Setting it does not wait, and a failure is not told: see ``setPriority(_:)``.
    public var priority: ImageRequest.Priority? {
        get { state.withLock { $0.priority } }
        set {
            guard let newValue else { return }
            state.withLock { $0.priority = newValue }
            client.errands.run { [self] in
                // A priority that was set meanwhile counts.
                if priority == newValue { _ = try? await ask("receipt.setPriority", ["priority": newValue.json]) }
            }
        }
    }

    /// Asks for the state of the receipt.
    public func info() async throws(TintypeError) -> ReceiptInfo {
        try Tintype.read(try await ask("receipt.get"), "receipt.get")
    }

    /// Calls a method of the receipt. Its submit may be on its way still: for two seconds, a receipt that is not known yet is asked for again.
    private func ask(_ method: String, _ more: JSONObject = [:]) async throws(TintypeError) -> JSON {
        var params = more
        params["receipt"] = .string(receipt)
        var tries = 0
        while true {
            do throws(TintypeError) {
                return try await client.call(method, .object(params))
            } catch {
                tries += 1
                guard error.name == .unknownReceipt, work.request != nil, !isFinished, tries < 20 else { throw error }
            }
            try? await Task.sleep(for: .milliseconds(100))
            if Task.isCancelled { throw .withdrawn }
        }
    }

    // MARK: - Working

    private func run() async {
        do throws(TintypeError) {
            let event = try await client.transport.follow(work) { [weak self] in self?.take($0) }
            end(event)
        } catch {
            let event = whole(["type": "failed", "error": error.json])
            finish(.failure(error.of(receipt)), event.map { [$0] } ?? [])
        }
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        guard let waiter else { return }
        withdraw()
        waiter.resume(returning: .failure(TintypeError.withdrawn.of(receipt)))
    }

    /// Withdraws the request, because its Swift task was cancelled.
    private func withdraw() {
        if isDetached { return }
        let last = whole(["type": "cancelled", "reason": "withdrawn"])
        guard finish(.failure(TintypeError.withdrawn.of(receipt)), last.map { [$0] } ?? []) else { return }
        // A submit that is still under way is cancelled by the id of its call.
        state.withLock { $0.worker }?.cancel()
        if client.transport.withdraw(receipt) { return }
        client.errands.run { [self] in _ = try? await cancel() }
    }

    private func take(_ event: JSON) {
        if event == WireEvent.gap {
            let after = state.withLock { $0.sequence }
            return log.push(.gap(ImageEvent.Gap(after: after)))
        }
        guard let event = whole(event) else { return }
        let isNew = state.withLock { state in
            if state.outcome != nil { return false }
            if let sequence = event.facts?.seq { state.sequence = sequence }
            // A receipt that is taken up again may tell what is known.
            switch event {
            case .rendition(let rendered): return state.rendered.insert(rendered.rendition.name ?? "").inserted
            case .started(let started):
                defer { state.attempt = max(state.attempt, started.attempt) }
                return started.attempt > state.attempt
            default: return true
            }
        }
        if isNew { log.push(event) }
    }

    private func end(_ json: JSON) {
        let event = whole(json)
        switch json["type"]?.stringValue {
        case "succeeded":
            do throws(AnswerFault) {
                let result = try ImageResult(json: json["result"] ?? .null)
                finish(.success(LoadedImage(result, client: client)), untold(result) + (event.map { [$0] } ?? []))
            } catch {
                finish(.failure(TintypeError.local(.internal, "the result is not understood: \(error)").of(receipt)), [])
            }
        case "failed":
            finish(.failure(TintypeError(body: json["error"] ?? .null).of(receipt)), event.map { [$0] } ?? [])
        default:
            let reason = json["reason"]?.stringValue
            let name: ErrorName = reason == "superseded" ? .superseded : .cancelled
            let data = JSONObject(
                [("reason", json["reason"] ?? .null), ("phase", json["phase"] ?? .null)].filter { $0.1 != .null }.map { (key: $0.0, value: $0.1) })
            let words = "the receipt \(receipt) was cancelled\(reason.map { ": \($0)" } ?? "")"
            let phase = json["phase"]?.stringValue.map { Phase(rawValue: $0) }
            finish(.failure(TintypeError(name, words, phase: phase, receipt: receipt, data: data)), event.map { [$0] } ?? [])
        }
    }

    /// The renditions that no event has told of, because a connection was lost.
    private func untold(_ result: ImageResult) -> [ImageEvent] {
        guard hasProgress else { return [] }
        let told = state.withLock { $0.rendered }
        return result.renditions.filter { !told.contains($0.name ?? "") }.compactMap { rendition in
            guard case .object(let members) = rendition.json else { return nil }
            var event = members
            event["type"] = "rendition"
            return whole(.object(event))
        }
    }

    /// Reads an event, and fills in the facts that events of a client alone have not.
    private func whole(_ event: JSON) -> ImageEvent? {
        guard var members = event.objectValue else { return nil }
        members["receipt"] = .string(receipt)
        if members["seq"] == nil { members["seq"] = .integer(state.withLock { $0.sequence } + 1) }
        if members["at"] == nil { members["at"] = .number(Date().timeIntervalSince1970) }
        if members["queue"] == nil { members["queue"] = work.request?["queue"] ?? "default" }
        do throws(AnswerFault) { return try ImageEvent(json: .object(members)) } catch { return .other(event) }
    }

    @discardableResult
    private func finish(_ outcome: Outcome, _ last: [ImageEvent]) -> Bool {
        let waiters = state.withLock { state -> [UnsafeContinuation<Outcome, Never>]? in
            if state.outcome != nil { return nil }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        guard let waiters else { return false }
        for event in last { log.push(event) }
        log.end()
        for waiter in waiters { waiter.resume(returning: outcome) }
        return true
    }
}

extension ImageTask: CustomStringConvertible {
    public var description: String { "ImageTask(\(receipt)\(isFinished ? ", finished" : ""))" }
}
