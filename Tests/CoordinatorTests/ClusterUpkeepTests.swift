import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeSettings
import TintypeTransport

@testable import Coordinator
@testable import TintypeFeatures

/// The upkeep of queues on several servers of a Redis Cluster, of which one is dead or gives a slot away.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct ClusterUpkeepTests {
    @Loop private func coordinator(_ site: ClusterSite, _ change: (inout CoordinatorSettings) -> Void = { _ in }) async throws -> Coordinator {
        var settings = CoordinatorSettings()
        settings.common.redis = site.url
        settings.common.lease = TestTimes.lease
        let results = try TemporaryFolder("results")
        settings.common.results = "file://\(results.path)"
        settings.listen = .tcp(host: "127.0.0.1", port: 0)
        settings.http = .tcp(host: "127.0.0.1", port: 0)
        change(&settings)
        let pool = BlockingPool(threads: 1, name: "test-files")
        let coordinator = try Coordinator(settings, features: Feature.all(), pool: pool, logger: Logger(label: "test", level: .error))
        TestScope.atEnd {
            await coordinator.stop()
            pool.stop()
            _ = results
        }
        try await coordinator.core.queues.redis.untilConnected(within: .seconds(30))
        return coordinator
    }

    /// Returns a queue of the coordinator's Redis whose slot is on a server.
    @Loop private func queue(_ site: ClusterSite, on server: Int, _ coordinator: Coordinator) async throws -> Queue {
        for number in 0... where try await site.owner(of: HashSlot.slot(of: "q\(number)")) == server {
            let queue = Queue(name: "q\(number)", redis: coordinator.core.queues.redis, times: coordinator.core.queues.registry.times)
            _ = try await queue.configure(QueueChange())
            return queue
        }
        throw TestFailure("no queue")
    }

    private func plan() throws -> AdmissionPlan { AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false) }

    @Test @Loop func `a dead server stops the upkeep of its own queues only, and the coordinator stays ready`() async throws {
        let site = try await ClusterSite()
        for server in site.servers { try await server.command("CONFIG", "SET", "cluster-require-full-coverage", "no") }
        let coordinator = try await coordinator(site)
        let home = try await site.owner(of: HashSlot.slot(of: "default"))
        let dead = (home + 1) % 3
        // It listens to the queue, as after a request.
        coordinator.core.queues.registry.open(existing: try await queue(site, on: dead, coordinator).name)
        let live = try await queue(site, on: (home + 2) % 3, coordinator)
        try await Gate.until("it is ready") { coordinator.readiness.obstacle == nil }
        await site.servers[dead].kill9()
        try await Gate.until("the loss is noticed") { !coordinator.core.queues.redis.isConnected }
        for queue in [Queue(name: "default", redis: coordinator.core.queues.redis), live] {
            _ = try await queue.submit(try plan().submission(receipt: "late", coordinator: "c9", deadline: 0.001, isKept: true))
            try await Gate.until("the deadline of \(queue.name) counts") { try await queue.receipt("late")?.state == .failed }
        }
        #expect(coordinator.readiness.obstacle == nil && !coordinator.core.queues.redis.isConnected)
    }

    @Test @Loop func `a full server refuses the requests of its own queues only`() async throws {
        let site = try await ClusterSite()
        let most = 64 << 20
        let coordinator = try await coordinator(site) { $0.maxQueueBytes = most }
        try await Gate.until("it is ready") { coordinator.readiness.obstacle == nil }
        let home = try await site.owner(of: HashSlot.slot(of: "default"))
        let names = [try await queue(site, on: (home + 1) % 3, coordinator).name, try await queue(site, on: (home + 2) % 3, coordinator).name]
        let client = try RPCClient(port: { if case .tcp(_, let port) = coordinator.rpcAddress { port } else { 0 } }())
        func submit(_ queue: String) async throws -> RPCClient.Message {
            try await client.call("image.submit", #"{"url":"http://origin.test/a","queue":"\#(queue)"}"#)
        }
        for name in names { #expect(try await submit(name).error == nil) }
        try await site.servers[(home + 1) % 3].command("SETRANGE", RedisTag(names[0]).prefix + "filler", "\(most)", "x")
        try await Gate.until("it is refused") { try await submit(names[0]).error?.name == "overloaded" }
        #expect(try await submit(names[1]).error == nil)
        #expect(try await submit("default").error == nil)
    }

    @Test @Loop func `a slot that moves for longer than a lease costs no run`() async throws {
        let site = try await ClusterSite()
        let coordinator = try await coordinator(site)
        let queue = Queue(name: "default", redis: coordinator.core.queues.redis, times: coordinator.core.queues.registry.times)
        _ = try await queue.submit(try plan().submission(receipt: "r", coordinator: "c9", deadline: 600, isKept: true))
        let run = try #require(try await queue.claim(worker: "w1", count: 1).fetches.first).lease
        let slot = HashSlot.slot(of: queue.keys.prefix)
        let owner = try await site.owner(of: slot)
        try await site.beginMove(of: slot, to: (owner + 1) % 3)
        let end = try #require(Double(try await site.servers[owner].command("ZSCORE", "tintype:{default}:run", run.fetch)))
        try await Gate.until("its lease is over") {
            let time = try await site.servers[owner].command("TIME").split(separator: "\n").compactMap { Double($0) }
            return time.count == 2 && time[0] * 1000 + time[1] / 1000 > end + 1000
        }
        try await site.endMove(of: slot, to: (owner + 1) % 3)
        // The heartbeat of the coordinator shows that its commands arrive. The reaper had its turns too.
        for _ in 0..<2 {
            let before = try await site.servers[(owner + 1) % 3].command("ZRANGE", "tintype:{default}:co", "0", "-1", "WITHSCORES")
            try await Gate.until("it has greeted") {
                try await site.servers[(owner + 1) % 3].command("ZRANGE", "tintype:{default}:co", "0", "-1", "WITHSCORES") != before
            }
        }
        #expect(try await queue.beat(worker: "w1", info: [:], [run]).lost.isEmpty)
    }
}
