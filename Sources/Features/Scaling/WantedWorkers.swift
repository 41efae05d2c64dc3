import Coordinator
/// How many workers a queue has use for. Pure.
///
/// A fetch needs one permit, and a worker has a number of them. The count is for an autoscaler that asks every few seconds. Scaling in loses nothing:
/// a worker that is stopped finishes its runs, or releases them.
struct WantedWorkers: Sendable, Hashable {
    /// The state of a queue, as read at one moment.
    struct Load: Sendable, Hashable {
        /// The fetches that a worker could claim now. Delayed ones are not among them until their time has come.
        var queued = 0
        var delayed = 0
        var running = 0
        /// The age of the oldest queued fetch in seconds; nil if none waits.
        var oldestSeconds: Double?
        /// The most fetches that may run at once, on all workers together.
        var maxConcurrent = 64
        var isPaused = false
        /// The permits of each live worker that claims: neither quiet nor draining.
        var permits: [Int] = []
    }

    let count: Int
    /// The permits of one worker that the count is based on.
    let permits: Int

    /// - Parameters:
    ///   - bounds: The least and the most workers.
    ///   - permits: The permits of one worker; nil for the average of the live ones, or `usualPermits` if none lives.
    ///   - patience: The age of the oldest queued fetch, in seconds, from which more workers are wanted than are there. A shorter backlog is over before
    ///     another worker has started.
    init(for load: Load, within bounds: ClosedRange<Int>, permits: Int? = nil, patience: Double = Self.usualPatience) {
        let each = max(1, permits ?? Self.average(load.permits))
        let claimable = load.isPaused ? 0 : max(0, min(load.queued, load.maxConcurrent - load.running))
        let needed = Self.quotient(load.running + claimable, each)
        let isYoung = claimable > 0 && (load.oldestSeconds ?? 0) < patience
        // Without any worker, the oldest fetch would only grow older.
        let present = max(1, load.permits.count, Self.quotient(load.running, each))
        let wanted = isYoung ? min(needed, present) : needed
        (count, self.permits) = (min(max(wanted, bounds.lowerBound), bounds.upperBound), each)
    }

    /// The permits of a worker that nobody has set (`--fetches`).
    static let usualPermits = 32
    static let usualPatience = 5.0

    // bounded: at most `ScaleQuestion.mostPermits` of each worker.
    private static func average(_ permits: [Int]) -> Int { permits.isEmpty ? usualPermits : permits.reduce(0, +) / permits.count }

    /// Returns the quotient of two counts, rounded up.
    private static func quotient(_ count: Int, _ each: Int) -> Int { count / each + (count % each == 0 ? 0 : 1) }
}
