import TintypeCore
import TintypeTransport
import TintypeDoor
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeSettings

/// Everything a method may need, wired once at the start (`Coordinator`).
@Loop
final class Services {
    let redis: RedisNodes
    let channels: RedisChannels
    let door: AccessControl
    let clients: NamedClients
    /// The limits of each address for pictures; nil: there are none.
    let rates: PictureRates?
    let registry: QueueRegistry
    let receipts: ReceiptTable
    let results: ResultDelivery
    /// The room of large answers over JSON-RPC.
    let answers = LongAnswerRoom()
    let memory: MemoryTier
    let pressure: PressureWatch
    let heap = HeapTrim()
    /// The store of finished renditions.
    let store: any ResultStore
    /// The second place that is searched for renditions.
    let fallback: SecondaryResults?
    /// The store of unchanged sources.
    let sources: any ResultStore
    let withdrawal: Withdrawal
    let recovery: Recovery
    let durability: Durability
    let admission: Admission
    let lookup: ReceiptLookup
    let readiness: Readiness
    let defaults: OperatorDefaults
    let invalidation: CacheInvalidation
    let statistics: FleetStatistics
    let ends: RecentEndsWatch
    let cache: CacheTiers
    let purger: Purger
    /// Tells the operator's server of purges; nil: there is none.
    let purgeWebhook: PurgeWebhook?
    let uploads: Uploads
    let subscriptions: Subscriptions
    let feeds: EventFeeds
    let activity: ActivityMonitor
    let callbacks: CallbackSender
    let groups: Groups
    let watches: GroupWatches
    let validation: Validation
    let queueRoom: QueueRoom
    let room: RedisRoom
    /// The memory of answers over HTTP.
    let unsent: AnswerRoom
    let scope: TaskScope
    /// Sends the spans of this coordinator; nil: there is no collector.
    let tracer: Tracer?
    let metrics: Metrics
    let logger: Logger
    /// The fonts that text may be drawn with.
    let fonts: [String]
    let startedAt = WallClock.now
    /// The addresses for clients, set once both servers listen.
    var addresses: (rpc: String, http: String) = ("", "")
    /// Returns the picture door with its present keys; nil: it is not open.
    var pictureDoor: @Loop () -> PictureDoor? = { nil }

    init(
        _ topology: any RedisTopology, store: any ResultStore, fallback: (any ResultReader)?, sources: any ResultStore, settings: CoordinatorSettings,
        keys: KeySecret, coordinator: String,
        readers: BlockingPool, packers: BlockingPool, metrics: Metrics, logger: Logger
    ) {
        let scope = TaskScope()
        let tracer = Tracer.make(service: "tintype-coordinator", instance: coordinator, metrics: metrics, logger: logger)
        let mediator = Mediator()
        let meter = RedisMeter(metrics)
        let redis = RedisNodes(
            topology, name: coordinator, logger: logger, scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement, meter: meter)
        let channels = RedisChannels(topology, name: "\(coordinator)-events", logger: logger, meter: meter)
        let registry = QueueRegistry(redis: redis, coordinator: coordinator, times: settings.common.times) { queue in
            EventChannel(
                queue: queue, listener: mediator, coordinator: coordinator, channels: channels, scope: scope, metrics: metrics, logger: logger)
        }
        let memory = MemoryTier(
            capacity: settings.memoryCache, count: settings.memoryCacheCount, lowWater: settings.memoryCacheLow, age: settings.memoryCacheAge,
            metrics: metrics)
        pressure = PressureWatch(memory, maxResident: settings.memoryPressure, logger: logger)
        let publicChannels = settings.publicChannels ?? .usual(isCluster: topology is ClusterTopology)
        let invalidation = CacheInvalidation(redis: redis, channels: channels, publishing: publicChannels, memory: memory, coordinator: coordinator)
        let purges = PurgeList(redis)
        let second = fallback.map { SecondaryResults($0, purges: purges, scope: scope, metrics: metrics, logger: logger) }
        self.fallback = second
        let results = ResultDelivery(
            memory: memory, store: store, fallback: second, spilled: SpilledResults(redis), invalidation: invalidation, actions: mediator, readers: readers,
            packers: packers, scope: scope, tracer: tracer, logger: logger, metrics: metrics)
        unsent = AnswerRoom(onCut: { metrics.add(.httpCuts, labels: $0.rawValue) })
        let clients = NamedClients(showsNames: settings.metricsNames, metrics: metrics, logger: logger)
        door = AccessControl(
            clients, hosts: AllowedHosts(settings.common.hostNames), wrongTokens: WrongTokens(most: settings.maxWrongTokens), metrics: metrics, logger: logger)
        rates = settings.images.rate.map { PictureRates($0, metrics: metrics, logger: logger) }
        let receipts = ReceiptTable(results: results, redis: redis, channels: channels, actions: mediator, clients: clients, metrics: metrics)
        let recovery = Recovery(
            receipts: receipts, actions: mediator, channels: channels, coordinator: coordinator, scope: scope, logger: logger)
        let withdrawal = Withdrawal(receipts: receipts, recovery: recovery, coordinator: coordinator, scope: scope, logger: logger)
        let room = RedisRoom(redis: redis, most: settings.maxQueueBytes, scope: scope)
        room.queues = { registry.all.map(\.queue) }
        cache = CacheTiers(
            memory: memory, results: store, fallback: second, sources: sources, registry: registry, invalidation: invalidation, purges: purges, logger: logger,
            scope: scope)
        purger = Purger(results: store, sources: sources, registry: registry, invalidation: invalidation, logger: logger)
        uploads = Uploads(settings, store: sources, room: room, clients: clients, metrics: metrics)
        durability = Durability(
            ReplicaWaits(
                topology, name: "\(coordinator)-durable", replicas: settings.durable.replicas, logger: logger, requirement: QueueSchema.requirement),
            settings.durable, metrics: metrics, logger: logger)
        let submitter = Submitter(
            registry: registry, room: room, receipts: receipts, memory: memory, cache: cache, results: results, sources: sources, withdrawal: withdrawal,
            recovery: recovery, durability: durability, scope: scope, metrics: metrics, logger: logger)
        let admission = Admission(
            memory: memory, cache: cache, submitter: submitter, receipts: receipts, withdrawal: withdrawal, recovery: recovery, actions: mediator,
            registry: registry, results: results,
            permissions: Permissions(settings), keys: keys, clients: clients, durability: durability, scope: scope, tracer: tracer, metrics: metrics)
        registry.rules = { [weak admission] in admission?.rules.hostLimits ?? HostLimits() }
        let watches = GroupWatches(queue: registry.queue("default"), channels: channels, scope: scope, logger: logger)
        let groups = Groups(
            GroupDriver.Tools(
                registry: registry, admission: admission, receipts: receipts, withdrawal: withdrawal, scope: scope, logger: logger),
            room: room, most: settings.maxGroups)
        let callbacks = CallbackSender(
            registry: registry, settings: settings, access: { [weak admission] in admission?.rules.access ?? .none }, scope: scope, tracer: tracer,
            metrics: metrics,
            logger: logger)
        purgeWebhook = settings.purgeTarget.map { PurgeWebhook($0, registry: registry, callbacks: callbacks, metrics: metrics, logger: logger) }
        let activity = ActivityMonitor(startDelay: settings.activityStartDelay, endDelay: settings.activityEndDelay)
        subscriptions = Subscriptions(
            registry: registry, channels: channels, watches: watches, activity: activity, scope: scope, logger: logger)
        statistics = FleetStatistics(registry: registry, redis: redis, channels: channels, scope: scope, metrics: metrics)
        ends = RecentEndsWatch(registry: registry, channels: channels, scope: scope)
        feeds = EventFeeds(channels: channels, scope: scope, coordinator: coordinator)
        queueRoom = QueueRoom(registry: registry, scope: scope, logger: logger)
        validation = Validation(topology, coordinator: coordinator, scope: scope, logger: logger)
        lookup = ReceiptLookup(registry: registry, receipts: receipts, logger: logger)
        readiness = Readiness(registry: registry, invalidation: invalidation, admission: admission)
        defaults = OperatorDefaults(
            maxQueued: settings.maxQueued, publicChannels: publicChannels, registry: registry,
            admission: admission, scope: scope, logger: logger)
        (self.redis, self.channels, self.registry, self.receipts, self.results) = (redis, channels, registry, receipts, results)
        (self.memory, self.store, self.sources, self.withdrawal, self.recovery, self.invalidation) = (
            memory, store, sources, withdrawal, recovery, invalidation
        )
        (self.admission, self.room, self.watches, self.groups, self.callbacks, self.activity) = (admission, room, watches, groups, callbacks, activity)
        (self.clients, self.tracer) = (clients, tracer)
        (self.scope, self.metrics, self.logger, fonts) = (scope, metrics, logger, settings.common.fonts)
        mediator.connect(
            Mediator.Parts(
                receipts: receipts, withdrawal: withdrawal, recovery: recovery, submitter: submitter, admission: admission, groups: groups,
                callbacks: callbacks, activity: activity, clients: clients))
    }
}
