/// A value that is set once. Many tasks may wait for it, the first `complete` wins, and later waiters get the value at once.
///
/// Waiters are resumed in the order in which they came. A cancelled waiter leaves without affecting the others.
@Loop
package final class OneShot<Value: Sendable> {
    private var result: Result<Value, any Error>?
    private var waiters: [(id: Int, continuation: CheckedContinuation<Value, any Error>)] = []
    private var lastWaiter = 0

    package init() {}

    package var isComplete: Bool { result != nil }

    /// Gives `value` to all waiters, present and future.
    /// - Returns: whether this call was the first. Later calls change nothing.
    @discardableResult
    package func complete(_ value: Result<Value, any Error>) -> Bool {
        guard result == nil else { return false }
        result = value
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.continuation.resume(with: value) }
        return true
    }

    /// Waits for the value.
    /// - Throws: the failure that completed it, or `CancellationError` when the waiting task is cancelled first.
    package func wait() async throws -> Value {
        if let result { return try result.get() }
        lastWaiter += 1
        let id = lastWaiter
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else if let result {
                    continuation.resume(with: result)
                } else {
                    waiters.append((id, continuation))
                }
            }
        } onCancel: {
            // This runs on any thread, perhaps under the task's lock. Only the loop may touch the waiters.
            Loop.execute { self.leave(id) }
        }
    }

    private func leave(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(throwing: CancellationError())
    }
}
