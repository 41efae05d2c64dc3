import TintypeTransport

/// When something has to be done about each live receipt: its deadline, the end of a client's grace, a question to Redis.
///
/// One timer for all of them. A receipt that waits costs an entry and nothing else until its time comes. Of a mass that is due in the same
/// moment one slice is taken in each turn of the loop, so that everybody else has a turn between two slices.
@Loop
final class ReceiptAgenda {
    /// The most receipts that one turn of the loop takes.
    nonisolated static let slice = 100

    private var heap = DueHeap<PendingReceipt>()
    private var timer: LoopTimer?
    /// The moment for which the timer is set; infinity without one.
    private var awaited = Double.infinity
    /// Does what is due for a receipt, and places it anew if it lives on.
    var onDue: (@Loop (_ receipt: PendingReceipt, _ now: Double) -> Void)?

    var count: Int { heap.count }

    /// Has a receipt looked at when it is due. One that is due later than it was stays where it is, and is placed anew when that time comes.
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
