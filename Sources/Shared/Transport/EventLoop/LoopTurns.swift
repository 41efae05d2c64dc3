import Glibc

/// The turns of an event loop that took too long. A turn is one call out of the loop: a callback, or some entries of its queue. Nothing else of the loop
/// runs meanwhile. Only the loop's thread uses it.
///
/// A debug build counts the time that the thread was on a core, because tests share a busy machine. Another build counts the time that passed. It also
/// shows a wait for a disk, and a machine without a free core.
package struct LoopTurns: Sendable {
    /// A turn that took too long.
    package struct Long: Sendable {
        package let length: Duration
        /// The type whose callback it was; nil: entries of the queue, which are mostly parts of tasks.
        package let type: String?
    }

    /// A longer turn is too long: the answers of all clients wait for it. Without the optimizer the same code takes up to ten times as long.
    package static let most = Duration.nanoseconds(mostNanoseconds)
    /// After this time a turn takes no further entry of the queue.
    fileprivate static let enough = mostNanoseconds / 4
    #if DEBUG
        fileprivate static let mostNanoseconds: Int64 = 200_000_000
        private static let clock = CLOCK_THREAD_CPUTIME_ID
        /// How many entries of the queue run between two readings of the clock.
        static let pace = 1
    #else
        fileprivate static let mostNanoseconds: Int64 = 20_000_000
        private static let clock = CLOCK_MONOTONIC
        static let pace = 8
    #endif

    /// How many there were.
    package private(set) var count = 0
    /// The last sixteen of them, which are more than fit into the interval of `LoopLag`.
    package private(set) var latest: [Long] = []
    /// The start of the present turn; 0 outside of one.
    private var began: Int64 = 0

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// - Returns: false within a turn, which goes on then.
    @inline(__always)
    mutating func begin() -> Bool {
        guard began == 0 else { return false }
        began = Self.now
        return true
    }

    /// Ends the turn that `begin` has begun.
    @inline(__always)
    mutating func end(_ type: Any.Type?) {
        let length = Self.now - began
        began = 0
        if length > Self.mostNanoseconds { note(length, type) }
    }

    /// Whether the present turn has taken enough time.
    var isEnough: Bool { Self.now - began > Self.enough }

    private mutating func note(_ length: Int64, _ type: Any.Type?) {
        count += 1
        if latest.count == 16 { latest.removeFirst() }
        latest.append(Long(length: .nanoseconds(length), type: type.map { "\($0)" }))
    }
}
