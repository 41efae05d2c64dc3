import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The cost of a long queue: no script may do more work for it. `loadgen depth` times the same.
@Suite(.tags(.cluster), .timeLimit(.minutes(10)), .scoped)
struct QueueDepthTests {
    private static let depth = 20_000

    @Loop private final class Line {
        let server: RedisServer
        let redis: RedisClient
        let queue: Queue
        private var made = 0

        init() async throws {
            server = try await RedisServer(options: ["--appendonly", "no"])
            redis = RedisClient(
                try RedisEndpoint(server.url), name: "depth-test", logger: Logger(label: "test", level: .error), scripts: QueueScripts.shipped.all)
            queue = Queue(name: "default", redis: RedisNodes(redis))
            redis.start()
            try await redis.untilConnected(within: .seconds(10))
            _ = try await queue.configure(QueueChange(maxQueued: 10_000_000))
        }

        func submit() async throws {
            made += 1
            // No callback, no supersede key, one rendition: a typical request. 200 hosts, some with more fetches than others.
            let host = "host\(made % 200 * (made % 3) / 2).test"
            var submission = QueueHarness.submission("receipt-\(made)", source: "source-\(made)", host: host)
            (submission.priority, submission.deadlineSeconds) = (made % 3, 3600)
            _ = try await queue.submit(submission)
        }

        func fill(_ count: Int) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 { group.addTask { try await self.submit(times: count / 64) } }
                try await group.waitForAll()
            }
            for _ in 0..<count % 64 { try await submit() }
        }

        private func submit(times: Int) async throws { for _ in 0..<times { try await submit() } }

        /// The commands of 100 fetches that are submitted, claimed and finished, one after the other.
        func commands() async throws -> [String: Int] {
            _ = try await redis.command(["CONFIG", "RESETSTAT"])
            for _ in 0..<100 {
                try await submit()
                for fetch in try await queue.claim(worker: "w", count: 1).fetches {
                    _ = try await queue.finish(fetch.lease, .failure(TintypeError(.httpStatus, .download, "404", retryable: false), retryAfter: nil))
                }
            }
            var calls: [String: Int] = [:]
            for line in (try await redis.command(["INFO", "commandstats"]).string ?? "").split(whereSeparator: \.isNewline) where line.hasPrefix("cmdstat_") {
                let words = line.dropFirst(8).split(whereSeparator: { ":=,".contains($0) })
                if words.count > 2, !["config|resetstat", "info"].contains(words[0]) { calls[String(words[0])] = Int(words[2]) }
            }
            return calls
        }

        func memory() async throws -> Int {
            let text = try await redis.command(["INFO", "memory"]).string ?? ""
            let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") } ?? ""
            return Int(line.dropFirst(12)) ?? 0
        }
    }

    @Test @Loop func `twenty thousand that wait cost a submit and a claim nothing more`() async throws {
        let line = try await Line()
        var empty: [QueueOrder: Int] = [:]
        for order in QueueOrder.allCases {
            _ = try await line.queue.configure(QueueChange(order: order))
            empty[order] = try await line.commands().values.reduce(0, +)
        }
        let before = try await line.memory()
        try await line.fill(Self.depth)
        let bytes = (try await line.memory() - before) / Self.depth
        print("a queued fetch with its receipt takes \(bytes) bytes of Redis")
        #expect(bytes <= 2048)
        for order in QueueOrder.allCases {
            _ = try await line.queue.configure(QueueChange(order: order))
            let full = try await line.commands()
            let total = full.values.reduce(0, +)
            print("commands for 100 fetches, \(order): \(empty[order] ?? 0) with nothing waiting, \(total) with \(Self.depth)")
            // If others wait, the next best fetch of a host is searched, and the next sleeping worker is woken.
            #expect(total <= (empty[order] ?? 0) * 3 / 2, "\(full)")
            // Each of these reads everything.
            for name in ["keys", "scan", "smembers", "hkeys", "hvals", "sort", "zscan", "hscan"] { #expect(full[name, default: 0] == 0, "\(name)") }
        }
        #expect(try await line.queue.cancelAll(reason: "test") == Self.depth)
        let info = try #require(try await line.queue.info())
        #expect(info.queued == 0 && info.running == 0)
        #expect(try await line.redis.command(["EXISTS"] + ["aq", "ao", "ready", "run", "dl"].map { .string("tintype:{default}:" + $0) }).int == 0)
        line.redis.stop()
    }
}
