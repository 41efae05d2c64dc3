import TintypeCore
import TintypeQueue
import TintypeTransport
import TestSupport
import Testing

@testable import Coordinator

/// The metrics of queues and workers, which come from one reading for gauges, points and the stream.
@Suite(.timeLimit(.minutes(1)), .scoped) struct GaugesTests {
    @Test @Loop func `workers are counted by queue and state, and a queue without any has zeros`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        #expect(try await client.call("queue.configure", #"{"queue":"bulk","shards":2}"#).error == nil)
        func beat(_ worker: String, _ state: String, _ queue: String = "default") async throws {
            _ = try await Queue(name: queue, redis: h.worker.nodes).beat(worker: worker, info: ["state": .string(state)], [])
        }
        func counts(_ queue: String) -> [Double] {
            ["running", "quiet", "other", "lost"].map { h.coordinator.core.process.metrics.value(.workers, labels: queue, $0) }
        }
        try await h.until {
            for (worker, state) in [("w-1", "running"), ("w-2", "quiet"), ("w-3", "of another version")] { try await beat(worker, state) }
            return counts("default") == [1, 1, 1, 0]
        }
        #expect(counts("bulk") == [0, 0, 0, 0] && h.coordinator.core.process.metrics.text().contains(#"tintype_workers{queue="bulk",state="running"} 0"#))
        #expect(!h.coordinator.core.process.metrics.text().contains(#"queue="bulk~"#))
        #expect(h.coordinator.core.process.metrics.text().contains(#"tintype_queue_limit{queue="bulk",limit="queued"}"#))
    }
}
