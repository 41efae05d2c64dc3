import TintypeCore
import TintypeTransport
import TintypeQueue

/// Brings the requests for one slot into Redis in the order in which they came: the one that came last must be the one that stays, also when an
/// older one has to look for its results, its queue or Redis first.
@Loop
final class SlotTurns {
    /// Those who wait for their turn, by slot, the first in front; a slot without an entry is free.
    private var lines: [String: [OneShot<Void>]] = [:]

    /// Runs `body` after all that came before it for the same slot.
    /// - Throws: `deadlineExceeded` when its turn has not come by `limit`, and what `body` throws.
    func inTurn<T>(
        _ slot: String?, of queue: String, until limit: ContinuousClock.Instant, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let slot else { return try await body() }
        let key = "\(queue) \(slot)"
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
