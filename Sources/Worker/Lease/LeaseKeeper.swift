package import TintypeCore
package import TintypeTransport
package import TintypeQueue

/// Keeps the leases of all fetches that a worker holds in one queue: one beat for all, by which the worker is also known (`QueueTimes.heartbeat`).
///
/// A fetch whose lease had no good beat for `QueueTimes.patience` is stopped by ourselves: after a whole lease another worker may have it. Cancellations
/// come at once by the control channel, and again by each beat in case the message was lost. Lives on the loop.
@Loop package final class LeaseKeeper {
    /// What a runner hears of its lease.
    package struct Listener {
        package let onEnd: @Loop (LeaseEnd) -> Void
        /// Somebody wants progress of it, with this time between two reports at the least.
        package let onWatched: @Loop (Duration) -> Void
        /// Another client waits for its place. May be said again.
        package let onYield: @Loop () -> Void
        /// Where the run is.
        package let phase: @Loop () -> Phase

        package init(
            onEnd: @escaping @Loop (LeaseEnd) -> Void, onWatched: @escaping @Loop (Duration) -> Void, onYield: @escaping @Loop () -> Void = {},
            phase: @escaping @Loop () -> Phase = { .download }
        ) {
            (self.onEnd, self.onWatched, self.onYield, self.phase) = (onEnd, onWatched, onYield, phase)
        }
    }

    private struct Lease {
        let held: Held
        let listener: Listener
        /// When the last beat that Redis took was sent.
        var goodSince: ContinuousClock.Instant
    }

    package let queue: Queue
    private let worker: String
    private let scope: TaskScope
    private let logger: Logger
    private let metrics: Metrics
    private let info: @Loop () -> JSON
    private var leases: [String: Lease] = [:]
    /// Those whose lease was given up for silence and who have not yet been able to tell Redis.
    private var silenced: [Held: Listener] = [:]
    /// What was heard of fetches whose claim is still on the way.
    private var early = EarlyMessages()
    private var timers: [LoopTimer] = []
    private var isBeating = false
    private var trouble = RepeatedTrouble()
    private var isGivingBack = false
    private var subscription: RedisSubscription?
    /// Whether somebody has told this worker to take nothing new from the queue.
    package private(set) var isQuiet = false
    /// When a message last said whether it is; a beat sent before that knows less.
    private var quietHeard: ContinuousClock.Instant?
    /// Called when `isQuiet` has changed.
    package var onQuiet: (@Loop () -> Void)?

    /// - Parameter info: what `workers.list` shows of this worker, asked for at each beat.
    package init(
        queue: Queue, worker: String, scope: TaskScope, logger: Logger, metrics: Metrics, info: @escaping @Loop () -> JSON
    ) {
        (self.queue, self.worker, self.scope, self.info) = (queue, worker, scope, info)
        self.logger = logger.with(["queue": queue.name])
        self.metrics = metrics
    }

    /// How many fetches of the queue are held.
    package var count: Int { leases.count }

    /// Begins to beat, the first time at once, and to listen for cancellations.
    package func start(_ channels: RedisChannels) async {
        subscription = channels.subscribe(queue.keys.control, of: queue.keys.tag) { [weak self] _, payload in self?.hear(payload) }
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

    /// Takes the worker off the queue's list, after `stop`. Where Redis is out of reach it stays there, as a lost one, for a minute.
    package func retire() async {
        // A beat that is under way would put it back.
        await scope.drain()
        do throws(RedisError) {
            try await queue.retire(worker: worker)
        } catch {
            logger.info("could not leave the list of workers", ["error": "\(error)"])
        }
    }

    /// Takes a fetch that was just claimed. What has overtaken its claim's answer is told at once.
    /// - Parameter claimedAt: when the claim was sent: the lease cannot be older.
    package func hold(_ held: Held, claimedAt: ContinuousClock.Instant, _ listener: Listener) {
        // Its claim was on the way when all was given back.
        if isGivingBack { return listener.onEnd(.givenBack) }
        leases[held.fetch] = Lease(held: held, listener: listener, goodSince: claimedAt)
        let said = early.take(held)
        for case .watch(_, let pace) in said { listener.onWatched(pace) }
        if said.contains(.cancel(held)) { end(held.fetch, .cancelled) }
    }

    /// Lets go of a fetch that was finished or given back.
    package func drop(_ held: Held) {
        if leases[held.fetch]?.held == held { leases[held.fetch] = nil }
        silenced[held] = nil
    }

    /// Ends all leases, and those that are still to come, for a worker that stops.
    package func giveBackAll() {
        isGivingBack = true
        for lease in leases.values { end(lease.held.fetch, .givenBack) }
        for listener in silenced.values { listener.onEnd(.givenBack) }
    }

    /// Sends a beat now, unless one is under way: after a reconnect, and when the worker's state has changed.
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
        let held = leases.values.map(\.held)
        let phases = Dictionary(uniqueKeysWithValues: leases.values.map { ($0.held, $0.listener.phase()) })
        do throws(RedisError) {
            let answer = try await queue.beat(worker: worker, info: info(), held, phases: phases, isQuiet: isQuiet)
            trouble.end()
            for lost in answer.lost { end(lost, .lost, of: held) }
            for cancelled in answer.cancelled { end(cancelled, .cancelled, of: held) }
            for one in held where answer.yielding.contains(one.fetch) { yield(one) }
            for (watched, pace) in answer.watched { leases[watched]?.listener.onWatched(pace) }
            if quietHeard.map({ $0 < sent }) ?? true { rest(answer.isQuiet) }
            for one in held where leases[one.fetch]?.held == one { leases[one.fetch]?.goodSince = sent }
        } catch {
            guard trouble.isNews("\(error)") else { return }
            logger.warning("beats do not reach Redis", ["error": "\(error)", "held": held.count])
        }
    }

    /// Ends what the beat spoke of, unless this worker has claimed the fetch anew since.
    private func end(_ fetch: String, _ reason: LeaseEnd, of beaten: [Held]) {
        guard let lease = leases[fetch], beaten.contains(lease.held) else { return }
        end(fetch, reason)
    }

    private func end(_ fetch: String, _ reason: LeaseEnd) {
        guard let lease = leases.removeValue(forKey: fetch) else { return }
        if reason == .lost || reason == .expired { metrics.add(.leasesLost) }
        if reason == .expired { silenced[lease.held] = lease.listener }
        logger.info("stopping a fetch", ["fetch": fetch, "reason": "\(reason)"])
        lease.listener.onEnd(reason)
    }

    private func yield(_ held: Held) {
        if leases[held.fetch]?.held == held { leases[held.fetch]?.listener.onYield() }
    }

    /// Stops what had no good beat for too long.
    func expire(at now: ContinuousClock.Instant) {
        for (fetch, lease) in leases where now >= lease.goodSince + queue.times.patience { end(fetch, .expired) }
    }

    private func rest(_ isQuiet: Bool) {
        guard isQuiet != self.isQuiet else { return }
        self.isQuiet = isQuiet
        onQuiet?()
    }

    private func hear(_ payload: [UInt8]) {
        let message = ControlMessage(payload)
        switch message {
        case .cancel(let held)? where leases[held.fetch]?.held == held: end(held.fetch, .cancelled)
        case .watch(let held, let pace)? where leases[held.fetch]?.held == held: leases[held.fetch]?.listener.onWatched(pace)
        case .yield(let held)?: yield(held)
        case .cancel(let held)?, .watch(let held, _)?: if let message { early.note(message, of: held) }
        case .quiet(worker, let isQuiet)?:
            quietHeard = .now
            rest(isQuiet)
        case .quiet?, nil: break  // of another worker, or of another build
        }
    }
}
