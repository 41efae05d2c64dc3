package import TintypeCore
import TintypeImages
package import TintypeTransport

/// The way of requests to their receipts: places among the receipts of a client, ties of those that wait, and answers to failures.
@Loop
package final class ReceiptEntrance {
    private let maker: ReceiptMaker
    private let receipts: ReceiptTable
    private let cancellation: CancellationService
    private let results: ResultDelivery
    private let clients: ClientQuotas
    private let scope: TaskScope

    init(
        _ maker: ReceiptMaker, receipts: ReceiptTable, cancellation: CancellationService, results: ResultDelivery, clients: ClientQuotas, scope: TaskScope
    ) {
        (self.maker, self.receipts, self.cancellation, self.results) = (maker, receipts, cancellation, results)
        (self.clients, self.scope) = (clients, scope)
    }

    /// Puts a receipt into the table and, in a task of its own, into Redis.
    /// - Parameters:
    ///   - waiter: The tie of the request that waits for the end; nil: no client does.
    ///   - isKept: Whether clients may ask for the ended receipt later.
    ///   - admitted: Called once Redis has the receipt, before its end.
    func begin(
        _ call: Call, _ plan: AdmissionPlan, as name: ReceiptMaker.Name, _ waiter: ReceiptWaiter?, isKept: Bool,
        _ admitted: (@Loop (Submitter.Answer) -> Void)?
    ) {
        let client = clients[call.session.grant]
        let entry = maker.entry(name, plan, below: call.trace?.context, client: call.session.sharer, isKept: isKept, isNobodys: waiter == nil)
        call.trace?.span?["tintype.receipt"] = .string(entry.id)
        scope.run("admit") { [self] in
            var held: ReceiptHold?
            var opened: PendingReceipt?
            do throws(TintypeError) {
                _ = try await maker.make(entry, for: call, admitted) { () async throws(TintypeError) in
                    if let client { try await place(entry, client, call) }
                } opened: { receipt in
                    opened = receipt
                    if let client { clients.hold(entry.id, client, until: entry.deadline) }
                    if let waiter { held = ReceiptHold(receipt, waiter, call, receipts, cancellation) }
                } undo: {
                    if let given = held, !given.release(call) { held = nil }
                }
            } catch {
                if opened == nil { giveUpPermit(of: entry.id) }
                let plan = entry.plan
                let told = call.isCancelled ? Outcome.cancellation(reason: "requested", phase: nil) : error
                let fail: @Loop (Outcome) -> Void = { end in
                    if let complete = waiter?.complete { complete(end) } else if let error = end.error { call.fail(error) }
                }
                guard waiter?.complete != nil, plan.request.fallback != nil else {
                    if let held { held.waiter.leave(held.receipt) { call.fail(told) } } else { call.fail(told) }
                    return
                }
                results.prepare(Outcome(failing: told), receipt: opened?.id, meta: plan.meta, use: plan.use, for: call) { end in
                    if let held { held.waiter.leave(held.receipt) { fail(end) } } else { fail(end) }
                }
            }
        }
    }

    /// Submits an item of a group to its queue (`GroupDriver`).
    /// - Parameters:
    ///   - waiter: Receives the item's end, perhaps before this function returns.
    ///   - deadline: The deadline of the item, across all its submits.
    ///   - waits: Called before the item waits for a place among the receipts of its client.
    package func enter(
        _ id: String, _ plan: AdmissionPlan, _ waiter: ReceiptWaiter, deadline: ContinuousClock.Instant,
        waits: @escaping ClientQuota.Withdrawable = { _ in }
    ) async throws(TintypeError) -> PendingReceipt {
        try await clients.enter(id, sharer: plan.sharer, until: deadline, waits: waits)
        let name = ReceiptMaker.Name(id: id, deadline: deadline)
        let entry = maker.entry(name, plan, below: plan.trace, client: plan.sharer, isKept: true)
        var opened: PendingReceipt?
        do throws(TintypeError) {
            return try await maker.make(entry, for: nil) { receipt in
                opened = receipt
                receipt.attach(waiter)
            } undo: {
                opened?.detach(waiter)
            }
        } catch {
            giveUpPermit(of: id)
            throw error
        }
    }

    /// Gives the receipt of a request a place among those of its client. The request may have to wait, and can be canceled meanwhile.
    private func place(_ entry: ReceiptMaker.Entry, _ client: ClientQuota, _ call: Call) async throws(TintypeError) {
        defer { (call.onCancel, call.onAbandoned) = (nil, nil) }
        try await clients.enter(entry.id, client, until: entry.deadline) { withdraw in
            call.onCancel = { [weak call] in
                withdraw(Call.withdrawn)
                call?.fail(Call.withdrawn)
            }
            call.onAbandoned = { withdraw(Outcome.cancellation(reason: "disconnected", phase: "admission")) }
        }
    }

    /// Frees the place of a receipt that was not made, unless another request has made it.
    private func giveUpPermit(of id: String) { clients.left(id, unless: receipts[id] != nil) }
}
