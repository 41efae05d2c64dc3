import TintypeCore
import TintypeTransport

/// The actions on receipts. The objects that hold receipts are created before the objects that act on them, and call them through this protocol.
///
/// One object provides all actions from its creation on, so that none can be forgotten when a coordinator is put together.
@Loop
protocol ReceiptActions: AnyObject {
    /// Cancels a receipt in Redis (`CancellationService`).
    func withdraw(_ receipt: PendingReceipt, for cancelCause: ReceiptLife.CancelCause)
    /// Records in Redis that no client waits here for a receipt any more: another coordinator may take it, or keeps it (`CancellationService`).
    func leave(_ receipt: PendingReceipt)
    /// Cancels a receipt of this coordinator because its client has disconnected (`CancellationService`).
    func refuse(_ id: String, _ handle: QueueHandle)
    /// Ends a receipt whose deadline has passed. Called again after the time that its client waits for the event (`CancellationService`).
    func expire(_ receipt: PendingReceipt)
    /// Asks Redis about the state of a receipt (`Recovery`).
    func ask(_ receipt: PendingReceipt)
    /// Asks Redis, together with others, about a receipt whose event is overdue (`Recovery`).
    func suspect(_ receipt: PendingReceipt)
    /// Submits a receipt again that Redis has lost (`Resubmitter`).
    func resubmit(_ receipt: PendingReceipt)
    /// The number of receipts that are being submitted again.
    var resubmissions: Int { get }
    /// Handles a due callback (`CallbackSender`).
    func owesCallback()
    /// Counts a change of the receipts in flight of a queue (`ActivityMonitor`).
    func changedInFlight(by change: Int, on handle: QueueHandle)
    /// Loads the fallback of an image and waits for its end (`Admission`).
    /// - Parameter trace: The place of the fallback in a trace.
    func loadFallback(_ params: JSON, _ trace: TraceContext?) async -> Outcome
}
