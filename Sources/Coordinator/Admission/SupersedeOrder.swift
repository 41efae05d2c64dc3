import TintypeCore
import TintypeTransport
import TintypeQueue

/// Sends the requests of one client with one supersede key to Redis in the order of their arrival. The last one must win, even when an older one first has
/// to look up its results, its queue or Redis. A receipt supersedes only those of its owner, so no client waits for another.
@Loop
final class SupersedeOrder {
    /// The waiting requests by queue, owner and supersede key, the first in front. A key without an entry is free.
    private var lines: [String: [OneShot<Void>]] = [:]

    /// Runs `body` after all earlier requests of the same owner with the same supersede key.
    /// - Parameter owner: The owner of the request (`AccessGrant.owner`).
    /// - Throws: `deadlineExceeded` when its turn has not come by `limit`, and the errors of `body`.
    func inTurn<T>(
        _ slot: String?, of queue: String, by owner: String?, until limit: ContinuousClock.Instant, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let slot else { return try await body() }
        let key = "\(queue) \(owner ?? "") \(slot)"
        if lines[key] == nil { lines[key] = [] } else { try await turn(key, until: limit) }
        defer {
            if let next = lines[key]?.first {
                lines[key]?.removeFirst()
                next.complete(.success(()))
            } else {
                lines[key] = nil
            }
        }
        return try await body()
    }

    private func turn(_ key: String, until limit: ContinuousClock.Instant) async throws(TintypeError) {
        let own = OneShot<Void>()
        lines[key]?.append(own)
        let timer = LoopTimer(after: max(.zero, limit - .now)) { [weak self] in
            guard let self, let place = self.lines[key]?.firstIndex(where: { $0 === own }) else { return }
            self.lines[key]?.remove(at: place)
            own.complete(.failure(Queue.deadlineExceeded))
        }
        defer { timer.cancel() }
        do {
            try await own.wait()
        } catch let error as TintypeError {
            throw error
        } catch {
            throw TintypeError(.internalError, .admission, "\(error)")
        }
    }
}
