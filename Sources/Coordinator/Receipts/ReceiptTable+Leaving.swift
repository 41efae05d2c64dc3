import TintypeTransport

/// What becomes of receipts whose clients leave: they are withdrawn, wait for a while for somebody to come back, or are left to others.
extension ReceiptTable {
    /// How long a receipt waits for somebody to take it up after its client has gone.
    static let grace = Duration.seconds(30)
    /// How many receipts of clients that have gone are given up in one turn of the loop.
    private static let farewells = 1000

    /// A client has gone. What only it wanted is withdrawn, or waits for a while for it to come back, wherever the receipt is by now.
    func disconnected(_ attachment: Attachment, from receipt: PendingReceipt) {
        letGo(attachment, of: receipt, mayComeBack: !attachment.isFleeting && !attachment.isOnlooker && !receipt.isDetached)
    }

    /// The same of all that a client had, the first at once, the others some in each turn of the loop.
    func disconnected(_ holds: [(attachment: Attachment, receipt: PendingReceipt)]) {
        abandoned += holds
        if abandonment == nil { giveUpSome() }
    }

    /// Clients have gone of whose receipts some have yet to be looked at.
    var isGivingUp: Bool { !abandoned.isEmpty }

    private func giveUpSome() {
        abandonment = nil
        for _ in 0..<Self.farewells {
            guard let hold = abandoned.popLast() else { return abandoned = [] }
            disconnected(hold.attachment, from: hold.receipt)
        }
        wait()
    }

    private func wait() {
        abandonment = LoopTimer(after: isBusy ? .milliseconds(5) : .zero) { [weak self] in
            guard let self else { return }
            if self.isBusy { self.wait() } else { self.giveUpSome() }
        }
    }

    /// A client gives a receipt up that others wait for, or has waited long enough.
    func released(_ attachment: Attachment, from receipt: PendingReceipt) { letGo(attachment, of: receipt, mayComeBack: false) }

    private func letGo(_ attachment: Attachment, of receipt: PendingReceipt, mayComeBack: Bool) {
        guard receipt.detach(attachment) else { return }
        part(
            receipt.life.left(
                to: receipt.audience, isFleeting: attachment.isFleeting, mayComeBack: mayComeBack, isDetached: receipt.isDetached,
                waits: receipt.graceEnd != nil), from: receipt)
    }

    /// Nobody waits here any more for what is another coordinator's. Those who have only looked are told of the end.
    func leave(_ receipt: PendingReceipt) { part(receipt.life.handedOver(to: receipt.audience), from: receipt) }

    /// A receipt has come to this coordinator in the moment in which the last client left that waited for it here.
    func comeTooLate(_ receipt: PendingReceipt) {
        add(receipt)
        part(receipt.life.deserted(isDetached: receipt.isDetached, waits: receipt.graceEnd != nil), from: receipt)
    }

    /// A receipt has come to this coordinator whose client here has gone and may come back. Whoever asks elsewhere may have it till then.
    func given(_ receipt: PendingReceipt) {
        if receipt.attachments.isEmpty { actions.leave(receipt) }
    }

    /// Nobody has come back to a receipt.
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
