import Synchronization

/// Counts from any thread.
final class Counter: Sendable {
    private let count = Mutex(0)

    /// Returns 1, and then one more each time.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
