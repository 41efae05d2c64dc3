import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport
import Worker

/// A worker whose queues are on several servers of a Redis Cluster.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ClusterLoopTests {
    enum Failure: String, CaseIterable, Sendable { case dead, hung }

    @Test(arguments: Failure.allCases) @Loop func `a server that is away delays no queue of another server`(failure: Failure) async throws {
        let site = try await ClusterSite()
        for server in site.servers { try await server.command("CONFIG", "SET", "cluster-require-full-coverage", "no") }
        let logger = WorkerHarness.logger
        let topology = RedisTopologies().topology(of: try RedisURL(site.url), name: "test", logger: logger)
        let redis = RedisNodes(topology, name: "test", logger: logger, scripts: QueueScripts.shipped.all)
        let waits = MarkerWaiter(topology) { RedisNodes($0, name: "test-wait", logger: logger) }
        let scope = TaskScope()
        TestScope.atEnd {
            await redis.stop()
            await waits.stop()
        }
        redis.start()
        waits.start()
        try await redis.untilConnected(within: .seconds(30))
        let queue = Queue(name: "default", redis: redis)
        let home = try await site.owner(of: try await site.slot(of: queue.keys.prefix))
        var other = queue
        for number in 0... {
            other = Queue(name: "q\(number)", redis: redis)
            if try await site.owner(of: try await site.slot(of: other.keys.prefix)) != home { break }
        }
        _ = try await other.configure(QueueChange())
        let away = site.servers[try await site.owner(of: try await site.slot(of: other.keys.prefix))]
        if failure == .dead { await away.kill9() } else { away.freeze() }
        var taken = 0
        let loop = WorkerLoop(queues: [other, queue], waits: waits, worker: "w1", permits: 8, logger: logger, metrics: Metrics()) { _, _, _ in taken += 1 }
        let running = scope.run("loop") { await loop.run() }
        for number in 1...3 {
            try await TestSupport.Gate.until("it waits for work of the other server") {
                try await site.servers[home].command("CLIENT", "LIST").contains("cmd=bzpopmin")
            }
            let source = try Source(canonical: ["url": .string("data:,\(number)")])
            _ = try await queue.submit(
                Submission(
                    receipt: "r\(number)", coordinator: "c1", fingerprint: "\(number)", source: source.digest, host: "data:", fetch: source.canonical.text,
                    renditions: [.init(name: "default", digest: "d\(number)", json: #"{"as":"bytes"}"#)]))
            try await TestSupport.Gate.until("it is claimed") { taken == number }
        }
        away.thaw()
        await loop.stop()
        await running.value
    }
}
