import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeSettings

/// The queues and shards that a worker serves, each with the keeper of its leases. The worker serves those of its settings all the time, and others as a
/// guest (`ShardAssignment`). Lives on the loop.
@Loop final class ServedQueues {
    private let settings: WorkerSettings
    private let worker: String
    private let redis: RedisNodes
    private let channels: RedisChannels
    private let context: WorkerContext
    private let watch: QueueWatch
    private var assignment: ShardAssignment
    private var keepers: [String: LeaseKeeper] = [:]
    private var queues: [String: Queue] = [:]
    private var loop: WorkerLoop?
    private var info: @Loop (_ withTotals: Bool) -> JSON = { _ in [:] }
    private var calls: UInt64 = 0
    /// The last call for help. While the first shard is away, each other shard sends the same.
    private var lastCall: (shards: [String], at: ContinuousClock.Instant)?
    private var isDismissing = false
    /// When the shards of calls were last looked for, and the timer of the next time.
    private var latestLook: ContinuousClock.Instant?
    private var nextLook: LoopTimer?
    private var visits: LoopTimer?
    /// Whether the worker may take up other shards, and leave some.
    private var isChanging = false

    init(_ settings: WorkerSettings, worker: String, redis: RedisNodes, channels: RedisChannels, context: WorkerContext) {
        (self.settings, self.worker, self.redis, self.channels, self.context) = (settings, worker, redis, channels, context)
        assignment = ShardAssignment(worker: worker, queues: settings.queues, preferredHosts: settings.preferredHosts)
        watch = QueueWatch(settings.queues, redis: redis, scope: context.scope, logger: context.logger)
    }

    /// The queues of the settings.
    var own: [Queue] { settings.queues.map(queue) }

    /// The reason why no work can come: none of the queues exists.
    var obstacle: String? { watch.reason }

    /// Registers the worker in its queues. From then on the loop claims from the shards that the worker should serve.
    /// - Parameter info: returns the worker's entry in `workers.list`.
    func start(_ loop: WorkerLoop, info: @escaping @Loop (_ withTotals: Bool) -> JSON) async {
        (self.loop, self.info, isChanging) = (loop, info, true)
        watch.onNames = { [unowned self] names in if assignment.list(names) { reassign() } }
        for queue in own { await makeKeeper(of: queue).start(channels) }
        await watch.look()
    }

    /// Beats, and looks for the queues: after a connection to Redis.
    func refresh() {
        beat()
        watch.lookSoon()
    }

    func beat() {
        for keeper in keepers.values { keeper.beat() }
    }

    func giveBackAll() {
        for keeper in keepers.values { keeper.giveBackAll() }
    }

    /// Takes up and leaves no more shards: the worker drains.
    func settle() {
        isChanging = false
        watch.stop()
        (visits, nextLook) = (nil, nil)
    }

    /// Ends the heartbeats, and takes the worker off the lists of its queues.
    func retire() async {
        for keeper in keepers.values { keeper.stop(channels) }
        // All at once: a server that hangs takes the time of one command, however many queues it has.
        await withDiscardingTaskGroup { group in
            for keeper in keepers.values { group.addTask { await keeper.retire() } }
        }
    }

    private func queue(_ name: String) -> Queue {
        if let known = queues[name] { return known }
        let queue = Queue(name: name, redis: redis, times: settings.common.times)
        queue.preferredHosts = settings.preferredHosts
        queues[name] = queue
        return queue
    }

    private func makeKeeper(of queue: Queue) -> LeaseKeeper {
        // The totals ride on the heartbeats of one queue.
        let hasTotals = queue.name == settings.queues[0]
        let keeper = LeaseKeeper(
            queue: queue, worker: worker, scope: context.scope, logger: context.logger, metrics: context.metrics
        ) { [unowned self] in info(hasTotals) }
        keeper.onQuiet = { [unowned self] in applyQuiet() }
        keeper.onHelp = { [unowned self] shards, oneIn in help(shards, oneIn) }
        // A call to new shards that came before is lost.
        if settings.queues.contains(queue.name) { keeper.onListening = { [unowned self] in watch.lookSoon() } }
        keepers[queue.name] = keeper
        return keeper
    }

    /// Returns the keeper of a queue, which may be new.
    func keeper(of queue: Queue) -> LeaseKeeper {
        if let known = keepers[queue.name] { return known }
        let keeper = makeKeeper(of: queue)
        context.scope.run("keep leases") { [channels] in await keeper.start(channels) }
        return keeper
    }

    private func help(_ shards: [String], _ oneIn: Int) {
        guard isChanging else { return }
        if let lastCall, lastCall.shards == shards, .now < lastCall.at + .milliseconds(250) { return }
        lastCall = (shards, .now)
        calls += 1
        if shards.contains(where: { !assignment.knows($0) }) { lookForHomes() }
        guard loop?.isQuiet != true, assignment.help(shards, oneIn: oneIn, round: calls, at: .now) else { return }
        reassign()
    }

    /// Looks for shards that are new here and may be homes. All workers hear the same call, so each looks at most every five seconds.
    private func lookForHomes() {
        guard nextLook == nil else { return }
        let pause = latestLook.map { $0 + .seconds(5) - .now } ?? .zero
        nextLook = LoopTimer(after: max(pause, .zero)) { [weak self] in
            guard let self else { return }
            (nextLook, latestLook) = (nil, .now)
            watch.lookSoon()
        }
    }

    /// Claims from the queues and shards of the seats from now on. The keeper of a shard that was left goes once its runs have ended.
    private func reassign() {
        guard isChanging, let loop else { return }
        for name in assignment.all { _ = keeper(of: queue(name)) }
        context.scope.run("serve shards") { [self] in
            await loop.serve(assignment.all.map(queue))
            await dismissKeepers()
        }
        visits =
            visits
            ?? LoopTimer(after: .seconds(1), repeating: true) { [weak self] in
                guard let self else { return }
                if assignment.leave(at: .now) { reassign() } else { context.scope.run("dismiss keepers") { [self] in await dismissKeepers() } }
            }
    }

    private func dismissKeepers() async {
        guard !isDismissing else { return }
        isDismissing = true
        defer { isDismissing = false }
        for (name, keeper) in keepers {
            // Read anew each time, because the farewell of the one before may take long.
            guard keepers[name] === keeper, keeper.runs == 0, !assignment.all.contains(name), isChanging else { continue }
            keepers[name] = nil
            keeper.stop(channels)
            await keeper.leave()
        }
        applyQuiet()
    }

    /// Follows the queues: stops claiming if one of them asked for it, or resumes.
    private func applyQuiet() {
        context.scope.run("quiet") { [self] in
            // Read here and not before, because the state may change again before the task starts.
            let isQuiet = keepers.values.contains { $0.isQuiet }
            guard let loop, loop.isQuiet != isQuiet else { return }
            context.logger.notice(isQuiet ? "claiming nothing new" : "claiming again", ["running": loop.runningCount])
            await loop.setQuiet(isQuiet)
            beat()
        }
    }
}
