import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeScaling

/// `GET /scale`, as an autoscaler asks it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ScaleRouteTests {
    private func ask(_ h: CoordinatorHarness, _ query: String = "") async throws -> (status: Int, body: JSON) {
        let answer = try await HTTP.get(await h.base + "/scale" + query)
        return (answer.status, try JSON(parsing: String(decoding: answer.body, as: UTF8.self)))
    }

    /// Answers the wanted number of workers, asked without a kept state.
    @Loop private func wanted(_ h: CoordinatorHarness, _ query: String) async throws -> Int? {
        h.coordinator.part(ScaleRoute.self).freshness = 0
        return try await ask(h, query).body["wanted"]?.int
    }

    @Test @Loop func `the number rises with the backlog, and is zero when nothing waits or runs`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        #expect(try await wanted(h, "") == 0)
        for index in 1...5 {
            try await client.call("image.submit", #"{"url":"http://origin.test/\#(index)","receipt":"r\#(index)","detached":true}"#)
        }
        #expect(try await wanted(h, "?permits=2&patience=0") == 3)
        #expect(try await wanted(h, "?permits=2&patience=3600") == 1)
        #expect(try await wanted(h, "?permits=2&patience=0&max=2") == 2)
        #expect(try await wanted(h, "?queue=default&min=4") == 4)
        let first = try await h.worker.claim()
        let answer = try await ask(h, "?permits=2&patience=0")
        #expect(answer.body["running"]?.int == 1 && answer.body["queued"]?.int == 4 && answer.body["wanted"]?.int == 3, "\(answer)")
        try await h.worker.succeed(first)
        for _ in 2...5 { try await h.worker.succeed(await h.worker.claim()) }
        try await h.until { try await wanted(h, "?permits=2&patience=0") == 0 }
    }

    @Test @Loop func `the permits are those of live workers that claim`() async throws {
        let h = try await CoordinatorHarness()
        for (worker, slots, state) in [("a", 3, "running"), ("b", 5, "running"), ("c", 100, "quiet"), ("d", 100, "draining")] {
            _ = try await h.worker.queue.beat(worker: worker, info: ["slots": JSON(slots), "state": .string(state)], [])
        }
        let answer = try await ask(h)
        #expect(answer.body["workers"]?.int == 2 && answer.body["permits"]?.int == 4, "\(answer)")
    }

    /// A worker that was taken over writes what it likes.
    @Test @Loop func `permits that no worker has stop no coordinator`() async throws {
        let h = try await CoordinatorHarness()
        for (worker, slots) in [("a", Int.max), ("b", Int.max), ("c", Int.min)] {
            _ = try await h.worker.queue.beat(worker: worker, info: ["slots": JSON(slots), "state": "running"], [])
        }
        let answer = try await ask(h)
        #expect(answer.body["workers"]?.int == 3 && answer.body["permits"]?.int == 2730, "\(answer)")
    }

    @Test @Loop func `a state is kept for a moment, so that strangers cannot make work for Redis`() async throws {
        let h = try await CoordinatorHarness()
        h.coordinator.part(ScaleRoute.self).freshness = 3600
        #expect(try await ask(h).body["queued"]?.int == 0)
        try await h.client().call("image.submit", #"{"url":"http://origin.test/a","receipt":"r","detached":true}"#)
        #expect(try await ask(h).body["queued"]?.int == 0)
        #expect(try await ask(h, "?queue=none").status == 404)
        h.coordinator.part(ScaleRoute.self).freshness = 0
        #expect(try await ask(h).body["queued"]?.int == 1)
    }

    @Test @Loop func `wrong questions are refused with the name of the parameter`() async throws {
        let h = try await CoordinatorHarness()
        for (query, path) in [
            ("?min=-1", "min"), ("?max=many", "max"), ("?permits=0", "permits"), ("?min=3&max=2", "max"), ("?quue=default", "quue"),
            ("?queue=no%20name", "queue"), ("?patience=1.5", "patience"),
        ] {
            let answer = try await ask(h, query)
            #expect(answer.status == 400 && answer.body["error"]?["data"]?["path"]?.string == path, "\(query): \(answer)")
        }
        #expect(try await ask(h, "?queue=none").status == 404)
    }

    @Test @Loop func `all who ask while Redis is away are answered 503, and none is told zero`() async throws {
        let h = try await CoordinatorHarness(breaksRules: true)
        h.coordinator.part(ScaleRoute.self).freshness = 0
        await h.redis.kill9()
        try await h.until { !h.coordinator.core.queues.redis.isConnected }
        async let first = ask(h)
        async let second = ask(h)
        for answer in [try await first, try await second] {
            #expect(answer.status == 503 && answer.body["wanted"] == nil, "\(answer)")
        }
    }
}
