import TintypeCore
import TintypeTransport
import TintypeQueue

/// Hands what is asked of the rest of the coordinator, and what comes down its channels, to whoever sees to it. It is made before all of them, so that
/// each gets it as it is made.
@Loop
final class Mediator: ReceiptActions, LaneListener {
    /// Those who see to it.
    struct Parts {
        let receipts: ReceiptTable
        let withdrawal: Withdrawal
        let recovery: Recovery
        let submitter: Submitter
        let admission: Admission
        let groups: Groups
        let callbacks: CallbackSender
        let activity: ActivityMonitor
    }

    /// There before anything listens or connects.
    private var parts: Parts!

    /// To be called once, when all are made.
    func connect(_ parts: Parts) { self.parts = parts }

    // MARK: Receipts

    func withdraw(_ receipt: PendingReceipt, for wish: ReceiptLife.Wish) { parts.withdrawal.withdraw(receipt, for: wish) }
    func leave(_ receipt: PendingReceipt) { parts.withdrawal.leave(receipt) }
    func refuse(_ id: String, _ lane: Lane) { parts.withdrawal.refuse(id, lane) }
    func expire(_ receipt: PendingReceipt) { parts.withdrawal.expire(receipt) }
    func ask(_ receipt: PendingReceipt) { parts.recovery.ask(receipt) }
    func suspect(_ receipt: PendingReceipt) { parts.recovery.suspect(receipt) }
    func resubmit(_ receipt: PendingReceipt) { parts.submitter.resubmit(receipt) }
    var resubmissions: Int { parts.submitter.resubmissions }
    func owesCallback() { parts.callbacks.look() }
    func changedInFlight(by change: Int, on lane: Lane) { parts.activity.changedInFlight(by: change, on: lane) }
    func standIn(_ params: JSON) async -> Outcome { await parts.admission.standIn(params) }

    // MARK: Channels

    func heard(_ event: QueueEvent, on lane: Lane) {
        parts.receipts.receive(event, lane: lane)
        if event.isEndOfGroup { parts.groups.over(event.fetch) }
    }

    func mayHaveMissed(on lane: Lane) { parts.recovery.refresh(lane) }
    func counted(of queue: String) -> Int? { queue == QueueKeys.shared.name ? parts.activity.state.running : nil }
    func greeted(_ greeting: Greeting, on lane: Lane) { parts.activity.greeted(greeting, on: lane) }
}
