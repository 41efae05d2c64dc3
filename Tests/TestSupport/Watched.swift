import Synchronization

/// State that threads change and tests wait for. Any thread may use it; no code here polls.
package final class Watched<State: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let test: @Sendable (State) -> Bool
        let resume: CheckedContinuation<Void, Never>
    }

    private struct Content {
        var state: State
        var waiters: [Waiter] = []
        var nextWaiter = 0
    }

    private let content: Mutex<Content>

    package init(_ state: State) { content = Mutex(Content(state: state)) }

    package var state: State { content.withLock { $0.state } }

    /// Changes the state, and wakes the waiters whose condition holds now.
    package func update<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        let (result, met) = content.withLock { content in
            let result = change(&content.state)
            guard !content.waiters.isEmpty else { return (result, [Waiter]()) }
            let state = content.state
            let met = content.waiters.filter { $0.test(state) }
            if !met.isEmpty { content.waiters.removeAll { waiter in met.contains { $0.id == waiter.id } } }
            return (result, met)
        }
        for waiter in met { waiter.resume.resume() }
        return result
    }

    /// Returns the state as soon as `test` holds, or when the test's time is up.
    @discardableResult
    package func wait(until test: @escaping @Sendable (State) -> Bool) async -> State {
        let id = content.withLock { content in
            content.nextWaiter += 1
            return content.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = content.withLock { content in
                    if Task.isCancelled || test(content.state) { return true }
                    content.waiters.append(Waiter(id: id, test: test, resume: continuation))
                    return false
                }
                if now { continuation.resume() }
            }
        } onCancel: {
            let waiter = content.withLock { content in content.waiters.firstIndex { $0.id == id }.map { content.waiters.remove(at: $0) } }
            waiter?.resume.resume()
        }
        return state
    }
}
