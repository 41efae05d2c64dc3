import TintypeCore
import TintypeTransport
import TintypeQueue

/// A live receipt that this coordinator answers for: who waits for it, what they were told, and when to ask Redis about it.
///
/// There may be a million of them, and what only a few need is made when they need it.
@Loop
final class PendingReceipt: DueItem {
    let id: String
    let lane: Lane
    var queue: String { lane.name }
    /// `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    let meta: String
    private var order: ReceiptOrder
    /// Digest of the request it was made for: the same id with another request is refused. nil if only Redis knows it.
    var fingerprint: String? { submission?.fingerprint }
    /// What is done with its result.
    var use: ResultUse { order.use }
    /// Lives on when its client leaves.
    var isDetached: Bool { use.terms.isDetached }
    /// What to submit again should Redis lose it; nil for a receipt another coordinator submitted.
    var submission: Submission? { order.submission(receipt: id, meta: meta) }
    /// How many renditions with a name were asked for; nil for a receipt another coordinator submitted.
    var namedRenditions: Int? { order.namedRenditions }
    /// Whether somebody is to be called at its end.
    var owesCallback: Bool { order.owesCallback }

    /// Those who wait for it here, the longest first.
    private(set) var attachments = ShortList<Attachment>()
    private var seldom: Seldom?

    /// Members that few receipts have at a time.
    private final class Seldom {
        var lateness: TintypeError?
        var decision: OneShot<Void>?
        var held: [ReceiptEvent] = []
        var courtesyTimer: LoopTimer?
        var following: RedisSubscription?

        var isEmpty: Bool { lateness == nil && decision == nil && held.isEmpty && courtesyTimer == nil && following == nil }
    }

    private var made: Seldom {
        if let seldom { return seldom }
        let new = Seldom()
        seldom = new
        return new
    }

    /// When to ask Redis about it.
    var vigil = Vigil()
    /// When it must have ended, in monotonic seconds; infinity when another coordinator watches it.
    let end: Double
    /// When something has to be done about its deadline, in monotonic seconds; infinity: never.
    var deadlineAt = Double.infinity
    /// As `graceEnd`; infinity: nobody has gone.
    private var graceOver = Double.infinity
    /// The number of the last event in Redis that was seen.
    private var lastSequence: Int32 = 0
    /// The number of the last event any client of ours got.
    private var toldSequence: Int32 = 0
    /// How often its channel had broken when its submit began: what was told of it during a later break was not heard, perhaps.
    private var breaks: Int32
    /// Its place in the agenda.
    var place: Int32 = -1
    /// Where it stands between its submit and its end.
    var life = ReceiptLife()
    /// It is among those that Redis is asked for next (`Recovery`).
    var isSuspected = false
    /// The filter of the client that left last; a client that takes the receipt up is told the same.
    private(set) var lastFilter = Attachment.Filter.terminal

    var isOurs: Bool { life.isOurs }
    var isAdmitted: Bool { life.isAdmitted }
    var isEnding: Bool { life.isEnding }

    /// Events that came before the answer of the submit.
    private var held: [ReceiptEvent] {
        get { seldom?.held ?? [] }
        set { if seldom != nil || !newValue.isEmpty { made.held = newValue } }
    }
    /// The error that it ends with when its deadline passes: more time would not have helped where Redis took nothing down.
    var lateness: TintypeError {
        get { seldom?.lateness ?? Queue.deadlineExceeded }
        set { made.lateness = newValue }
    }
    /// Answers a `$/cancelRequest` that Redis does not answer.
    var courtesyTimer: LoopTimer? {
        get { seldom?.courtesyTimer }
        set { if seldom != nil || newValue != nil { made.courtesyTimer = newValue } }
    }
    /// The receipt's public channel, watched while another coordinator's channel gets its events.
    var following: RedisSubscription? {
        get { seldom?.following }
        set { if seldom != nil || newValue != nil { made.following = newValue } }
    }
    /// Completed when it is known whether Redis has it; nil while nobody waits for that.
    private var decision: OneShot<Void>? {
        get { seldom?.decision }
        set { if seldom != nil || newValue != nil { made.decision = newValue } }
    }

    /// When it must have ended; nil when another coordinator watches it.
    var deadline: ContinuousClock.Instant? { end == .infinity ? nil : .now + .seconds(end - Seconds.monotonic) }
    /// Until when a client that has gone may come back, in monotonic seconds. Who asks in passing does not end that time; while he waits it does
    /// not run out.
    var graceEnd: Double? {
        get { graceOver == .infinity ? nil : graceOver }
        set { graceOver = newValue ?? .infinity }
    }
    /// When the first of all that comes.
    var due: Double { min(deadlineAt, graceOver, vigil.due) }

    /// - Parameters:
    ///   - meta: as in its submission, if there is one.
    ///   - submission: nil if only Redis knows the request.
    init(id: String, lane: Lane, meta: String, use: ResultUse, submission: Submission?, deadline: ContinuousClock.Instant?) {
        self.id = id
        self.lane = lane
        self.meta = meta
        end = deadline.map { Seconds.monotonic + ($0 - .now).inSeconds } ?? .infinity
        order = ReceiptOrder(submission, use)
        breaks = Int32(truncatingIfNeeded: lane.breaks)
    }

    /// Keeps what was submitted in less memory: it is needed only if Redis should lose it.
    func pack(_ forms: SubmissionForms) { order.pack(forms) }

    // MARK: Clients that wait for it

    func attach(_ attachment: Attachment) {
        attachment.goOn(after: told)
        attachments.append(attachment)
        if !attachment.isPassing { graceEnd = nil }
        life.join()
    }

    /// Takes one hold away; says whether it was there.
    @discardableResult
    func detach(_ attachment: Attachment) -> Bool {
        guard let index = attachments.firstIndex(where: { $0 === attachment }) else { return false }
        toldSequence = max(toldSequence, Int32(clamping: attachment.sequence))
        if attachment.filter != .none { lastFilter = attachment.filter }
        attachments.remove(at: index)
        // Of another's receipt it is not known whether those here are the last.
        if isOurs { inherit() }
        return true
    }

    /// How many have a say in whether the work goes on.
    var holders: Int { attachments.count { !$0.isOnlooker } }

    var audience: ReceiptLife.Audience { attachments.isEmpty ? .nobody : holders == 0 ? .onlookers : .holders }

    /// Whose it is was learnt from Redis.
    func belongs(toUs isOurs: Bool) {
        life.belongs(toUs: isOurs)
        if isOurs == (vigil.cause == .elsewhere) { vigil.begin(isOurs ? .unproven : .elsewhere, at: Seconds.monotonic) }
        // Those it belonged to have gone.
        if isOurs { inherit() }
    }

    /// Those who have only looked wait for it from now on if nobody else does.
    private func inherit() {
        guard holders == 0 else { return }
        for attachment in attachments { attachment.isOnlooker = false }
    }

    // MARK: Its events

    /// Takes an event in and answers those to tell now; none while the submit has not been answered, and none twice.
    func receive(_ event: ReceiptEvent) -> [ReceiptEvent] {
        vigil.heard(event.type, at: Seconds.monotonic)
        guard !isEnding, event.sequence > lastSequence else { return [] }
        lastSequence = Int32(clamping: event.sequence)
        guard isAdmitted else {
            held.append(event)
            return []
        }
        return [event]
    }

    /// The number of the last event that clients of ours were told.
    private var told: Int { attachments.reduce(Int(toldSequence)) { max($0, $1.sequence) } }

    /// What is submitted was known to Redis already, with so many events: clients were told of them, here or elsewhere.
    func goOn(after sequence: Int) {
        lastSequence = max(lastSequence, Int32(clamping: sequence))
        held.removeAll { $0.sequence <= sequence }
        toldSequence = max(toldSequence, Int32(clamping: sequence))
        for attachment in attachments { attachment.goOn(after: Int(toldSequence)) }
    }

    /// It was known under this id before.
    func goOn(as earlier: PendingReceipt) { toldSequence = Int32(clamping: earlier.told) }

    // MARK: Its life

    /// It was found in Redis as it is: only what comes after this event is news.
    func takeUp(after sequence: Int) {
        life.admit()
        lastSequence = Int32(clamping: sequence)
        toldSequence = lastSequence
        // What came after that and before it was in the table was nobody's.
        if vigil.cause == .none { vigil.begin(.unproven, at: Seconds.monotonic) }
    }

    /// Redis has it: answers what was held back.
    func admit() -> [ReceiptEvent] {
        life.admit()
        // The state was read after that break, and without this one, which was not there yet.
        if breaks != Int32(truncatingIfNeeded: lane.breaks), vigil.cause == .none { vigil.begin(.unproven, at: Seconds.monotonic) }
        inherit()
        decide()
        defer {
            held = []
            if seldom?.isEmpty == true { seldom = nil }
        }
        return held
    }

    /// Redis has lost it and will count its events from 1 again: it is being submitted anew.
    func startOver() {
        life.lose()
        breaks = Int32(truncatingIfNeeded: lane.breaks)
        held = []
        lastSequence = 0
    }

    /// Its end was decided; says whether this is the first time.
    func beginEnding() -> Bool {
        guard life.end() else { return false }
        rest()
        return true
    }

    /// It leaves the table; answers the place that it had there.
    func leaveTable() -> ReceiptLife.Listing {
        let place = life.forget()
        rest()
        return place
    }

    /// Nothing is due any more.
    private func rest() {
        decide()
        courtesyTimer = nil
        (deadlineAt, graceEnd) = (.infinity, nil)
        vigil.end()
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
