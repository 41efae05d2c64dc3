import Shared

/// Brings receipts into Redis: waits out breaks of the connection within the request's deadline, answers what the index has, and makes
/// sure that what the index has is really there.
@Loop
final class Submitter {
    /// What became of a submission, for `image.submit`.
    struct Answer {
        let receipt: String
        let state: ReceiptState
        let position: Int?
        let outcome: Outcome?
    }

    private let lanes: Lanes
    private let redis: RedisClient
    private let receipts: ReceiptTable
    private let results: ResultDelivery
    private let withdrawal: Withdrawal
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger

    init(
        lanes: Lanes, redis: RedisClient, receipts: ReceiptTable, results: ResultDelivery, withdrawal: Withdrawal, scope: TaskScope,
        metrics: Metrics, logger: Logger
    ) {
        self.lanes = lanes
        self.redis = redis
        self.receipts = receipts
        self.results = results
        self.withdrawal = withdrawal
        self.scope = scope
        self.metrics = metrics
        self.logger = logger
    }

    static func mismatch(_ id: String) -> TintypeError {
        .invalidParams(path: "receipt", value: .string(id), expected: "an id that no other request has used; this one is known with other parameters")
    }

    /// The lane a request asks for; waits for Redis as long as the request allows.
    func lane(_ plan: AdmissionPlan) async throws(TintypeError) -> Lane {
        let limit = ContinuousClock.now + .seconds(plan.request.deadline)
        while true {
            do throws(TintypeError) {
                return try await lanes.open(plan.request.queue)
            } catch {
                guard error.name == .unavailable, ContinuousClock.now < limit, await comesBack(by: limit) else { throw error }
            }
        }
    }

    private func comesBack(by limit: ContinuousClock.Instant) async -> Bool {
        guard redis.isConnected else { return (try? await redis.untilConnected(within: limit - .now)) != nil }
        // The command failed but the connection is there again already: no faster than this.
        try? await Loop.sleep(.milliseconds(20))
        return ContinuousClock.now < limit
    }

    /// Submits a receipt of the table.
    /// - Parameter admitted: for `image.submit`: called once, before any event of the receipt is told.
    /// - Throws: when the receipt did not come to be; it has left the table then, unless others wait for it.
    func submit(_ receipt: PendingReceipt, _ plan: AdmissionPlan, _ admitted: (@Loop (Answer) -> Void)?) async throws(TintypeError) {
        receipt.submits += 1
        defer { receipt.submits -= 1 }
        do throws(TintypeError) {
            if plan.request.cachePolicy == .only { try await requireResults(plan, receipt.lane) }
            try await attempt(receipt, plan, admitted)
        } catch {
            metrics.add(.submits, labels: receipt.queue, error.name.rawValue)
            if receipt.submits == 1, !receipt.isAdmitted { receipts.remove(receipt) }
            throw error
        }
    }

    private func attempt(_ receipt: PendingReceipt, _ plan: AdmissionPlan, _ admitted: (@Loop (Answer) -> Void)?) async throws(TintypeError) {
        let limit = receipt.deadline ?? .now
        var readsResults = plan.readsResults
        while true {
            guard var submission = receipt.submission else { return }
            submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            submission.readResults = readsResults
            switch try await send(submission, receipt, until: limit) {
            case .finished(let ending):
                let outcome = Outcome(ReceiptEvent(ending))
                if let renditions = outcome.result?["renditions"]?.array, outcome.result?["from"] == "results", readsResults {
                    guard try await results.isPresent(renditions) else {
                        // The index knows results whose bytes are gone: made anew, under the same name.
                        try await forget(renditions, receipt)
                        readsResults = false
                        continue
                    }
                }
                metrics.add(.submits, labels: receipt.queue, "results")
                metrics.add(.cacheLookups, labels: "results", "hit")
                return finish(receipt, outcome, admitted)
            case .queued(let state, let position, let joined):
                metrics.add(.submits, labels: receipt.queue, joined ? "joined" : "queued")
                if readsResults { metrics.add(.cacheLookups, labels: "results", "miss") }
                return admit(receipt, Answer(receipt: receipt.id, state: state, position: position, outcome: nil), admitted)
            case .again(let state, let position):
                metrics.add(.submits, labels: receipt.queue, "again")
                return admit(receipt, Answer(receipt: receipt.id, state: state, position: position, outcome: nil), admitted)
            case .mismatch: throw Self.mismatch(receipt.id)
            case .unknownQueue: throw Lanes.unknown(receipt.queue)
            case .full(let seconds):
                throw TintypeError(
                    .overloaded, .queue, "queue \(receipt.queue) is full; try again in \(JSON(seconds).text) s",
                    details: ["retryAfter": JSON(seconds)])
            }
        }
    }

    /// One submission, repeated while Redis is out of reach: by the receipt's id the same one is never queued twice.
    private func send(
        _ submission: Submission, _ receipt: PendingReceipt, until limit: ContinuousClock.Instant
    ) async throws(TintypeError) -> SubmitAnswer {
        var submission = submission
        while true {
            do throws(RedisError) {
                return try await receipt.lane.queue.submit(submission)
            } catch {
                logger.refused("submitting a receipt", error)
                guard error.isRetryable, receipt.withdrawal == nil, ContinuousClock.now < limit, await comesBack(by: limit) else {
                    throw TintypeError(error)
                }
                submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            }
        }
    }

    private func admit(_ receipt: PendingReceipt, _ answer: Answer, _ admitted: (@Loop (Answer) -> Void)?) {
        admitted?(answer)
        guard !receipt.isAdmitted else { return }
        withdrawal.watch(receipt)
        receipts.admit(receipt)
        // Nobody waits for it here: a submit over HTTP.
        if receipt.attachments.isEmpty, receipt.graceTimer == nil, !receipt.isEnding { receipts.remove(receipt) }
    }

    private func finish(_ receipt: PendingReceipt, _ outcome: Outcome, _ admitted: (@Loop (Answer) -> Void)?) {
        if let admitted {
            results.prepare(outcome, meta: receipt.meta, use: receipt.use) { ready in
                admitted(Answer(receipt: receipt.id, state: ready.state, position: nil, outcome: ready))
                self.receipts.end(receipt, outcome)
            }
        } else {
            receipts.end(receipt, outcome)
        }
    }

    /// Takes a receipt that was answered by results without bytes, and those results, out of Redis.
    private func forget(_ renditions: [JSON], _ receipt: PendingReceipt) async throws(TintypeError) {
        let queue = receipt.lane.queue
        logger.notice("results are gone from the store; they are made anew", ["receipt": receipt.id, "queue": receipt.queue])
        do throws(RedisError) {
            try await queue.forget(results: renditions.compactMap { $0["key"]?.string })
            try await queue.forget(receipt: receipt.id)
        } catch {
            throw TintypeError(error)
        }
        receipt.startOver()
    }

    /// For `cache.policy: only`.
    /// - Throws: `cacheMiss` unless every result is in the index and its bytes are in the store.
    private func requireResults(_ plan: AdmissionPlan, _ lane: Lane) async throws(TintypeError) {
        let miss = TintypeError(
            .cacheMiss, .cache, "not in the cache, and cache.policy \"only\" forbids the network", details: ["reason": "absent"])
        guard plan.readsResults else { throw miss }
        for output in plan.outputs {
            do throws(RedisError) {
                guard try await redis.command(["EXISTS", .string(lane.queue.keys.result(output.digest))]).int == 1 else { throw RedisError.reply("") }
            } catch {
                if case .reply("") = error { throw miss }
                throw TintypeError(error)
            }
            if !plan.isProbe, try await !results.isPresent([["key": .string(output.digest)]]) { throw miss }
        }
    }

    /// Submits a receipt anew that Redis has lost.
    func resubmit(_ receipt: PendingReceipt) {
        guard let limit = receipt.deadline, var submission = receipt.submission, receipt.submits == 0 else { return }
        receipt.startOver()
        receipt.submits += 1
        scope.run("resubmit \(receipt.id)") { [self] in
            defer { receipt.submits -= 1 }
            submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            do throws(TintypeError) {
                switch try await send(submission, receipt, until: limit) {
                case .finished(let ending): receipts.end(receipt, Outcome(ReceiptEvent(ending)))
                case .queued, .again: receipts.admit(receipt)
                case .mismatch: throw Self.mismatch(receipt.id)
                case .unknownQueue: throw Lanes.unknown(receipt.queue)
                case .full(let seconds): throw TintypeError(.overloaded, .queue, "the queue is full", details: ["retryAfter": JSON(seconds)])
                }
            } catch {
                receipts.end(receipt, Outcome(failing: error))
            }
        }
    }
}
