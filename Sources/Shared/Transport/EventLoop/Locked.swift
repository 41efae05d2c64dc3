import Glibc

/// A value behind a pthread mutex, for the queues that many threads feed at once.
///
/// Elsewhere `Mutex` of the standard library is right. On Linux, Swift 6.3 makes it of a priority-inheritance futex: under contention
/// each hand-over then waits for one chosen thread to be scheduled (swiftlang/swift#88440; forty thousand calls from eight threads
/// took seconds on a busy machine), and the thread sanitizer, which cannot see the kernel's hand-over, reports races that are none.
// @unchecked: `value` is touched between lock and unlock only, by whichever thread holds the mutex.
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

    /// Runs `body` while no other thread does. It must not block, nor come back here.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
