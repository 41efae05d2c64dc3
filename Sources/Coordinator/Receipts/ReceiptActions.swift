import TintypeCore
import TintypeTransport

/// The acts of others on receipts: the holders of receipts are made before those who act on them, and ask for an act by this.
///
/// One object has all of it from its first moment on: nothing can be forgotten when a coordinator is put together.
@Loop
protocol ReceiptActions: AnyObject {
    /// Withdraws a receipt from Redis (`Withdrawal`).
    func withdraw(_ receipt: PendingReceipt, for wish: ReceiptLife.Wish)
    /// Says in Redis that nobody waits here any more for a receipt: another coordinator may have it, or keeps it (`Withdrawal`).
    func leave(_ receipt: PendingReceipt)
    /// Withdraws a receipt that is this coordinator's because of a client that is here no more (`Withdrawal`).
    func refuse(_ id: String, _ lane: Lane)
    /// Ends a receipt whose deadline has passed, and once more when what its client waits for after that has (`Withdrawal`).
    func expire(_ receipt: PendingReceipt)
    /// Asks Redis what has become of a receipt (`Recovery`).
    func ask(_ receipt: PendingReceipt)
    /// Asks Redis, with others, about a receipt of which something should have been heard (`Recovery`).
    func suspect(_ receipt: PendingReceipt)
    /// Submits a receipt once more that Redis has lost (`Submitter`).
    func resubmit(_ receipt: PendingReceipt)
    /// How many are being submitted once more.
    var resubmissions: Int { get }
    /// A callback is due (`CallbackSender`).
    func owesCallback()
    /// One more receipt of a lane is in flight, or one fewer (`ActivityMonitor`).
    func changedInFlight(by change: Int, on lane: Lane)
    /// Loads what stands in for an image that could not be loaded, to its end (`Admission`).
    func standIn(_ params: JSON) async -> Outcome
}
