import TintypeCore
package import TintypeTransport
import TintypeQueue

/// Cancels receipts in the queue that no client wants any more, or whose time is over. It keeps trying while Redis is unreachable.
@Loop
package final class CancellationService {
    /// The time for which a canceling client waits for Redis. The cancellation itself is tried until the receipt's deadline.
    private static let patience = Duration.seconds(60)
    /// The time for which a client waits for the terminal event after its deadline or its `$/cancelRequest`. After that this coordinator answers by itself.
    package static let courtesy = Duration.seconds(2)

    private let receipts: ReceiptTable
    private let recovery: Recovery
    private let coordinator: String
    private let scope: TaskScope
    private let logger: Logger
    /// Receipts whose deadline has passed and of which Redis is still to be told, each with the time until which that is tried.
    private var late = FIFO<(receipt: PendingReceipt, limit: ContinuousClock.Instant)>()
    /// The number of tasks that tell Redis of late receipts. A hundred thousand may be late in one second, so they take turns, and other work runs
    /// in between.
    private var enders = 0
    private static let maxEnders = 32

    /// Receipts of disconnected clients for which Redis has not answered yet whether they wait.
    private var asking = 0
    /// Running fetches of disconnected clients. They are canceled after all waiting ones: each frees a permit, which a waiting fetch of a
    /// disconnected client must not get. That includes clients that disconnected at the same moment.
    ///
    /// It is a deque: those from `firstRun` on are still to be canceled.
    private var runs: [Run] = []
    private var firstRun = 0
    private var runsTimer: LoopTimer?
    private var isStopping = false

    private struct Run {
        let receipt: PendingReceipt
        let cancelCause: ReceiptLife.CancelCause
        let orElse: (@Loop () -> Void)?
    }

    /// The longest time for which a run waits for the receipts of others, because clients may come and go without end.
    private static let maxWait = Duration.seconds(1)
    /// The number of runs that are canceled in one turn of the loop.
    private static let runsAtOnce = 1000

    init(receipts: ReceiptTable, recovery: Recovery, coordinator: String, scope: TaskScope, logger: Logger) {
        self.receipts = receipts
        self.recovery = recovery
        self.coordinator = coordinator
        self.scope = scope
        self.logger = logger
    }

    /// Cancels a receipt, which ends with the resulting event `cancelled`.
    /// - Parameter orElse: Called if the receipt goes on because others want it (`CancelCause.sparesOthers`).
    package func withdraw(_ receipt: PendingReceipt, for cancelCause: ReceiptLife.CancelCause, orElse: (@Loop () -> Void)? = nil) {
        guard receipt.life.withdraw(for: cancelCause) == .now else { return }
        let run = Run(receipt: receipt, cancelCause: cancelCause, orElse: orElse)
        let mayWait = cancelCause == .disconnected && !isStopping
        if mayWait { asking += 1 }
        scope.run("withdraw \(receipt.id)") { [weak self] in await self?.drop(run, mayWait: mayWait) }
    }

    /// Stops putting off cancellations, because the coordinator stops.
    package func stop() {
        isStopping = true
        withdrawRuns()
    }

    /// Records that Redis has answered for one receipt whether it waits.
    private func answered() {
        asking -= 1
        if asking == 0, !receipts.isGivingUp { withdrawRuns() }
    }

    private func putOff(_ run: Run) {
        runs.append(run)
        if runsTimer == nil { runsTimer = LoopTimer(after: Self.maxWait) { [weak self] in self?.withdrawRuns() } }
    }

    private func withdrawRuns() {
        runsTimer = nil
        let end = min(firstRun + Self.runsAtOnce, runs.count)
        for run in runs[firstRun..<end] {
            scope.run("withdraw \(run.receipt.id)") { [weak self] in await self?.drop(run, mayWait: false) }
        }
        firstRun = end
        if end == runs.count { return (runs, firstRun) = ([], 0) }
        runsTimer = LoopTimer(after: .zero) { [weak self] in self?.withdrawRuns() }
    }

    /// - Parameter mayWait: Whether a running fetch is put off, so that a disconnected client's waiting fetches are canceled first.
    private func drop(_ run: Run, mayWait: Bool) async {
        let (receipt, node) = (run.receipt, run.receipt.handle.queue.node)
        var isCounted = mayWait
        defer { if isCounted { answered() } }
        do throws(RedisError) {
            try await node.retrying(
                RedisPatience(until: .now + Self.patience),
                after: {
                    logger.refused("canceling a receipt", $0)
                    // While Redis is unreachable, no run waits for its turn.
                    if isCounted {
                        isCounted = false
                        answered()
                    }
                    return true
                }
            ) { () async throws(RedisError) in try await drop(run, whileWaiting: isCounted) }
        } catch {
            guard !receipt.isEnding, !wasTakenUp(run) else { return }
            // The waiting client gets its answer in any case. Redis is told as soon as it is reachable, so that other clients get the same end.
            receipts.end(receipt, Outcome(failing: Outcome.cancellation(reason: run.cancelCause.reason, phase: nil)))
            guard error.isRetryable, !Task.isCancelled, let deadline = receipt.deadline, .now < deadline else { return }
            _ = try? await node.retrying("canceling a receipt", until: deadline, logger) { () async throws(RedisError) in
                try await drop(run, whileWaiting: false, isAnnounced: true)
            }
        }
    }

    /// Returns whether a client has continued the receipt of the disconnected client meanwhile, here or at another coordinator.
    private func wasTakenUp(_ run: Run) -> Bool { run.cancelCause == .disconnected && !run.receipt.waiters.isEmpty }

    /// - Parameter isAnnounced: Whether the waiting clients know already that the receipt is canceled.
    private func drop(_ run: Run, whileWaiting: Bool, isAnnounced: Bool = false) async throws(RedisError) {
        let (receipt, queue) = (run.receipt, run.receipt.handle.queue)
        guard isAnnounced ? receipts[receipt.id] == nil : !receipt.isEnding, !wasTakenUp(run) else { return }
        switch try await queue.cancel(
            receipt: receipt.id, reason: run.cancelCause.reason, owner: run.cancelCause.sparesOthers ? coordinator : nil, whileWaiting: whileWaiting)
        {
        case .dropped, .finished: return
        case .running: return putOff(run)
        case .elsewhere:
            guard !isAnnounced else { return }
            receipt.belongs(toUs: false)
            run.orElse?()
            guard receipts[receipt.id] === receipt else { return }
            // An observer is told of the receipt's end.
            return receipt.waiters.isEmpty ? receipts.leave(receipt) : recovery.ask(receipt)
        case .unknown: return receipts.end(receipt, Outcome(failing: Outcome.cancellation(reason: run.cancelCause.reason, phase: nil)))
        }
    }

    /// Cancels a receipt whose submit was abandoned after a cancellation was requested. An unanswered submit may have created the receipt, or may
    /// still create it.
    func revoke(_ receipt: PendingReceipt) {
        guard let cancelCause = receipt.life.revocation else { return }
        scope.run("revoke \(receipt.id)") { [weak self] in await self?.revoke(receipt.id, receipt.handle.queue, cancelCause.reason) }
    }

    private func revoke(_ id: String, _ queue: Queue, _ reason: String) async {
        let limit = ContinuousClock.now + Self.patience
        var backoff = Backoff(first: .seconds(1), most: .seconds(16))
        _ = try? await queue.node.retrying("canceling a receipt that may have been submitted", until: limit, logger) { () async throws(RedisError) in
            // A receipt that a client requests again meanwhile is not canceled.
            while receipts[id] == nil, ContinuousClock.now < limit, !Task.isCancelled {
                guard try await queue.cancel(receipt: id, reason: reason, owner: coordinator) == .unknown else { return }
                // The old connection is closed, but a command on it may still arrive after this one.
                try? await Loop.sleep(backoff.next())
            }
        }
    }

    /// Removes the results of a canceled request whose work ended first. Its client is told that it was canceled. Later commands on the same
    /// connection no longer find the results.
    /// - Parameter forget: Deletes the bytes that the fetch of this record has stored.
    func retract(_ receipt: String, _ handle: QueueHandle, _ forget: @escaping @Loop (_ fetch: String) async -> Void) {
        scope.run("retract \(receipt)") { [logger, coordinator] in
            await logger.attempt("removing the results of a canceled request") { () async throws(RedisError) in
                guard let fetch = try await handle.queue.retract(receipt: receipt, reason: "requested", owner: coordinator) else { return }
                await forget(fetch)
            }
        }
    }

    /// Cancels a receipt for a group that has ended.
    /// - Returns: false if the receipt goes on: it was not made for the group, or another client waits for it too.
    package func withdraw(_ receipt: PendingReceipt, madeFor group: String, reason: String) async -> Bool {
        let limit = ContinuousClock.now + Self.patience
        do throws(RedisError) {
            return try await receipt.handle.queue.node.retrying("canceling an item of a group", until: limit, logger) { () async throws(RedisError) in
                try await drop(receipt, madeFor: group, reason: reason, until: limit)
            }
        } catch {
            return error.isRetryable && receipt.isEnding
        }
    }

    private func drop(_ receipt: PendingReceipt, madeFor group: String, reason: String, until limit: ContinuousClock.Instant) async throws(RedisError) -> Bool {
        while !receipt.isEnding {
            guard receipt.holders < 2, !Task.isCancelled, ContinuousClock.now < limit else { return false }
            guard receipt.isAdmitted else {
                // Redis had lost the receipt, and it is being submitted again.
                try? await Loop.sleep(.milliseconds(20))
                continue
            }
            switch try await receipt.handle.queue.cancel(receipt: receipt.id, reason: reason, owner: coordinator, group: group) {
            case .dropped, .finished, .running: return true
            case .elsewhere: return false
            case .unknown: receipts.end(receipt, Outcome(failing: Outcome.cancellation(reason: reason, phase: nil)))
            }
        }
        return true
    }

    /// Lets another coordinator have a receipt, because no client waits for it here any more.
    package func leave(_ receipt: PendingReceipt) {
        scope.run("leave \(receipt.id)") { [weak self] in await self?.reportLeaving(receipt) }
    }

    private func reportLeaving(_ receipt: PendingReceipt) async {
        let queue = receipt.handle.queue
        _ = try? await queue.node.retrying("leaving a receipt", until: .now + Self.patience, logger) { () async throws(RedisError) in
            // Does nothing if a client here has asked for the receipt since.
            guard receipt.holders == 0, !receipt.isEnding, receipts[receipt.id] == nil || receipts[receipt.id] === receipt else { return }
            try await queue.leave(receipt: receipt.id, coordinator: coordinator)
        }
    }

    /// Handles a receipt that another coordinator handed over because of a client here that has disconnected meanwhile. The other coordinator
    /// wanted it canceled, so it is canceled here, as `abandon` would after a crash. If Redis is unreachable, the receipt's deadline ends it.
    func refuse(_ id: String, _ handle: QueueHandle) {
        scope.run("refuse \(id)") { [weak self] in
            guard let self else { return }
            await self.logger.attempt("canceling a receipt that was handed over") { () async throws(RedisError) in
                guard let snapshot = try await handle.queue.receipt(id), snapshot.ending == nil, self.receipts[id] == nil else { return }
                if let reason = snapshot.givenUp {
                    _ = try await handle.queue.cancel(receipt: id, reason: reason, owner: self.coordinator, whileGiven: true)
                } else if snapshot.terms.isDetached {
                    // A client has continued the receipt since and left it.
                    try await handle.queue.leave(receipt: id, coordinator: self.coordinator)
                } else {
                    _ = try await handle.queue.cancel(receipt: id, reason: "disconnected", owner: self.coordinator)
                }
            }
        }
    }

    /// Watches a receipt's deadline. The reaper ends late receipts too, but only every second, and not for a while after a break.
    package func watch(_ receipt: PendingReceipt) {
        guard receipt.end < .infinity else { return }
        receipt.courtesyTimer = nil
        receipt.life.watchAnew()
        receipt.deadlineAt = receipt.end
        receipts.plan(receipt)
    }

    /// Handles a passed deadline, or the end of the time that the client waits for the event after it.
    func expire(_ receipt: PendingReceipt) {
        switch receipt.life.expire() {
        case .nothing: return
        case .end: return receipts.end(receipt, Outcome(failing: lateness(of: receipt)))
        case .tell: break
        }
        receipt.deadlineAt = Seconds.monotonic + Self.courtesy.inSeconds
        late.append((receipt, .now + Self.patience))
        guard enders < Self.maxEnders else { return }
        enders += 1
        scope.run("end late receipts") { [weak self] in
            while let self, let next = self.late.popFirst() { await self.end(late: next.receipt, until: next.limit) }
            self?.enders -= 1
        }
    }

    /// Returns the error of a late receipt for which Redis has not answered. Redis may have refused the calls of other receipts meanwhile.
    private func lateness(of receipt: PendingReceipt) -> TintypeError {
        guard receipt.lateness.name == .deadlineExceeded else { return receipt.lateness }
        return receipt.handle.queue.node.refusal(within: Self.courtesy).flatMap { RedisError.unavailable($0).lateness } ?? receipt.lateness
    }

    /// Ends a late receipt in Redis, and tries until Redis has answered. Other clients wait for its end too, and the reaper pauses for a while
    /// after a break.
    private func end(late receipt: PendingReceipt, until limit: ContinuousClock.Instant) async {
        let queue = receipt.handle.queue
        _ = try? await queue.node.retrying(
            RedisPatience(until: limit),
            after: {
                logger.refused("ending a late receipt", $0)
                if let lateness = $0.lateness { receipt.lateness = lateness }
                return true
            }
        ) { () async throws(RedisError) in
            guard try await queue.cancel(receipt: receipt.id, failure: receipt.lateness) == .finished, !receipt.isEnding else { return }
            // The receipt ended in time, and the event is on its way or lost.
            receipt.deadlineAt = .infinity
            recovery.suspect(receipt)
        }
    }
}
