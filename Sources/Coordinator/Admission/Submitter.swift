import TintypeCore
package import TintypeTransport
package import TintypeQueue
import TintypeImages

/// Submits receipts to Redis (`ReceiptSender`), waits for replicas, and tells the waiting clients the outcome.
@Loop
package final class Submitter {
    /// The outcome of a submission, for `image.submit`.
    package struct Answer {
        package let receipt: String
        package let state: ReceiptState
        package let position: Int?
        package let outcome: Outcome?
        /// Whether replicas have the receipt; nil for a request that did not wait for them.
        package var isDurable: Bool?
    }

    private let sender: ReceiptSender
    private let planned: PlannedResults
    private let receipts: ReceiptTable
    private let results: ResultDelivery
    private let cancellation: CancellationService
    private let recovery: Recovery
    private let durability: Durability
    private let metrics: Metrics

    init(
        _ sender: ReceiptSender, _ planned: PlannedResults, receipts: ReceiptTable, results: ResultDelivery, cancellation: CancellationService,
        recovery: Recovery, durability: Durability, metrics: Metrics
    ) {
        (self.sender, self.planned, self.receipts, self.results) = (sender, planned, receipts, results)
        (self.cancellation, self.recovery, self.durability, self.metrics) = (cancellation, recovery, durability, metrics)
    }

    /// Submits a receipt of the table.
    /// - Parameters:
    ///   - call: The request; nil for an item of a group.
    ///   - admitted: For `image.submit`: called once, before any event of the receipt is sent.
    /// - Throws: When the receipt was not created. It has left the table then, unless others wait for it.
    func submit(_ receipt: PendingReceipt, _ plan: AdmissionPlan, for call: Call?, _ admitted: (@Loop (Answer) -> Void)?) async throws(TintypeError) {
        receipt.life.submitBegins()
        defer { receipt.life.submitReturns() }
        let mayNeedToken = receipt.submission.map { receipt.handle.queue.hasToReserve($0) } ?? false
        let token = mayNeedToken ? Digest.randomHex(bytes: 8) : ""
        do throws(TintypeError) {
            if !receipt.isAdmitted { try await sender.prepare(receipt, plan, token: token) }
            if plan.request.cachePolicy == .only { try await planned.require(plan, in: receipt.handle.queue) }
            let tickets = sender.tickets(receipt)
            if let tickets {
                try await sender.persistently("taking a place", receipt) { queue throws(RedisError) in try await tickets.take(receipt.id, in: queue) }
            }
            do throws(TintypeError) {
                try await attempt(receipt, plan, call, admitted)
            } catch {
                if let tickets { try? await tickets.giveBack(receipt.id, in: receipt.handle.queue) }
                throw error
            }
            if let tickets { await sender.supersede(receipt, tickets) }
        } catch {
            metrics.add(.submits, labels: receipt.queue, error.name.rawValue)
            // This queue keeps an id that it knows with other parameters. Another submit of this receipt, still in flight, has a token of its own.
            let remains = receipt.life.actionsAfterFailedSubmit(keepsID: error.name == .invalidParams)
            if remains.contains(.forget) {
                receipts.remove(receipt)
                cancellation.revoke(receipt)
            }
            if remains.contains(.giveBack) { sender.giveBack(receipt, token) }
            throw error
        }
    }

    private func attempt(_ receipt: PendingReceipt, _ plan: AdmissionPlan, _ call: Call?, _ admitted: (@Loop (Answer) -> Void)?) async throws(TintypeError) {
        let limit = receipt.deadline ?? .now
        guard var submission = receipt.submission else { return }
        submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
        var sent = try await sender.send(submission, receipt, until: limit)
        var isDurable: Bool?
        if durability.covers(plan.request, isDetached: submission.terms.isDetached) {
            (sent, isDurable) = try await replicated(sent, submission, receipt, until: limit)
        }
        switch sent {
        case .finished(let ending):
            // Events keep their order: the end of the superseded receipt is sent first.
            if let older = ending.superseded.flatMap({ receipts[$0] }), older.handle === receipt.handle { await recovery.settle(older) }
            let outcome = Outcome(ReceiptEvent(ending))
            let isRefused = outcome.error?.name == .blacklisted
            metrics.add(.submits, labels: receipt.queue, isRefused ? "blacklisted" : "results")
            if plan.readsResults { metrics.add(.cacheLookups, labels: "results", isRefused ? "miss" : "hit") }
            let shown = ReceiptEvent(shownBy: ending)
            goOn(receipt, after: ending.seq - (shown == nil ? 1 : 2))
            finish(receipt, outcome, after: shown, isDurable, call, admitted)
        case .queued(let state, let position, let joined):
            metrics.add(.submits, labels: receipt.queue, joined ? "joined" : "queued")
            if plan.readsResults { metrics.add(.cacheLookups, labels: "results", "miss") }
            admit(receipt, Answer(receipt: receipt.id, state: state, position: position, outcome: nil, isDurable: isDurable), admitted)
        case .again(let state, let position, let seq):
            goOn(receipt, after: seq)
            metrics.add(.submits, labels: receipt.queue, "again")
            admit(receipt, Answer(receipt: receipt.id, state: state, position: position, outcome: nil, isDurable: isDurable), admitted)
        case .mismatch, .unknownQueue, .full, .indexed, .listed: preconditionFailure("`send` returns only answers of accepted submits")
        }
    }

    /// Waits until replicas have an accepted receipt. One that the primary does not have, as after a switch, is submitted again.
    /// - Returns: The last answer of Redis, and whether replicas have the receipt.
    private func replicated(
        _ answer: SubmitAnswer, _ submission: Submission, _ receipt: PendingReceipt, until deadline: ContinuousClock.Instant
    ) async throws(TintypeError) -> (SubmitAnswer, Bool) {
        let (limit, record) = (durability.limit(before: deadline), ReplicaWaits.Record.receipt(receipt.id, of: receipt.handle.queue.keys))
        var (answer, submission) = (answer, submission)
        while true {
            switch await durability.wait(for: record, until: limit) {
            case .kept: return (answer, true)
            case .unsure: return (answer, false)
            case .lost:
                // A canceled receipt may be gone for that reason. The clients of one that has ended have its end.
                if receipt.life.cancelCause != nil || receipt.isEnding { return (answer, false) }
                // Events of the lost receipt count no more.
                receipt.startOver()
                submission.deadlineSeconds = max(0.001, (deadline - .now).inSeconds)
                try await sender.reserve(receipt, Digest.randomHex(bytes: 8))
                answer = try await sender.send(submission, receipt, until: deadline)
            }
        }
    }

    /// Continues after the events that Redis already has for the receipt, unless an earlier try of this submit created it.
    private func goOn(_ receipt: PendingReceipt, after sequence: Int) {
        if !receipt.isAdmitted, !receipt.life.mayBeQueued { receipt.goOn(after: sequence) }
    }

    private func admit(_ receipt: PendingReceipt, _ answer: Answer, _ admitted: (@Loop (Answer) -> Void)?) {
        admitted?(answer)
        guard !receipt.isAdmitted else { return }
        cancellation.watch(receipt)
        receipts.admit(receipt)
        // No client waits for it here: it was submitted over HTTP.
        if receipt.waiters.isEmpty, receipt.graceEnd == nil, !receipt.isEnding { receipts.remove(receipt) }
    }

    private func finish(
        _ receipt: PendingReceipt, _ outcome: Outcome, after shown: ReceiptEvent?, _ isDurable: Bool?, _ call: Call?, _ admitted: (@Loop (Answer) -> Void)?
    ) {
        let end: @Loop () -> Void = { [receipts] in
            if let shown { receipts.show(cached: shown, of: receipt) }
            receipts.end(receipt, outcome)
        }
        guard let admitted else { return end() }
        results.prepare(outcome, receipt: receipt.id, meta: receipt.meta, use: receipt.use, for: call) { ready in
            admitted(Answer(receipt: receipt.id, state: ready.state, position: nil, outcome: ready, isDurable: isDurable))
            end()
        }
    }
}
