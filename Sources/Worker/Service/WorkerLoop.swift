package import TintypeCore
package import TintypeTransport
package import TintypeQueue

/// Claims fetches for all free permits and starts them. Sleeps on the markers of the queues when there is nothing to do.
///
/// A claim that returns less than was asked for has emptied its queue for now. Every later change sets the marker, and the marker stays set until a worker
/// takes it. So no wake-up is lost and nothing is asked twice. As a safety net, all queues are asked every ten seconds. Lives on the loop.
@Loop package final class WorkerLoop {
    private var queues: [Queue]
    private let waits: MarkerWaiter
    private let worker: String
    private let permits: Int
    private let logger: Logger
    private let metrics: Metrics
    private let start: @Loop (ClaimedFetch, Queue, _ claimedAt: ContinuousClock.Instant) -> Void
    /// The number of running fetches.
    package private(set) var runningCount = 0
    private var isStopped = false
    private var isAsleep = false
    private var sleeps = 0
    /// Whether the worker claims nothing new until it is told otherwise.
    package private(set) var isQuiet = false
    private var freed: OneShot<Void>?
    private var turns: ClaimSchedule
    /// When the next delayed fetch of a queue is due.
    private var due: [String: ContinuousClock.Instant] = [:]
    /// The queues whose last claims have failed, and when each is asked again. The other queues are served meanwhile: in a cluster, their servers may
    /// answer.
    private var refused: [String: (until: ContinuousClock.Instant, backoff: Backoff, passes: Bool)] = [:]
    private var logThrottle = LogThrottle()

    private static let maxSleep = Duration.seconds(10)
    /// The pause between two rounds while Redis refuses to wait.
    private static let pauseUnwaited = Duration.seconds(1)

    /// - Parameters:
    ///   - preferred: the queues that are asked first.
    ///   - waits: connections that are used for nothing else.
    ///   - permits: the most fetches that may run at once.
    ///   - start: starts a run; `ended` is called at its end.
    package init(
        queues: [Queue], preferred: Set<String> = [], waits: MarkerWaiter, worker: String, permits: Int, logger: Logger, metrics: Metrics,
        start: @escaping @Loop (ClaimedFetch, Queue, _ claimedAt: ContinuousClock.Instant) -> Void
    ) {
        (self.queues, self.waits, self.worker, self.permits) = (queues, waits, worker, permits)
        (self.logger, self.metrics, self.start) = (logger, metrics, start)
        turns = ClaimSchedule(queues.map(\.name), preferred: preferred)
    }

    /// Claims from other queues from now on. A claim under way may still bring fetches of a queue that is left.
    package func serve(_ queues: [Queue]) async {
        self.queues = queues
        let names = Set(queues.map(\.name))
        turns.serve(queues.map(\.name))
        due = due.filter { names.contains($0.key) }
        refused = refused.filter { names.contains($0.key) }
        waits.keep(Set(queues.map(\.keys.tag)))
        // A sleep that began before does not wait for work of the new queues.
        let begun = sleeps
        await interrupt { self.sleeps == begun }
    }

    /// Whether Redis refuses claims of all queues.
    package var isRefused: Bool { refused.count == queues.count && !refused.values.contains(where: \.passes) }

    /// Frees the permit of an ended run.
    package func ended() {
        runningCount -= 1
        resume()
    }

    private func resume() {
        freed?.complete(.success(()))
        freed = nil
    }

    /// Stops claiming. Returns when no sleep is under way. Fetches of a claim under way are still started.
    package func stop() async {
        isStopped = true
        resume()
        await interrupt { true }
        waits.stop()
    }

    /// Stops claiming, or resumes. Running fetches and fetches of a claim under way continue. A marker that a draining worker has taken in vain is
    /// renewed by the reaper within a second.
    package func setQuiet(_ isQuiet: Bool) async {
        self.isQuiet = isQuiet
        resume()
        if isQuiet { await interrupt { self.isQuiet } }
    }

    /// Ends a sleep, as long as that is wanted. Closing the connection instead could lose the answer of a claim.
    private func interrupt(_ isWanted: @Loop () -> Bool) async {
        let limit = ContinuousClock.now + .seconds(2)
        // The worker may be just about to sleep, so this repeats until it does not.
        while isAsleep, isWanted(), ContinuousClock.now < limit, let queue = queues.first {
            _ = await queue.wake(waits)
            try? await Loop.sleep(.milliseconds(5))
        }
    }

    /// Claims until `stop`.
    package func run() async {
        var backoff = Backoff()
        while !isStopped {
            if runningCount >= permits || isQuiet {
                await untilFreed()
                continue
            }
            do throws(RedisError) {
                await claim()
                if runningCount < permits, !queues.contains(where: isWorthAsking) {
                    await letStart()
                    if !isStopped, !isQuiet { try await sleep() }
                }
                backoff.reset()
            } catch {
                guard !isStopped else { return }
                // The Redis client reports a lost connection itself.
                if error.isRetryable { logger.debug("a claim failed", ["error": "\(error)"]) } else { warn("Redis refuses claims", error) }
                turns.promiseAll()
                try? await Loop.sleep(backoff.next())
            }
        }
    }

    /// Returns the queues, each time beginning with another one.
    private func round() -> [Queue] {
        let queues = queues
        return turns.round().map { queues[$0] }
    }

    private func isServed(_ queue: Queue) -> Bool { queues.contains { $0 === queue } }

    private func isWorthAsking(_ queue: Queue) -> Bool { turns.isPromising(queue.name) && !isRefused(queue) }

    private func isRefused(_ queue: Queue) -> Bool { refused[queue.name].map { $0.until > .now } ?? false }

    /// Claims once from each queue that may have work.
    private func claim() async {
        guard turns.isAnyPromising else { return }
        for queue in round() where runningCount < permits && !isStopped && !isQuiet && !isRefused(queue) {
            let began = ContinuousClock.now
            guard turns.isDue(queue.name, at: began) else { continue }
            let asked = permits - runningCount
            do throws(RedisError) {
                take(try await queue.claim(worker: worker, count: asked, waits: false), of: asked, from: queue, claimedAt: began)
            } catch {
                refuse(queue, error)
            }
        }
    }

    private func refuse(_ queue: Queue, _ error: RedisError) {
        // The Redis client reports a lost connection itself.
        if error.isRetryable {
            logger.debug("a claim failed", ["queue": queue.name, "error": "\(error)"])
        } else {
            warn("Redis refuses claims from \(queue.name)", error)
        }
        guard isServed(queue) else { return }
        var backoff = refused[queue.name]?.backoff ?? Backoff()
        refused[queue.name] = (.now + backoff.next(), backoff, error.isRetryable)
        turns.failed(queue.name)
        // The next due time may pass before the queue answers again, and must not wake the worker.
        due[queue.name] = nil
    }

    private func warn(_ message: String, _ error: RedisError) {
        if logThrottle.shouldLog("\(message): \(error)") { logger.warning(message, ["error": "\(error)"]) }
    }

    private func take(_ answer: ClaimAnswer, of asked: Int, from queue: Queue, claimedAt: ContinuousClock.Instant) {
        metrics.add(.claims, labels: queue.publicName)
        metrics.add(.fetchesClaimed, Double(answer.fetches.count), labels: queue.publicName)
        turns.claimed(queue.name, hasMore: answer.fetches.count == asked, at: .now)
        if refused.removeValue(forKey: queue.name) != nil, refused.isEmpty { logThrottle.end() }
        due[queue.name] = isServed(queue) ? answer.nextDueMilliseconds.map { .now + .milliseconds(max(1, $0)) } : nil
        for fetch in answer.fetches {
            runningCount += 1
            start(fetch, queue, claimedAt)
        }
    }

    /// Yields, so that claimed fetches can open their connections, or report their end, before this worker asks Redis for anything else. A yield takes
    /// three turns of the loop. A fetch starts in the first; its commands leave, and curl is called, in the next.
    private func letStart() async {
        if runningCount > 0 { await Task.yield() }
    }

    private func sleep() async throws(RedisError) {
        let free = permits - runningCount
        // Redis refuses the whole wait if it refuses one of the queues.
        let willing = round().filter { !isRefused($0) }
        let again = refused.values.map(\.until).filter { $0 > .now }.min()
        guard !willing.isEmpty else {
            if let again { try? await Loop.sleep(again - .now) }
            return
        }
        let asked = willing.prefix(free)
        let claims = asked.enumerated().map { (queue: $1, count: free / asked.count + ($0 < free % asked.count ? 1 : 0)) }
        let earliest = (Array(due.values) + (again.map { [$0] } ?? [])).min().map { $0 - .now } ?? Self.maxSleep
        isAsleep = true
        sleeps += 1
        defer { isAsleep = false }
        var refusal: RedisError?
        try await Queue.sleep(
            on: waits, willing, claiming: claims, worker: worker, for: min(max(earliest, .milliseconds(1)), Self.maxSleep)
        ) { wake in
            turns.woken(by: wake.woken, among: wake.queues, at: .now)
            refusal = refusal ?? wake.refusal
            for (place, answer) in wake.claims {
                switch answer {
                case .success(let answer): take(answer, of: claims[place].count, from: claims[place].queue, claimedAt: .now)
                case .failure: turns.failed(claims[place].queue.name)
                }
            }
        }
        if let refusal, !refusal.isRetryable {
            warn("Redis refuses to wait for work", refusal)
            try? await Loop.sleep(Self.pauseUnwaited)
        }
    }

    private func untilFreed() async {
        let freed = OneShot<Void>()
        self.freed = freed
        try? await freed.wait()
        turns.promiseAll()
    }
}
