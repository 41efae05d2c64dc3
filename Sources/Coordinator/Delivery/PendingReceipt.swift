import Shared

/// A live receipt that this coordinator answers for: who waits for it, what they were told, and when to ask Redis about it.
///
/// There may be a million of them, and what only a few need is made when they need it.
@Loop
final class PendingReceipt: DueItem {
    let id: String
    let lane: Lane
    var queue: String { lane.name }
    /// Digest of the request it was made for: the same id with another request is refused. nil if only Redis knows it.
    var fingerprint: String? { submission?.fingerprint }
    /// `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    let meta: String
    /// What is done with its result.
    var use: ResultUse {
        switch order {
        case .found(let order): order.use
        case .made(let order): order.use
        case .packed(let order): order.use
        }
    }
    /// Lives on when its client leaves.
    var isDetached: Bool { use.terms.isDetached }
    /// Its events come to this coordinator. Another's receipt is only watched, for somebody who waits for it here.
    private(set) var isOurs = true
    /// What to submit again should Redis lose it; nil for a receipt another coordinator submitted.
    var submission: Submission? {
        switch order {
        case .found: nil
        case .made(let order): order.submission
        case .packed(let order): order.submission(receipt: id, meta: meta)
        }
    }
    /// Whether somebody is to be called at its end.
    var owesCallback: Bool {
        switch order {
        case .found: false
        case .made(let order): order.submission.callback != nil
        case .packed(let order): order.hasCallback
        }
    }

    /// What was asked for, in less and less memory.
    private enum Order {
        /// Only Redis knows the request.
        case found(Found)
        case made(SubmissionForms.Form)
        case packed(PackedSubmission)
    }

    private final class Found: Sendable {
        let use: ResultUse
        init(_ use: ResultUse) { self.use = use }
    }

    private var order: Order
    /// When it must have ended; nil when another coordinator watches it.
    let deadline: ContinuousClock.Instant?
    /// What it ends with when that passes: more time would not have helped where Redis took nothing down.
    var lateness: TintypeError {
        get { otherLateness?.error ?? Queue.deadlineExceeded }
        set { otherLateness = Lateness(newValue) }
    }

    private final class Lateness: Sendable {
        let error: TintypeError
        init(_ error: TintypeError) { self.error = error }
    }

    private var otherLateness: Lateness?

    private(set) var attachments: [Attachment] = []
    /// Submits of it under way. Events are held back until the answer of the submit is known.
    var submits = 0
    /// It is among those that Redis is asked for next (`Recovery`).
    var isSuspected = false
    /// Redis has it.
    private(set) var isAdmitted = false
    /// It is known whether Redis has it: it was admitted, has ended, or is no more.
    private var isDecided = false
    /// Completed then; nil while nobody waits for it.
    private var decision: OneShot<Void>?
    /// Its end is being told; nothing more is taken.
    private(set) var isEnding = false
    /// A submit of it was sent whose answer never came: Redis may have it, or take it in a moment.
    var mayBeQueued = false
    /// That it has to be withdrawn as soon as Redis has it.
    struct Wish {
        let reason: String
        /// As in `Withdrawal.withdraw`.
        let sparesOthers: Bool
    }
    var withdrawal: Wish?
    private var held: [ReceiptEvent] = []
    /// The number of the last event in Redis that was seen.
    private var lastSequence = 0
    /// The number of the last event any client of ours got.
    private var toldSequence = 0

    /// What the client that left last was told; whoever takes the receipt up is told the same.
    private(set) var lastFilter = Attachment.Filter.terminal

    /// When to ask Redis about it.
    var vigil = Vigil()
    /// How often its channel had broken when its submit began: what was told of it during a later break was not heard, perhaps.
    private var breaks: Int

    /// When something has to be done about its deadline, in monotonic seconds; infinity: never.
    var deadlineAt = Double.infinity
    /// Its deadline has passed, and Redis is being told.
    var isExpired = false
    /// Answers a `$/cancelRequest` that Redis does not answer.
    var courtesyTimer: LoopTimer?
    /// Until when a client that has gone may come back, in monotonic seconds. Who asks in passing does not end that time; while he waits it does
    /// not run out.
    var graceEnd: Double?
    /// When the first of all that comes.
    var due: Double { min(deadlineAt, graceEnd ?? .infinity, vigil.due) }
    /// Its place in the agenda.
    var place: Int32 = -1
    /// The table has it.
    var isListed = false
    /// It is counted as in flight.
    var isInFlight = false
    /// The receipt's public channel, watched while another coordinator's channel gets its events.
    var following: RedisSubscription?

    /// - Parameters:
    ///   - meta: as in its submission, if there is one.
    ///   - submission: nil if only Redis knows the request.
    init(id: String, lane: Lane, meta: String, use: ResultUse, submission: Submission?, deadline: ContinuousClock.Instant?) {
        self.id = id
        self.lane = lane
        self.meta = meta
        self.deadline = deadline
        order = submission.map { .made(SubmissionForms.Form($0, use)) } ?? .found(Found(use))
        breaks = lane.breaks
    }

    /// Keeps what was submitted in less memory: it is needed only if Redis should lose it.
    func pack(_ forms: SubmissionForms) {
        if case .made(let order) = order { self.order = .packed(PackedSubmission(order.submission, order.use, forms: forms)) }
    }

    func attach(_ attachment: Attachment) {
        attachment.goOn(after: told)
        attachments.append(attachment)
        if !attachment.isPassing { graceEnd = nil }
        // Whoever left it while its submit was under way is not the only one any more. Who cancels a receipt does so for all.
        if withdrawal?.sparesOthers == true { withdrawal = nil }
    }

    /// Takes one hold away; says whether it was there.
    @discardableResult
    func detach(_ attachment: Attachment) -> Bool {
        guard let index = attachments.firstIndex(where: { $0 === attachment }) else { return false }
        toldSequence = max(toldSequence, attachment.sequence)
        if attachment.filter != .none { lastFilter = attachment.filter }
        attachments.remove(at: index)
        // Of another's receipt it is not known whether those here are the last.
        if isOurs { inherit() }
        return true
    }

    /// Whose it is was learnt from Redis.
    func belongs(toUs isOurs: Bool) {
        self.isOurs = isOurs
        if isOurs == (vigil.cause == .elsewhere) { vigil.begin(isOurs ? .unproven : .elsewhere, at: Seconds.monotonic) }
        // Those it belonged to have gone.
        if isOurs { inherit() }
    }

    /// How many have a say in whether the work goes on.
    var holders: Int { attachments.count { !$0.isOnlooker } }

    /// Those who have only looked wait for it from now on if nobody else does.
    private func inherit() {
        guard holders == 0 else { return }
        for attachment in attachments { attachment.isOnlooker = false }
    }

    /// Takes an event in and answers those to tell now; none while the submit has not been answered, and none twice.
    func receive(_ event: ReceiptEvent) -> [ReceiptEvent] {
        vigil.heard(event.type, at: Seconds.monotonic)
        guard !isEnding, event.sequence > lastSequence else { return [] }
        lastSequence = event.sequence
        guard isAdmitted else {
            held.append(event)
            return []
        }
        return [event]
    }

    /// The number of the last event that clients of ours were told.
    private var told: Int { attachments.reduce(toldSequence) { max($0, $1.sequence) } }

    /// What is submitted was known to Redis already, with so many events: clients were told of them, here or elsewhere.
    func goOn(after sequence: Int) {
        lastSequence = max(lastSequence, sequence)
        held.removeAll { $0.sequence <= sequence }
        toldSequence = max(toldSequence, sequence)
        for attachment in attachments { attachment.goOn(after: toldSequence) }
    }

    /// It was known under this id before.
    func goOn(as earlier: PendingReceipt) { toldSequence = earlier.told }

    /// It was found in Redis as it is: only what comes after this event is news.
    func takeUp(after sequence: Int) {
        (isAdmitted, isDecided) = (true, true)
        lastSequence = sequence
        toldSequence = sequence
        // What came after that and before it was in the table was nobody's.
        if vigil.cause == .none { vigil.begin(.unproven, at: Seconds.monotonic) }
    }

    /// Redis has it: answers what was held back.
    func admit() -> [ReceiptEvent] {
        isAdmitted = true
        // The state was read after that break, and without this one, which was not there yet.
        if breaks != lane.breaks, vigil.cause == .none { vigil.begin(.unproven, at: Seconds.monotonic) }
        inherit()
        decide()
        defer { held = [] }
        return held
    }

    /// Redis will count its events from 1 again: it is being submitted anew.
    func startOver() {
        isAdmitted = false
        isDecided = false
        breaks = lane.breaks
        held = []
        lastSequence = 0
    }

    /// Its end was decided; says whether this is the first time.
    func beginEnding() -> Bool {
        guard !isEnding else { return false }
        isEnding = true
        release()
        return true
    }

    /// It has ended, or has left the table: nothing is due any more.
    func release() {
        decide()
        courtesyTimer = nil
        (deadlineAt, graceEnd) = (.infinity, nil)
        vigil.end()
    }

    /// Waits until it is known whether Redis has it.
    func untilDecided() async {
        guard !isDecided else { return }
        let decision = decision ?? OneShot()
        self.decision = decision
        try? await decision.wait()
    }

    private func decide() {
        isDecided = true
        decision?.complete(.success(()))
        decision = nil
    }
}
