package import TintypeCore
package import TintypeTransport

extension Queue {
    /// Cancels a receipt, which ends `cancelled`. If it was the last receipt of its fetch, the fetch ends: it leaves the queue, or its worker has to
    /// stop. The next request for the same source makes a new fetch.
    /// - Parameters:
    ///   - reason: the reason in the event: `requested`, `disconnected`, `superseded`…
    ///   - owner: the coordinator that the receipt must belong to, if one of its clients has left. If a client waits at another coordinator, the
    ///     receipt goes on there.
    ///   - whileGiven: cancels only while no coordinator has taken the receipt up since another one handed it over.
    ///   - whileWaiting: cancels only while no worker runs its fetch.
    package func cancel(
        receipt: String, reason: String, owner: String? = nil, whileGiven: Bool = false, whileWaiting: Bool = false
    ) async throws(RedisError) -> CancelAnswer {
        try await cancel(receipt, reason: reason, owner: owner, condition: whileGiven ? .given : whileWaiting ? .waiting : nil)
    }

    /// Cancels a receipt whose client has cancelled it and has received nothing. If the receipt had already succeeded, everything that was made for it alone
    /// is removed: a later request finds neither its results nor its source. Redis remembers that for ten minutes. The caller has to delete the bytes.
    /// - Returns: the key of the fetch record that made the results, which the worker's kept sources name; nil if there is nothing to remove.
    @discardableResult
    package func retract(receipt: String, reason: String, owner: String) async throws(RedisError) -> String? {
        let reply = try await reply(toCancel: receipt, reason: reason, owner: owner, condition: .unread)
        guard let answer = reply.string, answer.hasPrefix("TAKEN ") else { return nil }
        return String(answer.dropFirst(6))
    }

    /// Cancels a receipt that was made for a group, if no coordinator has taken it up since and no client waits for it elsewhere.
    /// - Parameter owner: the coordinator that may have the receipt. A coordinator that has left it or is silent may have it too.
    package func cancel(receipt: String, reason: String, owner: String, group: String) async throws(RedisError) -> CancelAnswer {
        try await cancel(receipt, reason: reason, owner: owner, group: group)
    }

    /// Cancels a receipt, which ends `failed`.
    package func cancel(receipt: String, failure: TintypeError) async throws(RedisError) -> CancelAnswer {
        try await cancel(receipt, failure: failure.json.text)
    }

    /// When a receipt is canceled, if not always.
    private enum CancelCondition: String {
        /// No client has taken it up since another coordinator handed it over.
        case given
        /// No worker runs its fetch.
        case waiting
        /// Its client has received nothing.
        case unread
    }

    private func cancel(
        _ receipt: String, reason: String? = nil, failure: String? = nil, owner: String? = nil, group: String? = nil, condition: CancelCondition? = nil
    ) async throws(RedisError) -> CancelAnswer {
        let reply = try await reply(toCancel: receipt, reason: reason, failure: failure, owner: owner, group: group, condition: condition)
        return try Self.known(CancelAnswer(reply), of: .cancel)
    }

    private func reply(
        toCancel receipt: String, reason: String? = nil, failure: String? = nil, owner: String? = nil, group: String? = nil, condition: CancelCondition? = nil
    ) async throws(RedisError) -> RedisReply {
        try await run(
            .cancel,
            [
                .receipt: .string(receipt), .reason: reason.map { .string(JSON.string($0).text) }, .failure: .ifAny(failure), .owner: .ifAny(owner),
                .group: .ifAny(group), .condition: .ifAny(condition?.rawValue), .lease: .int(times.lease.milliseconds),
            ])
    }

    /// Changes the priority of a live receipt.
    /// - Returns: the priority of its fetch, the highest among its receipts; nil if the receipt is unknown or has ended.
    package func setPriority(receipt: String, _ priority: Int) async throws(RedisError) -> Int? {
        try await run(.priority, [.string(receipt), .int(Int64(priority))]).int.map { Int($0) }
    }

    /// Has a live receipt wait, or go on. Its deadline goes on in any case.
    /// - Returns: how it stands then; nil if the receipt is unknown or has ended.
    package func pause(receipt: String, _ isPaused: Bool) async throws(RedisError) -> ReceiptState? {
        guard let word = try await run(.pause, [.string(receipt), isPaused ? "1" : "0"]).string else { return nil }
        return try Self.known(ReceiptState(rawValue: word), of: .pause)
    }

    /// Reads a receipt; nil if it is unknown.
    /// - Parameter adoptedBy: the coordinator that takes a live receipt over, if no client waits for it at its own coordinator. That one has left the
    ///   receipt, or is dead.
    package func receipt(_ id: String, adoptedBy coordinator: String? = nil) async throws(RedisError) -> ReceiptSnapshot? {
        try await snapshots([id], adoptedBy: coordinator)[id]
    }

    /// Reads many receipts in one round trip. Unknown ones are missing.
    /// - Parameter areAwaited: whether clients wait for the receipts at this coordinator. A receipt that is not taken over then goes on when the
    ///   clients at its own coordinator leave.
    package func snapshots(
        _ ids: [String], adoptedBy coordinator: String? = nil, areAwaited: Bool = false
    ) async throws(RedisError) -> [String: ReceiptSnapshot] {
        var found: [String: ReceiptSnapshot] = [:]
        guard !ids.isEmpty else { return found }
        let reply = try await run(
            .snapshot, [.taker: .ifAny(coordinator), .waits: .flag(areAwaited), .lease: .int(times.lease.milliseconds)], items: ids.map { .string($0) })
        guard let items = reply.array, items.count == ids.count else { throw Self.unexpected(.snapshot) }
        for (id, item) in zip(ids, items) {
            if let words = item.array { found[id] = try Self.known(Self.snapshot(id, words), of: .snapshot) }
        }
        return found
    }

    private nonisolated static func snapshot(_ id: String, _ words: [RedisReply]) -> ReceiptSnapshot? {
        guard words.count >= 8, let state = words[0].string.flatMap({ ReceiptState(rawValue: $0) }), let seq = words[1].int else { return nil }
        let texts = words.map { $0.string ?? "" }
        var snapshot = ReceiptSnapshot(
            receipt: id, state: state, seq: Int(seq), coordinator: texts[2], fetch: texts[3], meta: texts[4],
            terms: ReceiptTerms(words: texts[5]), ending: nil, position: nil, attempts: 0, worker: "", progress: "", givenUp: nil)
        if state.isTerminal {
            snapshot.ending = Ending(state: state, seq: Int(seq), at: texts[6], body: texts[7])
        } else if words.count == 11, let place = words[6].int, let attempts = words[7].int {
            snapshot.position = place < 0 ? nil : Int(place)
            snapshot.attempts = Int(attempts)
            snapshot.worker = texts[8]
            snapshot.progress = texts[9]
            snapshot.givenUp = (try? JSON(parsing: texts[10]))?.string
        } else {
            return nil
        }
        return snapshot
    }

    /// Records that no client of this coordinator waits for a receipt any more. Another coordinator may then take it over, or no longer hands it over
    /// to this one.
    package func leave(receipt: String, coordinator: String) async throws(RedisError) {
        _ = try await run(.leave, [.string(receipt), .string(coordinator)])
    }

    /// Sends a coordinator's heartbeat, answered by a numbered ping on its own channel. The ping proves that the channel works, and shows whether the
    /// last message before it was lost. Call it each `QueueTimes.greeting`; a coordinator that is silent for ten minutes is forgotten.
    /// - Parameter counted: the number of requests that the coordinator counts as work; only for the queue `default`, nil elsewhere.
    @discardableResult
    package func greet(coordinator: String, counted: Int? = nil) async throws(RedisError) -> HeartbeatAnswer {
        let reply = try await run(.coordinatorHeartbeat, [.string(coordinator), counted.map { .int(Int64($0)) } ?? "", .int(times.lease.milliseconds)])
        return try Self.known(HeartbeatAnswer(reply, counted: counted), of: .coordinatorHeartbeat)
    }

    /// Cancels every live receipt, a hundred at a time. Workers stop its running fetches. Receipts that are submitted meanwhile stay.
    /// - Returns: the number of cancelled receipts.
    @discardableResult
    package func cancelAll(reason: String) async throws(RedisError) -> Int {
        try await endPages(ScriptArguments(.queueEmpty, [.reason: .string(JSON.string(reason).text)]), began: .began)
    }
}
