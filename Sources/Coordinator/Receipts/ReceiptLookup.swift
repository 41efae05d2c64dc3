import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeImages

/// Looks for receipts in Redis, whichever queue they are in.
@Loop
struct ReceiptLookup {
    let lanes: Lanes
    let receipts: ReceiptTable
    let logger: Logger

    /// A receipt in Redis, and the queue it is in.
    struct Found {
        let snapshot: ReceiptSnapshot
        let lane: Lane
        var queue: Queue { lane.queue }
    }

    /// Looks for a receipt within a session's reach. One of another is not known, and nothing becomes of it.
    func find(_ id: String, for session: Session, adoptedBy coordinator: String? = nil) async throws(TintypeError) -> Found? {
        guard let grant = session.grant, grant.role < .admin else { return try await find(id, adoptedBy: coordinator) }
        // Looked at before it is taken over.
        guard let found = try await find(id, adoptedBy: nil), grant.reaches(receiptOf: found.snapshot.terms.owner) else { return nil }
        return coordinator == nil ? found : try await find(id, adoptedBy: coordinator)
    }

    /// Looks for a receipt: where this coordinator knows it to be, else in every queue. One that is live counts before one that has ended.
    /// - Parameter adoptedBy: the coordinator that takes it over if it is live and nobody waits for it where it belongs.
    private func find(_ id: String, adoptedBy coordinator: String?) async throws(TintypeError) -> Found? {
        if let lane = receipts[id]?.lane { return try await look(id, in: lane.queue, coordinator).map { Found(snapshot: $0, lane: lane) } }
        var ended: (snapshot: ReceiptSnapshot, queue: String)?
        var unseen: RedisError?
        for name in try await lanes.names() {
            do throws(RedisError) {
                guard let snapshot = try await lanes.queue(name).receipt(id, adoptedBy: coordinator) else { continue }
                if snapshot.ending == nil { return Found(snapshot: snapshot, lane: lanes.open(existing: name)) }
                if ended == nil { ended = (snapshot, name) }
            } catch {
                guard case .foreignQueue = error else { throw failure(error) }
                unseen = error
            }
        }
        // It may be in the queue that could not be looked at.
        if ended == nil, let unseen { throw failure(unseen) }
        return ended.map { Found(snapshot: $0.snapshot, lane: lanes.open(existing: $0.queue)) }
    }

    private func look(_ id: String, in queue: Queue, _ coordinator: String?) async throws(TintypeError) -> ReceiptSnapshot? {
        do throws(RedisError) { return try await queue.receipt(id, adoptedBy: coordinator) } catch { throw failure(error) }
    }

    private func failure(_ error: RedisError) -> TintypeError {
        logger.refused("looking for a receipt", error)
        return TintypeError(error)
    }

    static func unknown(_ id: String) -> TintypeError {
        TintypeError(.unknownReceipt, .queue, "receipt \(id) is not known, or was forgotten", details: ["receipt": .string(id)])
    }
}
