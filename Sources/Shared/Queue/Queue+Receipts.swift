package import TintypeCore
package import TintypeTransport

extension Queue {
    /// Withdraws a receipt, which ends `cancelled`. When it was the last of its fetch, the fetch ends: it leaves the queue, or its worker is
    /// told to stop, and the next request for the same source makes a new one.
    /// - Parameters:
    ///   - reason: for the event: `requested`, `disconnected`, `superseded`…
    ///   - owner: the coordinator it must belong to, if one of its clients has left: it goes on if somebody waits at another coordinator,
    ///     which has it then.
    ///   - whileGiven: only while nobody has taken it up since another coordinator handed it over.
    ///   - whileWaiting: only while no worker has its fetch.
    package func drop(
        receipt: String, reason: String, owner: String? = nil, whileGiven: Bool = false, whileWaiting: Bool = false
    ) async throws(RedisError) -> DropAnswer {
        try await drop(
            receipt, reason: reason, failure: "", owner: owner ?? "", group: "", whileGiven: whileGiven, condition: whileWaiting ? "w" : "")
    }

    /// Withdraws a receipt whose client has cancelled it and was given nothing. Of one that had come to a good end before, nothing is kept that was made
    /// for it alone: a later request finds neither its results nor its source. Redis remembers that for ten minutes; the bytes are the caller's to delete.
    /// - Returns: the record of the fetch that made them, which stands in what it has kept of its sources; nil if there is nothing to take back.
    @discardableResult
    package func retract(receipt: String, reason: String, owner: String) async throws(RedisError) -> String? {
        let reply = try await reply(toDrop: receipt, reason: reason, failure: "", owner: owner, group: "", condition: "r")
        guard let answer = reply.string, answer.hasPrefix("TAKEN ") else { return nil }
        return String(answer.dropFirst(6))
    }

    /// Withdraws a receipt that was made for a group, that nobody has taken up since and that nobody waits for elsewhere.
    /// - Parameter owner: the coordinator that may have it; so may one that has left it, or is silent.
    package func drop(receipt: String, reason: String, owner: String, group: String) async throws(RedisError) -> DropAnswer {
        try await drop(receipt, reason: reason, failure: "", owner: owner, group: group)
    }

    /// Withdraws a receipt, which ends `failed`.
    package func drop(receipt: String, failure: TintypeError) async throws(RedisError) -> DropAnswer {
        try await drop(receipt, reason: "", failure: failure.json.text, owner: "", group: "")
    }

    private func drop(
        _ receipt: String, reason: String, failure: String, owner: String, group: String, whileGiven: Bool = false, condition: String = ""
    ) async throws(RedisError) -> DropAnswer {
        let reply = try await reply(
            toDrop: receipt, reason: reason, failure: failure, owner: owner, group: group, whileGiven: whileGiven, condition: condition)
        guard let answer = DropAnswer(reply) else { throw Self.unexpected(scripts.drop, reply) }
        return answer
    }

    private func reply(
        toDrop receipt: String, reason: String, failure: String, owner: String, group: String, whileGiven: Bool = false, condition: String
    ) async throws(RedisError) -> RedisReply {
        try await run(
            scripts.drop,
            [
                .string(receipt), .string(JSON.string(reason).text), .string(failure), .string(owner), .string(group), whileGiven ? "1" : "",
                .string(condition), .int(times.lease.milliseconds),
            ])
    }

    /// Changes a live receipt's priority.
    /// - Returns: the priority of its fetch, the highest among its receipts; nil if the receipt is unknown or has ended.
    package func setPriority(receipt: String, _ priority: Int) async throws(RedisError) -> Int? {
        try await run(scripts.priority, [.string(receipt), .int(Int64(priority))]).int.map { Int($0) }
    }

    /// What Redis knows of a receipt; nil if nothing.
    /// - Parameter adoptedBy: the coordinator that takes it over if it is live and nobody waits for it where it belongs: that
    ///   coordinator has left it, or is dead.
    package func receipt(_ id: String, adoptedBy coordinator: String? = nil) async throws(RedisError) -> ReceiptSnapshot? {
        try await snapshots([id], adoptedBy: coordinator)[id]
    }

    /// The same of many, in one round trip; unknown ones are missing.
    /// - Parameter areAwaited: whether clients wait for them there: those that are not taken over outlive the interest of others then.
    package func snapshots(
        _ ids: [String], adoptedBy coordinator: String? = nil, areAwaited: Bool = false
    ) async throws(RedisError) -> [String: ReceiptSnapshot] {
        var found: [String: ReceiptSnapshot] = [:]
        guard !ids.isEmpty else { return found }
        let reply = try await run(
            scripts.snapshot, [.string(coordinator ?? ""), areAwaited ? "1" : "", .int(times.lease.milliseconds)] + ids.map { .string($0) })
        guard let items = reply.array, items.count == ids.count else { throw Self.unexpected(scripts.snapshot, reply) }
        for (id, item) in zip(ids, items) {
            guard let words = item.array else { continue }
            guard let snapshot = Self.snapshot(id, words) else { throw Self.unexpected(scripts.snapshot, reply) }
            found[id] = snapshot
        }
        return found
    }

    private nonisolated static func snapshot(_ id: String, _ words: [RedisReply]) -> ReceiptSnapshot? {
        guard words.count >= 8, let state = words[0].string.flatMap({ ReceiptState(script: $0) }), let seq = words[1].int else { return nil }
        let texts = words.map { $0.string ?? "" }
        var snapshot = ReceiptSnapshot(
            receipt: id, state: state, seq: Int(seq), coordinator: texts[2], fetch: texts[3], meta: texts[4],
            terms: ReceiptTerms(letters: texts[5]), ending: nil, position: nil, attempts: 0, worker: "", progress: "", givenUp: nil)
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

    /// Notes that no client of this coordinator waits for a receipt any more: another one may take it over, or is not to hand it over to this one.
    package func leave(receipt: String, coordinator: String) async throws(RedisError) {
        _ = try await run(scripts.leave, [.string(receipt), .string(coordinator)])
    }

    /// Says that a coordinator lives, and sends a numbered ping down its own channel: hearing it proves the way whole, and shows when the
    /// last message before it was lost. Each `QueueTimes.greeting`; a coordinator unheard of for ten minutes is forgotten.
    /// - Parameter counted: how many requests the coordinator counts as work; for the queue `default` alone, nil elsewhere.
    @discardableResult
    package func greet(coordinator: String, counted: Int? = nil) async throws(RedisError) -> Greeting {
        let reply = try await run(
            scripts.greet, [.string(coordinator), counted.map { .int(Int64($0)) } ?? "", .int(times.lease.milliseconds)])
        guard let answer = Greeting(reply, counted: counted) else { throw Self.unexpected(scripts.greet, reply) }
        return answer
    }

    /// Withdraws every live receipt, a hundred at a time; what runs is told to stop. What is submitted meanwhile stays.
    /// - Returns: how many there were.
    @discardableResult
    package func cancelAll(reason: String) async throws(RedisError) -> Int {
        var (cursor, began, count) = ("0", "", 0)
        var turn = HalfShare()
        while true {
            let reply = try await run(scripts.empty, [100, .string(JSON.string(reason).text), .string(cursor), .string(began)])
            guard let words = reply.array, words.count == 3, let next = words[0].string, let cancelled = words[1].int, let first = words[2].string else {
                throw Self.unexpected(scripts.empty, reply)
            }
            (cursor, began) = (next, first)
            count += Int(cancelled)
            guard cursor != "0", await turn.rest() else { return count }
        }
    }
}
