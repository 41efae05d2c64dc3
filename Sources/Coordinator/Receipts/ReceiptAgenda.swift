import TintypeTransport

/// The times of the next action for each live receipt: its deadline, the end of a client's grace period, a question to Redis.
///
/// One timer serves all receipts, so a waiting receipt costs only an entry. When many are due at once, each turn of the loop takes one slice, so
/// that other work runs between two slices.
@Loop
final class ReceiptAgenda {
    /// The most receipts that one turn of the loop takes.
    nonisolated static let slice = 100

    private var heap = DueHeap<PendingReceipt>()
    private var timer: LoopTimer?
    /// The time of the timer; infinity without a timer.
    private var awaited = Double.infinity
    /// Performs the due action of a receipt, and places the receipt again if it goes on.
    var onDue: (@Loop (_ receipt: PendingReceipt, _ now: Double) -> Void)?

    var count: Int { heap.count }

    /// Schedules a receipt. A receipt that is now due later keeps its entry, and is placed again at the earlier time.
    func place(_ receipt: PendingReceipt) {
        let due = receipt.due
        guard due < .infinity, heap.due(of: receipt).map({ due < $0 }) ?? true else { return }
        heap.place(receipt, at: due)
        arm()
    }

    func remove(_ receipt: PendingReceipt) { heap.remove(receipt) }

    private func arm() {
        guard let first = heap.first?.due, first < awaited else { return }
        awaited = first
        timer = LoopTimer(after: .seconds(max(0, first - Seconds.monotonic))) { [weak self] in self?.look() }
    }

    private func look() {
        timer = nil
        awaited = .infinity
        let now = Seconds.monotonic
        for _ in 0..<Self.slice {
            guard let (due, receipt) = heap.first, due <= now else { break }
            heap.remove(receipt)
            onDue?(receipt, now)
        }
        arm()
    }
}
