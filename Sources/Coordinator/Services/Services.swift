import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeSettings

/// Everything a method may need, wired once at start (`Coordinator`).
@Loop
final class Services {
    let redis: RedisNodes
    let channels: RedisChannels
    let door = Door()
    let lanes: Lanes
    let receipts: ReceiptTable
    let results: ResultDelivery
    let memory: MemoryTier
    /// Finished renditions.
    let store: any ResultStore
    /// Sources as they came.
    let sources: any ResultStore
    let withdrawal: Withdrawal
    let recovery: Recovery
    let admission: Admission
    let cacheNews: CacheNews
    let cache: CacheTiers
    let subscriptions: Subscriptions
    let activity: ActivityMonitor
    let callbacks: CallbackSender
    let groups: Groups
    let watches: GroupWatches
    let validation: Validation
    let queueRoom: QueueRoom
    let room: RedisRoom
    let scope: TaskScope
    let metrics: Metrics
    let logger: Logger
    /// Waiting fetches of queues that nobody configured otherwise.
    let maxQueued: Int
    /// The fonts that text may be drawn with.
    let fonts: [String]
    let startedAt = WallClock.now
    /// Commands under way to Redis above which what can wait waits.
    private static let mostPending = 500
    /// Where clients find us, once we listen.
    var addresses: (rpc: String, http: String) = ("", "")
    var isDraining: Bool { admission.isClosed }

    init(
        _ endpoint: RedisEndpoint, store: any ResultStore, sources: any ResultStore, settings: CoordinatorSettings, keys: KeySecret, coordinator: String,
        readers: BlockingPool, packers: BlockingPool, metrics: Metrics, logger: Logger
    ) {
        let scope = TaskScope()
        let redis = RedisNodes(endpoint, name: coordinator, logger: logger, scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement)
        let channels = RedisChannels(endpoint, name: "\(coordinator)-events", logger: logger)
        let lanes = Lanes(redis: redis, coordinator: coordinator) { queue in
            EventChannel(queue: queue, coordinator: coordinator, channels: channels, scope: scope, metrics: metrics, logger: logger)
        }
        let memory = MemoryTier(capacity: settings.memoryCache, count: settings.memoryCacheCount, metrics: metrics)
        let results = ResultDelivery(
            memory: memory, store: store, held: HeldResults(redis), readers: readers, packers: packers, scope: scope, logger: logger, metrics: metrics)
        let receipts = ReceiptTable(results: results, metrics: metrics)
        let withdrawal = Withdrawal(receipts: receipts, coordinator: coordinator, scope: scope, logger: logger)
        let recovery = Recovery(receipts: receipts, channels: channels, coordinator: coordinator, scope: scope, logger: logger)
        let room = RedisRoom(redis: redis, most: settings.maxQueueBytes, scope: scope)
        self.room = room
        let submitter = Submitter(
            lanes: lanes, room: room, receipts: receipts, memory: memory, results: results, sources: sources, withdrawal: withdrawal,
            scope: scope, metrics: metrics, logger: logger)
        let cacheNews = CacheNews(redis: redis, channels: channels, memory: memory, coordinator: coordinator)
        cache = CacheTiers(memory: memory, results: store, sources: sources, lanes: lanes, news: cacheNews, logger: logger)
        admission = Admission(
            memory: memory, cache: cache, submitter: submitter, receipts: receipts, withdrawal: withdrawal, lanes: lanes, results: results,
            permissions: Permissions(
                allowsInvalidTLS: settings.common.allowInvalidTLS, allowsFiles: settings.common.fileRoot != nil, fonts: settings.common.fonts,
                longestTimeout: settings.maxTimeout, longestDeadline: settings.maxDeadline),
            keys: keys, scope: scope, metrics: metrics)
        watches = GroupWatches(queue: lanes.queue("default"), channels: channels, scope: scope, logger: logger)
        let activity = ActivityMonitor(startDelay: settings.activityStartDelay, endDelay: settings.activityEndDelay)
        subscriptions = Subscriptions(
            lanes: lanes, channels: channels, watches: watches, activity: activity, scope: scope, logger: logger)
        queueRoom = QueueRoom(lanes: lanes, scope: scope, logger: logger)
        validation = Validation(endpoint, coordinator: coordinator, scope: scope, logger: logger)
        let tools = GroupDriver.Tools(
            lanes: lanes, admission: admission, receipts: receipts, withdrawal: withdrawal, scope: scope, logger: logger)
        let groups = Groups(tools, room: room, most: settings.maxGroups)
        self.groups = groups
        (self.redis, self.channels, self.lanes, self.receipts, self.results) = (redis, channels, lanes, receipts, results)
        (self.memory, self.store, self.sources, self.withdrawal, self.recovery, self.cacheNews) = (memory, store, sources, withdrawal, recovery, cacheNews)
        (self.scope, self.metrics, self.logger, maxQueued, fonts) = (scope, metrics, logger, settings.maxQueued, settings.common.fonts)

        lanes.onOpen = { lane in
            lane.channel.onEvent = { [weak lane, weak groups] event in
                if let lane { receipts.receive(event, lane: lane) }
                if event.isEndOfGroup { groups?.over(event.fetch) }
            }
            lane.channel.onGap = { [weak lane] in if let lane { recovery.refresh(lane) } }
        }
        self.activity = activity
        let callbacks = CallbackSender(lanes: lanes, settings: settings, scope: scope, metrics: metrics, logger: logger)
        self.callbacks = callbacks
        callbacks.access = { [weak admission] in admission?.rules.access ?? .none }
        receipts.owesCallback = { callbacks.look() }
        admission.owesCallback = { callbacks.look() }
        receipts.inFlightChanged = { activity.set(running: $0) }
        receipts.withdraw = { withdrawal.withdraw($0, reason: $1.reason, sparesOthers: $1.sparesOthers) }
        receipts.tellLeft = { withdrawal.leave($0) }
        receipts.refuse = { withdrawal.refuse($0, $1) }
        receipts.ask = { recovery.ask($0) }
        receipts.suspect = { recovery.suspect($0) }
        receipts.expire = { withdrawal.expire($0) }
        receipts.isBusy = { redis.pending > Self.mostPending }
        recovery.isBusy = { submitter.resubmissions >= Self.mostPending }
        receipts.unfollow = { channels.unsubscribe($0) }
        recovery.resubmit = { submitter.resubmit($0) }
        submitter.settle = { [weak recovery] in await recovery?.settle($0) }
        results.standIns.load = { [weak admission] in await admission?.standIn($0) ?? Outcome(failing: Outcome.cancellation(reason: "stopped", phase: nil)) }
        results.reloaded = { cacheNews.tell(.forget($0), isNewHere: true) }
    }

    /// The operator's limits for what nobody has configured in a queue.
    func setDefaults(of queue: Queue) async throws(RedisError) {
        try await queue.setDefaults(maxQueued: maxQueued, hostLimits: admission.rules.hostLimits)
    }

    /// Lays down for workers what redirects are judged by. Until it has, they follow none of fetches that are asked for under it.
    func tell(_ access: AccessList) async throws(RedisError) {
        guard let digest = access.digest else { return }
        _ = try await redis.node(for: AccessList.tag).command(["HSET", .string(AccessList.key), .string(digest), .string(access.text)])
    }

    /// Whether requests can be served whole; nil if so, else the reason.
    var unreadiness: String? {
        if isDraining { return "this coordinator is stopping" }
        if let failure = redis.failure { return failure.description }
        if let refusal = redis.refusal { return refusal }
        if lanes["default"]?.channel.isConfirmed != true { return "the subscription for events is not confirmed" }
        if !cacheNews.isConfirmed { return "the subscription for what caches are to forget is not confirmed" }
        return nil
    }
}
