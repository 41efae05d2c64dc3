import TintypeCore
import TintypeTransport
import TintypeQueue

/// Takes receipts out of the queue that nobody wants any more or whose time is over, and keeps at it while Redis is out of reach.
@Loop
final class Withdrawal {
    /// How long whoever waits for a withdrawal waits for Redis; it is tried on until the receipt's deadline.
    private static let patience = Duration.seconds(60)
    /// What a client waits for the terminal event after its deadline or its `$/cancelRequest`, before this coordinator answers by itself.
    static let courtesy = Duration.seconds(2)

    private let receipts: ReceiptTable
    private let recovery: Recovery
    private let coordinator: String
    private let scope: TaskScope
    private let logger: Logger
    /// Receipts whose deadline has passed and of which Redis has yet to be told, and until when it is tried.
    private var late = FIFO<(receipt: PendingReceipt, limit: ContinuousClock.Instant)>()
    /// How many tasks tell Redis of late receipts. A hundred thousand may be late in one second: they take turns, and others are served between.
    private var enders = 0
    private static let mostEnders = 32

    /// Receipts of clients that have left of which Redis has yet to say whether they wait.
    private var asking = 0
    /// Those that run. They are withdrawn after all that wait: each gives a place back, and what waits for a client that has left must not get it, be it
    /// another client's that left in the same moment. A deque by two ends: those from `firstRun` on have yet to be withdrawn.
    private var runs: [Run] = []
    private var firstRun = 0
    private var runsTimer: LoopTimer?
    private var isStopping = false

    private struct Run {
        let receipt: PendingReceipt
        let wish: ReceiptLife.Wish
        let orElse: (@Loop () -> Void)?
    }

    /// How long a run waits at the most for others' receipts: clients may come and go without end.
    private static let longestWait = Duration.seconds(1)
    /// How many runs are withdrawn in one turn of the loop.
    private static let runsAtOnce = 1000

    init(receipts: ReceiptTable, recovery: Recovery, coordinator: String, scope: TaskScope, logger: Logger) {
        self.receipts = receipts
        self.recovery = recovery
        self.coordinator = coordinator
        self.scope = scope
        self.logger = logger
    }

    /// Withdraws a receipt; it ends with the event `cancelled` that this causes.
    /// - Parameter orElse: called if it goes on, because others want it (`Wish.sparesOthers`).
    func withdraw(_ receipt: PendingReceipt, for wish: ReceiptLife.Wish, orElse: (@Loop () -> Void)? = nil) {
        guard receipt.life.withdraw(for: wish) == .now else { return }
        let run = Run(receipt: receipt, wish: wish, orElse: orElse)
        let mayWait = wish == .disconnected && !isStopping
        if mayWait { asking += 1 }
        scope.run("withdraw \(receipt.id)") { [weak self] in await self?.drop(run, mayWait: mayWait) }
    }

    /// The coordinator stops: nothing is put off any more.
    func stop() {
        isStopping = true
        withdrawRuns()
    }

    /// Redis has said of one receipt whether it waits.
    private func answered() {
        asking -= 1
        if asking == 0, !receipts.isGivingUp { withdrawRuns() }
    }

    private func putOff(_ run: Run) {
        runs.append(run)
        if runsTimer == nil { runsTimer = LoopTimer(after: Self.longestWait) { [weak self] in self?.withdrawRuns() } }
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

    /// - Parameter mayWait: of a client that has left with much what waits goes first.
    private func drop(_ run: Run, mayWait: Bool) async {
        let (receipt, node) = (run.receipt, run.receipt.lane.queue.node)
        var isCounted = mayWait
        defer { if isCounted { answered() } }
        do throws(RedisError) {
            try await node.retrying(
                RedisPatience(until: .now + Self.patience),
                after: {
                    logger.refused("withdrawing a receipt", $0)
                    // With Redis away nobody waits for its turn.
                    if isCounted {
                        isCounted = false
                        answered()
                    }
                    return true
                }
            ) { () async throws(RedisError) in try await drop(run, whileWaiting: isCounted) }
        } catch {
            guard !receipt.isEnding, !wasTakenUp(run) else { return }
            // Whoever waits is told so all the same, and Redis as soon as it hears, lest it has another end for others.
            receipts.end(receipt, Outcome(failing: Outcome.cancellation(reason: run.wish.reason, phase: nil)))
            guard error.isRetryable, !Task.isCancelled, let deadline = receipt.deadline, .now < deadline else { return }
            _ = try? await node.retrying("withdrawing a receipt", until: deadline, logger) { () async throws(RedisError) in
                try await drop(run, whileWaiting: false, isTold: true)
            }
        }
    }

    /// Whether somebody took up what a client has left, here or at another coordinator, while we were asking.
    private func wasTakenUp(_ run: Run) -> Bool { run.wish == .disconnected && !run.receipt.attachments.isEmpty }

    /// - Parameter isTold: whether whoever waits was told already that it is withdrawn.
    private func drop(_ run: Run, whileWaiting: Bool, isTold: Bool = false) async throws(RedisError) {
        let (receipt, queue) = (run.receipt, run.receipt.lane.queue)
        guard isTold ? receipts[receipt.id] == nil : !receipt.isEnding, !wasTakenUp(run) else { return }
        switch try await queue.drop(receipt: receipt.id, reason: run.wish.reason, owner: run.wish.sparesOthers ? coordinator : nil, whileWaiting: whileWaiting)
        {
        case .dropped, .finished: return
        case .running: return putOff(run)
        case .elsewhere:
            guard !isTold else { return }
            receipt.belongs(toUs: false)
            run.orElse?()
            guard receipts[receipt.id] === receipt else { return }
            // Whoever has only looked at it is told of its end.
            return receipt.attachments.isEmpty ? receipts.leave(receipt) : recovery.ask(receipt)
        case .unknown: return receipts.end(receipt, Outcome(failing: Outcome.cancellation(reason: run.wish.reason, phase: nil)))
        }
    }

    /// Withdraws a receipt whose submit was given up and that somebody wished to be withdrawn: what was sent and never answered may have
    /// come to be, or comes to be in a moment.
    func revoke(_ receipt: PendingReceipt) {
        guard let wish = receipt.life.revocation else { return }
        scope.run("revoke \(receipt.id)") { [weak self] in await self?.revoke(receipt.id, receipt.lane.queue, wish.reason) }
    }

    private func revoke(_ id: String, _ queue: Queue, _ reason: String) async {
        let limit = ContinuousClock.now + Self.patience
        var backoff = Backoff(first: .seconds(1), most: .seconds(16))
        _ = try? await queue.node.retrying("withdrawing what may have been submitted", until: limit, logger) { () async throws(RedisError) in
            // Not what somebody asks for again meanwhile.
            while receipts[id] == nil, ContinuousClock.now < limit, !Task.isCancelled {
                guard try await queue.drop(receipt: id, reason: reason, owner: coordinator) == .unknown else { return }
                // The old connection is gone, but what was sent by it may be on its way yet and come after this.
                try? await Loop.sleep(backoff.next())
            }
        }
    }

    /// Takes back what a cancelled request has left behind: the work was quicker, and its client is told that it is cancelled all the same. What comes
    /// after this on the same connection finds nothing of it.
    /// - Parameter forget: deletes the bytes that the fetch of this record has kept.
    func retract(_ receipt: String, _ lane: Lane, _ forget: @escaping @Loop (_ fetch: String) async -> Void) {
        scope.run("retract \(receipt)") { [logger, coordinator] in
            do throws(RedisError) {
                guard let fetch = try await lane.queue.retract(receipt: receipt, reason: "requested", owner: coordinator) else { return }
                await forget(fetch)
            } catch {
                logger.refused("taking back what was cancelled", error)
            }
        }
    }

    /// Withdraws a receipt for a group that has ended.
    /// - Returns: false if it goes on: it was not made for the group, or somebody else waits for it too.
    func withdraw(_ receipt: PendingReceipt, madeFor group: String, reason: String) async -> Bool {
        let limit = ContinuousClock.now + Self.patience
        do throws(RedisError) {
            return try await receipt.lane.queue.node.retrying("withdrawing an item of a group", until: limit, logger) { () async throws(RedisError) in
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
                // Redis had lost it, and it is being submitted anew.
                try? await Loop.sleep(.milliseconds(20))
                continue
            }
            switch try await receipt.lane.queue.drop(receipt: receipt.id, reason: reason, owner: coordinator, group: group) {
            case .dropped, .finished, .running: return true
            case .elsewhere: return false
            case .unknown: receipts.end(receipt, Outcome(failing: Outcome.cancellation(reason: reason, phase: nil)))
            }
        }
        return true
    }

    /// Lets another coordinator have a receipt: nobody waits for it here any more.
    func leave(_ receipt: PendingReceipt) {
        scope.run("leave \(receipt.id)") { [weak self] in await self?.tell(receipt) }
    }

    private func tell(_ receipt: PendingReceipt) async {
        let queue = receipt.lane.queue
        _ = try? await queue.node.retrying("leaving a receipt", until: .now + Self.patience, logger) { () async throws(RedisError) in
            // Nor does somebody who has asked for it since.
            guard receipt.holders == 0, !receipt.isEnding, receipts[receipt.id] == nil || receipts[receipt.id] === receipt else { return }
            try await queue.leave(receipt: receipt.id, coordinator: coordinator)
        }
    }

    /// Another coordinator has handed a receipt over, because of a client here that has left meanwhile. It was to be withdrawn there, and is
    /// here, as it would be had this coordinator died (`abandon`). Should Redis be out of reach, its deadline ends it.
    func refuse(_ id: String, _ lane: Lane) {
        scope.run("refuse \(id)") { [weak self] in
            guard let self else { return }
            do throws(RedisError) {
                guard let snapshot = try await lane.queue.receipt(id), snapshot.ending == nil, self.receipts[id] == nil else { return }
                if let reason = snapshot.givenUp {
                    _ = try await lane.queue.drop(receipt: id, reason: reason, owner: self.coordinator, whileGiven: true)
                } else if snapshot.terms.isDetached {
                    // Somebody has taken it up since, and left it.
                    try await lane.queue.leave(receipt: id, coordinator: self.coordinator)
                } else {
                    _ = try await lane.queue.drop(receipt: id, reason: "disconnected", owner: self.coordinator)
                }
            } catch {
                self.logger.refused("withdrawing what was handed over", error)
            }
        }
    }

    /// Watches a receipt's deadline. The reaper ends late receipts too, but only each second, and not for a while after a break.
    func watch(_ receipt: PendingReceipt) {
        guard receipt.end < .infinity else { return }
        receipt.courtesyTimer = nil
        receipt.life.watchAnew()
        receipt.deadlineAt = receipt.end
        receipts.plan(receipt)
    }

    /// The deadline of a receipt has passed, or what its client waits for after that.
    func expire(_ receipt: PendingReceipt) {
        switch receipt.life.expire() {
        case .nothing: return
        case .end: return receipts.end(receipt, Outcome(failing: lateness(of: receipt)))
        case .tell: break
        }
        receipt.deadlineAt = Seconds.monotonic + Self.courtesy.inSeconds
        late.append((receipt, .now + Self.patience))
        guard enders < Self.mostEnders else { return }
        enders += 1
        scope.run("end late receipts") { [weak self] in
            while let self, let next = self.late.popFirst() { await self.end(late: next.receipt, until: next.limit) }
            self?.enders -= 1
        }
    }

    /// Why a receipt is late of whose end Redis has said nothing: it may have refused what others asked meanwhile.
    private func lateness(of receipt: PendingReceipt) -> TintypeError {
        guard receipt.lateness.name == .deadlineExceeded else { return receipt.lateness }
        return receipt.lane.queue.node.refusal(within: Self.courtesy).flatMap { RedisError.unavailable($0).lateness } ?? receipt.lateness
    }

    /// Ends a late receipt in Redis, until Redis has answered: others wait for its end too, and the reaper rests for a while after a break.
    private func end(late receipt: PendingReceipt, until limit: ContinuousClock.Instant) async {
        let queue = receipt.lane.queue
        _ = try? await queue.node.retrying(
            RedisPatience(until: limit),
            after: {
                logger.refused("ending a late receipt", $0)
                if let lateness = $0.lateness { receipt.lateness = lateness }
                return true
            }
        ) { () async throws(RedisError) in
            guard try await queue.drop(receipt: receipt.id, failure: receipt.lateness) == .finished, !receipt.isEnding else { return }
            // It came to its end in time, and the event is on its way or lost.
            receipt.deadlineAt = .infinity
            recovery.suspect(receipt)
        }
    }
}
