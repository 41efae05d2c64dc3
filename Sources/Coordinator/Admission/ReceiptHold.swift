import TintypeCore
import TintypeTransport

/// The tie between a receipt and the request that waits for it, until the request is answered.
@Loop
struct ReceiptHold {
    let receipt: PendingReceipt
    let waiter: ReceiptWaiter
    private let requestHandle: Int
    private let receipts: ReceiptTable
    private let cancellation: CancellationService

    /// Ties a receipt to the request that waits for it. If the client has submitted the same request before, its existing attachment is extended,
    /// so that it gets each event once.
    /// - Returns: nil if the client has disconnected or canceled the request.
    init?(_ receipt: PendingReceipt, _ waiter: ReceiptWaiter, _ call: Call, _ receipts: ReceiptTable, _ cancellation: CancellationService) {
        guard call.session.isOpen, !call.isAnswered, !(waiter.cancelsOnDisconnect && call.session.isClosing) else {
            // The client disconnected, or canceled the request, while the queue was looked up.
            if receipt.waiters.isEmpty, !receipt.isDetached { cancellation.withdraw(receipt, for: .disconnected) }
            call.fail(Outcome.cancellation(reason: "disconnected", phase: nil))
            return nil
        }
        let earlier = waiter.complete == nil ? receipt.waiters.first { $0.session === call.session && $0.complete == nil } : nil
        (self.receipt, self.receipts, self.cancellation) = (receipt, receipts, cancellation)
        (self.waiter, requestHandle) = (earlier ?? waiter, earlier?.requestHandle(with: waiter) ?? waiter.requestHandle())
        if earlier == nil {
            receipt.attach(waiter)
            call.session.holds(waiter, of: receipt)
        }
        if receipt.isAdmitted { self.waiter.begin(of: receipt) }
        call.onCancel = { [self] in cancel(call) }
        // An `image.submit` does not end here: its receipt goes on, and a client that continues it gets the remaining hooks.
        if waiter.complete != nil {
            call.onGivenUp = { answer in
                call.session.releases(waiter)
                receipts.disconnected(waiter, from: receipt)
                waiter.leave(receipt, answer)
            }
        }
    }

    /// Unties a request whose submit has failed.
    /// - Returns: Whether it was tied. Otherwise another request of this client uses the same attachment and is still served.
    func release(_ call: Call) -> Bool {
        guard waiter.giveUp(requestHandle) else { return false }
        receipt.detach(waiter)
        call.session.releases(waiter)
        return true
    }

    /// Handles `$/cancelRequest` for a request that waits for a receipt.
    private func cancel(_ call: Call) {
        let error = Outcome.cancellation(reason: "requested", phase: nil)
        guard waiter.giveUp(requestHandle) else { return call.fail(error) }
        let leave: @Loop () -> Void = { [receipt, waiter, receipts] in
            call.session.releases(waiter)
            receipts.released(waiter, from: receipt)
            waiter.leave(receipt) { call.fail(error) }
        }
        switch receipt.life.cancellation(isLast: receipt.holders == 1, isAwaited: waiter.complete != nil) {
        case .leaves: leave()
        case .goes(let withdraws):
            receipt.detach(waiter)
            call.session.releases(waiter)
            if withdraws { cancellation.withdraw(receipt, for: .requested) }
            waiter.leave(receipt) { call.fail(error) }
        case .awaitsEnd:
            cancellation.withdraw(receipt, for: .requested) { [receipt, cancellation] in
                // An observer here may still wait for the receipt, and is told of its end at the deadline.
                cancellation.watch(receipt)
                leave()
            }
            // The answer follows the event `cancelled`, but comes no later than this timer.
            receipt.courtesyTimer = LoopTimer(after: CancellationService.courtesy) { call.fail(error) }
        }
    }
}
