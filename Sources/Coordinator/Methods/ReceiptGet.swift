package import TintypeCore
package import TintypeQueue
package import TintypeTransport

/// `receipt.get`: the state of a receipt, perhaps after waiting for its end. From now on the calling client is told of the end, and it keeps the
/// work going when the other clients have gone.
///
/// This coordinator does not decide whether they have gone: a killed coordinator, or a client on a dead host, is noticed only later.
@Loop
package struct ReceiptGet {
    let scope: TaskScope
    let registry: QueueRegistry
    let lookup: ReceiptLookup
    let receipts: ReceiptTable
    let recovery: Recovery
    let results: ResultDelivery

    func begin(_ call: Call, _ params: JSON) {
        let id = params["receipt"]?.string ?? ""
        let wait = params["wait"]?.double ?? 0
        call.run(in: scope) { () async throws(TintypeError) in try await get(id, wait: wait, call) }
    }

    private func get(_ id: String, wait: Double, _ call: Call) async throws(TintypeError) -> JSON {
        let session = call.session
        // Over HTTP the client does not stay after the answer.
        let stays = session.ownsReceipts || wait > 0
        let coordinator = registry.coordinator
        guard let found = try await lookup.find(id, for: session, adoptedBy: stays ? coordinator : nil) else { throw ReceiptLookup.unknown(id) }
        if found.snapshot.ending != nil { return await ended(found.snapshot, for: call) }
        guard stays else { return Self.json(found.snapshot) }
        let isKnown = receipts[id] != nil
        let receipt = takeUp(id, found, session)
        if wait > 0 {
            if let outcome = await end(of: receipt, within: wait, call) { return outcome.json(receipt: id) }
        } else if !isKnown || !receipt.isOurs && receipt.following == nil {
            // Like a call that waits (see `end`): the receipt may have ended, or needs to be followed.
            recovery.ask(receipt)
        }
        guard let now = wait > 0 ? try await lookup.find(id, for: session) : found else { throw ReceiptLookup.unknown(id) }
        if now.snapshot.ending != nil { return await ended(now.snapshot, for: call) }
        return Self.json(now.snapshot)
    }

    /// Makes this client a listener of the receipt, unless it is one. The receipt is not taken from other clients.
    private func takeUp(_ id: String, _ found: ReceiptLookup.Found, _ session: Session) -> PendingReceipt {
        let known = receipts[id]
        let receipt =
            known
            ?? PendingReceipt(
                id: id, handle: found.handle, meta: found.snapshot.meta, use: ResultUse(terms: found.snapshot.terms),
                submission: nil, deadline: nil)
        receipt.belongs(toUs: found.snapshot.coordinator == registry.coordinator)
        if known == nil {
            receipt.takeUp(after: found.snapshot.seq)
            receipts.add(receipt)
        } else {
            receipts.plan(receipt)
        }
        if session.ownsReceipts, !receipt.waiters.contains(where: { $0.session === session && !$0.isTransient }) {
            // Redis may have lost an end that this client has received.
            let isDelivered = session.recentlyDelivered.contains(id)
            let owner = ReceiptWaiter(
                session: session, requestID: nil, filter: isDelivered ? .none : receipt.lastFilter, throttle: nil, cancelsOnDisconnect: false,
                carriesDataInEvent: true, hooks: receipt.use.terms.hasHooks && !isDelivered ? .ends : .none, complete: nil)
            // A receipt that waits here for its client to come back now belongs to this client.
            owner.isObserver = receipt.holders > 0 || !receipt.isOurs && receipt.graceEnd == nil
            receipt.attach(owner)
            session.holds(owner, of: receipt)
            // The client disconnected during the question to Redis, which cannot be interrupted. Its other receipts were released without this one.
            if !session.isOpen { receipts.disconnected(owner, from: receipt) }
        }
        return receipt
    }

    /// Waits for the end of a receipt; nil when it did not come in time.
    private func end(of receipt: PendingReceipt, within seconds: Double, _ call: Call) async -> Outcome? {
        let session = call.session
        let done = OneShot<Outcome?>()
        let waiter = ReceiptWaiter(
            session: session, requestID: nil, filter: .none, throttle: nil, cancelsOnDisconnect: false, carriesDataInEvent: false, hooks: .none,
            isTransient: true, call: call, complete: { done.complete(.success($0)) })
        receipt.attach(waiter)
        session.holds(waiter, of: receipt)
        // The receipt may have ended since it was read. A receipt of another coordinator is followed from here on.
        recovery.ask(receipt)
        let outcome = (try? await done.wait(within: .seconds(seconds), orElse: .success(nil))) ?? nil
        session.releases(waiter)
        if outcome == nil { receipts.released(waiter, from: receipt) }
        return outcome
    }

    private func ended(_ snapshot: ReceiptSnapshot, for call: Call) async -> JSON {
        guard let ending = snapshot.ending else { return Self.json(snapshot) }
        return await withCheckedContinuation { continuation in
            // The record does not say whether the bytes still exist, so the memory tier must not take it as a new result.
            let use = ResultUse(terms: snapshot.terms, memoryLifetime: 0)
            results.prepare(Outcome(ReceiptEvent(ending)), receipt: snapshot.receipt, meta: snapshot.meta, use: use, for: call) {
                continuation.resume(returning: $0.json(receipt: snapshot.receipt))
            }
        }
    }

    /// Returns the answer for a receipt that has not ended.
    package static func json(_ snapshot: ReceiptSnapshot) -> JSON {
        var object: JSONObject = ["receipt": .string(snapshot.receipt), "state": .string(snapshot.state.rawValue)]
        object["position"] = snapshot.position.map { JSON($0) }
        if !snapshot.progress.isEmpty { object["progress"] = try? JSON(parsing: "{\(snapshot.progress)}") }
        object["attempts"] = JSON(snapshot.attempts)
        if !snapshot.worker.isEmpty { object["worker"] = try? JSON(parsing: snapshot.worker) }
        return .object(object)
    }
}
