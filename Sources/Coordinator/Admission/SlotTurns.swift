import Shared

/// Brings the requests for one slot into Redis in the order in which they came: the one that came last must be the one that stays, also when an
/// older one has to look for its results, its queue or Redis first.
@Loop
final class SlotTurns {
    private var last: [String: OneShot<Void>] = [:]

    /// How many slots have somebody at Redis or in line for it.
    var count: Int { last.count }

    /// Runs `body` after all that came before it for the same slot.
    func inTurn<T>(
        _ slot: String?, of queue: String, _ body: @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard let slot else { return try await body() }
        let key = "\(queue) \(slot)"
        let before = last[key]
        let own = OneShot<Void>()
        last[key] = own
        try? await before?.wait()
        defer {
            if last[key] === own { last[key] = nil }
            own.complete(.success(()))
        }
        return try await body()
    }
}
