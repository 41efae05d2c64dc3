import Shared

/// Makes up for events that never came: reads the state of receipts from Redis after a break, at a gap, and when they have been silent
/// for long. A lost message never leaves a caller waiting.
@Loop
final class Recovery {
    /// Receipts asked for in one round trip.
    private static let batch = 200

    private let receipts: ReceiptTable
    private let subscriber: RedisSubscriber
    private let coordinator: String
    private let scope: TaskScope
    private let logger: Logger
    /// Queues being read, and whether they must be read once more after that.
    private var refreshing: [String: Bool] = [:]
    private var sweeper: LoopTimer?
    private var isSweeping = false
    /// Submits a receipt once more that Redis has lost.
    var resubmit: (@Loop (PendingReceipt) -> Void)?

    init(receipts: ReceiptTable, subscriber: RedisSubscriber, coordinator: String, scope: TaskScope, logger: Logger) {
        self.receipts = receipts
        self.subscriber = subscriber
        self.coordinator = coordinator
        self.scope = scope
        self.logger = logger
    }

    func start() {
        sweeper = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.sweep() }
    }

    func stop() { sweeper = nil }

    /// Reads the state of everything pending in a queue. One reading at a time; one more if it was asked for meanwhile.
    func refresh(_ lane: Lane) {
        guard refreshing[lane.name] == nil else {
            refreshing[lane.name] = true
            return
        }
        refreshing[lane.name] = false
        scope.run("refresh \(lane.name)") { [weak self] in
            guard let self else { return }
            await self.read(self.receipts.all.filter { $0.lane === lane }, of: lane)
            if self.refreshing.removeValue(forKey: lane.name) == true { self.refresh(lane) }
        }
    }

    /// Asks about one receipt now.
    func ask(_ receipt: PendingReceipt) {
        scope.run("ask \(receipt.id)") { [weak self] in await self?.settle(receipt) }
    }

    /// Asks about one receipt now, and returns when the answer has been told.
    func settle(_ receipt: PendingReceipt) async { await read([receipt], of: receipt.lane) }

    private func sweep() {
        guard !isSweeping else { return }
        let now = ContinuousClock.now
        let silent = receipts.all.filter { $0.isSilent(at: now) }
        guard !silent.isEmpty else { return }
        isSweeping = true
        for receipt in silent { receipt.asked(at: now) }
        scope.run("sweep") { [weak self] in
            guard let self else { return }
            for (_, group) in Dictionary(grouping: silent, by: \.queue) {
                if let lane = group.first?.lane { await self.read(group, of: lane) }
            }
            self.isSweeping = false
        }
    }

    /// Reads the state of receipts. What somebody waits for here, or has looked at, is taken over where nobody waits for it any more.
    private func read(_ pending: [PendingReceipt], of lane: Lane) async {
        await read(pending.filter { $0.holders > 0 }, of: lane, adoptedBy: coordinator, areAwaited: true)
        await read(pending.filter { $0.holders == 0 && !$0.attachments.isEmpty }, of: lane, adoptedBy: coordinator)
        await read(pending.filter(\.attachments.isEmpty), of: lane, adoptedBy: nil)
    }

    private func read(_ pending: [PendingReceipt], of lane: Lane, adoptedBy taker: String?, areAwaited: Bool = false) async {
        var rest = pending.filter { $0.isAdmitted && !$0.isEnding }[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            do throws(RedisError) {
                let found = try await lane.queue.snapshots(batch.map(\.id), adoptedBy: taker, areAwaited: areAwaited)
                for receipt in batch where receipt.isAdmitted && !receipt.isEnding { apply(found[receipt.id], to: receipt) }
            } catch {
                // The next confirmation of the channel, or the next sweep, asks again.
                logger.refused("reading receipts", error)
                return
            }
        }
    }

    private func apply(_ snapshot: ReceiptSnapshot?, to receipt: PendingReceipt) {
        guard let snapshot else {
            logger.warning("Redis has lost a receipt", ["receipt": receipt.id, "queue": receipt.queue])
            if receipt.submission != nil, let resubmit { return resubmit(receipt) }
            let error = TintypeError(.unknownReceipt, .queue, "Redis has lost this receipt; ask for the image again", retryable: true)
            return receipts.end(receipt, Outcome(failing: error))
        }
        if let ending = snapshot.ending { return receipts.end(receipt, Outcome(ReceiptEvent(ending))) }
        let wasOurs = receipt.isOurs
        receipt.belongs(toUs: snapshot.coordinator == coordinator)
        if receipt.isOurs {
            if let following = receipt.following { subscriber.unsubscribe(following) }
            receipt.following = nil
            if receipts[receipt.id] == nil { receipts.comeTooLate(receipt) } else if !wasOurs { receipts.given(receipt) }
        } else if receipt.attachments.isEmpty {
            if receipt.graceTimer == nil { receipts.leave(receipt) }
        } else if receipt.following == nil {
            follow(receipt)
        }
    }

    /// Another coordinator gets this receipt's events now: its end is learnt from its public channel. What comes there only makes us ask,
    /// since anybody may publish there.
    private func follow(_ receipt: PendingReceipt) {
        receipt.following = subscriber.subscribe(
            receipt.lane.queue.keys.publicEvents(receipt: receipt.id),
            confirmed: { [weak self, weak receipt] in
                if let receipt { self?.ask(receipt) }
            },
            { [weak self, weak receipt] _, _ in
                if let receipt { self?.ask(receipt) }
            })
    }
}
