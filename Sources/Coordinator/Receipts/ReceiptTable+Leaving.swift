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
    package func released(_ waiter: ReceiptWaiter, from receipt: PendingReceipt) { letGo(waiter, of: receipt, mayComeBack: false) }

    private func letGo(_ waiter: ReceiptWaiter, of receipt: PendingReceipt, mayComeBack: Bool) {
        guard receipt.detach(waiter) else { return }
        part(
            receipt.life.left(
                to: receipt.audience, cancelsOnDisconnect: waiter.cancelsOnDisconnect, mayComeBack: mayComeBack, isDetached: receipt.isDetached,
                waits: receipt.graceEnd != nil), from: receipt)
    }

    /// Leaves another coordinator's receipt that no client here keeps going. Observers are still told of its end.
    package func leave(_ receipt: PendingReceipt) { part(receipt.life.handedOver(to: receipt.audience), from: receipt) }

    /// Handles a receipt that came to this coordinator at the moment when its last client here left.
    func comeTooLate(_ receipt: PendingReceipt) {
        add(receipt)
        part(receipt.life.deserted(isDetached: receipt.isDetached, waits: receipt.graceEnd != nil), from: receipt)
    }

    /// Handles a receipt that came to this coordinator while its client may still come back. Until then a client of another coordinator may continue it.
    package func given(_ receipt: PendingReceipt) {
        if receipt.waiters.isEmpty { actions.leave(receipt) }
    }

    func endGrace(of receipt: PendingReceipt) {
        receipt.graceEnd = nil
        part(receipt.life.waitIsOver(receipt.audience), from: receipt)
    }

    private func part(_ parting: ReceiptLife.LeaveActions, from receipt: PendingReceipt) {
        if parting.contains(.tell) { actions.leave(receipt) }
        if parting.contains(.forget) { remove(receipt) }
        if parting.contains(.wait) {
            receipt.graceEnd = Seconds.monotonic + Self.grace.inSeconds
            plan(receipt)
        }
        if parting.contains(.withdraw) { actions.withdraw(receipt, for: .disconnected) }
    }
}

/// The ends that a connection was told of a short while ago. Pure: the caller supplies the time.
///
/// A new primary may have lost the last writes of the one before. A receipt that has ended may run there again. A client that asks for such a receipt gets
/// the answer, and is not told of the end twice.
struct RecentlyDelivered: Sendable {
    /// How long an end is remembered, in seconds. A switch takes less.
    static let memory = 60.0
    /// The most ends that are remembered: 16 KiB.
    static let most = 1024

    /// Hashes, because there may be many thousand connections. Two ids of one connection have the same hash once in 2⁶⁴.
    private var recent = FIFO<(receipt: Int, at: Double)>()

    /// Records an end.
    /// - Parameter now: in seconds of any clock.
    mutating func add(_ receipt: String, at now: Double) {
        while let first = recent.first, recent.count >= Self.most || first.at + Self.memory < now { _ = recent.popFirst() }
        recent.append((receipt.hashValue, now))
    }

    /// Returns whether the connection was told of an end of the receipt.
    func contains(_ receipt: String) -> Bool {
        let hash = receipt.hashValue
        return recent.elements.contains { $0.receipt == hash }
    }
}
