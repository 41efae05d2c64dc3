import TintypeCore
package import TintypeTransport
import TintypeQueue

/// Makes up for lost events, so that a lost message never leaves a client waiting.
///
/// After a break and at a gap, the state of everything pending in the queue is read from Redis, page by page. Otherwise Redis is asked only about
/// receipts with an overdue event (`LivenessCheck`) or a passed deadline (`CancellationService`).
@Loop
package final class Recovery {
    /// The number of receipts in one round trip.
    package nonisolated static let page = 200
    /// The least time for a page and the pause after it when many pages follow: 20,000 receipts a second.
    private static let pace = Duration.milliseconds(10)
    /// The number of pages that are read without a pause, so that a few receipts are read at once.
    private static let prompt = 10
    /// The number of receipts that are looked through in one turn of the loop.
    private static let glance = 2000

    private let receipts: ReceiptTable
    private let channels: RedisChannels
    private let coordinator: String
    private let scope: TaskScope
    private let logger: Logger
    /// The queues being read, and whether each must be read once more afterwards.
    private var refreshing: [String: Bool] = [:]
    /// The receipts to ask about, by queue.
    private var suspects: [String: [PendingReceipt]] = [:]
    private var isAsking = false
    private let actions: any ReceiptActions
    /// The number of receipts being submitted again above which the next page waits.
    private static let maxResubmissions = 500

    init(
        receipts: ReceiptTable, actions: any ReceiptActions, channels: RedisChannels, coordinator: String, scope: TaskScope, logger: Logger
    ) {
        self.receipts = receipts
        self.actions = actions
        self.channels = channels
        self.coordinator = coordinator
        self.scope = scope
        self.logger = logger
    }

    /// Reads the state of everything pending in a queue, because events may have been lost. One read runs at a time; a request during a read causes
    /// one more. Receipts whose submits are in flight are read once Redis has them.
    func refresh(_ handle: QueueHandle) {
        handle.breaks += 1
        guard refreshing[handle.name] == nil else { return refreshing[handle.name] = true }
        refreshing[handle.name] = false
        scope.run("refresh \(handle.name)") { [weak self] in
            repeat {
                self?.refreshing[handle.name] = false
                await self?.readAll(of: handle)
            } while !Task.isCancelled && self?.refreshing[handle.name] == true
            self?.refreshing[handle.name] = nil
        }
    }

    private func readAll(of handle: QueueHandle) async {
        var batch: [PendingReceipt] = []
        var (pages, glances) = (0, 0)
        for shard in receipts.shards {
            let some = receipts.receipts(in: shard)
            batch += some.filter { $0.handle === handle && $0.isAdmitted && !$0.isEnding }
            glances += some.count
            while batch.count >= Self.page {
                await read(batch.suffix(Self.page), of: handle, isLast: pages < Self.prompt)
                batch.removeLast(Self.page)
                (pages, glances) = (pages + 1, 0)
                if Task.isCancelled { return }
            }
            if glances >= Self.glance {
                try? await Loop.sleep(.zero)
                glances = 0
            }
        }
        await read(batch[...], of: handle, isLast: true)
    }

    /// Asks about one receipt now.
    package func ask(_ receipt: PendingReceipt) {
        scope.run("ask \(receipt.id)") { [weak self] in await self?.settle(receipt) }
    }

    /// Asks about one receipt now, and returns when the answer has been sent to its clients.
    package func settle(_ receipt: PendingReceipt) async { await read([receipt], of: receipt.handle) }

    /// Asks about a receipt soon, together with others.
    func suspect(_ receipt: PendingReceipt) {
        // A receipt that is due again while it waits here is in the list already.
        guard !receipt.isSuspected else { return }
        receipt.isSuspected = true
        suspects[receipt.handle.name, default: []].append(receipt)
        guard !isAsking else { return }
        isAsking = true
        scope.run("ask") { [weak self] in
            await self?.askSuspects()
            self?.isAsking = false
        }
    }

    private func askSuspects() async {
        while let name = suspects.keys.first, !Task.isCancelled {
            let some = takeSuspects(of: name)
            if let handle = some.first?.handle { await read(some[...], of: handle, isLast: suspects.isEmpty) }
        }
        suspects = [:]
    }

    /// Removes and returns the next page of a queue. The remaining receipts stay.
    private func takeSuspects(of name: String) -> [PendingReceipt] {
        guard let all = suspects[name] else { return [] }
        let some = Array(all.suffix(Self.page))
        if some.count == all.count { suspects[name] = nil } else { suspects[name]?.removeLast(some.count) }
        for receipt in some { receipt.isSuspected = false }
        return some
    }

    /// Reads a page, and pauses unless it is the last one.
    private func read(_ some: ArraySlice<PendingReceipt>, of handle: QueueHandle, isLast: Bool) async {
        let begun = ContinuousClock.now
        await read(Array(some), of: handle)
        while actions.resubmissions >= Self.maxResubmissions, !Task.isCancelled { try? await Loop.sleep(.milliseconds(5)) }
        guard !isLast else { return }
        let taken = ContinuousClock.now - begun
        try? await Loop.sleep(max(taken, Self.pace - taken))
    }

    /// Reads the state of receipts. Receipts with clients here are taken over if no client waits for them at their coordinator any more.
    private func read(_ pending: [PendingReceipt], of handle: QueueHandle) async {
        await read(pending.filter { $0.holders > 0 }, of: handle, adoptedBy: coordinator, areAwaited: true)
        await read(pending.filter { $0.holders == 0 && !$0.waiters.isEmpty }, of: handle, adoptedBy: coordinator)
        await read(pending.filter(\.waiters.isEmpty), of: handle, adoptedBy: nil)
    }

    private func read(_ pending: [PendingReceipt], of handle: QueueHandle, adoptedBy taker: String?, areAwaited: Bool = false) async {
        let page = pending.filter { $0.isAdmitted && !$0.isEnding }
        guard !page.isEmpty else { return }
        do throws(RedisError) {
            let found = try await handle.queue.snapshots(page.map(\.id), adoptedBy: taker, areAwaited: areAwaited)
            let lost = page.filter { found[$0.id] == nil && $0.isAdmitted && !$0.isEnding }
            if let first = lost.first { logger.warning("Redis has lost receipts", ["receipts": lost.count, "first": first.id, "queue": handle.name]) }
            for receipt in page where receipt.isAdmitted && !receipt.isEnding {
                apply(found[receipt.id], to: receipt)
                receipts.plan(receipt)
            }
        } catch {
            logger.refused("reading receipts", error)
            for receipt in page where !receipt.isEnding {
                if receipt.liveness.cause == .none { receipt.liveness.begin(.unproven, at: Seconds.monotonic) }
                receipts.plan(receipt)
            }
        }
    }

    private func apply(_ snapshot: ReceiptSnapshot?, to receipt: PendingReceipt) {
        guard let snapshot else {
            if receipt.submission != nil { return actions.resubmit(receipt) }
            let error = TintypeError(.unknownReceipt, .queue, "Redis has lost this receipt: request the image again", retryable: true)
            return receipts.end(receipt, Outcome(failing: error))
        }
        if let ending = snapshot.ending { return receipts.end(receipt, Outcome(ReceiptEvent(ending))) }
        let wasOurs = receipt.isOurs
        receipt.liveness.answered(isOurs: snapshot.coordinator == coordinator, at: Seconds.monotonic)
        receipt.belongs(toUs: snapshot.coordinator == coordinator)
        if receipt.isOurs {
            receipt.following?.end()
            receipt.following = nil
            if receipts[receipt.id] == nil { receipts.comeTooLate(receipt) } else if !wasOurs { receipts.given(receipt) }
        } else if receipt.waiters.isEmpty {
            if receipt.graceEnd == nil { receipts.leave(receipt) }
        } else if receipt.following == nil {
            follow(receipt)
        }
    }

    /// Subscribes to the receipt's public channel, because another coordinator gets its events now. A message there only causes a question to
    /// Redis, because anybody may publish there.
    private func follow(_ receipt: PendingReceipt) {
        let keys = receipt.handle.queue.keys
        receipt.following = PublicSubscription(
            keys.publicEvents(receipt: receipt.id), of: keys.tag, on: channels,
            confirmed: { [weak self, weak receipt] in
                if let receipt { self?.ask(receipt) }
            },
            { [weak self, weak receipt] _ in
                if let receipt { self?.ask(receipt) }
            })
    }
}
