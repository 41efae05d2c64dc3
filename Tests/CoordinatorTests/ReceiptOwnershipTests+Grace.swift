import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing
@testable import Coordinator
import TintypeSettings

extension ReceiptOwnershipTests {
    @Test func `a receipt ends with the grace period when no client comes back`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r"}"#)
        client.close()
        try await harness.until { coordinator.core.receipts.table["r"]?.graceEnd != nil }
        try await runOutGrace("r", at: coordinator)
        #expect(try await state(harness, "r") == .cancelled)
    }

    @Test func `a receipt is taken over when its coordinator dies`() async throws {
        let harness = try await CoordinatorHarness()
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false)
        let submission = plan.submission(receipt: "r", coordinator: "c-dead", deadline: 600, isKept: true)
        _ = try await harness.worker.queue.submit(submission)
        try await harness.redis.command("ZADD", "tintype:{default}:co", "1000", "c-dead")
        let client = try await harness.client()
        try await client.call("receipt.get", #"{"receipt":"r"}"#)
        #expect(try await harness.worker.queue.receipt("r")?.coordinator == harness.coordinator.core.queues.registry.coordinator)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await client.notifications { !$0.isEmpty }
        #expect(types(client) == ["succeeded"])
    }

    @Test func `a coordinator counts as dead after several checks, and never by itself`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"ours"}"#)
        let queue = harness.worker.queue
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/b"]), isProbe: false)
        _ = try await queue.submit(plan.submission(receipt: "theirs", coordinator: "c9", deadline: 600, isKept: true))
        let reaper = await Reaper(
            registry: coordinator.core.queues.registry, scope: coordinator.core.process.scope, metrics: coordinator.core.process.metrics,
            logger: coordinator.core.process.logger)
        let names = [await coordinator.core.queues.registry.coordinator, "c9"]
        for look in 1...Reaper.looks {
            // This is the state after a machine stood still: every coordinator has been silent for long.
            for name in names { try await harness.redis.command("ZADD", "tintype:{default}:co", "1", name) }
            await reaper.reap()
            #expect(try await state(harness, "ours") == .queued)
            if look < Reaper.looks { #expect(try await state(harness, "theirs") == .queued, "look \(look)") }
        }
        try await harness.until { try await state(harness, "theirs") == .cancelled }
    }

    @Test func `one check ends all late receipts`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/b"]), isProbe: false)
        for number in 1...Queue.reapPage * 2 + 50 {
            _ = try await harness.worker.queue.submit(plan.submission(receipt: "r\(number)", coordinator: "c9", deadline: 0.001, isKept: true))
        }
        let reaper = await Reaper(
            registry: coordinator.core.queues.registry, scope: coordinator.core.process.scope, metrics: coordinator.core.process.metrics,
            logger: coordinator.core.process.logger)
        await reaper.reap()
        #expect(try await harness.redis.command("ZCARD", "tintype:{default}:dl") == "0")
    }

    @Test func `inline bytes are delivered to clients that ask later`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let submitter = try await harness.client()
        for name in ["before", "after"] {
            try await submitter.call("image.submit", #"{"url":"http://origin.test/\#(name)","receipt":"\#(name)","deliver":"inline","detached":true}"#)
        }
        submitter.close()
        func data(_ answer: RPCClient.Message) -> String? {
            answer["result"]?["renditions"]?.array?.first?["data"]?.string
        }
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        async let waited = two.call("receipt.get", #"{"receipt":"before","wait":60}"#)
        let theirs = other
        try await harness.until { theirs.core.receipts.table["before"]?.waiters.isEmpty == false }
        for _ in 0..<2 { try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array("hello".utf8)) }
        #expect(data(try await waited) == "aGVsbG8=")
        #expect(data(try await one.call("receipt.get", #"{"receipt":"after"}"#)) == "aGVsbG8=")
        #expect(data(try await two.call("receipt.get", #"{"receipt":"after"}"#)) == "aGVsbG8=")
    }

    @Test(arguments: ["", #","detached":true"#], [true, false])
    func `event numbers continue when a receipt is submitted again after a lost connection`(more: String, isLive: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let request = #"{"url":"http://origin.test/a","receipt":"again","progress":true\#(more)}"#
        let first = try await harness.client()
        try await first.call("image.submit", request)
        let fetch = try await harness.worker.claim()
        try await harness.worker.progress(fetch, ["status": 200, "headers": [:], "expectedBytes": 100], type: .response)
        let seen = await first.notifications { $0.contains { $0.type == "response" } }
        #expect(seen.compactMap { $0.params?["seq"]?.int } == [1, 2, 3])
        first.close()
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table["again"]?.waiters.isEmpty ?? true }
        if !isLive {
            try await harness.worker.succeed(fetch)
            try await harness.until { coordinator.core.receipts.table["again"] == nil }
        }
        let second = try await harness.client()
        try await second.call("image.submit", request)
        if isLive { try await harness.worker.succeed(fetch) }
        let rest = await second.notifications { $0.contains { $0.type == "succeeded" } }
        #expect(rest.compactMap { $0.params?["seq"]?.int } == (isLive ? [4, 5] : [5]), "\(types(second))")
    }
}
