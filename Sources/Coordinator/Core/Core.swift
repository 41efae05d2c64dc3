package import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeSettings
package import TintypeStores
package import TintypeTransport

/// The core of a coordinator by subject, as features see it: the parts that every picture takes. A method or a route names the parts that it needs.
@Loop
package final class Core {
    /// The process itself.
    package let process: CoreProcess
    /// The queues in Redis.
    package let queues: CoreQueues
    /// Receipts and how they end.
    package let receipts: CoreReceipts
    /// The tiers of the cache.
    package let storage: CoreStorage
    /// From requests to receipts.
    package let admission: Admission
    /// Clients and their limits.
    package let access: CoreAccess
    /// The shared parts of the HTTP ports.
    package let http: CoreHTTP
    /// Reports of the core to features.
    package let events: CoreEvents

    init(
        _ topology: any RedisTopology, store: any ResultStore, fallback: (any ResultReader)?, sources: any ResultStore, settings: CoordinatorSettings,
        keys: KeySecret, coordinator: String, tracer: (any Tracer)?, readers: BlockingPool, packers: BlockingPool, metrics: Metrics, logger: Logger
    ) {
        let events = CoreEvents()
        let process = CoreProcess(scope: TaskScope(), metrics: metrics, logger: logger, tracer: tracer, files: packers)
        let (scope, router) = (process.scope, ReceiptRouter(events))
        let meter = RedisMeter(metrics)
        let redis = RedisNodes(
            topology, name: coordinator, logger: logger, scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement, meter: meter)
        let channels = RedisChannels(topology, name: "\(coordinator)-events", logger: logger, meter: meter)
        let registry = QueueRegistry(redis: redis, coordinator: coordinator, times: settings.common.times) { queue in
            EventChannel(queue: queue, listener: router, coordinator: coordinator, channels: channels, scope: scope, metrics: metrics, logger: logger)
        }
        let memory = MemoryTier(
            capacity: settings.memoryCache, count: settings.memoryCacheCount, lowWater: settings.memoryCacheLow, age: settings.memoryCacheAge,
            metrics: metrics)
        let publicChannels = settings.publicChannels ?? .usual(isCluster: topology is ClusterTopology)
        let invalidation = CacheInvalidation(redis: redis, channels: channels, publishing: publicChannels, memory: memory, coordinator: coordinator)
        let purges = PurgeList(redis)
        let second = fallback.map { SecondaryResults($0, purges: purges, scope: scope, metrics: metrics, logger: logger) }
        let kept = KeptResults(memory: memory, store: store, fallback: second, spilled: SpilledResults(redis), logger: logger, metrics: metrics)
        let results = ResultDelivery(
            memory: memory, store: store, kept: kept,
            fallbacks: FallbackProvider(memory: memory, store: store, packers: packers, actions: router, tracer: tracer), invalidation: invalidation,
            readers: readers, scope: scope, logger: logger)
        let clients = ClientQuotas(showsNames: settings.metricsNames, metrics: metrics, logger: logger)
        let receipts = ReceiptTable(results: results, redis: redis, channels: channels, actions: router, clients: clients, metrics: metrics)
        let recovery = Recovery(receipts: receipts, actions: router, channels: channels, coordinator: coordinator, scope: scope, logger: logger)
        let cancellation = CancellationService(receipts: receipts, recovery: recovery, coordinator: coordinator, scope: scope, logger: logger)
        let redisMemory = RedisMemoryGuard(redis: redis, most: settings.maxQueueBytes, scope: scope)
        redisMemory.queues = { registry.all.map(\.queue) }
        let cache = CacheTiers(
            memory: memory, results: store, fallback: second, sources: sources, registry: registry, invalidation: invalidation, purges: purges, logger: logger,
            scope: scope)
        let durability = Durability(
            ReplicaWaits(
                topology, name: "\(coordinator)-durable", replicas: settings.durable.replicas, logger: logger, requirement: QueueSchema.requirement),
            settings.durable, metrics: metrics, logger: logger)
        let planned = PlannedResults(memory: memory, tiers: cache, kept: kept, sources: sources, logger: logger)
        let sender = ReceiptSender(registry: registry, redisMemory: redisMemory, planned: planned, scope: scope, logger: logger)
        let submitter = Submitter(
            sender, planned, receipts: receipts, results: results, cancellation: cancellation, recovery: recovery, durability: durability, metrics: metrics)
        let plans = PlanCache(permissions: Permissions(settings), keys: keys)
        let maker = ReceiptMaker(submitter, sender, receipts: receipts, recovery: recovery, permissions: plans.permissions, tracer: tracer)
        let answers = MemoryAnswers(memory: memory, kept: kept, registry: registry, durability: durability, actions: router, scope: scope, metrics: metrics)
        let entrance = ReceiptEntrance(maker, receipts: receipts, cancellation: cancellation, results: results, clients: clients, scope: scope)
        admission = Admission(plans, answers, entrance, planned, registry: registry, cancellation: cancellation)
        registry.rules = { [weak admission] in admission?.rules.hostLimits ?? HostLimits() }
        let defaults = OperatorDefaults(
            maxQueued: settings.maxQueued, publicChannels: publicChannels, registry: registry, admission: admission, scope: scope, logger: logger)
        router.connect(
            ReceiptRouter.Parts(
                receipts: receipts, cancellation: cancellation, recovery: recovery,
                resubmitter: Resubmitter(sender, receipts, cancellation, scope), admission: admission, clients: clients))
        (self.process, self.events) = (process, events)
        queues = CoreQueues(
            topology: topology, redis: redis, channels: channels, registry: registry, durability: durability, memory: redisMemory, defaults: defaults,
            unused: UnusedQueueCollector(registry: registry, scope: scope, logger: logger))
        self.receipts = CoreReceipts(
            table: receipts, results: results, cancellation: cancellation, recovery: recovery,
            lookup: ReceiptLookup(registry: registry, receipts: receipts, logger: logger))
        storage = CoreStorage(memory: memory, results: store, fallback: second, kept: kept, sources: sources, cache: cache, invalidation: invalidation)
        let hosts = AllowedHosts(settings.common.hostNames)
        access = CoreAccess(
            control: AccessControl(clients, hosts: hosts, wrongTokens: WrongTokens(most: settings.maxWrongTokens), metrics: metrics, logger: logger),
            clients: clients, hosts: hosts)
        let unsent = AnswerBudget(onCut: { metrics.add(.httpCuts, labels: $0.rawValue) })
        http = CoreHTTP(unsent: unsent, sender: ImageSender(kept, unsent))
    }
}

/// The process of a coordinator.
@Loop
package struct CoreProcess {
    /// The owner of tasks that no client waits for.
    package let scope: TaskScope
    package let metrics: Metrics
    package let logger: Logger
    /// Takes the spans of this coordinator; nil: there is no collector.
    package let tracer: (any Tracer)?
    /// The threads for files.
    package let files: BlockingPool
    /// Epoch seconds.
    package let startedAt = WallClock.now
}

/// The queues in Redis, as this coordinator has them.
@Loop
package struct CoreQueues {
    /// Where the servers are, for connections of a feature's own.
    package let topology: any RedisTopology
    package let redis: RedisNodes
    package let channels: RedisChannels
    package let registry: QueueRegistry
    package let durability: Durability
    /// The memory of Redis that may be used.
    package let memory: RedisMemoryGuard
    package let defaults: OperatorDefaults
    let unused: UnusedQueueCollector
}

/// Receipts, from their beginning to their end.
@Loop
package struct CoreReceipts {
    package let table: ReceiptTable
    package let results: ResultDelivery
    package let cancellation: CancellationService
    package let recovery: Recovery
    package let lookup: ReceiptLookup
    /// The room of large answers over JSON-RPC.
    package let answers = LongAnswerBudget()
}

/// The tiers of the cache.
@Loop
package struct CoreStorage {
    package let memory: MemoryTier
    /// The store of finished renditions.
    package let results: any ResultStore
    /// The second place that is searched for renditions.
    package let fallback: SecondaryResults?
    /// The results in all of these places.
    let kept: KeptResults
    /// The store of unchanged sources.
    package let sources: any ResultStore
    package let cache: CacheTiers
    package let invalidation: CacheInvalidation
}

/// Clients and their limits.
@Loop
package struct CoreAccess {
    package let control: AccessControl
    package let clients: ClientQuotas
    /// The names that the HTTP port answers to where no token is required.
    package let hosts: AllowedHosts
}

/// The shared parts of the HTTP ports.
@Loop
package final class CoreHTTP {
    /// The memory of answers over HTTP.
    package let unsent: AnswerBudget
    package let sender: ImageSender
    /// The addresses for clients, set once both servers listen.
    package var addresses: (rpc: String, http: String) = ("", "")
    /// The limits of each address for pictures; nil: there are none.
    package var rates: PictureRates?
    /// Whether the HTTP port speaks TLS itself. A proxy in front may do so too.
    package var isEncrypted = false

    init(unsent: AnswerBudget, sender: ImageSender) { (self.unsent, self.sender) = (unsent, sender) }
}
