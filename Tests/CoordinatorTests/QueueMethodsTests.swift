import Shared
import TestSupport
import Testing

@testable import Coordinator

/// What `queue.configure` takes, and who serves a queue.
@Suite(.timeLimit(.minutes(1)), .serialized) struct QueueMethodsTests {
    private func path(_ answer: RPCClient.Message) -> String? {
        answer.errorName == "invalidParams" ? (answer.error?["data"] as? [String: Any])?["path"] as? String : nil
    }

    @Test func `limits are for hosts as downloads name them, and nothing else`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for wrong in ["example.org:8080", "https://example.org", "example.org/a", "user@example.org", "*.example.org", "*", "", "a b", "example.org:80"] {
            let answer = try await client.call("queue.configure", #"{"queue":"default","hostLimits":{"a.test":1,"\#(wrong)":2}}"#)
            #expect(path(answer) == "hostLimits.\(wrong)", "\(wrong): \(answer.object)")
        }
        let hosts = #"{"Example.ORG":1,"[::1]":2,"2001:DB8::0:1":3,"127.1":4,"data:":5,"a_b.test":6}"#
        let answer = try await client.call("queue.configure", #"{"queue":"default","hostLimits":\#(hosts)}"#)
        let limits = (answer.fields["limits"] as? [String: Any])?["hostLimits"] as? [String: Int]
        #expect(limits == ["example.org": 1, "::1": 2, "2001:db8::1": 3, "127.0.0.1": 4, "data:": 5, "a_b.test": 6], "\(answer.object)")
        await harness.stop()
    }

    @Test func `there is an end to queues`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        var words = ["HSET", "tintype:{default}:queues"]
        let most = QueueConfigure.most
        for number in 1..<most - 1 { words += ["q\(number)", "1"] }
        try await harness.redis.command(words)
        #expect(try await client.call("queue.configure", #"{"queue":"last"}"#).error == nil)
        let refused = try await client.call("queue.configure", #"{"queue":"more"}"#)
        #expect(refused.errorName == "limitExceeded", "\(refused.object)")
        #expect(try await harness.redis.command("HEXISTS", "tintype:{default}:queues", "more") == "0")
        for known in ["last", "default", "q1"] {
            #expect(try await client.call("queue.configure", #"{"queue":"\#(known)","order":"lifo"}"#).error == nil, "\(known)")
        }
        await harness.stop()
    }

    @Test func `a request that no worker takes says so, and its queue who serves it`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func workers() async throws -> Int? { try await client.call("queue.get", #"{"queue":"default"}"#).fields["workers"] as? Int }
        #expect(try await workers() == 0)
        let late = try await client.call("image.load", #"{"url":"http://origin.test/a","deadline":0.2}"#)
        #expect(late.errorName == "deadlineExceeded" && "\(late.object)".contains("no worker has begun it"), "\(late.object)")
        let queue = harness.worker.queue
        _ = try await queue.beat(worker: "w1", info: ["id": "w1"], [])
        #expect(try await workers() == 1)
        // Begun, it is another matter.
        async let running = client.call("image.load", #"{"url":"http://origin.test/b","deadline":8}"#)
        _ = try await harness.worker.claim()
        let slow = try await running
        #expect(slow.errorName == "deadlineExceeded" && "\(slow.object)".contains("ask again with a longer deadline"), "\(slow.object)")
        await harness.stop()
    }

    /// A worker is as old as the clock says that its beats are by.
    @Test func `the age of a worker goes by the clock of Redis`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let queue = harness.worker.queue
        _ = try await queue.beat(worker: "w1", info: ["id": "w1", "codecs": ["decode": ["png"]]], [])
        // Ours may show anything.
        let clock = try await Queue.clock(harness.worker.redis)
        let seen = try await harness.redis.command("ZSCORE", "tintype:{default}:wseen", "w1")
        #expect(clock >= Int64(seen) ?? .max)
        let workers = try #require(try await client.call("workers.list").result as? [[String: Any]])
        #expect(workers.first?["state"] as? String != "lost")
        try await harness.redis.command("ZADD", "tintype:{default}:wseen", String(clock - 11_000), "w1")
        let later = try #require(try await client.call("workers.list").result as? [[String: Any]])
        #expect(later.first?["state"] as? String == "lost" && later.first?["seenSeconds"] as? Double ?? 0 >= 11, "\(later)")
        await harness.stop()
    }
}
