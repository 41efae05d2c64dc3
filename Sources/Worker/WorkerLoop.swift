package import Shared

/// Claims fetches for as many permits as are free and has them run; sleeps on the queues' markers when there is nothing to do.
///
/// A claim that brings less than was asked for has emptied its queue for now, and whatever changes that sets the marker, which
/// stays set until somebody takes it: so no wake-up is lost and nothing is asked twice. A claim of all queues every ten
/// seconds makes up for what no rule foresees. Lives on the loop.
@Loop package final class WorkerLoop {
    private let queues: [Queue]
    private let blocking: RedisClient
    private let worker: String
    private let permits: Int
    private let logger: Logger
    private let metrics: Metrics
    private let start: @Loop (ClaimedFetch, Queue, _ claimedAt: ContinuousClock.Instant) -> Void
    private var running = 0
    private var isStopped = false
    private var freed: OneShot<Void>?
    /// The queues that may have something.
    private var promising: Set<String>

    private static let longestSleep = Duration.seconds(10)

    /// - Parameters:
    ///   - blocking: a connection that serves nothing else.
    ///   - permits: fetches that may run at once.
    ///   - start: begins to run a fetch; `ended` is called when it is over.
    package init(
        queues: [Queue], blocking: RedisClient, worker: String, permits: Int, logger: Logger, metrics: Metrics,
        start: @escaping @Loop (ClaimedFetch, Queue, _ claimedAt: ContinuousClock.Instant) -> Void
    ) {
        (self.queues, self.blocking, self.worker, self.permits) = (queues, blocking, worker, permits)
        (self.logger, self.metrics, self.start) = (logger, metrics, start)
        promising = Set(queues.map(\.name))
    }

    /// How many fetches run.
    package var runningCount: Int { running }

    /// One of the fetches has ended.
    package func ended() {
        running -= 1
        freed?.complete(.success(()))
        freed = nil
    }

    /// Takes nothing new from now on; `run` returns once what was claimed last has been started.
    package func stop() {
        isStopped = true
        blocking.stop()
        freed?.complete(.success(()))
        freed = nil
    }

    /// Claims until `stop`.
    package func run() async {
        var backoff = Backoff()
        while !isStopped {
            if running >= permits {
                await untilFreed()
                continue
            }
            do throws(RedisError) {
                let due = try await claim()
                backoff.reset()
                if running < permits, promising.isEmpty {
                    await letStart()
                    try await sleep(due)
                }
            } catch {
                guard !isStopped else { return }
                logger.debug("no claim", ["error": "\(error)"])
                promising = Set(queues.map(\.name))
                try? await Loop.sleep(backoff.next())
            }
        }
    }

    /// Claims once from each queue that may have something.
    /// - Returns: how long to sleep at most before the next delayed fetch falls due.
    private func claim() async throws(RedisError) -> Duration {
        var sleep = Self.longestSleep
        // Whoever was first last time is last this time.
        let start = queues.firstIndex { promising.contains($0.name) } ?? 0
        for queue in queues[start...] + queues[..<start] where promising.contains(queue.name) && running < permits && !isStopped {
            let asked = permits - running
            let began = ContinuousClock.now
            let answer = try await queue.claim(worker: worker, count: asked)
            metrics.add(.claims, labels: queue.name)
            metrics.add(.fetchesClaimed, Double(answer.fetches.count), labels: queue.name)
            if answer.fetches.count < asked { promising.remove(queue.name) }
            if let due = answer.nextDueMilliseconds { sleep = min(sleep, .milliseconds(max(1, due))) }
            for fetch in answer.fetches {
                running += 1
                self.start(fetch, queue, began)
            }
        }
        return sleep
    }

    /// Gives what was claimed its first turns: its connection is being opened, or it has ended, before Redis hears of anything else.
    private func letStart() async {
        guard running > 0 else { return }
        for _ in 0..<8 { await Task.yield() }
    }

    private func sleep(_ time: Duration) async throws(RedisError) {
        let woken = try await Queue.waitForWork(blocking: blocking, queues, for: time)
        promising = woken.map { [$0] } ?? Set(queues.map(\.name))
    }

    private func untilFreed() async {
        let freed = OneShot<Void>()
        self.freed = freed
        try? await freed.wait()
        promising = Set(queues.map(\.name))
    }
}
