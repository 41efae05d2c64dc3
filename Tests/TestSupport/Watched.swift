import Synchronization

/// State that threads change and tests wait for. Any thread may use it; no code here polls.
package final class Watched<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let test: @Sendable (State) -> Bool
        let resume: CheckedContinuation<Void, Never>
    }

    private struct RunLease {
        var state: State
        var waiters: [Waiter] = []
        var nextWaiter = 0
    }

    private let held: Mutex<RunLease>

    package init(_ state: State) { held = Mutex(RunLease(state: state)) }

    package var state: State { held.withLock { $0.state } }

    /// Changes the state, and wakes the waiters whose condition holds now.
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, met) = held.withLock { held in
            let result = change(&held.state)
            guard !held.waiters.isEmpty else { return (result, [Waiter]()) }
            let state = held.state
            let met = held.waiters.filter { $0.test(state) }
            if !met.isEmpty { held.waiters.removeAll { waiter in met.contains { $0.id == waiter.id } } }
            return (result, met)
        }
        for waiter in met { waiter.resume.resume() }
        return result
    }

    /// Returns the state as soon as `test` holds, or when the test's time is up.
    @discardableResult
    package func wait(until test: @escaping @Sendable (State) -> Bool) async -> State {
        let id = held.withLock { held in
            held.nextWaiter += 1
            return held.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = held.withLock { held in
                    if Task.isCancelled || test(held.state) { return true }
                    held.waiters.append(Waiter(id: id, test: test, resume: continuation))
                    return false
                }
                if now { continuation.resume() }
            }
        } onCancel: {
            let waiter = held.withLock { held in held.waiters.firstIndex { $0.id == id }.map { held.waiters.remove(at: $0) } }
            waiter?.resume.resume()
        }
        return state
    }
}
