import Glibc

/// A value behind a pthread mutex, for the queues that many threads feed at once.
///
/// Elsewhere `Mutex` of the standard library is right. On Linux, Swift 6.3 builds it on a priority-inheritance futex. Under contention each hand-over
/// then waits until the kernel schedules one chosen thread (swiftlang/swift#88440). Forty thousand calls from eight threads took seconds on a busy
/// machine. The thread sanitizer cannot see the kernel's hand-over and reports false races.
// @unchecked: only the thread that holds the mutex touches `value`.
final class Locked<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread does. The body must not block or call `withLock` again.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}

/// Tasks that wait for the same event, each for a time of its own. Lives on the loop.
///
/// A task that leaves costs the same however many others wait: its place is cleared later, together with many others.
@Loop
package final class Condition {
    private var waiting: [OneShot<Bool>] = []
    /// The tasks in `waiting` that have left.
    private var left = 0

    package init() {}

    /// The number of places, those of tasks that have left included; for tests.
    var places: Int { waiting.count }

    /// Resumes all tasks that wait now, in the order in which they came.
    package func signal() {
        let all = waiting
        (waiting, left) = ([], 0)
        for one in all { one.complete(.success(true)) }
    }

    /// Waits for the next `signal`.
    /// - Returns: false if the time was over, or the task was cancelled, before that.
    @discardableResult
    package func wait(within time: Duration) async -> Bool {
        let own = OneShot<Bool>()
        waiting.append(own)
        if (try? await own.wait(within: time, orElse: .success(false))) == true { return true }
        own.complete(.success(false))
        left += 1
        if left > 32, left * 2 > waiting.count {
            waiting.removeAll { $0.isComplete }
            left = 0
        }
        return false
    }
}

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

    /// Waits for the value, and after a time completes it with another one.
    /// - Throws: as `wait()`.
    package func wait(within time: Duration, orElse late: Result<Value, any Error>) async throws -> Value {
        let limit = LoopTimer(after: time) { self.complete(late) }
        defer { limit.cancel() }
        return try await wait()
    }

    private func leave(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(throwing: CancellationError())
    }
}
