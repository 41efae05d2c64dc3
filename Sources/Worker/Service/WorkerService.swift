import Glibc
import ImageHeads
package import TintypeCore
package import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
package import TintypeSettings

/// A whole worker: Redis connections, pixel processes, store, health port and the claiming loop. Lives on the loop.
@Loop package final class WorkerService {
    package enum State: String, Sendable { case starting, running, draining, stopped }

    package nonisolated let id: String
    private let host: String
    package private(set) var state = State.starting
    private let settings: WorkerSettings
    private let logger: Logger
    private let metrics = Metrics()
    private let lag: LoopLag
    private let started = WallClock.now
    private let scope = TaskScope()
    private let files = BlockingPool(threads: 2, name: "files")
    /// The certificates of the health port; nil if it speaks no TLS.
    private let certificates: TLSCertificates?
    private let redis: RedisNodes
    /// The connections that wait for work and do nothing else.
    private let waits: MarkerWaiter
    private let channels: RedisChannels
    private let transfers: TransferPool
    private let pixels: PixelPool
    private let sources: any ResultStore
    private let parts: FetchRunner.Parts
    private let served: ServedQueues
    /// The most fetches that may run at once.
    private let permits: Int
    private var loop: WorkerLoop?
    private var health: WorkerHealth?
    private var claiming: Task<Void, Never>?
    private var lastResort: LoopTimer?

    /// Opens the store and starts the pixel processes. Connects to nothing yet.
    /// - Throws: `TintypeError` if the store or a setting cannot be used.
    package init(_ settings: WorkerSettings, features: [WorkerFeature], tracers: [TracerMaker] = []) throws(TintypeError) {
        var settings = settings
        host = Self.hostName()
        id = "\(host)-\(getpid())-\(Digest.randomHex(bytes: 2))"
        let logger = settings.common.logger("worker").with(["worker": id])
        let keys: KeySecret
        let policy: DownloadPolicy
        do throws(SettingError) {
            try settings.common.takeRedisPassword()
            keys = try KeySecret.read(settings.common.keySecretFile)
            policy = try DownloadPolicy(settings)
            certificates = if let tls = try settings.common.tlsFiles() { try TLSCertificates(tls, pool: files, metrics: metrics, logger: logger) } else { nil }
        } catch {
            throw TintypeError(.invalidParams, .admission, error.message)
        }
        (self.settings, self.logger) = (settings, logger)
        lag = LoopLag(metrics, logger)
        let servers = RedisTopologies(tls: settings.common.redisTLS)
        let topology: any RedisTopology
        do throws(RedisError) {
            topology = servers.topology(of: try RedisURL(settings.common.redis, tls: servers.tls), name: "worker:\(id)", logger: logger)
        } catch {
            throw TintypeError(.invalidParams, .queue, "\(error)")
        }
        let meter = RedisMeter(metrics)
        redis = RedisNodes(
            topology, name: "worker:\(id)", logger: logger, scripts: QueueScripts.shipped.all, requirement: QueueSchema.requirement, meter: meter)
        waits = MarkerWaiter(topology, meter: meter) { [id] in RedisNodes($0, name: "worker-wait:\(id)", logger: logger, requirement: QueueSchema.requirement) }
        channels = RedisChannels(topology, name: "worker-listen:\(id)", logger: logger, meter: meter)
        let store = try ResultStores.open(settings.common.resultsURL, redis: servers, name: "worker:\(id)", pool: files, logger: logger)
        sources = try ResultStores.open(settings.common.sourcesURL, .sources, redis: servers, name: "worker:\(id)", pool: files, logger: logger)
        let plan = DescriptorPlan(limit: Descriptors.limit, fetches: settings.fetches, pixels: settings.pixels)
        permits = plan.fetches
        if permits < settings.fetches {
            logger.warning(
                "there are too few file descriptors for all fetches: raise the limit of open files (ulimit -n)",
                [
                    "fetches": permits, "wanted": settings.fetches, "limit": Descriptors.limit,
                    "enough": DescriptorPlan.enough(fetches: settings.fetches, pixels: settings.pixels),
                ])
        }
        transfers = TransferPool(
            policy: settings.common.addressPolicy,
            proxy: settings.proxy.flatMap { TransferProxy($0, exempt: settings.noProxy) }, keptConnections: plan.kept)
        var pixelSettings = PixelSettings(processes: settings.pixels)
        pixelSettings.fonts = settings.common.fonts
        pixelSettings.formats = settings.openedFormats
        pixelSettings.maxImages = settings.pixelReuse
        pixelSettings.keepsScopesApart = settings.pixelScopes
        pixelSettings.memoryLimit = PixelSettings.memoryLimit(forPixels: settings.maxPixels)
        pixels = PixelPool(settings: pixelSettings, logger: logger, metrics: metrics)
        let limits = ImageLimits(bytes: settings.maxSource, pixels: settings.maxPixels, side: settings.maxSide, frames: settings.maxFrames)
        var imageGuard = HeaderGuard(limits: limits)
        imageGuard.enabled = settings.openedFormats
        let sourceCache = SourceCache(store: sources, fetches: redis, keys: keys, metrics: metrics, logger: logger)
        let context = WorkerContext(
            scope: scope, logger: logger, metrics: metrics,
            tracer: tracers.reduce(nil) { [id, metrics] in $0 ?? $1("tintype-worker", id, metrics, logger) })
        served = ServedQueues(settings, worker: id, redis: redis, channels: channels, context: context)
        let blacklist = BlacklistRules(broken: settings.blacklistBroken / .seconds(1), missing: settings.blacklistMissing / .seconds(1))
        let spilled = SpilledResults(redis)
        let abilities = try WorkerAbilities(
            features,
            WorkerFeature.Parts(redis: redis, files: files, pixels: pixels, limits: limits, spilled: spilled, context: context))
        let making = RenditionMaker.Parts(
            pixels: pixels, imageGuard: imageGuard, results: ResultKeeper(store: store, spilled: spilled, logger: logger, metrics: metrics),
            bodies: abilities.bodies, saving: abilities.saving, blacklist: blacklist, pixelTime: settings.maxPixelTime, context: context)
        let loader = SourceLoader(
            transfers: transfers, cache: sourceCache, policy: policy, cookies: abilities.cookies, lists: AccessLists(redis: redis), files: files,
            metrics: metrics)
        parts = FetchRunner.Parts(
            loader: loader, budget: ByteBudget(capacity: settings.memoryBudget), making: making, blacklist: blacklist, ended: EndedRuns(logger: logger),
            previews: abilities.previews, context: context)
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        // Ids are parts of log lines and of connection names in Redis.
        return String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") ? $0 : "-" }.prefix(64))
    }

    // MARK: Start

    /// Opens the health port, connects and starts to claim.
    /// - Returns: the text of the ready line.
    /// - Throws: `BindError` if the health port cannot be opened. An unreachable Redis is no error: work starts when it is back.
    package func start() async throws(HTTPServer.BindError) -> String {
        health = try WorkerHealth(
            settings.http, over: certificates?.transport(for: settings.http, listener: "worker") ?? PlainTransport(),
            hosts: AllowedHosts(settings.common.hostNames), metrics: metrics, isReady: { [unowned self] in reasonNotReady },
            sample: { [unowned self] in sample() })
        lag.start()
        let loop = WorkerLoop(
            queues: served.own, preferred: Set(settings.preferredQueues), waits: waits, worker: id, permits: permits, logger: logger,
            metrics: metrics
        ) { [unowned self] fetch, queue, claimedAt in run(fetch, queue, claimedAt) }
        self.loop = loop
        redis.start()
        waits.start()
        channels.start()
        state = .running
        // The worker registers in Redis before it reports ready. But the health port must open even if Redis is away.
        try? await redis.untilConnected(within: .seconds(5))
        await served.start(loop) { [unowned self] withTotals in info(withTotals: withTotals) }
        redis.onConnected { [weak self] in
            guard let self else { return }
            served.refresh()
            scope.run("report ends again") { [parts] in await parts.ended.repeatAll() }
        }
        claiming = scope.run("claim") { await loop.run() }
        logger.notice("ready", ["queues": settings.queues.joined(separator: ","), "fetches": permits, "pixels": settings.pixels])
        return "worker=\(id) http=\(health?.address.map { "\($0)" } ?? "") pid=\(getpid())"
    }

    // MARK: Work

    private func run(_ fetch: ClaimedFetch, _ queue: Queue, _ claimedAt: ContinuousClock.Instant) {
        let keeper = served.keeper(of: queue)
        // Counted before its lease is held, so that the keeper stays.
        keeper.runs += 1
        FetchRunner(fetch, queue: queue, parts: parts).run(keeper, claimedAt: claimedAt) { [self] in
            keeper.runs -= 1
            loop?.ended()
        }
    }

    /// The worker's entry in `workers.list`.
    private func info(withTotals: Bool) -> JSON {
        let resident = pixels.processIDs.reduce(ProcessStatistics().residentBytes) { $0 + ProcessStatistics(of: $1).residentBytes }
        var info: JSONObject = [
            "id": .string(id), "host": .string(host), "slots": JSON(permits), "running": JSON(loop?.runningCount ?? 0),
            "rssBytes": JSON(resident), "state": .string(state == .running && loop?.isQuiet == true ? "quiet" : state.rawValue),
        ]
        info["codecs"] = pixels.codecs
        info["pixels"] = ["processes": JSON(pixels.processIDs.count), "busy": JSON(pixels.busy), "waiting": JSON(pixels.queued)]
        if withTotals { info["totals"] = metrics.totals(of: FleetMetrics.ofWorkers).json }
        return .object(info)
    }

    private var reasonNotReady: String? {
        guard state == .running else { return state.rawValue }
        if loop?.isQuiet == true { return "quiet" }
        // Other servers of a cluster have other queues and results, which this worker may not need.
        for name in ["default"] + settings.queues {
            if let reason = redis.node(for: RedisTag(name)).obstacle { return reason }
        }
        return loop?.isRefused == true ? "Redis refuses claims from all queues" : served.obstacle
    }

    private func sample() {
        metrics.sampleProcess(role: "worker", start: started, descriptors: Descriptors.limit)
        let children = pixels.processIDs.reduce(0) { $0 + ProcessStatistics(of: $1).residentBytes }
        metrics.set(.processResidentBytes, Double(children), labels: "pixel")
        metrics.set(.pixelCPUSeconds, pixels.cpuSeconds)
        metrics.set(.workerPermits, Double(permits), labels: "fetches")
        metrics.set(.workerPermits, Double(settings.pixels), labels: "pixels")
        metrics.set(.fetchesRunning, Double(loop?.runningCount ?? 0))
        metrics.set(.downloadsInFlight, Double(transfers.count))
        metrics.set(.downloadsPaused, Double(parts.budget.pausedDownloads))
        metrics.set(.redisConnected, redis.isConnected ? 1 : 0, labels: "commands")
        metrics.set(.redisConnected, channels.isConnected ? 1 : 0, labels: "subscriber")
        redis.primaryStatus.sample(metrics)
    }

    // MARK: Stop

    /// Reads the files of certificates again. A mistake in a file is logged, and the old certificates stay in use.
    package func reload() { certificates?.reload() }

    /// Stops claiming, lets runs end within the grace period and releases the others. Returns when everything is closed.
    package func drain() async {
        guard state == .running else { return }
        state = .draining
        served.settle()
        logger.notice("draining", ["running": loop?.runningCount ?? 0, "grace": "\(settings.grace)"])
        parts.loader.stopAsking()
        await loop?.stop()
        served.beat()
        let grace = LoopTimer(after: settings.grace) { [weak self] in self?.giveBack() }
        await claiming?.value
        await scope.drain()
        await parts.loader.asksEnded()
        grace.cancel()
        lastResort = nil
        await close()
    }

    /// Releases all running fetches at once, at the end of the grace period or on a second signal.
    package func giveBack() {
        guard state == .draining else { return }
        logger.notice("releasing fetches", ["running": loop?.runningCount ?? 0])
        served.giveBackAll()
        // A run that does not stop even now is left to the end of its lease. Another worker then has the fetch within seconds.
        lastResort = LoopTimer(after: .seconds(8)) { [logger] in
            logger.error("some fetches did not stop; leaving them to their leases")
            exit(1)
        }
    }

    private func close() async {
        await served.retire()
        await pixels.stop()
        await parts.context.tracer?.close(within: .seconds(1))
        parts.making.results.store.close()
        sources.close()
        channels.stop()
        redis.stop()
        health?.close()
        lag.stop()
        certificates?.stop()
        files.stop()
        state = .stopped
        logger.notice("stopped")
    }
}
