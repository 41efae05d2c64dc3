import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The settings of `queue.configure`, and the workers of a queue.
@Suite(.tags(.cluster, .realTimes), .timeLimit(.minutes(1)), .serialized, .scoped) struct QueueMethodsTests {
    private func path(_ answer: RPCClient.Message) -> String? {
        answer.error?.name == "invalidParams" ? answer.error?.data["path"]?.string : nil
    }

    @Test func `host limits accept only the host names of downloads`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for wrong in ["example.org:8080", "https://example.org", "example.org/a", "user@example.org", "*.example.org", "*", "", "a b", "example.org:80"] {
            let answer = try await client.call("queue.configure", #"{"queue":"default","hostLimits":{"a.test":1,"\#(wrong)":2}}"#)
            // A name that is not plain may hold a secret.
            let shown = wrong.contains { "/ ".contains($0) } ? "(a name of \(wrong.utf8.count) bytes)" : wrong
            #expect(path(answer) == "hostLimits.\(shown)", "\(wrong): \(answer)")
        }
        let hosts = #"{"Example.ORG":1,"[::1]":2,"2001:DB8::0:1":3,"127.1":4,"data:":5,"a_b.test":6}"#
        let answer = try await client.call("queue.configure", #"{"queue":"default","hostLimits":\#(hosts)}"#)
        let limits = answer["limits"]?["hostLimits"]?.integers
        #expect(limits == ["example.org": 1, "::1": 2, "2001:db8::1": 3, "127.0.0.1": 4, "data:": 5, "a_b.test": 6], "\(answer)")
    }

    @Test func `the number of queues is limited`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await fill(harness, "'order', 'fifo'")
        #expect(try await client.call("queue.configure", #"{"queue":"last"}"#).error == nil)
        let refused = try await client.call("queue.configure", #"{"queue":"more"}"#)
        #expect(refused.error?.name == "limitExceeded", "\(refused)")
        #expect(try await harness.redis.command("HEXISTS", "tintype:{default}:queues", "more") == "0")
        for known in ["last", "default", "q1"] {
            #expect(try await client.call("queue.configure", #"{"queue":"\#(known)","order":"lifo"}"#).error == nil, "\(known)")
        }
    }

    /// Makes all but two of the allowed queues, some time ago. `settings` are their settings, in Lua.
    private func fill(_ harness: CoordinatorHarness, _ settings: String) async throws {
        let script = """
            local before = tonumber(redis.call('TIME')[1]) * 1000 - 7200000
            for i = 1, \(UnusedQueueCollector.most - 2) do
              redis.call('HSET', 'tintype:{default}:queues', 'q' .. i, '1')
              redis.call('HSET', 'tintype:{q' .. i .. '}:cfg', 'made', 1, 'configuredAt', string.format('%.0f', before), 'defaultMaxQueued', 100000, \(settings))
            end
            """
        try await harness.redis.command("EVAL", script, "0")
    }

    @Loop private func shortenPause(of harness: CoordinatorHarness) { harness.coordinator.core.queues.unused.pause = .seconds(1) }

    @Test func `only unused queues are removed when another queue is created at the limit`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try await harness.client()
        if !TestTimes.areReal { await shortenPause(of: harness) }
        try await fill(harness, "'v', '\(QueueSchema.number)'")
        func key(_ number: Int, _ name: String) -> String { "tintype:{q\(number)}:\(name)" }
        let seconds = try #require(Int(try await harness.redis.command("TIME").prefix { $0.isNumber }))
        let (now, later) = ("\(seconds * 1000)", "\(seconds * 1000 + 600_000)")
        // q1 and these come first in the order of their names.
        try await harness.redis.command("HSET", key(1, "cfg"), "order", "lifo")
        try await harness.redis.command("HSET", key(10, "cfg"), "paused", "0")
        try await harness.redis.command("HSET", key(100, "hlim"), "a.test", "1")
        try await harness.redis.command("ZADD", key(101, "wseen"), later, "w1")
        try await harness.redis.command("HSET", key(102, "cfg"), "usedAt", now)
        try await harness.redis.command("HSET", key(103, "cfg"), "configuredAt", now)
        try await harness.redis.command("HDEL", key(104, "cfg"), "configuredAt")
        try await harness.redis.command("ZADD", key(105, "dead"), now, "1-1")
        try await harness.redis.command("ZADD", key(106, "co"), later, "c9")
        // One queue has work that another coordinator has put in.
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false)
        let busy = await Queue(name: "q107", redis: harness.worker.nodes)
        _ = try await busy.submit(plan.submission(receipt: "r", coordinator: "c9", deadline: 600, isKept: true))
        #expect(try await client.call("queue.configure", #"{"queue":"last"}"#).error == nil)
        // A group may name any queue.
        try await harness.redis.command("ZADD", "tintype:{default}:gl", "99999999999999", "g")
        #expect(try await client.call("queue.configure", #"{"queue":"more"}"#).error?.name == "limitExceeded")
        try await harness.redis.command("DEL", "tintype:{default}:gl")
        // After a look without success there is a pause; then there is room.
        try await harness.until { try await client.call("queue.configure", #"{"queue":"more"}"#).error == nil }
        let listed = Set(try await harness.redis.command("HKEYS", "tintype:{default}:queues").split(separator: "\n").map(String.init))
        let kept = [1, 10] + Array(100...107)
        #expect(listed.isSuperset(of: kept.map { "q\($0)" } + ["last", "more"]))
        let gone = (1...UnusedQueueCollector.most - 2).filter { !listed.contains("q\($0)") }
        #expect(gone.count == 10)
        for number in gone {
            #expect(try await harness.redis.command("KEYS", key(number, "*")) == "")
            #expect(try await client.call("image.submit", #"{"url":"http://origin.test/a","queue":"q\#(number)"}"#).error?.name == "unknownQueue")
        }
        // A queue that is made again is like any other.
        #expect(try await client.call("queue.configure", #"{"queue":"q\#(gone[0])"}"#).error == nil)
        #expect(try await client.call("image.submit", #"{"url":"http://origin.test/b","queue":"q\#(gone[0])"}"#).error == nil)
    }

    @Test @Loop func `created queues are listed, however creations and removals mix`() async throws {
        let harness = try await CoordinatorHarness()
        let queue = Queue(name: "q", redis: harness.worker.nodes)
        var dice = Dice(1)
        for _ in 0..<300 {
            let (early, late) = (dice.of([0, 1, 2, 3]), dice.of([0, 1, 2, 3]))
            async let made = { @Loop in
                for _ in 0..<early { _ = try await harness.worker.redis.command(["PING"]) }
                return try await queue.configure(QueueChange())
            }()
            async let gone = { @Loop in
                for _ in 0..<late { _ = try await harness.worker.redis.command(["PING"]) }
                return try await queue.unmake(unused: .zero)
            }()
            _ = try await (made, gone)
            let isMade = try await harness.redis.command("HEXISTS", "tintype:{q}:cfg", "made") == "1"
            let isListed = try await harness.redis.command("HEXISTS", "tintype:{default}:queues", "q") == "1"
            #expect(!isMade || isListed)
        }
    }

    @Test func `a request that no worker claims says so, and its queue counts its workers`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func workers() async throws -> Int? { try await client.call("queue.get", #"{"queue":"default"}"#)["workers"]?.int }
        #expect(try await workers() == 0)
        let late = try await client.call("image.load", #"{"url":"http://origin.test/a","deadline":0.2}"#)
        #expect(late.error?.name == "deadlineExceeded" && "\(late)".contains("no worker has begun it"), "\(late)")
        let queue = harness.worker.queue
        _ = try await queue.beat(worker: "w1", info: ["id": "w1"], [])
        #expect(try await workers() == 1)
        // A receipt that has started has another message.
        async let running = client.call("image.load", #"{"url":"http://origin.test/b","deadline":8}"#)
        _ = try await harness.worker.claim()
        let slow = try await running
        #expect(slow.error?.name == "deadlineExceeded" && "\(slow)".contains("ask again with a longer deadline"), "\(slow)")
    }

    /// The age of a worker is measured by the clock of its heartbeats.
    @Test func `the age of a worker is measured by the clock of Redis`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let queue = harness.worker.queue
        _ = try await queue.beat(worker: "w1", info: ["id": "w1", "codecs": ["decode": ["png"]]], [])
        // The clock of this machine may differ.
        let clock = try await Queue.clock(harness.worker.nodes)
        let seen = try await harness.redis.command("ZSCORE", "tintype:{default}:wseen", "w1")
        #expect(clock >= Int64(seen) ?? .max)
        let workers = try #require(try await client.call("workers.list").result?.array)
        #expect(workers.first?["state"]?.string != "lost")
        try await harness.redis.command("ZADD", "tintype:{default}:wseen", String(clock - 11_000), "w1")
        let later = try #require(try await client.call("workers.list").result?.array)
        #expect(later.first?["state"]?.string == "lost" && later.first?["seenSeconds"]?.double ?? 0 >= 11, "\(later)")
    }

    @Test func `a queue has limits of their own for at most 10,000 hosts`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func limits(_ count: Int) -> String { "{" + (0..<count).map { "\"h\($0).test\":1" }.joined(separator: ",") + "}" }
        let refused = try await client.call("queue.configure", #"{"queue":"default","hostLimits":\#(limits(10_001))}"#)
        #expect(refused.error?.name == "invalidParams" && refused.error?.data["path"]?.string == "hostLimits", "\(refused)")
        #expect(try await client.call("queue.configure", #"{"queue":"default","hostLimits":\#(limits(10_000))}"#).error == nil)
    }
}
