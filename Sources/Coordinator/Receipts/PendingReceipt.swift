import TintypeCore
package import TintypeTransport
import TintypeQueue

/// A live receipt of this coordinator: its waiting clients, their events, and the time to ask Redis about it.
///
/// There may be a million of them, so members that few receipts need are created on demand.
@Loop
package final class PendingReceipt: DueItem {
    package let id: String
    package let handle: QueueHandle
    package var queue: String { handle.queueName }
    /// `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    package let meta: String
    private var stored: StoredSubmission
    /// The digest of its request: the same id with another request is refused. nil if only Redis knows the request.
    package var fingerprint: String? { submission?.fingerprint }
    /// The use of its result.
    package var use: ResultUse { stored.use }
    /// Whether it goes on when its client disconnects.
    var isDetached: Bool { use.terms.isDetached }
    /// The submission to repeat if Redis loses the receipt; nil for a receipt that another coordinator submitted.
    var submission: Submission? { stored.submission(receipt: id, meta: meta) }
    /// The number of requested renditions with a name; nil for a receipt that another coordinator submitted.
    var namedRenditions: Int? { stored.namedRenditions }
    var owesCallback: Bool { stored.owesCallback }

    /// The attachments that wait for it here, the oldest first.
    private(set) var waiters = SmallArray<ReceiptWaiter>()
    private var rare: RareState?

    /// Members that few receipts have at a time.
    private final class RareState {
        var lateness: TintypeError?
        var decision: OneShot<Void>?
        var held: [ReceiptEvent] = []
        var courtesyTimer: LoopTimer?
        var following: PublicSubscription?

        var isEmpty: Bool { lateness == nil && decision == nil && held.isEmpty && courtesyTimer == nil && following == nil }
    }

    private var made: RareState {
        if let rare { return rare }
        let new = RareState()
        rare = new
        return new
    }

    /// The schedule of questions to Redis about it.
    var liveness = LivenessCheck()
    /// Its deadline in monotonic seconds; infinity when another coordinator watches the deadline.
    package let end: Double
    /// The time of the next action for its deadline, in monotonic seconds; infinity: never.
    var deadlineAt = Double.infinity
    /// Like `graceEnd`; infinity: no client has left.
    private var graceOver = Double.infinity
    /// The number of the last event in Redis that was received.
    private var lastSequence: Int32 = 0
    /// The number of the last event that any client of this coordinator got.
    private var deliveredSequence: Int32 = 0
    /// The number of breaks of its channel when its submit began. Its events during a later break may have been missed.
    private var breaks: Int32
    /// Its index in the agenda.
    package var place: Int32 = -1
    /// Its state between submit and end.
    var life = ReceiptLife()
    /// Whether it is among the receipts that Redis is asked about next (`Recovery`).
    var isSuspected = false
    /// The filter of the client that left last. A client that continues the receipt gets the same events.
    private(set) var lastFilter = ReceiptWaiter.Filter.terminal

    package var isOurs: Bool { life.isOurs }
    var isAdmitted: Bool { life.isAdmitted }
    package var isEnding: Bool { life.isEnding }

    /// Events that arrived before the answer of the submit.
    private var held: [ReceiptEvent] {
        get { rare?.held ?? [] }
        set { if rare != nil || !newValue.isEmpty { made.held = newValue } }
    }
    /// The error with which it ends when its deadline passes. It differs from `deadlineExceeded` if Redis refused writes, because more time would
    /// not have helped.
    var lateness: TintypeError {
        get { rare?.lateness ?? Queue.deadlineExceeded }
        set { made.lateness = newValue }
    }
    /// Answers a `$/cancelRequest` if Redis does not answer.
    var courtesyTimer: LoopTimer? {
        get { rare?.courtesyTimer }
        set { if rare != nil || newValue != nil { made.courtesyTimer = newValue } }
    }
    /// The receipt's public channel, subscribed while another coordinator's channel gets its events.
    var following: PublicSubscription? {
        get { rare?.following }
        set { if rare != nil || newValue != nil { made.following = newValue } }
    }
    /// Completed when it is known whether Redis has the receipt; nil while no task waits for that.
    private var decision: OneShot<Void>? {
        get { rare?.decision }
        set { if rare != nil || newValue != nil { made.decision = newValue } }
    }

    /// Its deadline; nil when another coordinator watches it.
    package var deadline: ContinuousClock.Instant? { end == .infinity ? nil : .now + .seconds(end - Seconds.monotonic) }
    /// The time until which a disconnected client may come back, in monotonic seconds. A waiting `receipt.get` does not clear this time, but the
    /// receipt is not canceled while the call waits.
    var graceEnd: Double? {
        get { graceOver == .infinity ? nil : graceOver }
        set { graceOver = newValue ?? .infinity }
    }
    /// The time of the next action.
    package var due: Double { min(deadlineAt, graceOver, liveness.due) }

    /// - Parameters:
    ///   - meta: The same as in its submission, if there is one.
    ///   - submission: nil if only Redis knows the request.
    init(id: String, handle: QueueHandle, meta: String, use: ResultUse, submission: Submission?, deadline: ContinuousClock.Instant?) {
        self.id = id
        self.handle = handle
        self.meta = meta
        end = deadline.map { Seconds.monotonic + ($0 - .now).inSeconds } ?? .infinity
        stored = StoredSubmission(submission, use)
        breaks = Int32(truncatingIfNeeded: handle.breaks)
    }

    /// Keeps the submission in less memory, because it is needed only if Redis loses the receipt.
    func pack(_ forms: SubmissionForms) { stored.pack(forms) }

    // MARK: Waiting clients

    func attach(_ waiter: ReceiptWaiter) {
        waiter.goOn(after: delivered)
        waiters.append(waiter)
        if !waiter.isTransient { graceEnd = nil }
        life.join()
    }

    /// Removes an attachment.
    /// - Returns: Whether it was there.
    @discardableResult
    func detach(_ waiter: ReceiptWaiter) -> Bool {
        guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
        deliveredSequence = max(deliveredSequence, Int32(clamping: waiter.sequence))
        if waiter.filter != .none { lastFilter = waiter.filter }
        waiters.remove(at: index)
        // For a receipt of another coordinator, it is unknown whether the clients here are the last ones.
        if isOurs { inherit() }
        return true
    }

    /// The number of attachments that keep the work going.
    package var holders: Int { waiters.count { !$0.isObserver } }

    var audience: ReceiptLife.Audience { waiters.isEmpty ? .noClient : holders == 0 ? .observers : .holders }

    /// Records the owner that Redis names.
    package func belongs(toUs isOurs: Bool) {
        life.belongs(toUs: isOurs)
        if isOurs == (liveness.cause == .elsewhere) { liveness.begin(isOurs ? .unproven : .elsewhere, at: Seconds.monotonic) }
        // The other coordinator's clients have gone.
        if isOurs { inherit() }
    }

    /// Makes observers keep the work going if no other client does.
    private func inherit() {
        guard holders == 0 else { return }
        for waiter in waiters { waiter.isObserver = false }
    }

    // MARK: Events

    /// Records an event and returns the events to send now: none before the submit is answered, and none twice.
    func receive(_ event: ReceiptEvent) -> [ReceiptEvent] {
        liveness.heard(event.type, at: Seconds.monotonic)
        guard !isEnding, event.sequence > lastSequence else { return [] }
        lastSequence = Int32(clamping: event.sequence)
        guard isAdmitted else {
            held.append(event)
            return []
        }
        return [event]
    }

    /// The number of the last event that clients of this coordinator got.
    private var delivered: Int { waiters.reduce(Int(deliveredSequence)) { max($0, $1.sequence) } }

    /// Continues after the events that Redis already has for the receipt: clients got them here or elsewhere.
    func goOn(after sequence: Int) {
        lastSequence = max(lastSequence, Int32(clamping: sequence))
        held.removeAll { $0.sequence <= sequence }
        deliveredSequence = max(deliveredSequence, Int32(clamping: sequence))
        for waiter in waiters { waiter.goOn(after: Int(deliveredSequence)) }
    }

    /// Continues the numbers of an earlier entry with the same id.
    func goOn(as earlier: PendingReceipt) { deliveredSequence = Int32(clamping: earlier.delivered) }

    // MARK: Life

    /// Takes over the state from Redis. Only events after this one are new.
    func takeUp(after sequence: Int) {
        life.admit()
        lastSequence = Int32(clamping: sequence)
        deliveredSequence = lastSequence
        // Events after this state and before the entry in the table were not received here.
        if liveness.cause == .none { liveness.begin(.unproven, at: Seconds.monotonic) }
    }

    /// Records that Redis has the receipt, and returns the events that were held back.
    func admit() -> [ReceiptEvent] {
        life.admit()
        // After that break the state was read without this receipt, which Redis did not have yet.
        if breaks != Int32(truncatingIfNeeded: handle.breaks), liveness.cause == .none { liveness.begin(.unproven, at: Seconds.monotonic) }
        inherit()
        decide()
        defer {
            held = []
            if rare?.isEmpty == true { rare = nil }
        }
        return held
    }

    /// Prepares another submit: Redis has lost the receipt and will count its events from 1 again.
    func startOver() {
        life.lose()
        breaks = Int32(truncatingIfNeeded: handle.breaks)
        held = []
        lastSequence = 0
    }

    /// Records that its end is decided; returns whether this is the first time.
    func beginEnding() -> Bool {
        guard life.end() else { return false }
        clearTimers()
        return true
    }

    /// Removes it from the table and returns its listing there.
    func leaveTable() -> ReceiptLife.Listing {
        let place = life.forget()
        clearTimers()
        return place
    }

    /// Clears everything that is due.
    private func clearTimers() {
        decide()
        courtesyTimer = nil
        (deadlineAt, graceEnd) = (.infinity, nil)
        liveness.end()
    }

    /// Waits until it is known whether Redis has it.
    func untilDecided() async {
        guard !life.isDecided else { return }
        let decision = decision ?? OneShot()
        self.decision = decision
        try? await decision.wait()
    }

    private func decide() {
        decision?.complete(.success(()))
        decision = nil
    }
}
