package import TintypeCore
package import TintypeTransport
package import TintypeQueue
import TintypeImages

/// Looks up receipts in Redis in all queues.
@Loop
package struct ReceiptLookup {
    package let registry: QueueRegistry
    package let receipts: ReceiptTable
    package let logger: Logger

    /// A receipt in Redis, and its queue.
    package struct Found {
        package let snapshot: ReceiptSnapshot
        package let handle: QueueHandle
        package var queue: Queue { handle.queue }
    }

    /// Looks up a receipt that the session may access. A receipt of another owner counts as unknown and stays unchanged.
    package func find(_ id: String, for session: Session, adoptedBy coordinator: String? = nil) async throws(TintypeError) -> Found? {
        guard let grant = session.grant, grant.role < .admin else { return try await find(id, adoptedBy: coordinator) }
        // The access is checked before the receipt is taken over.
        guard let found = try await find(id, adoptedBy: nil), grant.reaches(receiptOf: found.snapshot.terms.owner) else { return nil }
        return coordinator == nil ? found : try await find(id, adoptedBy: coordinator)
    }

    /// Looks up a receipt: in its queue if this coordinator knows it, else in every queue. A live receipt is preferred to an ended one.
    /// - Parameter adoptedBy: The coordinator that takes the receipt over if it is live and no client waits for it at its own coordinator.
    private func find(_ id: String, adoptedBy coordinator: String?) async throws(TintypeError) -> Found? {
        if let handle = receipts[id]?.handle { return try await look(id, in: handle.queue, coordinator).map { Found(snapshot: $0, handle: handle) } }
        var ended: (snapshot: ReceiptSnapshot, queue: String)?
        var unseen: RedisError?
        for name in ReceiptNames.order(try await registry.names(), for: id) {
            do throws(RedisError) {
                guard let snapshot = try await registry.queue(name).receipt(id, adoptedBy: coordinator) else { continue }
                if snapshot.ending == nil { return Found(snapshot: snapshot, handle: registry.open(existing: name)) }
                if ended == nil { ended = (snapshot, name) }
            } catch {
                guard case .foreignQueue = error else { throw failure(error) }
                unseen = error
            }
        }
        // The receipt may be in the queue that could not be read.
        if ended == nil, let unseen { throw failure(unseen) }
        return ended.map { Found(snapshot: $0.snapshot, handle: registry.open(existing: $0.queue)) }
    }

    private func look(_ id: String, in queue: Queue, _ coordinator: String?) async throws(TintypeError) -> ReceiptSnapshot? {
        do throws(RedisError) { return try await queue.receipt(id, adoptedBy: coordinator) } catch { throw failure(error) }
    }

    private func failure(_ error: RedisError) -> TintypeError {
        logger.refused("looking for a receipt", error)
        return TintypeError(error)
    }

    package static func unknown(_ id: String) -> TintypeError {
        TintypeError(.unknownReceipt, .queue, "receipt \(id) is unknown, or its record has expired", details: ["receipt": .string(id)])
    }
}
