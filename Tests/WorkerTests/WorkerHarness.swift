@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport

@testable import Worker
import tintype_worker

/// One worker's parts on a private Redis and a real origin, assembled as in `WorkerService`, but driven by the test.
@Loop final class WorkerHarness {
    let server: RedisServer
    let origin: ServiceProcess
    let folder: TemporaryFolder
    let redis: RedisClient
    let nodes: RedisNodes
    let queue: Queue
    let subscriber: RedisSubscriber
    let channels: RedisChannels
    let keeper: LeaseKeeper
    let store, sources: any ResultStore
    let spilled: SpilledResults
    let pixels: PixelPool
    let given: WorkerFeature.Parts
    let parts: FetchRunner.Parts
    var loader: SourceLoader { parts.loader }
    var sourceCache: SourceCache { loader.cache }
    var budget: ByteBudget { parts.budget }
    var ended: EndedRuns { parts.ended }
    let scope = TaskScope()
    let metrics = Metrics()
    static let logger = Logger(label: "test", level: .error)
    /// One pixel process for all tests: warming one up costs more than most of them.
    private static let pixels = PixelPool(settings: PixelPoolTests.settings(1) { $0.testHooks = false }, logger: logger, metrics: Metrics())
    let pool = BlockingPool(threads: 1, name: "test")
    private var receipts = 0

    /// - Parameters:
    ///   - results: the store of results; a folder of its own by default.
    ///   - pixels: the pixel processes; one shared by all tests by default.
    ///   - policy: the operator's permissions.
    ///   - root: a folder whose files the origin serves.
    ///   - features: those of the program by default.
    ///   - wrapping: wraps the store of results.
    ///   - keeping: wraps the store of sources.
    init(
        appendOnly: Bool = false, results: String? = nil, budget: Int = 64 << 20, pixels: PixelPool? = nil, policy: DownloadPolicy = DownloadPolicy(),
        root: String? = nil, features: [WorkerFeature] = workerFeatures(),
        wrapping: (any ResultStore) -> any ResultStore = { $0 }, keeping: (any ResultStore) -> any ResultStore = { $0 }
    ) async throws {
        ignoreBrokenPipes()
        server = try await RedisServer(appendOnly: appendOnly)
        origin = try await ServiceProcess.origin(root.map { ["--root", $0] } ?? [])
        folder = try TemporaryFolder("results")
        let endpoint = try RedisEndpoint(server.url)
        redis = RedisClient(endpoint, name: "test", logger: Self.logger, scripts: QueueScripts.shipped.all)
        nodes = RedisNodes(redis)
        subscriber = RedisSubscriber(endpoint, name: "test-ear", logger: Self.logger)
        channels = RedisChannels(subscriber)
        queue = Queue(name: "default", redis: nodes, times: QueueTimes(lease: TestTimes.lease))
        keeper = LeaseKeeper(queue: queue, worker: "w1", scope: scope, logger: Self.logger, metrics: metrics) { ["id": "w1"] }
        store = try wrapping(ResultStores.open(results ?? "file://\(folder.path)", name: "test", pool: pool, logger: Self.logger))
        sources = try keeping(ResultStores.open(results ?? "file://\(folder.path)", .sources, name: "test", pool: pool, logger: Self.logger))
        let sourceCache = SourceCache(store: sources, fetches: nodes, metrics: metrics, logger: Self.logger)
        let loopback = AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!])
        spilled = SpilledResults(nodes)
        self.pixels = pixels ?? Self.pixels
        let context = WorkerContext(scope: scope, logger: Self.logger, metrics: metrics)
        given = WorkerFeature.Parts(
            redis: nodes, files: pool, pixels: self.pixels, limits: ImageLimits(), spilled: spilled, context: context)
        let abilities = try WorkerAbilities(features, given)
        let making = RenditionMaker.Parts(
            pixels: self.pixels, imageGuard: HeaderGuard(), results: ResultKeeper(store: store, spilled: spilled, logger: Self.logger, metrics: metrics),
            bodies: abilities.bodies, saving: abilities.saving, blacklist: BlacklistRules(), context: context)
        let loader = SourceLoader(
            transfers: TransferPool(policy: loopback), cache: sourceCache, policy: policy, cookies: abilities.cookies,
            lists: AccessLists(redis: nodes), files: pool, metrics: metrics)
        parts = FetchRunner.Parts(
            loader: loader, budget: ByteBudget(capacity: budget), making: making, blacklist: making.blacklist, ended: EndedRuns(logger: Self.logger),
            previews: abilities.previews, context: context)
        redis.start()
        subscriber.start()
        try await redis.untilConnected(within: .seconds(10))
        TestScope.atEnd { [self] in await stop() }
    }

    func url(_ path: String) -> String { origin.base + path }

    /// Submits a client's request, and returns the receipt.
    @discardableResult
    func submit(
        _ request: JSON, receipt: String? = nil, isProbe: Bool = false, cache: CacheUse = CacheUse(),
        _ change: (inout Submission) -> Void = { _ in }
    ) async throws -> String {
        let request = try ImageRequest(request, isProbe: isProbe)
        receipts += 1
        let id = receipt ?? "r\(receipts)"
        let digest = request.source.digest
        let renditions = request.renditions.map {
            Submission.Rendition(name: $0.name, digest: $0.digest(source: digest), json: $0.queued.text)
        }
        var fetch = request.source.canonical.object ?? [:]
        fetch["cache"] = cache.canonical
        var submission = Submission(
            receipt: id, coordinator: "c1", fingerprint: id, source: digest, host: request.source.host, fetch: JSON.object(fetch).text,
            renditions: renditions)
        submission.mirrors = request.source.mirrorHosts
        if request.source.fetch.timeouts != FetchOptions.Timeouts() { submission.timeouts = request.source.fetch.timeouts }
        submission.wantsProgress = request.progress != nil || request.previews != nil
        if let progress = request.progress { submission.progressInterval = progress.pace }
        submission.previews = request.previews
        submission.maxAttempts = request.source.fetch.attempts
        submission.resultTime = ResultTime.whileFresh
        submission.keepsSource = cache.writes
        change(&submission)
        _ = try await queue.submit(submission)
        return id
    }

    /// Claims one fetch, or fails.
    func claim() async throws -> ClaimedFetch {
        guard let fetch = try await queue.claim(worker: "w1", count: 1).fetches.first else { throw TestFailure("nothing to claim") }
        return fetch
    }

    /// Claims two fetches of one client that nobody answers. They have both places of the queue, while another client waits.
    func runsOfTwoClients() async throws -> [ClaimedFetch] {
        var change = QueueChange()
        change.maxConcurrent = 2
        _ = try await queue.configure(change)
        for number in 0..<2 { try await submit(["url": .string(url("/hang?n=\(number)")), "as": "bytes"], receipt: "a\(number)") { $0.client = "a" } }
        let runs = try await queue.claim(worker: "w1", count: 2).fetches
        try await submit(["url": "data:,b", "as": "bytes"], receipt: "b") { $0.client = "b" }
        return runs
    }

    /// Claims one fetch and runs it to its end.
    func runOne() async throws {
        await FetchRunner(try await claim(), queue: queue, parts: parts).run(keeper, claimedAt: .now).value
    }

    /// Starts to run one fetch.
    func startOne() async throws -> Task<Void, Never> {
        FetchRunner(try await claim(), queue: queue, parts: parts).run(keeper, claimedAt: .now)
    }

    func snapshot(_ receipt: String) async throws -> ReceiptSnapshot {
        guard let snapshot = try await queue.receipt(receipt) else { throw TestFailure("no receipt \(receipt)") }
        return snapshot
    }

    /// Returns `result` of a receipt that succeeded.
    func result(_ receipt: String) async throws -> JSON {
        let ending = try await snapshot(receipt).ending
        guard let ending, let result = try JSON(parsing: "{\(ending.body)}")["result"] else { throw TestFailure("no result: \(ending?.body ?? "live")") }
        return result
    }

    /// Returns the failure of a receipt.
    func failure(_ receipt: String) async throws -> TintypeError {
        let ending = try await snapshot(receipt).ending
        guard let ending, let error = try JSON(parsing: "{\(ending.body)}")["error"] else { throw TestFailure("no error: \(ending?.body ?? "live")") }
        return TintypeError(json: error)
    }

    /// Returns the origin's counts.
    func counts() async throws -> JSON { try JSON(parsing: [UInt8](try await HTTP.get(url("/_counts")).body)) }

    /// Waits until the origin is answering this number of requests.
    func untilOriginRuns(_ count: Int) async throws {
        while try await counts()["running"]?.int != count { try await Loop.sleep(.milliseconds(20)) }
    }

    /// Waits until this number of requests has come in. Unlike the requests that are being answered, this number never falls.
    func untilAsked(_ count: Int) async throws {
        while try await counts()["total"]?.int ?? 0 < count { try await Loop.sleep(.milliseconds(20)) }
    }

    private func stop() async {
        redis.stop()
        subscriber.stop()
        store.close()
        sources.close()
        await origin.kill9()
        await server.kill9()
    }
}
