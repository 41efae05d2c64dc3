package import TintypeCore
import TintypeImages
package import TintypeQueue
import TintypeTransport

/// The shard of a request, and supersede keys across shards.
extension Submitter {
    /// Returns the handle of the queue that a request names. It waits for Redis as long as the request allows.
    package func handle(_ plan: AdmissionPlan, until limit: ContinuousClock.Instant) async throws(TintypeError) -> QueueHandle {
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
    package func tickets(_ receipt: PendingReceipt) -> SupersedeTickets? {
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

extension Tracer {
    /// Begins the span of a submit, if its trace is sent.
    /// - Parameter parent: The place of the request in its trace; nil: it has none.
    func beginPublish(_ receipt: String, in queue: String, below parent: TraceContext?) -> TraceSpan? {
        guard var span = begin("publish \(queue)", .producer, for: parent) else { return nil }
        span["messaging.system"] = "tintype"
        span["messaging.operation.type"] = "send"
        span["messaging.destination.name"] = .string(queue)
        span["messaging.message.id"] = .string(receipt)
        return span
    }
}
