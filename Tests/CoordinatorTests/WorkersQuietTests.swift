import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(1)), .scoped) struct WorkersQuietTests {
    @Test func `a worker is drained by its id, and an unknown id is refused with a hint`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await harness.redis.command("ZADD", "tintype:{default}:wseen", "1", "w1")
        let quiet = try await client.call("workers.quiet", #"{"worker":"w1"}"#)
        #expect(quiet["worker"]?.string == "w1" && quiet["quiet"]?.bool == true)
        #expect(try await harness.redis.command("SISMEMBER", "tintype:{default}:quiet", "w1") == "1")
        try await client.call("workers.quiet", #"{"worker":"w1","quiet":false}"#)
        #expect(try await harness.redis.command("SISMEMBER", "tintype:{default}:quiet", "w1") == "0")
        let refused = try await client.call("workers.quiet", #"{"worker":"w2"}"#)
        #expect(refused.error?.name == "invalidParams" && "\(refused)".contains("workers.list"), "\(refused)")
    }

    @Test func `workers of missing queues are listed with these queues`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let redis = harness.worker.nodes
        let codecs: JSON = ["decode": ["jpeg"]]
        for (name, worker) in [("default", "w1"), ("defalt", "w1"), ("bulk", "w2")] {
            _ = try await Queue(name: name, redis: redis).beat(worker: worker, info: ["state": "running", "codecs": codecs], [])
        }
        try await Queue.announce(missing: ["defalt", "bulk"], redis)
        func missing() async throws -> [String: [String]] {
            let workers = try await client.call("workers.list").result?.array ?? []
            return workers.reduce(into: [:]) { $0[$1["id"]?.string ?? ""] = $1["missingQueues"]?.strings ?? [] }
        }
        #expect(try await missing() == ["w1": ["defalt"], "w2": ["bulk"]])
        let idle = try await client.call("workers.quiet", #"{"worker":"w2"}"#)
        #expect(idle.error?.name == "invalidParams" && "\(idle)".contains("do not exist: bulk"), "\(idle)")
        _ = try await Queue(name: "bulk", redis: redis).configure(QueueChange())
        #expect(try await missing() == ["w1": ["defalt"], "w2": []])
        #expect(try await client.call("queue.get", #"{"queue":"default"}"#)["workers"]?.int == 1)
    }
}
