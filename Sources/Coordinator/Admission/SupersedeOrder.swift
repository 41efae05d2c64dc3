import TintypeCore
import TintypeTransport
import TintypeQueue

/// Sends the requests of one client with one supersede key to Redis in the order of their arrival. The last one must win, even when an older one first has
/// to look up its results, its queue or Redis. A receipt supersedes only those of its owner, so no client waits for another.
@Loop
final class SupersedeOrder {
    /// The waiting requests by queue, owner and supersede key, the first in front. A key without an entry is free. A request whose time is over
    /// is complete, and keeps its place until it is in front.
    private var lines: [ExactText: FIFO<OneShot<Void>>] = [:]

    /// Runs `body` after all earlier requests of the same owner with the same supersede key.
    /// - Parameter owner: The owner of the request (`AccessGrant.owner`).
    /// - Throws: `deadlineExceeded` when its turn has not come by `limit`, and the errors of `body`.
    func inTurn<T>(
        _ supersedeKey: String?, of queue: String, by owner: String?, until limit: ContinuousClock.Instant, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let supersedeKey else { return try await body() }
        let key = ExactText("\(queue) \(owner ?? "") \(supersedeKey)")
        if lines[key] == nil { lines[key] = FIFO() } else { try await turn(key, until: limit) }
        defer { advance(key) }
        return try await body()
    }

    /// Lets the next request go on that still waits.
    private func advance(_ key: ExactText) {
        while let next = lines[key]?.popFirst() { if next.complete(.success(())) { return } }
        lines[key] = nil
    }

    private func turn(_ key: ExactText, until limit: ContinuousClock.Instant) async throws(TintypeError) {
        let own = OneShot<Void>()
        lines[key]?.append(own)
        let timer = LoopTimer(after: max(.zero, limit - .now)) { own.complete(.failure(Queue.deadlineExceeded)) }
        defer { timer.cancel() }
        do {
            try await own.wait()
        } catch let error as TintypeError {
            throw error
        } catch {
            // The task was cancelled. If its turn came at the same moment, the next one goes on.
            if !own.complete(.failure(error)) { advance(key) }
            throw TintypeError(.internalError, .admission, "\(error)")
        }
    }
}
