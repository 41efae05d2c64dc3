import TintypeCore
package import TintypeTransport
import TintypeQueue
import TintypeImages

/// The live receipts of this coordinator: sends events to the waiting clients, and ends each receipt exactly once.
@Loop
package final class ReceiptTable {
    private var receipts = ReceiptBuckets()
    private let agenda = ReceiptAgenda()
    private let forms = SubmissionForms()
    /// The ids of the receipts that were admitted last. Most of them end before so many others follow, and need not be packed.
    private var unpacked = FIFO<String>()
    private static let maxUnpacked = 2048
    /// Receipts of disconnected clients that are still to be handled.
    package var abandoned: [(waiter: ReceiptWaiter, receipt: PendingReceipt)] = []
    var abandonment: LoopTimer?
    package let results: ResultDelivery
    let actions: any ReceiptActions
    private let clients: ClientQuotas
    private let redis: RedisNodes
    private let channels: RedisChannels
    private let metrics: Metrics
    /// The number of commands in flight to Redis above which deferrable work waits.
    private static let maxPending = 500

    init(
        results: ResultDelivery, redis: RedisNodes, channels: RedisChannels, actions: any ReceiptActions, clients: ClientQuotas, metrics: Metrics
    ) {
        self.results = results
        self.actions = actions
        self.clients = clients
        (self.redis, self.channels) = (redis, channels)
        self.metrics = metrics
        agenda.onDue = { [weak self] in self?.due($0, $1) }
    }

    /// Whether Redis is so busy with this coordinator's commands that deferrable work waits.
    var isBusy: Bool { redis.pending > Self.maxPending }
    package var count: Int { receipts.count }
    /// Every receipt, for the few callers that may stop the loop for a million of them.
    package var all: [PendingReceipt] { receipts.all }
    /// The parts of the table, each of them small, for callers that visit the whole table.
    package var shards: Range<Int> { receipts.indices }
    package func receipts(in shard: Int) -> some Collection<PendingReceipt> { receipts.receipts(in: shard) }
    package subscript(id: String) -> PendingReceipt? { receipts[id] }

    package func add(_ receipt: PendingReceipt) {
        if let earlier = receipts[receipt.id], earlier !== receipt { leaves(earlier, earlier.life.unlist()) }
        receipts[receipt.id] = receipt
        receipt.life.list()
        begins(receipt)
        plan(receipt)
    }

    private func begins(_ receipt: PendingReceipt) {
        guard receipt.life.fly() else { return }
        if receipt.use.isActivity { actions.changedInFlight(by: 1, on: receipt.handle) }
    }

    private func leaves(_ receipt: PendingReceipt, _ place: ReceiptLife.Listing) {
        guard place == .inFlight, receipt.use.isActivity else { return }
        actions.changedInFlight(by: -1, on: receipt.handle)
    }

    // MARK: Scheduled actions

    /// Schedules the next action of a receipt. Must be called whenever an action is due earlier than before.
    package func plan(_ receipt: PendingReceipt) {
        if receipt.life.listing != .unlisted, !receipt.isEnding { agenda.place(receipt) }
    }

    private func due(_ receipt: PendingReceipt, _ now: Double) {
        if receipt.deadlineAt <= now {
            receipt.deadlineAt = .infinity
            actions.expire(receipt)
        }
        if let end = receipt.graceEnd, end <= now, !receipt.isEnding {
            // A client with a hundred thousand receipts may have disconnected, and each of them costs Redis a script.
            if isBusy { receipt.graceEnd = now + 0.05 } else { endGrace(of: receipt) }
        }
        if receipt.liveness.due <= now {
            receipt.liveness.asked(at: now)
            actions.suspect(receipt)
        }
        plan(receipt)
    }

    // MARK: Life

    /// Forgets a receipt without an end: another coordinator has it, or no client needs it.
    package func remove(_ receipt: PendingReceipt) {
        let place = receipt.leaveTable()
        receipt.following?.end()
        receipt.following = nil
        agenda.remove(receipt)
        if place != .unlisted { receipts[receipt.id] = nil }
        leaves(receipt, place)
        // A receipt that goes on without a client here counts until its end is heard.
        let goesOn = receipt.isAdmitted && !receipt.isEnding && receipt.isOurs
        if !goesOn { clients.left(receipt.id, unless: receipts[receipt.id] != nil) }
    }

    /// Handles a message of the channel of `handle`.
    func receive(_ message: QueueEvent, handle: QueueHandle) {
        metrics.add(.eventsReceived, labels: message.type.text)
        if message.type == .moved || message.type == .given {
            if message.type == .moved { clients.left(message.body) }
            if let receipt = receipts[message.body], receipt.handle === handle { return actions.ask(receipt) }
            if message.type == .given { actions.refuse(message.body, handle) }
            return
        }
        for addressee in message.receipts {
            guard let receipt = receipts[addressee.receipt], receipt.handle === handle else {
                if message.isTerminal { clients.left(addressee.receipt) }
                continue
            }
            let event = ReceiptEvent(type: message.type, sequence: addressee.seq, at: message.at, body: message.body)
            for event in receipt.receive(event) { deliver(event, of: receipt) }
            plan(receipt)
        }
    }

    /// Records that Redis has the receipt and that its submit was answered. Sends the events that were held back.
    func admit(_ receipt: PendingReceipt) {
        let held = receipt.admit()
        begins(receipt)
        for waiter in receipt.waiters { waiter.begin(of: receipt) }
        for event in held where !receipt.isEnding { deliver(event, of: receipt) }
        guard !receipt.isEnding else { return }
        unpacked.append(receipt.id)
        if unpacked.count > Self.maxUnpacked, let oldest = unpacked.popFirst() { receipts[oldest]?.pack(forms) }
        plan(receipt)
        if let cancelCause = receipt.life.takeCancellation() {
            actions.withdraw(receipt, for: cancelCause)
        } else if receipt.waiters.isEmpty {
            actions.leave(receipt)
        }
    }

    /// Sends the cached result of a receipt that ends before it has started.
    package func show(cached event: ReceiptEvent, of receipt: PendingReceipt) {
        guard !receipt.isEnding else { return }
        for waiter in receipt.waiters {
            waiter.begin(of: receipt)
            waiter.take(event, nil, of: receipt)
        }
    }

    private func deliver(_ event: ReceiptEvent, of receipt: PendingReceipt) {
        if event.isTerminal {
            let waits = receipt.waiters.contains { $0.complete != nil }
            if !waits, let original = results.unread(event, of: receipt) { return end(receipt, original: original, event) }
            return end(receipt, Outcome(event))
        }
        if event.type == .preview { return show(event, of: receipt) }
        let step = event.type == .progress ? Self.step(of: event) : nil
        for waiter in receipt.waiters { waiter.take(event, step, of: receipt) }
    }

    /// Sends a preview when its picture has been read, unless the receipt has ended by then.
    private func show(_ event: ReceiptEvent, of receipt: PendingReceipt) {
        guard !receipt.waiters.isEmpty else { return }
        results.complete(preview: event) { event in
            guard !receipt.isEnding else { return }
            for waiter in receipt.waiters { waiter.take(event, nil, of: receipt) }
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

    /// Ends a receipt: prepares its result for the clients, sends the terminal event, then gives the answers. Only the first call counts.
    package func end(_ receipt: PendingReceipt, _ outcome: Outcome) {
        guard close(receipt) else { return }
        var use = receipt.use
        if receipt.waiters.isEmpty { (use.terms.delivery, use.terms.fallback) = (.reference, nil) }
        results.prepare(outcome, receipt: receipt.id, meta: receipt.meta, use: use) { [results] ready, use in
            for waiter in receipt.waiters {
                // Each client gets its answer as fast as it reads.
                results.fill(ready, use, for: waiter.order) { whole in
                    // The client left while its turn was awaited.
                    guard receipt.waiters.contains(where: { $0 === waiter }) else { return }
                    waiter.session.releases(waiter)
                    waiter.end(of: receipt) {
                        waiter.take(whole.event(withData: waiter.carriesDataInEvent), nil, of: receipt)
                        waiter.complete?(whole)
                    }
                }
            }
        }
    }

    /// Ends a receipt whose clients get the terminal event in its text (`original`). The text is parsed only afterwards, for the memory tier.
    private func end(_ receipt: PendingReceipt, original: ReceiptEvent, _ event: ReceiptEvent) {
        guard close(receipt) else { return }
        for waiter in receipt.waiters {
            waiter.session.releases(waiter)
            waiter.end(of: receipt) { waiter.take(original, nil, of: receipt) }
        }
        results.take(unread: event, receipt.use)
    }

    /// Removes a receipt from the table for its end; returns whether this is the first time.
    private func close(_ receipt: PendingReceipt) -> Bool {
        guard receipt.beginEnding() else { return false }
        remove(receipt)
        if receipt.owesCallback { actions.owesCallback() }
        return true
    }
}
