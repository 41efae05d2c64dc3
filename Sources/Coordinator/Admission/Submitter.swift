package import TintypeCore
package import TintypeTransport
package import TintypeQueue
import TintypeStores
import TintypeImages

/// Submits receipts to Redis. During breaks of the connection it tries again, within the request's deadline. It answers from the index of results
/// after a check that their bytes exist.
@Loop
package final class Submitter {
    /// The outcome of a submission, for `image.submit`.
    package struct Answer {
        package let receipt: String
        package let state: ReceiptState
        package let position: Int?
        package let outcome: Outcome?
        /// Whether replicas have the receipt; nil for a request that did not wait for them.
        package var isDurable: Bool?
    }

    package let registry: QueueRegistry
    private let redisMemory: RedisMemoryGuard
    private let receipts: ReceiptTable
    private let memory: MemoryTier
    private let cache: CacheTiers
    private let results: ResultDelivery
    private let sources: any ResultStore
    private let cancellation: CancellationService
    private let recovery: Recovery
    private let durability: Durability
    private let scope: TaskScope
    private let metrics: Metrics
    package let logger: Logger
    /// The number of receipts that are being submitted again.
    private(set) var resubmissions = 0

    init(
        registry: QueueRegistry, redisMemory: RedisMemoryGuard, receipts: ReceiptTable, memory: MemoryTier, cache: CacheTiers, results: ResultDelivery,
        sources: any ResultStore,
        cancellation: CancellationService, recovery: Recovery, durability: Durability, scope: TaskScope, metrics: Metrics, logger: Logger
    ) {
        self.registry = registry
        self.redisMemory = redisMemory
        self.receipts = receipts
        self.memory = memory
        self.cache = cache
        self.results = results
        self.sources = sources
        self.cancellation = cancellation
        self.recovery = recovery
        self.durability = durability
        self.scope = scope
        self.metrics = metrics
        self.logger = logger
    }

    static func mismatch(_ id: String) -> TintypeError {
        .invalidParams(path: "receipt", value: .string(id), expected: "an id that no other request has used; this one belongs to another request")
    }

    /// Whether receipts of new requests in a queue or shard are kept for a shorter time.
    func isPressed(in queue: Queue) -> Bool { redisMemory.isPressed(at: queue) }

    /// Submits a receipt of the table.
    /// - Parameters:
    ///   - call: The request; nil for an item of a group.
    ///   - admitted: For `image.submit`: called once, before any event of the receipt is sent.
    /// - Throws: When the receipt was not created. It has left the table then, unless others wait for it.
    package func submit(_ receipt: PendingReceipt, _ plan: AdmissionPlan, for call: Call?, _ admitted: (@Loop (Answer) -> Void)?) async throws(TintypeError) {
        receipt.life.submitBegins()
        defer { receipt.life.submitReturns() }
        let mayNeedToken = receipt.submission.map { receipt.handle.queue.hasToReserve($0) } ?? false
        let token = mayNeedToken ? Digest.randomHex(bytes: 8) : ""
        do throws(TintypeError) {
            if !receipt.isAdmitted {
                try await redisMemory.take(receipt.submission?.bytes ?? 0, of: receipt.submission?.client ?? "", in: receipt.handle.queue)
            }
            if mayNeedToken, !receipt.isAdmitted { try await reserve(receipt, token) }
            if !receipt.isAdmitted { await bringUp(plan, into: receipt.handle.queue) }
            if plan.request.cachePolicy == .only { try await requireCached(plan, receipt.handle) }
            let tickets = tickets(receipt)
            if let tickets {
                try await persistently("taking a place", receipt) { queue throws(RedisError) in try await tickets.take(receipt.id, in: queue) }
            }
            do throws(TintypeError) {
                try await attempt(receipt, plan, call, admitted)
            } catch {
                if let tickets { try? await tickets.giveBack(receipt.id, in: receipt.handle.queue) }
                throw error
            }
            if let tickets { await supersede(receipt, tickets) }
        } catch {
            metrics.add(.submits, labels: receipt.queue, error.name.rawValue)
            // This queue keeps an id that it knows with other parameters. Another submit of this receipt, still in flight, has a token of its own.
            let remains = receipt.life.actionsAfterFailedSubmit(keepsID: error.name == .invalidParams)
            if remains.contains(.forget) {
                receipts.remove(receipt)
                cancellation.revoke(receipt)
            }
            if remains.contains(.giveBack) { giveBack(receipt, token) }
            throw error
        }
    }

    /// Copies results of a request that only the second place has into the store and the index.
    private func bringUp(_ plan: AdmissionPlan, into queue: Queue) async {
        guard cache.hasFallback, plan.readsResults, plan.writesResults else { return }
        let keys = plan.outputs.filter { !$0.isTold }.map(\.digest)
        await cache.bringUp(keys, into: queue, for: (plan.request.version, plan.request.ttl))
    }

    /// Returns whether the index has all results of a request, perhaps brought there by this question.
    package func isIndexed(_ plan: AdmissionPlan) async throws(TintypeError) -> Bool {
        let queue = try await handle(plan, until: .now).queue
        await bringUp(plan, into: queue)
        do throws(RedisError) {
            for output in plan.outputs where try await !queue.isIndexed(output.digest) { return false }
        } catch {
            throw TintypeError(error)
        }
        return true
    }

    /// Reserves a chosen receipt id for the receipt's queue.
    /// - Throws: `invalidParams` if another queue knows the id.
    private func reserve(_ receipt: PendingReceipt, _ token: String) async throws(TintypeError) {
        guard let submission = receipt.submission else { return }
        let isReserved = try await persistently("reserving a receipt's id", receipt) { queue throws(RedisError) in
            try await queue.reserve(submission, token: token)
        }
        if !isReserved { throw Self.mismatch(receipt.id) }
    }

    /// Makes one call for a receipt. While Redis is unreachable, the call is repeated until the deadline, or until no client needs the receipt.
    private func persistently<Answer>(
        _ what: StaticString, _ receipt: PendingReceipt, _ body: @Loop (Queue) async throws(RedisError) -> Answer
    ) async throws(TintypeError) -> Answer {
        let queue = receipt.handle.queue
        do throws(RedisError) {
            return try await queue.node.retrying(what, until: receipt.deadline ?? .now, logger, unless: { receipt.life.cancelCause != nil }) {
                () async throws(RedisError) in try await body(queue)
            }
        } catch {
            if let cancelCause = receipt.life.cancelCause { throw Outcome.cancellation(reason: cancelCause.reason, phase: nil) }
            throw TintypeError(error)
        }
    }

    /// Releases the id of a receipt that was not created. If Redis is unreachable, the id stays with this queue.
    private func giveBack(_ receipt: PendingReceipt, _ token: String) {
        guard let submission = receipt.submission, submission.isChosen else { return }
        scope.run("give back \(receipt.id)") { [logger] in
            do throws(RedisError) {
                try await receipt.handle.queue.giveBack(submission, token: token)
            } catch {
                logger.refused("giving a receipt's id back", error)
            }
        }
    }

    private func attempt(_ receipt: PendingReceipt, _ plan: AdmissionPlan, _ call: Call?, _ admitted: (@Loop (Answer) -> Void)?) async throws(TintypeError) {
        let limit = receipt.deadline ?? .now
        guard var submission = receipt.submission else { return }
        submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
        var sent = try await send(submission, receipt, until: limit)
        var isDurable: Bool?
        if durability.covers(plan.request, isDetached: submission.terms.isDetached) {
            (sent, isDurable) = try await replicated(sent, submission, receipt, until: limit)
        }
        switch sent {
        case .finished(let ending):
            // Events keep their order: the end of the superseded receipt is sent first.
            if let older = ending.superseded.flatMap({ receipts[$0] }), older.handle === receipt.handle { await recovery.settle(older) }
            let outcome = Outcome(ReceiptEvent(ending))
            let isRefused = outcome.error?.name == .blacklisted
            metrics.add(.submits, labels: receipt.queue, isRefused ? "blacklisted" : "results")
            if plan.readsResults { metrics.add(.cacheLookups, labels: "results", isRefused ? "miss" : "hit") }
            let shown = ReceiptEvent(shownBy: ending)
            goOn(receipt, after: ending.seq - (shown == nil ? 1 : 2))
            finish(receipt, outcome, after: shown, isDurable, call, admitted)
        case .queued(let state, let position, let joined):
            metrics.add(.submits, labels: receipt.queue, joined ? "joined" : "queued")
            if plan.readsResults { metrics.add(.cacheLookups, labels: "results", "miss") }
            admit(receipt, Answer(receipt: receipt.id, state: state, position: position, outcome: nil, isDurable: isDurable), admitted)
        case .again(let state, let position, let seq):
            goOn(receipt, after: seq)
            metrics.add(.submits, labels: receipt.queue, "again")
            admit(receipt, Answer(receipt: receipt.id, state: state, position: position, outcome: nil, isDurable: isDurable), admitted)
        case .mismatch, .unknownQueue, .full, .indexed, .listed: preconditionFailure("`send` returns only answers of accepted submits")
        }
    }

    /// Waits until replicas have an accepted receipt. One that the primary does not have, as after a switch, is submitted again.
    /// - Returns: The last answer of Redis, and whether replicas have the receipt.
    private func replicated(
        _ answer: SubmitAnswer, _ submission: Submission, _ receipt: PendingReceipt, until deadline: ContinuousClock.Instant
    ) async throws(TintypeError) -> (SubmitAnswer, Bool) {
        let (limit, record) = (durability.limit(before: deadline), ReplicaWaits.Record.receipt(receipt.id, of: receipt.handle.queue.keys))
        var (answer, submission) = (answer, submission)
        while true {
            switch await durability.wait(for: record, until: limit) {
            case .kept: return (answer, true)
            case .unsure: return (answer, false)
            case .lost:
                // A canceled receipt may be gone for that reason. The clients of one that has ended have its end.
                if receipt.life.cancelCause != nil || receipt.isEnding { return (answer, false) }
                // Events of the lost receipt count no more.
                receipt.startOver()
                submission.deadlineSeconds = max(0.001, (deadline - .now).inSeconds)
                try await reserve(receipt, Digest.randomHex(bytes: 8))
                answer = try await send(submission, receipt, until: deadline)
            }
        }
    }

    /// Continues after the events that Redis already has for the receipt, unless an earlier try of this submit created it.
    private func goOn(_ receipt: PendingReceipt, after sequence: Int) {
        if !receipt.isAdmitted, !receipt.life.mayBeQueued { receipt.goOn(after: sequence) }
    }

    /// Submits until Redis accepts the receipt. A result from the index answers only after a check of its bytes, so that a receipt ends once.
    /// Results without bytes are first removed from the index and then made again.
    /// - Throws: The reason why the receipt was not accepted.
    private func send(
        _ submission: Submission, _ receipt: PendingReceipt, until limit: ContinuousClock.Instant
    ) async throws(TintypeError) -> SubmitAnswer {
        var (submission, wasUnknown) = (submission, false)
        // A shard knows only its own receipts of a supersede key (`SupersedeTickets`).
        if registry.sharded[receipt.queue] != nil { submission.supersedeKey = nil }
        if submission.renditions.allSatisfy({ $0.name.isEmpty || results.isVerified($0.digest, for: receipt.use) }) { submission.isVerified = true }
        while true {
            switch try await ask(submission, receipt, until: limit) {
            case .indexed(let found):
                do throws(TintypeError) {
                    try await verify(found, receipt)
                    submission.isVerified = true
                } catch {
                    // A result that cannot be checked is made again. It stays in the index for the time when the store is back.
                    guard error.name == .storeFailed else { throw error }
                    submission.readResults = false
                }
                submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            case .listed(let refusal):
                if await isKept(submission) { submission = submission.keptAlone(orElse: refusal) } else { submission.asksIfListed = false }
                submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            case .mismatch:
                // The receipt under this id in Redis belongs to another request.
                receipt.life.submitIsRefused()
                throw Self.mismatch(receipt.id)
            case .unknownQueue:
                // Redis may have lost its data with the shards. They are made again when the list of queues is read.
                guard !wasUnknown, ShardNames.isShard(receipt.handle.name) else { throw QueueRegistry.unknown(receipt.queue) }
                wasUnknown = true
                _ = try await registry.names(until: limit)
            case .full(let seconds):
                throw TintypeError(
                    .overloaded, .queue, "queue \(receipt.queue) is full: try again in \(JSON(seconds).text) s",
                    details: ["retryAfter": JSON(seconds)])
            case let answer: return answer
            }
        }
    }

    /// Returns whether the source cache has the source, fresh or stale. A cache that does not answer counts as empty.
    private func isKept(_ submission: Submission) async -> Bool { (try? await sources.contains(submission.sourceKey)) ?? false }

    /// Removes results from the index whose bytes are missing or have changed.
    private func verify(_ found: [Indexed], _ receipt: PendingReceipt) async throws(TintypeError) {
        var gone: [String] = []
        for one in found where try await !results.isPresent(one.digest, sha256: one.sha256, for: receipt.use) { gone.append(one.digest) }
        guard !gone.isEmpty else { return }
        logger.notice("results are missing in the store; making them again", ["receipt": receipt.id, "queue": receipt.queue])
        do throws(RedisError) {
            try await receipt.handle.queue.forget(results: gone)
        } catch {
            throw TintypeError(error)
        }
    }

    /// Makes one submit call, repeated while Redis is unreachable. The receipt's id prevents that it is queued twice.
    private func ask(
        _ submission: Submission, _ receipt: PendingReceipt, until limit: ContinuousClock.Instant
    ) async throws(TintypeError) -> SubmitAnswer {
        var submission = submission
        return try await persistently("submitting a receipt", receipt) { queue throws(RedisError) in
            submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            do throws(RedisError) {
                return try await queue.submit(submission)
            } catch {
                if error.mayHaveRun { receipt.life.submitIsUnanswered() }
                throw error
            }
        }
    }

    private func admit(_ receipt: PendingReceipt, _ answer: Answer, _ admitted: (@Loop (Answer) -> Void)?) {
        admitted?(answer)
        guard !receipt.isAdmitted else { return }
        cancellation.watch(receipt)
        receipts.admit(receipt)
        // No client waits for it here: it was submitted over HTTP.
        if receipt.waiters.isEmpty, receipt.graceEnd == nil, !receipt.isEnding { receipts.remove(receipt) }
    }

    private func finish(
        _ receipt: PendingReceipt, _ outcome: Outcome, after shown: ReceiptEvent?, _ isDurable: Bool?, _ call: Call?, _ admitted: (@Loop (Answer) -> Void)?
    ) {
        let end: @Loop () -> Void = { [receipts] in
            if let shown { receipts.show(cached: shown, of: receipt) }
            receipts.end(receipt, outcome)
        }
        guard let admitted else { return end() }
        results.prepare(outcome, receipt: receipt.id, meta: receipt.meta, use: receipt.use, for: call) { ready in
            admitted(Answer(receipt: receipt.id, state: ready.state, position: nil, outcome: ready, isDurable: isDurable))
            end()
        }
    }

    /// Checks a request with `cache.policy: only`. The worker checks whether the source cache has the source, so that missing results can be made.
    /// - Throws: `cacheMiss` unless every result is in the index and its bytes in the store, or may be made from a cached source.
    private func requireCached(_ plan: AdmissionPlan, _ handle: QueueHandle) async throws(TintypeError) {
        if plan.isKeptByNobody { throw CacheMiss.ttlUnset.error }
        if plan.request.reads.contains(.sources), !plan.isProbe { return }
        let miss = CacheMiss.absent.error
        guard plan.readsResults else {
            if let reason = memory.miss(plan.outputs.map(\.digest), ttl: plan.request.ttl) { throw reason.error }
            throw miss
        }
        for output in plan.outputs {
            let text: String?
            do throws(RedisError) {
                text = try await handle.queue.node.command(["GET", .string(handle.queue.keys.result(output.digest))]).string
            } catch {
                throw TintypeError(error)
            }
            guard let info = text?.prefix(while: { $0 != "\n" }), let json = try? JSON(parsing: String(info)) else {
                throw try await results.miss(output.digest).error
            }
            if let reason = CacheMiss(of: ImageResult.Rendition(json: json), version: plan.request.version, ttl: plan.request.ttl, at: WallClock.now) {
                throw reason.error
            }
            if !output.isTold, try await !results.isPresent(output.digest) { throw miss }
        }
    }

    /// Submits a receipt again that Redis has lost.
    func resubmit(_ receipt: PendingReceipt) {
        guard let limit = receipt.deadline, var submission = receipt.submission, receipt.life.submits == 0 else { return }
        receipt.startOver()
        receipt.life.submitBegins()
        resubmissions += 1
        scope.run("resubmit \(receipt.id)") { [self] in
            defer {
                receipt.life.submitReturns()
                resubmissions -= 1
            }
            submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            do throws(TintypeError) {
                // With the receipt, Redis may have lost the reservation of its id.
                try await reserve(receipt, Digest.randomHex(bytes: 8))
                if case .finished(let ending) = try await send(submission, receipt, until: limit) {
                    if let shown = ReceiptEvent(shownBy: ending) { receipts.show(cached: shown, of: receipt) }
                    receipts.end(receipt, Outcome(ReceiptEvent(ending)))
                } else {
                    // The deadline may have passed while Redis did not have the receipt.
                    cancellation.watch(receipt)
                    receipts.admit(receipt)
                }
            } catch {
                receipts.end(receipt, Outcome(failing: error))
                cancellation.revoke(receipt)
            }
        }
    }
}
