import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeImages

/// The live receipts of this coordinator: brings events to whoever waits for them, and each receipt to exactly one end.
@Loop
final class ReceiptTable {
    /// How long a receipt waits for somebody to take it up after its client has gone.
    static let grace = Duration.seconds(30)

    private var receipts = ReceiptShards()
    private let agenda = ReceiptAgenda()
    private let forms = SubmissionForms()
    /// Ids of the latest that were admitted: most end before so many others have come, and need not be packed.
    private var unpacked = FIFO<String>()
    private static let mostUnpacked = 2048
    /// Receipts of clients that have gone which have yet to be given up.
    private var abandoned: [(attachment: Attachment, receipt: PendingReceipt)] = []
    private var abandonment: LoopTimer?
    private let results: ResultDelivery
    private let metrics: Metrics
    /// Withdraws a receipt from Redis (`Withdrawal`).
    var withdraw: (@Loop (PendingReceipt, PendingReceipt.Wish) -> Void)?
    /// Says in Redis that nobody waits here any more for a receipt: another coordinator may have it, or keeps it (`Withdrawal`).
    var tellLeft: (@Loop (PendingReceipt) -> Void)?
    /// Withdraws a receipt that is this coordinator's because of a client that is here no more (`Withdrawal`).
    var refuse: (@Loop (String, Lane) -> Void)?
    /// Called when the deadline of a receipt has passed, and again when what its client waits for after that has (`Withdrawal`).
    var expire: (@Loop (PendingReceipt) -> Void)?
    /// Asks Redis, with others, about a receipt of which something should have been heard (`Recovery`).
    var suspect: (@Loop (PendingReceipt) -> Void)?
    /// Whether Redis has so much to do for us that what can wait waits (`RedisNodes.pending`).
    var isBusy: (@Loop () -> Bool)?
    /// Asks Redis what has become of a receipt (`Recovery`).
    var ask: (@Loop (PendingReceipt) -> Void)?
    /// Stops watching a receipt's public channel.
    var unfollow: (@Loop (RedisSubscription) -> Void)?
    /// Told of the end of a receipt whose callback is due (`CallbackSender`).
    var owesCallback: (@Loop () -> Void)?
    /// Told how many receipts are in flight when that has changed (`ActivityMonitor`).
    var inFlightChanged: (@Loop (Int) -> Void)?
    /// How many receipts Redis has taken that have not ended.
    private var inFlight = 0

    init(results: ResultDelivery, metrics: Metrics) {
        self.results = results
        self.metrics = metrics
        agenda.onDue = { [weak self] in self?.due($0, $1) }
    }

    var count: Int { receipts.count }
    /// Every receipt: for the few who may stop the loop for a million of them.
    var all: [PendingReceipt] { receipts.all }
    /// Parts of the table, each small, for whoever goes through all of it.
    var shards: Range<Int> { receipts.indices }
    func receipts(in shard: Int) -> some Collection<PendingReceipt> { receipts.receipts(in: shard) }
    subscript(id: String) -> PendingReceipt? { receipts[id] }

    func add(_ receipt: PendingReceipt) {
        receipts[receipt.id]?.isListed = false
        receipts[receipt.id] = receipt
        receipt.isListed = true
        if receipt.isAdmitted { begins(receipt) }
        plan(receipt)
    }

    private func begins(_ receipt: PendingReceipt) {
        guard !receipt.isEnding, receipt.isListed, !receipt.isInFlight else { return }
        receipt.isInFlight = true
        inFlight += 1
        inFlightChanged?(inFlight)
    }

    // MARK: What is due

    /// Has what is due for a receipt done when its time comes. To be called whenever something is due earlier than before.
    func plan(_ receipt: PendingReceipt) {
        if receipt.isListed, !receipt.isEnding { agenda.place(receipt) }
    }

    private func due(_ receipt: PendingReceipt, _ now: Double) {
        if receipt.deadlineAt <= now {
            receipt.deadlineAt = .infinity
            expire?(receipt)
        }
        if let end = receipt.graceEnd, end <= now, !receipt.isEnding {
            // A client with a hundred thousand receipts has gone, perhaps: each costs Redis a script.
            if isBusy?() == true { receipt.graceEnd = now + 0.05 } else { endGrace(of: receipt) }
        }
        if receipt.vigil.due <= now {
            receipt.vigil.asked(at: now)
            suspect?(receipt)
        }
        plan(receipt)
    }

    // MARK: Life

    /// Forgets a receipt without an end: others answer for it, or nobody needs to.
    func remove(_ receipt: PendingReceipt) {
        receipt.release()
        if let following = receipt.following { unfollow?(following) }
        receipt.following = nil
        agenda.remove(receipt)
        if receipt.isListed { receipts[receipt.id] = nil }
        receipt.isListed = false
        guard receipt.isInFlight else { return }
        receipt.isInFlight = false
        inFlight -= 1
        inFlightChanged?(inFlight)
    }

    /// A message of the channel of `lane`.
    func receive(_ message: QueueEvent, lane: Lane) {
        metrics.add(.eventsReceived, labels: message.type.text)
        if message.type == .moved || message.type == .given {
            if let receipt = receipts[message.body], receipt.lane === lane { return ask?(receipt) ?? () }
            if message.type == .given { refuse?(message.body, lane) }
            return
        }
        for addressee in message.receipts {
            guard let receipt = receipts[addressee.receipt], receipt.lane === lane else { continue }
            let event = ReceiptEvent(type: message.type, sequence: addressee.seq, at: message.at, body: message.body)
            for event in receipt.receive(event) { tell(event, of: receipt) }
            plan(receipt)
        }
    }

    /// Redis has the receipt, and its submit was answered: tells what was held back.
    func admit(_ receipt: PendingReceipt) {
        begins(receipt)
        for attachment in receipt.attachments { attachment.begin(of: receipt) }
        for event in receipt.admit() where !receipt.isEnding { tell(event, of: receipt) }
        guard !receipt.isEnding else { return }
        unpacked.append(receipt.id)
        if unpacked.count > Self.mostUnpacked, let oldest = unpacked.popFirst() { receipts[oldest]?.pack(forms) }
        plan(receipt)
        if let wish = receipt.withdrawal {
            receipt.withdrawal = nil
            withdraw?(receipt, wish)
        } else if receipt.attachments.isEmpty {
            tellLeft?(receipt)
        }
    }

    /// Tells what a receipt shows that ends before it has begun.
    func show(cached event: ReceiptEvent, of receipt: PendingReceipt) {
        guard !receipt.isEnding else { return }
        for attachment in receipt.attachments {
            attachment.begin(of: receipt)
            attachment.take(event, nil, of: receipt)
        }
    }

    private func tell(_ event: ReceiptEvent, of receipt: PendingReceipt) {
        if event.isTerminal {
            let waits = receipt.attachments.contains { $0.complete != nil }
            if !waits, let told = results.unread(event, of: receipt) { return end(receipt, told: told, event) }
            return end(receipt, Outcome(event))
        }
        if event.type == .preview { return show(event, of: receipt) }
        let step = event.type == .progress ? Self.step(of: event) : nil
        for attachment in receipt.attachments { attachment.take(event, step, of: receipt) }
    }

    /// Tells a preview once its picture is at hand; not after the end.
    private func show(_ event: ReceiptEvent, of receipt: PendingReceipt) {
        guard !receipt.attachments.isEmpty else { return }
        results.complete(preview: event) { event in
            guard !receipt.isEnding else { return }
            for attachment in receipt.attachments { attachment.take(event, nil, of: receipt) }
        }
    }

    private static func step(of event: ReceiptEvent) -> ProgressThrottle.Step? {
        guard let members = event.members() else { return nil }
        var fraction = members["fraction"]?.double
        if fraction == nil, let received = members["receivedBytes"]?.double, let expected = members["expectedBytes"]?.double, expected > 0 {
            fraction = received / expected
        }
        return ProgressThrottle.Step(phase: members["phase"]?.string ?? "download", fraction: fraction)
    }

    /// Ends a receipt: makes its result ready for clients, tells the terminal event, then gives the answers. Only the first call counts.
    func end(_ receipt: PendingReceipt, _ outcome: Outcome) {
        guard close(receipt) else { return }
        var use = receipt.use
        if receipt.attachments.isEmpty { (use.terms.delivery, use.terms.fallback) = (.reference, nil) }
        results.prepare(outcome, receipt: receipt.id, meta: receipt.meta, use: use) { [results] ready, use in
            for attachment in receipt.attachments {
                // Each as fast as its own client reads.
                results.fill(ready, use, for: attachment.session) { whole in
                    // It left while its turn was awaited.
                    guard receipt.attachments.contains(where: { $0 === attachment }) else { return }
                    attachment.session.releases(attachment)
                    attachment.end(of: receipt) {
                        attachment.take(whole.event(withData: attachment.carriesDataInEvent), nil, of: receipt)
                        attachment.complete?(whole)
                    }
                }
            }
        }
    }

    /// Ends a receipt whose clients get its end as `told`, in the words it came in. Only then those are read, for the memory tier.
    private func end(_ receipt: PendingReceipt, told: ReceiptEvent, _ event: ReceiptEvent) {
        guard close(receipt) else { return }
        for attachment in receipt.attachments {
            attachment.session.releases(attachment)
            attachment.end(of: receipt) { attachment.take(told, nil, of: receipt) }
        }
        results.take(unread: event, receipt.use)
    }

    /// Takes a receipt out of the table for its end; says whether this is the first.
    private func close(_ receipt: PendingReceipt) -> Bool {
        guard receipt.beginEnding() else { return false }
        remove(receipt)
        if receipt.owesCallback { owesCallback?() }
        return true
    }

    /// A client has gone. What only it wanted is withdrawn, or waits for a while for it to come back, wherever the receipt is by now.
    func disconnected(_ attachment: Attachment, from receipt: PendingReceipt) {
        letGo(attachment, of: receipt, mayComeBack: !attachment.isFleeting && !attachment.isOnlooker && !receipt.isDetached)
    }

    /// The same of all that a client had, the first at once, the others some in each turn of the loop.
    func disconnected(_ holds: [(attachment: Attachment, receipt: PendingReceipt)]) {
        abandoned += holds
        if abandonment == nil { giveUpSome() }
    }

    /// Clients have gone of whose receipts some have yet to be looked at.
    var isGivingUp: Bool { !abandoned.isEmpty }

    private func giveUpSome() {
        abandonment = nil
        for _ in 0..<Self.farewells {
            guard let hold = abandoned.popLast() else { return abandoned = [] }
            disconnected(hold.attachment, from: hold.receipt)
        }
        wait()
    }

    private func wait() {
        abandonment = LoopTimer(after: isBusy?() == true ? .milliseconds(5) : .zero) { [weak self] in
            guard let self else { return }
            if self.isBusy?() == true { self.wait() } else { self.giveUpSome() }
        }
    }

    /// How many receipts of clients that have gone are given up in one turn of the loop.
    private static let farewells = 1000

    /// A client gives a receipt up that others wait for, or has waited long enough.
    func released(_ attachment: Attachment, from receipt: PendingReceipt) { letGo(attachment, of: receipt, mayComeBack: false) }

    private func letGo(_ attachment: Attachment, of receipt: PendingReceipt, mayComeBack: Bool) {
        guard receipt.detach(attachment), !receipt.isEnding else { return }
        if receipt.isAdmitted, !receipt.isOurs, receipt.holders == 0 {
            // Redis is not told yet: whoever gives it up elsewhere hands it to us meanwhile.
            if mayComeBack { awaitReturn(to: receipt) } else if receipt.graceEnd == nil { leave(receipt) }
            return
        }
        guard receipt.attachments.isEmpty else { return }
        if attachment.isFleeting, !receipt.isDetached { return withdraw?(receipt, Self.disconnection) ?? () }
        leaveForNow(receipt)
    }

    /// Nobody waits here any more for what is another coordinator's. Those who have only looked are told of the end.
    func leave(_ receipt: PendingReceipt) {
        tellLeft?(receipt)
        if receipt.attachments.isEmpty { remove(receipt) }
    }

    /// A receipt has come to this coordinator in the moment in which the last client left that waited for it here.
    func comeTooLate(_ receipt: PendingReceipt) {
        add(receipt)
        leaveForNow(receipt)
    }

    /// Nobody waits for it here. It goes on, for a while if it is not detached, and whoever asks for it has it.
    private func leaveForNow(_ receipt: PendingReceipt) {
        if receipt.isAdmitted { tellLeft?(receipt) }
        if receipt.isDetached {
            if receipt.isAdmitted { remove(receipt) }
        } else if receipt.graceEnd == nil {
            awaitReturn(to: receipt)
        }
    }

    private func awaitReturn(to receipt: PendingReceipt) {
        receipt.graceEnd = Seconds.monotonic + Self.grace.inSeconds
        plan(receipt)
    }

    /// Nobody has come back to a receipt. One that is another coordinator's by now is left to it.
    private func endGrace(of receipt: PendingReceipt) {
        receipt.graceEnd = nil
        guard receipt.holders == 0 else { return }
        if receipt.attachments.isEmpty { return withdraw?(receipt, Self.disconnection) ?? () }
        leave(receipt)
    }

    /// A receipt has come to this coordinator whose client here has gone and may come back. Whoever asks elsewhere may have it till then.
    func given(_ receipt: PendingReceipt) {
        if receipt.attachments.isEmpty { tellLeft?(receipt) }
    }

    private static let disconnection = PendingReceipt.Wish(reason: "disconnected", sparesOthers: true)
}
