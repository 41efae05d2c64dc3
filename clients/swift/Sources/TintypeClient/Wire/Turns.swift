import Synchronization

/// Lets a limited number of holders in at once; the others wait in their order.
final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [(id: Int, waiter: UnsafeContinuation<Bool, Never>)] = []
        var next = 0
    }

    private let state: Mutex<State>

    init(_ most: Int) {
        state = Mutex(State(free: most))
    }

    /// Waits for a place, which `leave` gives back.
    ///
    /// - Parameter limit: When it is given up, and the loop that says so. Default: never.
    /// - Returns: false when the task was cancelled before, or the time is over.
    func take(until limit: (instant: ContinuousClock.Instant, loop: Loop)? = nil) async -> Bool {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = limit.map { limit in limit.loop.at(limit.instant) { [weak self] in self?.giveUp(id) } }
        defer { if let limit, let timer { limit.loop.cancel(timer) } }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                let isIn = state.withLock { state in
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((id, waiter))
                    return false
                }
                // Both may have called `giveUp` before.
                let isLate = limit.map { $0.instant <= .now } ?? false
                if isIn { waiter.resume(returning: true) } else if Task.isCancelled || isLate { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    func leave() {
        let next = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().waiter
        }
        next?.resume(returning: true)
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).waiter }
        }
        waiter?.resume(returning: false)
    }
}
