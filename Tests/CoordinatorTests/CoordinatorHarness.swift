import Foundation
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeFeatures

extension Feature {
    /// The features with other settings of their own.
    static func all(_ change: (inout CoordinatorConfiguration) -> Void) -> [Maker] {
        var settings = CoordinatorConfiguration()
        change(&settings)
        return all(settings)
    }
}

extension Coordinator {
    /// Returns the part of a feature that has this type.
    func part<Part: AnyObject>(_ type: Part.Type) -> Part {
        for case let part as Part in features.lazy.flatMap(\.parts) { return part }
        preconditionFailure("no feature has a \(type)")
    }
}

/// A whole coordinator in this process with a private Redis, and a worker that does what the test tells it to.
@Loop
final class CoordinatorHarness {
    let redis: RedisServer
    /// The URL of Redis for coordinators.
    private let url: String
    let results: TemporaryFolder
    let coordinator: Coordinator
    let worker: ScriptedWorker
    private let pool = BlockingPool(threads: 1, name: "test-files")
    private var others: [Coordinator] = []
    private let breaksRules: Bool
    private let sourceLocation: SourceLocation
    private var hasStopped = false

    /// - Parameters:
    ///   - appendOnly: Whether Redis keeps its data when it is killed.
    ///   - isCluster: Whether Redis is a cluster of one server whose URL the coordinators have; nil: as in all tests.
    ///   - features: The features of the first coordinator.
    ///   - breaksRules: Whether the test breaks invariants of the queue by hand.
    init(
        appendOnly: Bool = false, isCluster: Bool? = nil, redisIsUp: Bool = true, breaksRules: Bool = false, features: [Feature.Maker] = Feature.all(),
        sourceLocation: SourceLocation = #_sourceLocation, change: (inout CoordinatorSettings) -> Void = { _ in }
    ) async throws {
        (self.breaksRules, self.sourceLocation) = (breaksRules, sourceLocation)
        let port = isCluster == true ? try FreePort.find() : nil
        redis = try await RedisServer(
            appendOnly: appendOnly, options: port.map { ["--port", "\($0)"] } ?? [], isCluster: isCluster ?? RedisServer.isClusterByDefault)
        url = port.map { "cluster://127.0.0.1:\($0)\(TestTimes.option)" } ?? redis.url
        if !redisIsUp { await redis.kill9() }
        results = try TemporaryFolder("results")
        let settings = Self.settings(url, results, change)
        let logger = Logger(label: "test", level: .error)
        coordinator = try Coordinator(settings, features: features, pool: pool, logger: logger)
        let store = try ResultStores.open("file://\(results.path)", name: "worker", pool: pool, logger: logger)
        worker = try ScriptedWorker(redis.url, store: store, logger: logger)
        TestScope.atEnd { [self] in await stop() }
        if redisIsUp {
            try await coordinator.core.queues.redis.untilConnected(within: .seconds(20))
            _ = try await coordinator.core.queues.registry.names(until: .now + .seconds(20))
            await coordinator.core.queues.registry["default"]?.channel.untilConfirmed(within: .seconds(20))
            try await worker.redis.untilConnected(within: .seconds(20))
        }
    }

    private static func settings(_ url: String, _ results: TemporaryFolder, _ change: (inout CoordinatorSettings) -> Void) -> CoordinatorSettings {
        var settings = CoordinatorSettings()
        settings.common.redis = url
        settings.common.lease = TestTimes.lease
        settings.common.results = "file://\(results.path)"
        settings.listen = .tcp(host: "127.0.0.1", port: 0)
        settings.http = .tcp(host: "127.0.0.1", port: 0)
        change(&settings)
        return settings
    }

    /// Starts one more coordinator on the same Redis and results. It is stopped with the harness.
    func another(features: [Feature.Maker] = Feature.all(), _ change: (inout CoordinatorSettings) -> Void = { _ in }) async throws -> Coordinator {
        let other = try Coordinator(Self.settings(url, results, change), features: features, pool: pool, logger: Logger(label: "test", level: .error))
        others.append(other)
        try await until { other.readiness.obstacle == nil }
        return other
    }

    var port: UInt16 { if case .tcp(_, let port) = coordinator.rpcAddress { port } else { 0 } }
    var base: String { "http://\(coordinator.httpAddress)" }

    func client() throws -> RPCClient { try RPCClient(port: port) }

    /// Returns a client of another coordinator.
    func client(of other: Coordinator) throws -> RPCClient {
        guard case .tcp(_, let port) = other.rpcAddress else { throw TestFailure("not a TCP address") }
        return try RPCClient(port: port)
    }

    /// Submits a receipt `r` and disconnects, so that its client may come back.
    func leaveReceipt() async throws {
        let client = try client()
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r"}"#)
        client.close()
        try await until { self.coordinator.core.receipts.table["r"]?.graceEnd != nil && self.coordinator.core.process.scope.count == 0 }
    }

    /// Removes every stored image without telling any part of the service.
    func loseImages() throws {
        for file in FileManager.default.enumerator(atPath: results.path)?.compactMap({ $0 as? String }) ?? [] {
            var isFolder: ObjCBool = false
            let path = results.path + "/" + file
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue { try FileManager.default.removeItem(atPath: path) }
        }
    }

    /// Blocks every read of a stored image.
    /// - Returns: A function that lets the reads go on.
    func holdImages() -> @Sendable () -> Void {
        let gate = DispatchSemaphore(value: 0)
        Task { [pool] in try await pool.run { gate.wait() } }
        return { gate.signal() }
    }

    /// Stops everything and checks the invariants in Redis. At the latest, the end of the test calls it.
    func stop() async {
        if hasStopped { return }
        hasStopped = true
        worker.stop()
        for other in others { await other.stop() }
        await coordinator.stop()
        if !breaksRules { await redis.checkRules(sourceLocation: sourceLocation) }
        await redis.kill9()
        pool.stop()
    }

    /// Returns when `test` is true; checks after each turn of the loop.
    func until(_ test: @Loop () async throws -> Bool) async throws {
        while try await !test() { try await Loop.sleep(.milliseconds(2)) }
    }
}

/// A worker on the real scripts whose every step the test decides.
@Loop
final class ScriptedWorker {
    let redis: RedisClient
    let nodes: RedisNodes
    let queue: Queue
    private let store: any ResultStore
    private let waits: MarkerWaiter

    init(_ url: String, store: any ResultStore, logger: Logger) throws {
        let endpoint = try RedisEndpoint(url)
        redis = RedisClient(endpoint, name: "test-worker", logger: logger, scripts: QueueScripts.shipped.all)
        nodes = RedisNodes(redis)
        waits = MarkerWaiter(endpoint) { RedisNodes($0, name: "test-worker-waiting", logger: logger) }
        queue = Queue(name: "default", redis: nodes)
        self.store = store
        redis.start()
        waits.start()
    }

    func stop() {
        redis.stop()
        waits.stop()
    }

    /// Waits for the next fetch, also across breaks of the connection.
    func claim() async throws -> ClaimedFetch {
        while true {
            do throws(RedisError) {
                let fetches = try await queue.claim(worker: "w1", count: 1).fetches
                if let fetch = fetches.first { return fetch }
                let claims = [(queue: queue, count: 1)]
                var answer: Result<ClaimAnswer, RedisError>?
                try await Queue.sleep(on: waits, [queue], claiming: claims, worker: "w1", for: .milliseconds(500)) { answer = $0.claims.first?.answer }
                if let fetch = try answer?.get().fetches.first { return fetch }
            } catch {
                // A canceled task waits for nothing, so it would ask again without a pause.
                guard error.isRetryable, !Task.isCancelled else { throw error }
                try? await redis.untilConnected(within: .seconds(1))
                try? await waits.untilConnected(within: .seconds(1))
            }
        }
    }

    func progress(_ fetch: ClaimedFetch, _ body: JSONObject, type: EventType = .progress) async throws {
        _ = try await queue.progress(fetch.lease, [FetchEvent(type: type, body: body)])
    }

    /// Stores `bytes` as every rendition of the fetch and ends the fetch with success.
    func succeed(_ fetch: ClaimedFetch, bytes: [UInt8] = Array("picture".utf8), stores: Bool = true, storedAt: Double? = nil) async throws {
        let source = SourceInfo(url: "http://origin.test/", finalURL: "http://origin.test/", status: 200, bytes: bytes.count).json
        var outcomes: [RenditionOutcome] = []
        let ttl: ResultTime = fetch.resultTime == .whileFresh ? .seconds(Submission.usualTTL) : fetch.resultTime
        for owed in fetch.renditions {
            var facts = RenditionInfo(
                key: owed.digest, contentType: "image/png", bytes: bytes.count, sha256: Digest.sha256Hex(bytes),
                stored: ttl.seconds == nil ? [] : [.results], isApplied: true)
            facts.storedAt = storedAt
            facts.document = (try? JSON(parsing: owed.json))?["as"]?.string.flatMap { DocumentKind(rawValue: $0) }
            let info = facts.json
            if stores {
                try await store.put(
                    StoredImage(key: owed.digest, contentType: "image/png", info: info, source: source, bytes: bytes, storedAt: WallClock.now))
            }
            outcomes.append(
                RenditionOutcome(
                    owed.digest,
                    .success(info: info.object ?? [:], source: source.object ?? [:], description: nil, time: ttl)))
        }
        _ = try await queue.finish(fetch.lease, .success(metrics: ["download": 0.01], outcomes))
    }

    func fail(_ fetch: ClaimedFetch, _ error: TintypeError) async throws {
        _ = try await queue.finish(fetch.lease, .failure(error, retryAfter: nil))
    }

    /// Carries out one fetch after the other until it is canceled.
    func work() async {
        while !Task.isCancelled {
            guard let fetch = try? await claim() else { return }
            try? await succeed(fetch)
        }
    }
}

extension AccessControl {
    /// One that requires no token.
    @Loop static var open: AccessControl {
        let (metrics, logger) = (Metrics(), Logger(label: "test", level: .error))
        return AccessControl(ClientQuotas(metrics: metrics, logger: logger), wrongTokens: WrongTokens(most: 0), metrics: metrics, logger: logger)
    }
}
