import Shared

/// A live receipt that this coordinator answers for: who waits for it, what they were told, and when to ask Redis about it.
@Loop
final class PendingReceipt {
    let id: String
    let lane: Lane
    var queue: String { lane.name }
    /// Digest of the request it was made for: the same id with another request is refused. nil if only Redis knows it.
    let fingerprint: String?
    /// `tag` and `userInfo` as a fragment that begins with a comma, or nothing.
    let meta: String
    let use: ResultUse
    /// Lives on when its client leaves.
    var isDetached: Bool { use.terms.isDetached }
    /// Its events come to this coordinator. Another's receipt is only watched, for somebody who waits for it here.
    private(set) var isOurs = true
    /// What to submit again should Redis lose it; nil for a receipt another coordinator submitted.
    let submission: Submission?
    /// When it must have ended; nil when another coordinator watches it.
    let deadline: ContinuousClock.Instant?
    /// What it ends with when that passes: more time would not have helped where Redis took nothing down.
    var lateness = Queue.deadlineExceeded

    private(set) var attachments: [Attachment] = []
    /// Submits of it under way. Events are held back until the answer of the submit is known.
    var submits = 0
    /// Redis has it.
    private(set) var isAdmitted = false
    /// Completed when it is known whether Redis has it: it was admitted, has ended, or is no more.
    private(set) var decided = OneShot<Void>()
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

    /// When something was last heard of it, and after which silence Redis is asked.
    private(set) var heardAt: ContinuousClock.Instant
    private var patience = PendingReceipt.shortPatience
    static let shortPatience = Duration.seconds(2)
    static let longPatience = Duration.seconds(8)

    var deadlineTimer: LoopTimer?
    /// Runs while a client that has gone may come back. Who asks in passing does not end that time; while he waits it does not run out.
    var graceTimer: LoopTimer?
    /// The receipt's public channel, watched while another coordinator's channel gets its events.
    var following: RedisSubscription?

    init(
        id: String, lane: Lane, fingerprint: String?, meta: String, use: ResultUse,
        submission: Submission?, deadline: ContinuousClock.Instant?
    ) {
        self.id = id
        self.lane = lane
        self.fingerprint = fingerprint
        self.meta = meta
        self.use = use
        self.submission = submission
        self.deadline = deadline
        heardAt = .now
    }

    func attach(_ attachment: Attachment) {
        attachment.goOn(after: told)
        attachments.append(attachment)
        if !attachment.isPassing { graceTimer = nil }
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
        heard()
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
        isAdmitted = true
        lastSequence = sequence
        toldSequence = sequence
    }

    /// Redis has it: answers what was held back.
    func admit() -> [ReceiptEvent] {
        isAdmitted = true
        heard()
        inherit()
        decided.complete(.success(()))
        defer { held = [] }
        return held
    }

    /// Redis will count its events from 1 again: it is being submitted anew.
    func startOver() {
        isAdmitted = false
        decided = OneShot()
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

    /// It has ended, or has left the table: stops its timers.
    func release() {
        decided.complete(.success(()))
        deadlineTimer = nil
        graceTimer = nil
    }

    private func heard() {
        heardAt = .now
        patience = Self.shortPatience
    }

    /// Whether Redis should be asked about it now.
    func isSilent(at now: ContinuousClock.Instant) -> Bool { isAdmitted && !isEnding && now - heardAt > patience }

    /// Redis was asked: the next time is later, as long as nothing is heard.
    func asked(at now: ContinuousClock.Instant) {
        heardAt = now
        patience = min(patience * 2, Self.longPatience)
    }
}
