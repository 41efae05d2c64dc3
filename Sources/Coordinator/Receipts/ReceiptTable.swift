import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeImages

/// The live receipts of this coordinator: brings events to whoever waits for them, and each receipt to exactly one end.
@Loop
final class ReceiptTable {
    private var receipts = ReceiptShards()
    private let agenda = ReceiptAgenda()
    private let forms = SubmissionForms()
    /// Ids of the latest that were admitted: most end before so many others have come, and need not be packed.
    private var unpacked = FIFO<String>()
    private static let mostUnpacked = 2048
    /// Receipts of clients that have gone which have yet to be given up.
    var abandoned: [(attachment: Attachment, receipt: PendingReceipt)] = []
    var abandonment: LoopTimer?
    let results: ResultDelivery
    let actions: any ReceiptActions
    private let redis: RedisNodes
    private let channels: RedisChannels
    private let metrics: Metrics
    /// How many receipts Redis has taken that have not ended.
    /// Commands under way to Redis above which what can wait waits.
    private static let mostPending = 500

    init(results: ResultDelivery, redis: RedisNodes, channels: RedisChannels, actions: any ReceiptActions, metrics: Metrics) {
        self.results = results
        self.actions = actions
        (self.redis, self.channels) = (redis, channels)
        self.metrics = metrics
        agenda.onDue = { [weak self] in self?.due($0, $1) }
    }

    /// Whether Redis has so much to do for us that what can wait waits.
    var isBusy: Bool { redis.pending > Self.mostPending }
    var count: Int { receipts.count }
    /// Every receipt: for the few who may stop the loop for a million of them.
    var all: [PendingReceipt] { receipts.all }
    /// Parts of the table, each small, for whoever goes through all of it.
    var shards: Range<Int> { receipts.indices }
    func receipts(in shard: Int) -> some Collection<PendingReceipt> { receipts.receipts(in: shard) }
    subscript(id: String) -> PendingReceipt? { receipts[id] }

    func add(_ receipt: PendingReceipt) {
        if let earlier = receipts[receipt.id], earlier !== receipt { leaves(earlier, earlier.life.unlist()) }
        receipts[receipt.id] = receipt
        receipt.life.list()
        begins(receipt)
        plan(receipt)
    }

    private func begins(_ receipt: PendingReceipt) {
        guard receipt.life.fly() else { return }
        if receipt.use.isActivity { actions.changedInFlight(by: 1, on: receipt.lane) }
    }

    private func leaves(_ receipt: PendingReceipt, _ place: ReceiptLife.Listing) {
        guard place == .inFlight, receipt.use.isActivity else { return }
        actions.changedInFlight(by: -1, on: receipt.lane)
    }

    // MARK: What is due

    /// Has what is due for a receipt done when its time comes. To be called whenever something is due earlier than before.
    func plan(_ receipt: PendingReceipt) {
        if receipt.life.listing != .unlisted, !receipt.isEnding { agenda.place(receipt) }
    }

    private func due(_ receipt: PendingReceipt, _ now: Double) {
        if receipt.deadlineAt <= now {
            receipt.deadlineAt = .infinity
            actions.expire(receipt)
        }
        if let end = receipt.graceEnd, end <= now, !receipt.isEnding {
            // A client with a hundred thousand receipts has gone, perhaps: each costs Redis a script.
            if isBusy { receipt.graceEnd = now + 0.05 } else { endGrace(of: receipt) }
        }
        if receipt.vigil.due <= now {
            receipt.vigil.asked(at: now)
            actions.suspect(receipt)
        }
        plan(receipt)
    }

    // MARK: Life

    /// Forgets a receipt without an end: others answer for it, or nobody needs to.
    func remove(_ receipt: PendingReceipt) {
        let place = receipt.leaveTable()
        if let following = receipt.following { channels.unsubscribe(following) }
        receipt.following = nil
        agenda.remove(receipt)
        if place != .unlisted { receipts[receipt.id] = nil }
        leaves(receipt, place)
    }

    /// A message of the channel of `lane`.
    func receive(_ message: QueueEvent, lane: Lane) {
        metrics.add(.eventsReceived, labels: message.type.text)
        if message.type == .moved || message.type == .given {
            if let receipt = receipts[message.body], receipt.lane === lane { return actions.ask(receipt) }
            if message.type == .given { actions.refuse(message.body, lane) }
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
        let held = receipt.admit()
        begins(receipt)
        for attachment in receipt.attachments { attachment.begin(of: receipt) }
        for event in held where !receipt.isEnding { tell(event, of: receipt) }
        guard !receipt.isEnding else { return }
        unpacked.append(receipt.id)
        if unpacked.count > Self.mostUnpacked, let oldest = unpacked.popFirst() { receipts[oldest]?.pack(forms) }
        plan(receipt)
        if let wish = receipt.life.takeWish() {
            actions.withdraw(receipt, for: wish)
        } else if receipt.attachments.isEmpty {
            actions.leave(receipt)
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
        if receipt.owesCallback { actions.owesCallback() }
        return true
    }
}
