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

    /// How long an end is kept: longer than it takes to replace a primary that was given up after fifteen seconds. Older ends are in the replica.
    nonisolated static let kept = Duration.seconds(20)
    /// The pause before a server that refused is asked again.
    private static let pause = Duration.milliseconds(300)
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

    /// Reports all ends again, those of a queue one after the other. A call during another one makes that one begin anew.
    ///
    /// A new primary may refuse writes until a replica is in touch. It is asked again for as long as the ends are kept.
    package func repeatAll() async {
        guard !isRepeating else { return isAskedAgain = true }
        isRepeating = true
        repeat {
            isAskedAgain = false
            forget(at: .now)
            var known: [String: [End]] = [:]
            for end in ends.elements { known[end.queue.name, default: []].append(end) }
            // The server of one queue may be away while others answer.
            let isRefused = await withTaskGroup(of: Bool.self) { group in
                for queue in known.values { group.addTask { await self.repeatEnds(queue) } }
                var isRefused = false
                for await isAnswered in group where !isAnswered { isRefused = true }
                return isRefused
            }
            guard isRefused, !isAskedAgain else { continue }
            isAskedAgain = true
            guard (try? await Loop.sleep(Self.pause)) != nil else { break }
        } while isAskedAgain
        isRepeating = false
    }

    /// - Returns: whether Redis has answered all of them, or another connection has come.
    private func repeatEnds(_ known: [End]) async -> Bool {
        var ended = 0
        defer { if ended > 0 { logger.notice("Redis had lost the ends of runs; reported them again", ["runs": ended, "of": known.count]) } }
        for end in known where !isAskedAgain {
            guard let hasEnded = try? await report(end) else { return false }
            if hasEnded { ended += 1 }
        }
        return true
    }

    /// - Returns: whether the run had not ended yet in Redis.
    private func report(_ end: End) async throws(RedisError) -> Bool {
        switch try await end.queue.finish(end.lease, end.outcome, listing: end.listing, busyHost: end.busyHost) {
        case .done, .again, .withdrawn: return true
        case .duplicate, .stale: return false
        // Reports before the last one are lost too. Another run makes the rest.
        case .more, .keepLonger, .purged: return try await end.queue.release(end.lease)
        }
    }
}
