import TintypeTransport

/// The handling of receipts whose clients leave: they are canceled, wait for a client to come back, or are left to others.
extension ReceiptTable {
    /// The time for which a receipt waits for a client after its own client has disconnected.
    static let grace = Duration.seconds(30)
    /// The number of receipts of disconnected clients that are handled in one turn of the loop.
    private static let farewells = 1000

    /// Handles the receipt of a disconnected client. Work that only this client wanted is canceled, or waits for the client to come back.
    func disconnected(_ waiter: ReceiptWaiter, from receipt: PendingReceipt) {
        letGo(waiter, of: receipt, mayComeBack: !waiter.cancelsOnDisconnect && !waiter.isObserver && !receipt.isDetached)
    }

    /// Handles all receipts of a disconnected client: the first ones at once, the others in later turns of the loop.
    func disconnected(_ holds: [(waiter: ReceiptWaiter, receipt: PendingReceipt)]) {
        abandoned += holds
        if abandonment == nil { giveUpSome() }
    }

    /// Whether receipts of disconnected clients are still to be handled.
    var isGivingUp: Bool { !abandoned.isEmpty }

    private func giveUpSome() {
        abandonment = nil
        for _ in 0..<Self.farewells {
            guard let hold = abandoned.popLast() else { return abandoned = [] }
            disconnected(hold.waiter, from: hold.receipt)
        }
        wait()
    }

    private func wait() {
        abandonment = LoopTimer(after: isBusy ? .milliseconds(5) : .zero) { [weak self] in
            guard let self else { return }
            if self.isBusy { self.wait() } else { self.giveUpSome() }
        }
    }

    /// Handles a client that leaves a receipt which others wait for, or that has waited long enough.
    func released(_ waiter: ReceiptWaiter, from receipt: PendingReceipt) { letGo(waiter, of: receipt, mayComeBack: false) }

    private func letGo(_ waiter: ReceiptWaiter, of receipt: PendingReceipt, mayComeBack: Bool) {
        guard receipt.detach(waiter) else { return }
        part(
            receipt.life.left(
                to: receipt.audience, cancelsOnDisconnect: waiter.cancelsOnDisconnect, mayComeBack: mayComeBack, isDetached: receipt.isDetached,
                waits: receipt.graceEnd != nil), from: receipt)
    }

    /// Leaves another coordinator's receipt that no client here keeps going. Observers are still told of its end.
    func leave(_ receipt: PendingReceipt) { part(receipt.life.handedOver(to: receipt.audience), from: receipt) }

    /// Handles a receipt that came to this coordinator at the moment when its last client here left.
    func comeTooLate(_ receipt: PendingReceipt) {
        add(receipt)
        part(receipt.life.deserted(isDetached: receipt.isDetached, waits: receipt.graceEnd != nil), from: receipt)
    }

    /// Handles a receipt that came to this coordinator while its client may still come back. Until then a client of another coordinator may
    /// continue it.
    func given(_ receipt: PendingReceipt) {
        if receipt.waiters.isEmpty { actions.leave(receipt) }
    }

    /// Ends the grace period of a receipt.
    func endGrace(of receipt: PendingReceipt) {
        receipt.graceEnd = nil
        part(receipt.life.waitIsOver(receipt.audience), from: receipt)
    }

    private func part(_ parting: ReceiptLife.Parting, from receipt: PendingReceipt) {
        if parting.contains(.tell) { actions.leave(receipt) }
        if parting.contains(.forget) { remove(receipt) }
        if parting.contains(.wait) {
            receipt.graceEnd = Seconds.monotonic + Self.grace.inSeconds
            plan(receipt)
        }
        if parting.contains(.withdraw) { actions.withdraw(receipt, for: .disconnected) }
    }
}
