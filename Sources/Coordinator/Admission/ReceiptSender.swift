import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// Brings receipts into Redis, each in a few calls. Calls are repeated while Redis is unreachable, until the receipt's deadline.
@Loop
final class ReceiptSender {
    let registry: QueueRegistry
    private let redisMemory: RedisMemoryGuard
    private let planned: PlannedResults
    private let scope: TaskScope
    private let logger: Logger

    init(registry: QueueRegistry, redisMemory: RedisMemoryGuard, planned: PlannedResults, scope: TaskScope, logger: Logger) {
        (self.registry, self.redisMemory, self.planned, self.scope, self.logger) = (registry, redisMemory, planned, scope, logger)
    }

    static func mismatch(_ id: String) -> TintypeError {
        .invalidParams(path: "receipt", value: .string(id), expected: "an id that no other request has used; this one belongs to another request")
    }

    /// Whether receipts of new requests in a queue or shard are kept for a shorter time.
    func isPressed(in queue: Queue) -> Bool { redisMemory.isPressed(at: queue) }

    /// Prepares the first submit of a receipt: takes memory of Redis, reserves a chosen id, and brings up results from the second place.
    /// - Parameter token: The token of the reservation; empty if the id need not be reserved.
    /// - Throws: `overloaded` without memory, and `invalidParams` if another queue knows the id.
    func prepare(_ receipt: PendingReceipt, _ plan: AdmissionPlan, token: String) async throws(TintypeError) {
        let queue = receipt.handle.queue
        try await redisMemory.take(receipt.submission?.bytes ?? 0, of: receipt.submission?.client ?? "", in: queue)
        // Another submit of this receipt may have brought it into Redis meanwhile.
        if !token.isEmpty, !receipt.isAdmitted { try await reserve(receipt, token) }
        if !receipt.isAdmitted, planned.mayBeElsewhere(plan) { await planned.bringUp(plan, into: queue) }
    }

    /// Reserves a chosen receipt id for the receipt's queue.
    /// - Throws: `invalidParams` if another queue knows the id.
    func reserve(_ receipt: PendingReceipt, _ token: String) async throws(TintypeError) {
        guard let submission = receipt.submission else { return }
        let isReserved = try await persistently("reserving a receipt's id", receipt) { queue throws(RedisError) in
            try await queue.reserve(submission, token: token)
        }
        if !isReserved { throw Self.mismatch(receipt.id) }
    }

    /// Releases the id of a receipt that was not created. If Redis is unreachable, the id stays with this queue.
    func giveBack(_ receipt: PendingReceipt, _ token: String) {
        guard let submission = receipt.submission, submission.isChosen else { return }
        scope.run("give back \(receipt.id)") { [logger] in
            do throws(RedisError) {
                try await receipt.handle.queue.giveBack(submission, token: token)
            } catch {
                logger.refused("giving a receipt's id back", error)
            }
        }
    }

    /// Makes one call for a receipt. While Redis is unreachable, the call is repeated until the deadline, or until no client needs the receipt.
    func persistently<Answer>(
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

    /// Submits until Redis accepts the receipt. A result from the index answers only after a check of its bytes, so that a receipt ends once.
    /// Results without bytes are first removed from the index and then made again.
    /// - Throws: The reason why the receipt was not accepted.
    func send(_ submission: Submission, _ receipt: PendingReceipt, until limit: ContinuousClock.Instant) async throws(TintypeError) -> SubmitAnswer {
        var (submission, wasUnknown) = (submission, false)
        // A shard knows only its own receipts of a supersede key (`SupersedeTickets`).
        if registry.sharded[receipt.queue] != nil { submission.supersedeKey = nil }
        if planned.areVerified(submission, for: receipt.use) { submission.isVerified = true }
        while true {
            switch try await ask(submission, receipt, until: limit) {
            case .indexed(let found):
                do throws(TintypeError) {
                    try await planned.verify(found, of: receipt)
                    submission.isVerified = true
                } catch {
                    // A result that cannot be checked is made again. It stays in the index for the time when the store is back.
                    guard error.name == .storeFailed else { throw error }
                    submission.readResults = false
                }
                submission.deadlineSeconds = max(0.001, (limit - .now).inSeconds)
            case .listed(let refusal):
                if await planned.hasSource(of: submission) {
                    submission = submission.keptAlone(orElse: refusal)
                } else {
                    submission.asksIfListed = false
                }
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

    // MARK: Shards

    /// Returns the handle of the queue that a request names. It waits for Redis as long as the request allows.
    func handle(_ plan: AdmissionPlan, until limit: ContinuousClock.Instant) async throws(TintypeError) -> QueueHandle {
        let queue = plan.request.queue
        let handle = try await registry.open(queue, forHost: plan.request.source.host, source: plan.sourceDigest, until: limit)
        guard let id = plan.request.receipt, registry.sharded[queue] != nil else { return handle }
        // A repeated request goes to the same shard, although another limit of its host may have changed the map since.
        do throws(RedisError) {
            let shard = try await registry.queue(queue).shard(ofChosen: id)
            return shard.map { $0 == handle.name ? handle : registry.open(existing: $0) } ?? handle
        } catch {
            return handle
        }
    }

    /// Returns the places of a receipt's supersede key, if its queue has several shards.
    func tickets(_ receipt: PendingReceipt) -> SupersedeTickets? {
        guard let submission = receipt.submission, let key = submission.supersedeKey, registry.sharded[receipt.queue] != nil else { return nil }
        return SupersedeTickets(of: key, in: receipt.queue, kept: .seconds(submission.deadlineSeconds), registry.redis)
    }

    /// Ends the earlier receipts of a supersede key. Redis may be away until the deadline: then a later request of the key ends them.
    func supersede(_ receipt: PendingReceipt, _ tickets: SupersedeTickets) async {
        let shard = receipt.handle.queue
        do throws(RedisError) {
            try await shard.node.retrying("superseding receipts", until: receipt.deadline ?? .now, logger) { () async throws(RedisError) in
                try await tickets.supersede(by: receipt.id, in: shard) { registry.queue($0) }
            }
        } catch {
            logger.refused("superseding a receipt", error)
        }
    }
}
