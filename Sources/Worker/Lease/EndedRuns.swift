package import TintypeCore
package import TintypeTransport
import TintypeQueue

/// The ends of runs that Redis has taken in the last seconds, to report them again when a server of Redis is back.
///
/// A replica that becomes the primary may lack the last writes, and so may a server that was killed. Such a server takes these runs for running. Each
/// would keep its place in the limits until its lease ends. Then the fetch would run again. A repeated report ends the run there. It changes nothing
/// where the run has ended, or belongs to another worker. Lives on the loop.
@Loop package final class EndedRuns {
    private struct End {
        let queue: Queue
        let lease: RunLease
        let outcome: FetchOutcome
        let listing: BlacklistListing?
        let busyHost: String?
        let at: ContinuousClock.Instant
    }

    /// How long an end is kept: about as long as it takes sentinels or a cluster to replace a primary. Older ends are in the replica.
    nonisolated static let kept = Duration.seconds(10)
    /// The most ends that are kept. Each has the results' descriptions, about a kilobyte.
    nonisolated static let most = 2000

    private let logger: Logger
    private var ends = FIFO<End>()
    private var isRepeating = false
    private var isAskedAgain = false

    package init(logger: Logger) { self.logger = logger }

    var count: Int { ends.count }

    /// Notes an end that Redis has taken.
    func note(
        _ lease: RunLease, in queue: Queue, _ outcome: FetchOutcome, listing: BlacklistListing? = nil, busyHost: String? = nil,
        at now: ContinuousClock.Instant = .now
    ) {
        forget(at: now)
        ends.append(End(queue: queue, lease: lease, outcome: outcome, listing: listing, busyHost: busyHost, at: now))
        if ends.count > Self.most { _ = ends.popFirst() }
    }

    /// Forgets the ends that are old.
    func forget(at now: ContinuousClock.Instant) {
        while let first = ends.first, first.at + Self.kept < now { _ = ends.popFirst() }
    }

    /// Reports all ends again, the oldest first. A call during another one makes that one begin anew.
    package func repeatAll() async {
        guard !isRepeating else { return isAskedAgain = true }
        isRepeating = true
        repeat {
            isAskedAgain = false
            forget(at: .now)
            let known = Array(ends.elements)
            var ended = 0
            for end in known where !isAskedAgain {
                // The next connection repeats all of them.
                guard let hasEnded = try? await report(end) else { break }
                if hasEnded { ended += 1 }
            }
            if ended > 0 { logger.notice("Redis had lost the ends of runs; reported them again", ["runs": ended, "of": known.count]) }
        } while isAskedAgain
        isRepeating = false
    }

    /// - Returns: whether the run had not ended yet in Redis.
    private func report(_ end: End) async throws(RedisError) -> Bool {
        switch try await end.queue.finish(end.lease, end.outcome, listing: end.listing, busyHost: end.busyHost) {
        case .done, .withdrawn: return true
        case .duplicate, .stale: return false
        // Reports before the last one are lost too. Another run makes the rest.
        case .more, .keepLonger, .purged: return try await end.queue.release(end.lease)
        }
    }
}
