import Foundation
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeCallbacks

/// Terminal events that are posted to URLs: real Redis, a real web server, and one test with real coordinators.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .serialized, .scoped) struct CallbackTests {
    @Loop private static func harness(
        breaksRules: Bool = false, timeout: Duration = .seconds(10), allowing addresses: [String] = ["127.0.0.0/8"]
    ) async throws -> CoordinatorHarness {
        let features = Feature.all { ($0.callbacks.retry, $0.callbacks.timeout) = (.milliseconds(1), timeout) }
        return try await CoordinatorHarness(breaksRules: breaksRules, features: features) { $0.common.allowAddresses = addresses }
    }

    /// Returns whether Redis contains nothing of callbacks, in particular no secret.
    private static func isSettled(_ harness: CoordinatorHarness) async throws -> Bool {
        let dump = try await harness.worker.queue.dump()
        return dump.names("cb:").isEmpty && dump.entries["cbs"] == nil && !"\(dump.entries)".contains("geheim")
    }

    private static func submission(_ receipt: String, _ url: String) -> Submission {
        let rendition = Submission.Rendition(name: "main", digest: "d0", json: "{}")
        var submission = Submission(
            receipt: receipt, coordinator: "c1", fingerprint: "fp", source: "s0", host: "origin.test", fetch: "{}", renditions: [rendition])
        submission.callback = CallbackTarget(url: url, secret: nil)
        return submission
    }

    @Loop private func owe(_ receipt: String, _ url: String, in queue: Queue) async throws {
        try await queue.owe(Self.submission(receipt, url), at: "1.000", body: #""result":{}"#, event: "{}")
    }

    @Test @Loop func `a callback is stored once when calls are repeated after a lost answer`() async throws {
        let harness = try await Self.harness()
        harness.coordinator.part(CallbackSender.self).stop()
        let queue = harness.worker.queue
        let url = "http://hook.test/"
        func due() async throws -> [DueCallback] { try await queue.dueCallbacks(count: 9, lease: .seconds(60)) }
        for _ in 0..<2 { try await owe("r1", url, in: queue) }
        let first = try await due()
        #expect(first.map(\.receipt) == ["r1"])
        // After it was sent, a repeated call owes nothing, and neither does a normal submit.
        try await queue.settle(try #require(first.first), retryAfter: nil)
        try await owe("r1", url, in: queue)
        let ending = Ending(state: .succeeded, seq: 1, at: "1.000", body: #""result":{}"#)
        #expect(try await queue.submit(Self.submission("r1", url)) == .finished(ending))
        #expect(try await due().isEmpty)
        // The normal submit was quicker than a script that was delayed on its way.
        #expect(try await queue.submit(Self.submission("r2", url)) == .queued(state: .queued, position: 0, joined: false))
        try await owe("r2", url, in: queue)
        #expect(try await due().isEmpty)
        #expect(QueueInvariants.violations(in: try await queue.dump()).isEmpty)
    }

    @Test func `every end is posted once and signed, and nothing of it stays in Redis`() async throws {
        let (harness, receiver) = (try await Self.harness(), try await CallbackReceiver())
        let client = try await harness.client()
        async let answer = client.call(
            "image.load",
            #"{"url":"http://origin.test/a","receipt":"r1","tag":"t","progress":true,"callback":\#(receiver.parameter("/200/a"))}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.error == nil)
        let first = try await receiver.request(1)
        #expect(first.path == "/200/a" && first.isSigned == true && first.type == "succeeded")
        #expect(first.event["receipt"]?.string == "r1" && first.event["tag"]?.string == "t" && first.event["seq"]?.int == 4)
        let renditions = first.event["result"]?["renditions"]?.array
        #expect(renditions?.first?["key"]?.string != nil && renditions?.first?["data"] == nil)

        async let failed = client.call("image.load", #"{"url":"http://origin.test/b","callback":\#(receiver.parameter("/204/b", secret: nil))}"#)
        try await harness.worker.fail(try await harness.worker.claim(), TintypeError(.httpStatus, .download, "404", retryable: false))
        #expect(try await failed.error?.name == "httpStatus")
        let second = try await receiver.request(2)
        #expect(second.type == "failed" && second.isSigned == nil && second.event["error"]?["code"]?.int == 1010)

        try await client.call("image.submit", #"{"url":"http://origin.test/c","receipt":"c","callback":\#(receiver.parameter("/200/c"))}"#)
        try await client.call("receipt.cancel", #"{"receipt":"c"}"#)
        let third = try await receiver.request(3)
        #expect(third.type == "cancelled" && third.event["reason"]?.string == "requested" && third.isSigned == true)
        try await harness.until { try await Self.isSettled(harness) }
        // The same request again names the same receipt, whose callback was sent.
        try await client.call("image.submit", #"{"url":"http://origin.test/c","receipt":"c","callback":\#(receiver.parameter("/200/c"))}"#)
        try await harness.until { try await Self.isSettled(harness) }
        #expect(receiver.count == 3)
        #expect(await harness.coordinator.core.process.metrics.value(.callbacks, labels: "sent") == 3)
    }

    @Test func `answers from the index and from memory are posted too`() async throws {
        let (harness, receiver) = (try await Self.harness(), try await CallbackReceiver())
        let client = try await harness.client()
        async let made = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await made.error == nil)
        let memory = try await client.call("image.load", #"{"url":"http://origin.test/a","callback":\#(receiver.parameter("/200/m"))}"#)
        #expect(memory.from == "memory")
        let first = try await receiver.request(1)
        #expect(first.path == "/200/m" && first.isSigned == true && first.type == "succeeded")
        #expect(first.event["receipt"]?.string == memory.receipt && first.event["seq"]?.int == 1)
        let index = try await client.call("image.load", #"{"url":"http://origin.test/a","receipt":"i","callback":\#(receiver.parameter("/200/i"))}"#)
        #expect(index.from == "results")
        let second = try await receiver.request(2)
        #expect(second.path == "/200/i" && second.isSigned == true && second.event["receipt"]?.string == "i")
        let nowhere = try await client.call(
            "image.load", #"{"url":"http://origin.test/a","queue":"nowhere","callback":\#(receiver.parameter("/200/n"))}"#)
        #expect(nowhere.error?.name == "unknownQueue")
        try await harness.until { try await Self.isSettled(harness) }
        #expect(receiver.count == 2)
    }

    @Test func `a callback is sent once when the connection broke during its call`() async throws {
        let (harness, receiver) = (try await Self.harness(), try await CallbackReceiver())
        let (client, coordinator) = (try await harness.client(), harness.coordinator)
        async let made = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await made.error == nil)
        // Redis gets the script, and runs it when the coordinator no longer waits for the answer.
        await coordinator.part(CallbackSender.self).stop()
        harness.redis.freeze()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","callback":\#(receiver.parameter("/200/m"))}"#)
        try await harness.until { !coordinator.core.queues.redis.isConnected }
        harness.redis.thaw()
        let receipt = try await answer.receipt
        await coordinator.part(CallbackSender.self).start()
        try await harness.until { try await Self.isSettled(harness) }
        let event = try await receiver.request(1).event
        #expect(receipt != nil && event["receipt"]?.string == receipt && event["type"]?.string == "succeeded")
        #expect(receiver.count == 1)
    }

    /// The receiver's path, the number of its tries, and the metrics.
    @Test(arguments: [("/500,500,200/x", 3, 2.0, 1.0, 0.0), ("/410/x", 1, 0, 0, 1), ("/302/x", 5, 4, 0, 1), ("/503/x", 5, 4, 0, 1)])
    func `tries end with 2xx, with 410, or after the fifth`(path: String, tries: Int, failed: Double, sent: Double, givenUp: Double) async throws {
        let (harness, receiver) = (try await Self.harness(), try await CallbackReceiver())
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/a","callback":\#(receiver.parameter(path))}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        for number in 1...tries {
            let request = try await receiver.request(number)
            #expect(request.path == path && request.isSigned == true)
            await harness.coordinator.part(CallbackSender.self).look()
        }
        try await harness.until { try await Self.isSettled(harness) }
        #expect(receiver.count == tries)
        let metrics = await harness.coordinator.core.process.metrics
        #expect(metrics.value(.callbacks, labels: "failed") == failed && metrics.value(.callbacks, labels: "sent") == sent)
        #expect(metrics.value(.callbacks, labels: "givenUp") == givenUp)
    }

    @Test func `a receiver that never answers does not delay other callbacks`() async throws {
        let (harness, dead, alive) = (try await Self.harness(timeout: .seconds(100)), try await CallbackReceiver(), try await CallbackReceiver())
        let client = try await harness.client()
        let queue = harness.worker.queue
        try await client.call("queue.configure", #"{"queue":"other"}"#)
        for number in 0..<40 {
            try await owe("dead\(number)", "\(dead.base)/hold/\(number)", in: queue)
        }
        await harness.coordinator.part(CallbackSender.self).look()
        for number in 1...8 { _ = try await dead.request(number) }
        // There are more callbacks than may be in flight, so each free place is used at once, also by another queue.
        let other = await harness.coordinator.core.queues.registry.queue("other")
        for number in 0..<40 {
            try await owe("alive\(number)", "\(alive.base)/200/\(number)", in: number % 2 == 0 ? queue : other)
        }
        for number in 1...40 { _ = try await alive.request(number) }
        #expect(dead.count == 8)
    }

    @Test func `a private address is refused at once unless the operator allows it`() async throws {
        let (harness, receiver) = (try await Self.harness(allowing: []), try await CallbackReceiver())
        let client = try await harness.client()
        let port = receiver.base.split(separator: ":").last ?? ""
        for (number, host) in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"].enumerated() {
            try await client.call(
                "image.submit",
                #"{"url":"http://origin.test/\#(number)","receipt":"r\#(number)","callback":{"url":"http://\#(host):\#(port)/200/x","secret":"geheim"}}"#)
            try await client.call("receipt.cancel", #"{"receipt":"r\#(number)"}"#)
        }
        try await harness.until { harness.coordinator.core.process.metrics.value(.callbacks, labels: "givenUp") == 3 }
        try await harness.until { try await Self.isSettled(harness) }
        #expect(receiver.count == 0)
    }

    @Test @Loop func `access rules apply to callbacks at the request and before each try`() async throws {
        let (harness, receiver) = (try await Self.harness(), try await CallbackReceiver())
        let (client, coordinator) = (try harness.client(), harness.coordinator)
        let rules = try Rules(
            text: #"{"rules":[{"access":"deny"},{"hosts":["origin.test"],"access":"allow"},{"hosts":["127.0.0.1"],"paths":["/500,200/"],"access":"allow"}]}"#,
            path: "rules.json")
        coordinator.core.admission.rules = rules
        for path in ["/200/x", "/500,200/../200/x"] {
            let refused = try await client.call("image.submit", #"{"url":"http://origin.test/a","callback":\#(receiver.parameter(path))}"#)
            let data = refused.error?.data
            #expect(refused.error?.name == "denied" && data?["path"]?.string == "callback.url", "\(refused)")
            #expect(!"\(refused)".contains("200/x"), "more is told of its URL than the host")
        }
        // The target was allowed at the time of the request.
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r1","callback":\#(receiver.parameter("/500,200/x"))}"#)
        coordinator.part(CallbackSender.self).stop()
        try await client.call("receipt.cancel", #"{"receipt":"r1"}"#)
        let denied = try Rules(text: #"{"rules":[{"access":"deny"}]}"#, path: "rules.json")
        coordinator.core.admission.rules = denied
        coordinator.part(CallbackSender.self).start()
        try await harness.until { try await Self.isSettled(harness) }
        #expect(coordinator.core.process.metrics.value(.callbacks, labels: "givenUp") == 1)
        #expect(receiver.count == 0)
    }

    @Test func `another coordinator sends the callbacks of a killed one, and failures are logged without secrets`() async throws {
        let harness = try await CoordinatorHarness(features: Feature.all { $0.callbacks.timeout = .seconds(5) })
        let receiver = try await CallbackReceiver()
        // The harness's own coordinator cannot reach the receiver and must not take a callback. It only keeps Redis and the worker alive.
        await harness.coordinator.part(CallbackSender.self).stop()
        let more = ["--results", "file://\(harness.results.path)", "--allow-addresses", "127.0.0.0/8", "--callback-timeout", "5s"]
        let victim = try await ServiceProcess.coordinator(redis: harness.redis.url, more)
        let client = try RPCClient(port: victim.rpcPort)
        try await client.call(
            "image.submit", #"{"url":"http://origin.test/a","receipt":"r1","detached":true,"callback":\#(receiver.parameter("/hold/a"))}"#)
        let fetch = try await harness.worker.claim()
        try await harness.worker.succeed(fetch)
        #expect(try await receiver.request(1).status == 0)
        await victim.kill9()
        let survivor = try await ServiceProcess.coordinator(redis: harness.redis.url, more + ["--callback-retry", "1ms"])
        let again = try await receiver.request(2)
        #expect(again.status == 200 && again.isSigned == true && again.event["receipt"]?.string == "r1" && again.type == "succeeded")
        try await harness.until { try await Self.isSettled(harness) }
        #expect(receiver.count == 2)

        let other = try RPCClient(port: survivor.rpcPort)
        try await other.call("image.submit", #"{"url":"http://origin.test/b","receipt":"r2","callback":\#(receiver.parameter("/410/hidden?token=hidden"))}"#)
        try await other.call("receipt.cancel", #"{"receipt":"r2"}"#)
        #expect(await survivor.process.errorText(containing: "gave up a callback"))
        let line = survivor.process.errors.split(separator: "\n").first { $0.contains("gave up a callback") } ?? ""
        #expect(line.contains("level=warning") && line.contains("receipt=r2") && line.contains("host=127.0.0.1") && line.contains("tries=1"), "\(line)")
        #expect(!survivor.process.errors.contains("hidden") && !survivor.process.errors.contains("geheim"))
        #expect(try await other.call("system.validate")["ok"]?.bool == true)
    }

    @Test func `an orphaned callback is a violation`() async throws {
        let harness = try await Self.harness(breaksRules: true)
        let client = try await harness.client()
        await harness.coordinator.part(CallbackSender.self).stop()
        try await harness.redis.command("HSET", "tintype:{default}:cb:gone", "receiver", "{}", "event", "{}")
        let orphan = try await client.call("system.validate")
        #expect(orphan["violations"]?.strings == ["default: Q11: the callback of receipt gone is owed and never due"])
        try await harness.redis.command("DEL", "tintype:{default}:cb:gone")
        try await harness.redis.command("ZADD", "tintype:{default}:cbs", "1", "hook.test")
        try await harness.redis.command("ZADD", "tintype:{default}:cbh:hook.test", "1", "nothing")
        let empty = try await client.call("system.validate")
        #expect(empty["violations"]?.strings == ["default: Q11: a callback of receipt nothing is due and unknown"])
    }
}
