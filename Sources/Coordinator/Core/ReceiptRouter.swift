import TintypeCore
import TintypeTransport
import TintypeQueue

/// Forwards receipt actions and channel messages to the parts that handle them. It is created before these parts, so that each can receive it in
/// its initializer.
@Loop
final class ReceiptRouter: ReceiptActions, QueueListener {
    /// The parts that handle the forwarded calls.
    struct Parts {
        let receipts: ReceiptTable
        let cancellation: CancellationService
        let recovery: Recovery
        let resubmitter: Resubmitter
        let admission: Admission
        let clients: ClientQuotas
    }

    private let events: CoreEvents
    /// Set before anything listens or connects.
    private var parts: Parts!

    init(_ events: CoreEvents) { self.events = events }

    /// Sets the parts. Called once, when all of them exist.
    func connect(_ parts: Parts) { self.parts = parts }

    // MARK: Receipts

    func withdraw(_ receipt: PendingReceipt, for cancelCause: ReceiptLife.CancelCause) { parts.cancellation.withdraw(receipt, for: cancelCause) }
    func leave(_ receipt: PendingReceipt) { parts.cancellation.leave(receipt) }
    func refuse(_ id: String, _ handle: QueueHandle) { parts.cancellation.refuse(id, handle) }
    func expire(_ receipt: PendingReceipt) { parts.cancellation.expire(receipt) }
    func ask(_ receipt: PendingReceipt) { parts.recovery.ask(receipt) }
    func suspect(_ receipt: PendingReceipt) { parts.recovery.suspect(receipt) }
    func resubmit(_ receipt: PendingReceipt) { parts.resubmitter.resubmit(receipt) }
    var resubmissions: Int { parts.resubmitter.count }
    func owesCallback() { events.callbackOwed?() }
    func changedInFlight(by change: Int, on handle: QueueHandle) { events.inFlightChanged?(change, handle) }
    func loadFallback(_ params: JSON, _ trace: TraceContext?) async -> Outcome { await parts.admission.loadFallback(params, trace) }

    // MARK: Channels

    func heard(_ event: QueueEvent, on handle: QueueHandle) {
        parts.receipts.receive(event, handle: handle)
        if event.isEndOfGroup { events.groupEnded?(event.fetch) }
    }

    func mayHaveMissed(on handle: QueueHandle) { parts.recovery.refresh(handle) }
    func counted(of queue: String) -> Int? { queue == QueueKeys.shared.name ? events.runningCount?() : nil }
    func greeted(_ greeting: HeartbeatAnswer, on handle: QueueHandle) {
        events.greeted?(greeting, handle)
        if let count = greeting.coordinators { parts.clients.share(among: count) }
    }
}
