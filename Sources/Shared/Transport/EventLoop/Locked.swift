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
