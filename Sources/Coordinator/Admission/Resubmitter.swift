import TintypeCore
import TintypeTransport
import TintypeQueue

/// Submits receipts again that Redis has lost, as `Recovery` finds out.
@Loop
final class Resubmitter {
    private let sender: ReceiptSender
    private let receipts: ReceiptTable
    private let cancellation: CancellationService
    private let scope: TaskScope
    /// The number of receipts that are being submitted again.
    private(set) var count = 0

    init(_ sender: ReceiptSender, _ receipts: ReceiptTable, _ cancellation: CancellationService, _ scope: TaskScope) {
        (self.sender, self.receipts, self.cancellation, self.scope) = (sender, receipts, cancellation, scope)
    }

    /// Submits a receipt again that Redis has lost.
    func resubmit(_ receipt: PendingReceipt) {
        guard let limit = receipt.deadline, var submission = receipt.submission, receipt.life.submits == 0 else { return }
        receipt.startOver()
        receipt.life.submitBegins()
        count += 1
        scope.run("resubmit \(receipt.id)") { [self] in
            defer {
                receipt.life.submitReturns()
                count -= 1
            }
            submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            do throws(TintypeError) {
                // With the receipt, Redis may have lost the reservation of its id.
                try await sender.reserve(receipt, Digest.randomHex(bytes: 8))
                if case .finished(let ending) = try await sender.send(submission, receipt, until: limit) {
                    if let shown = ReceiptEvent(shownBy: ending) { receipts.show(cached: shown, of: receipt) }
                    receipts.end(receipt, Outcome(ReceiptEvent(ending)))
                } else {
                    // The deadline may have passed while Redis did not have the receipt.
                    cancellation.watch(receipt)
                    receipts.admit(receipt)
                }
            } catch {
                receipts.end(receipt, Outcome(failing: error))
                cancellation.revoke(receipt)
            }
        }
    }
}
