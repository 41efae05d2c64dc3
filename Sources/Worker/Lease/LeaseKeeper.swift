package import TintypeCore
package import TintypeTransport
package import TintypeQueue

/// The reason why a worker stops a run before it is done.
package enum LeaseEnd: Sendable, Hashable {
    /// Nobody wants the fetch any more. The run is finished as canceled.
    case cancelled
    /// Another worker holds the fetch by now. The run must not be finished.
    case lost
    /// No heartbeat succeeded for 8 s, so another worker may soon hold the fetch. The run stops and is released as soon as Redis answers.
    case expired
    /// The worker stops. The fetch is released, and no attempt is counted.
    case givenBack
    /// A fetch of another client waits for the place. This one is released, and no attempt is counted. The lease is kept until then.
    case yielded
}

/// Keeps the leases of all runs of a worker in one queue. One heartbeat renews all of them and shows that the worker is alive (`QueueTimes.heartbeat`).
///
/// A run whose lease had no successful heartbeat for `QueueTimes.patience` is stopped: after a whole lease another worker may have the fetch. Cancellations
/// arrive at once by the control channel, and again with each heartbeat in case the message was lost. Lives on the loop.
@Loop package final class LeaseKeeper {
    /// The callbacks by which a run hears about its lease.
    package struct Listener {
        let onEnd: @Loop (LeaseEnd) -> Void
        /// Called if a client wants progress, with the shortest time between two reports.
        let onWatched: @Loop (Duration) -> Void
        /// Called if a fetch of another client waits for the place. May be called again.
        var onYield: @Loop () -> Void = {}
        /// Returns the phase of the run.
        var phase: @Loop () -> Phase = { .download }
    }

    private struct Lease {
        let run: RunLease
        let listener: Listener
        /// When the last successful heartbeat was sent.
        var goodSince: ContinuousClock.Instant
    }

    package let queue: Queue
    private let worker: String
    private let scope: TaskScope
    private let logger: Logger
    private let metrics: Metrics
    private let info: @Loop () -> JSON
    private var leases: [String: Lease] = [:]
    /// The runs that were stopped because Redis did not answer, and that could not be reported yet.
    private var silenced: [RunLease: Listener] = [:]
    /// The messages about fetches whose claim is still on the way.
    private var early = PendingControlMessages()
    private var timers: [LoopTimer] = []
    private var isBeating = false
    private var logThrottle = LogThrottle()
    private var isGivingBack = false
    private var subscription: RedisSubscription?
    /// Whether this worker was told to claim nothing new from the queue.
    package private(set) var isQuiet = false
    /// When a message last set `isQuiet`. The answer to an older heartbeat does not change it.
    private var quietHeard: ContinuousClock.Instant?
    /// Called when `isQuiet` has changed.
    package var onQuiet: (@Loop () -> Void)?
    /// Called when shards need more workers, with their names and one in how many workers should help.
    package var onHelp: (@Loop (_ shards: [String], _ oneIn: Int) -> Void)?
    /// Called each time that messages can come from now on, and earlier ones may be lost.
    package var onListening: (@Loop () -> Void)?

    /// - Parameter info: returns the worker's entry in `workers.list`; called for each heartbeat.
    package init(
        queue: Queue, worker: String, scope: TaskScope, logger: Logger, metrics: Metrics, info: @escaping @Loop () -> JSON
    ) {
        (self.queue, self.worker, self.scope, self.info) = (queue, worker, scope, info)
        self.logger = logger.with(["queue": queue.name])
        self.metrics = metrics
    }

    /// The number of run leases.
    package var count: Int { leases.count }
    /// The number of runs that use it, also those whose lease it does not hold yet or any more.
    package var runs = 0

    /// Starts the heartbeats, the first at once, and the control channel.
    package func start(_ channels: RedisChannels) async {
        subscription = channels.subscribe(queue.keys.control, .sharded, of: queue.keys.tag, confirmed: { [weak self] in self?.onListening?() }) {
            [weak self] _, payload in self?.hear(payload)
        }
        timers = [
            LoopTimer(after: queue.times.heartbeat, repeating: true) { [weak self] in self?.beat() },
            LoopTimer(after: .milliseconds(250), repeating: true) { [weak self] in self?.expire(at: .now) },
        ]
        isBeating = true
        await beatOnce()
        isBeating = false
    }

    package func stop(_ channels: RedisChannels) {
        if let subscription { channels.unsubscribe(subscription) }
        timers = []
    }

    /// Removes the worker from the list of workers, after `stop`. If Redis is unreachable, the worker stays in the list for a minute as a lost one.
    package func retire() async {
        // A heartbeat under way would add the worker again.
        await scope.drain()
        await leave()
    }

    /// Removes the worker from the list of workers, after `stop`, while others of its heartbeats go on. One under way may add it again, for a minute.
    package func leave() async {
        do throws(RedisError) {
            try await queue.retire(worker: worker)
        } catch {
            logger.info("could not leave the list of workers", ["error": "\(error)"])
        }
    }

    /// Holds the lease of a claimed fetch. Reports messages that arrived before the claim's answer.
    /// - Parameter claimedAt: when the claim was sent. The lease cannot be older.
    package func hold(_ run: RunLease, claimedAt: ContinuousClock.Instant, _ listener: Listener) {
        // The claim was under way when all fetches were released.
        if isGivingBack { return listener.onEnd(.givenBack) }
        leases[run.fetch] = Lease(run: run, listener: listener, goodSince: claimedAt)
        let said = early.take(run)
        for case .watch(_, let pace) in said { listener.onWatched(pace) }
        if said.contains(.cancel(run)) { end(run.fetch, .cancelled) }
    }

    /// Drops the lease of a finished or released fetch.
    package func drop(_ run: RunLease) {
        if leases[run.fetch]?.run == run { leases[run.fetch] = nil }
        silenced[run] = nil
    }

    /// Ends all leases, present and future, because the worker stops.
    package func giveBackAll() {
        isGivingBack = true
        for lease in leases.values { end(lease.run.fetch, .givenBack) }
        for listener in silenced.values { listener.onEnd(.givenBack) }
    }

    /// Sends a heartbeat now, unless one is under way. Used after a reconnect, and when the worker's state has changed.
    package func beat() {
        guard !isBeating else { return }
        isBeating = true
        scope.run("beat \(queue.name)") { [self] in
            await beatOnce()
            isBeating = false
        }
    }

    private func beatOnce() async {
        let sent = ContinuousClock.now
        early.age()
        let runs = leases.values.map(\.run)
        let phases = Dictionary(uniqueKeysWithValues: leases.values.map { ($0.run, $0.listener.phase()) })
        do throws(RedisError) {
            let answer = try await queue.beat(worker: worker, info: info(), runs, phases: phases, isQuiet: isQuiet)
            logThrottle.end()
            for lost in answer.lost { end(lost, .lost, of: runs) }
            for cancelled in answer.cancelled { end(cancelled, .cancelled, of: runs) }
            for one in runs where answer.yielding.contains(one.fetch) { yield(one) }
            for (watched, pace) in answer.watched { leases[watched]?.listener.onWatched(pace) }
            if quietHeard.map({ $0 < sent }) ?? true { setQuiet(answer.isQuiet) }
            for one in runs where leases[one.fetch]?.run == one { leases[one.fetch]?.goodSince = sent }
        } catch {
            guard logThrottle.shouldLog("\(error)") else { return }
            logger.warning("heartbeats do not reach Redis", ["error": "\(error)", "runs": runs.count])
        }
    }

    /// Ends a lease of the heartbeat, unless this worker has claimed the fetch again since.
    private func end(_ fetch: String, _ reason: LeaseEnd, of beaten: [RunLease]) {
        guard let lease = leases[fetch], beaten.contains(lease.run) else { return }
        end(fetch, reason)
    }

    private func end(_ fetch: String, _ reason: LeaseEnd) {
        guard let lease = leases.removeValue(forKey: fetch) else { return }
        if reason == .lost || reason == .expired { metrics.add(.leasesLost) }
        if reason == .expired { silenced[lease.run] = lease.listener }
        logger.info("stopping a fetch", ["fetch": fetch, "reason": "\(reason)"])
        lease.listener.onEnd(reason)
    }

    private func yield(_ run: RunLease) {
        if leases[run.fetch]?.run == run { leases[run.fetch]?.listener.onYield() }
    }

    /// Stops the runs without a successful heartbeat for too long.
    func expire(at now: ContinuousClock.Instant) {
        for (fetch, lease) in leases where now >= lease.goodSince + queue.times.patience { end(fetch, .expired) }
    }

    private func setQuiet(_ isQuiet: Bool) {
        guard isQuiet != self.isQuiet else { return }
        self.isQuiet = isQuiet
        onQuiet?()
    }

    private func hear(_ payload: [UInt8]) {
        let message = ControlMessage(payload)
        switch message {
        case .cancel(let run)? where leases[run.fetch]?.run == run: end(run.fetch, .cancelled)
        case .watch(let run, let pace)? where leases[run.fetch]?.run == run: leases[run.fetch]?.listener.onWatched(pace)
        case .yield(let run)?: yield(run)
        case .cancel(let run)?, .watch(let run, _)?: if let message { early.note(message, of: run) }
        case .quiet(worker, let isQuiet)?:
            quietHeard = .now
            setQuiet(isQuiet)
        case .help(let shards, let oneIn)?: onHelp?(shards, oneIn)
        case .quiet?, nil: break  // for another worker, or from another build
        }
    }
}
