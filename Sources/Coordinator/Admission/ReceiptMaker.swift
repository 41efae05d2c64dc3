import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// Makes the receipts of requests and brings them into Redis, behind earlier requests with their supersede key: the procedure for clients and groups.
@Loop
final class ReceiptMaker {
    /// The id of a receipt that Redis may know already, and its deadline.
    struct Name {
        let id: String
        let deadline: ContinuousClock.Instant
    }

    /// A request on its way to a receipt.
    struct Entry {
        let id: String
        let plan: AdmissionPlan
        /// The client whose part of the limits it uses.
        let client: String
        /// Whether clients may ask for the ended receipt later.
        let isKept: Bool
        /// Whether no client waits for it. A receipt that is submitted over HTTP goes on without one.
        let isNobodys: Bool
        let deadline: ContinuousClock.Instant
        fileprivate let span: TraceSpan?
    }

    private let submitter: Submitter
    private let sender: ReceiptSender
    private let receipts: ReceiptTable
    private let recovery: Recovery
    private let permissions: Permissions
    private let tracer: (any Tracer)?
    private let supersedeOrder = SupersedeOrder()

    init(_ submitter: Submitter, _ sender: ReceiptSender, receipts: ReceiptTable, recovery: Recovery, permissions: Permissions, tracer: (any Tracer)?) {
        (self.submitter, self.sender, self.receipts, self.recovery) = (submitter, sender, receipts, recovery)
        (self.permissions, self.tracer) = (permissions, tracer)
    }

    /// Returns the entry of a request, and begins the span of its submit.
    /// - Parameter parent: The place of the request in its trace; nil: it has none.
    func entry(
        _ name: Name, _ plan: AdmissionPlan, below parent: TraceContext?, client: String, isKept: Bool, isNobodys: Bool = false
    ) -> Entry {
        let span = tracer?.beginPublish(name.id, in: plan.request.queue, below: parent)
        return Entry(
            id: name.id, plan: plan.traced(span?.context ?? parent), client: client, isKept: isKept, isNobodys: isNobodys, deadline: name.deadline,
            span: span)
    }

    /// Makes the receipt of a request, or finds the live one of the same request, and brings it into Redis.
    /// - Parameters:
    ///   - call: The request of a client; nil for an item of a group.
    ///   - before: Waits for what the request needs first.
    ///   - opened: Ties the receipt to those that wait for it.
    ///   - undo: Unties it. Called after each failure.
    func make(
        _ entry: Entry, for call: Call?, _ admitted: (@Loop (Submitter.Answer) -> Void)? = nil,
        before: @Loop () async throws(TintypeError) -> Void = {}, opened: @Loop (PendingReceipt) -> Void, undo: @Loop () -> Void
    ) async throws(TintypeError) -> PendingReceipt {
        let plan = entry.plan
        var made: PendingReceipt?
        do throws(TintypeError) {
            try await before()
            let receipt = try await supersedeOrder.inTurn(plan.request.supersedeKey, of: plan.request.queue, by: plan.owner, until: entry.deadline) {
                () async throws(TintypeError) in
                let handle = try await sender.handle(plan, until: entry.deadline)
                // The request was canceled, or answered because the coordinator stops, while it waited for its turn or its queue. No receipt is
                // made for it, whether it is detached or not.
                if let call, call.isAnswered, call.isCancelled || call.isGivenUp { throw Outcome.cancellation(reason: "requested", phase: nil) }
                let receipt = try open(entry, in: handle)
                made = receipt
                opened(receipt)
                try await submitter.submit(receipt, plan, for: call, admitted)
                return receipt
            }
            if let span = entry.span { tracer?.end(span) }
            return receipt
        } catch {
            if let span = entry.span { tracer?.end(span, failure: error.name.rawValue) }
            undo()
            if let made { handBack(made) }
            throw error
        }
    }

    /// Returns the receipt of this id: the live one of the same request if the table has it, else a new one.
    private func open(_ entry: Entry, in handle: QueueHandle) throws(TintypeError) -> PendingReceipt {
        let (id, plan) = (entry.id, entry.plan)
        let live = receipts[id]
        if let live, let fingerprint = live.fingerprint {
            guard fingerprint == plan.fingerprint, live.handle === handle else { throw ReceiptSender.mismatch(id) }
            return live
        }
        var submission = plan.submission(
            receipt: id, coordinator: sender.registry.coordinator, deadline: plan.request.deadline, isKept: entry.isKept,
            isPressed: sender.isPressed(in: handle.queue))
        submission.timeouts = permissions.bounded(submission.timeouts)
        submission.client = entry.client
        var use = plan.use
        if entry.isNobodys {
            submission.terms.isDetached = true
            use.terms.isDetached = true
        }
        let receipt = PendingReceipt(id: id, handle: handle, meta: plan.meta, use: use, submission: submission, deadline: entry.deadline)
        receipts.add(receipt)
        // `receipt.get` continued this id before, so its waiting clients move to the new receipt.
        if let live { receipt.goOn(as: live) }
        for waiter in live?.waiters ?? SmallArray() {
            receipt.attach(waiter)
            waiter.session.holds(waiter, of: receipt)
        }
        if let live { receipts.remove(live) }
        return receipt
    }

    /// Handles a failed submit. Clients that continued the receipt by `receipt.get` before go on waiting for the state in Redis.
    private func handBack(_ receipt: PendingReceipt) {
        guard receipt.life.submits == 0, !receipt.isAdmitted, !receipt.isEnding, !receipt.waiters.isEmpty else { return }
        let again = PendingReceipt(id: receipt.id, handle: receipt.handle, meta: receipt.meta, use: receipt.use, submission: nil, deadline: nil)
        again.takeUp(after: 0)
        for waiter in receipt.waiters {
            again.attach(waiter)
            waiter.session.holds(waiter, of: again)
        }
        receipts.add(again)
        recovery.ask(again)
    }
}

extension Tracer {
    /// Begins the span of a submit, if its trace is sent.
    /// - Parameter parent: The place of the request in its trace; nil: it has none.
    fileprivate func beginPublish(_ receipt: String, in queue: String, below parent: TraceContext?) -> TraceSpan? {
        guard var span = begin("publish \(queue)", .producer, for: parent) else { return nil }
        span["messaging.system"] = "tintype"
        span["messaging.operation.type"] = "send"
        span["messaging.destination.name"] = .string(queue)
        span["messaging.message.id"] = .string(receipt)
        return span
    }
}
