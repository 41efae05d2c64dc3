import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
import TintypeSettings

/// The owner of a receipt when more than one client or coordinator is involved.
@Suite(.tags(.cluster), .timeLimit(.minutes(2)), .serialized, .scoped) struct ReceiptOwnershipTests {
    func types(_ client: RPCClient) -> [String] { client.notifications.compactMap { $0.type } }

    func state(_ harness: CoordinatorHarness, _ receipt: String) async throws -> ReceiptState? {
        try await harness.worker.queue.receipt(receipt)?.state
    }

    /// Does now what the end of the grace period would do.
    @Loop func runOutGrace(_ receipt: String, at coordinator: Coordinator) async throws {
        guard let pending = coordinator.core.receipts.table[receipt], pending.waiters.isEmpty else { return }
        coordinator.core.receipts.cancellation.withdraw(pending, for: .disconnected)
        while coordinator.core.receipts.table[receipt] != nil { try await Loop.sleep(.milliseconds(2)) }
    }

    @Test(arguments: [true, false])
    func `asking about a detached receipt does not end it`(isSubmittedHere: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let coordinator = harness.coordinator
        let submitter = try await isSubmittedHere ? harness.client() : harness.client(of: other)
        try await submitter.call("image.submit", #"{"url":"http://origin.test/a","receipt":"d","detached":true}"#)
        submitter.close()
        try await harness.until { coordinator.core.receipts.table["d"] == nil && other.core.receipts.table["d"] == nil }
        let looker = try await harness.client()
        #expect(try await looker.call("receipt.get", #"{"receipt":"d"}"#).state == "queued")
        looker.close()
        try await harness.until { coordinator.core.receipts.table["d"] == nil || coordinator.core.receipts.table["d"]?.graceEnd != nil }
        try await runOutGrace("d", at: coordinator)
        #expect(try await state(harness, "d") == .queued)
        // Over HTTP the client does not stay, so nothing is kept for a client that only asked.
        let text = #"{"jsonrpc":"2.0","id":1,"method":"receipt.get","params":{"receipt":"d"}}"#
        #expect(try await HTTP.get(await harness.base + "/rpc", ["-d", text]).status == 200)
        #expect(await coordinator.core.receipts.table["d"] == nil)
    }

    /// The client disconnects. Then another client, whose coordinator has the receipt by now, no longer wants it. The first client comes back
    /// before or after that, or never.
    @Test(arguments: ["before", "after", "never"])
    func `a disconnected client may come back for its receipt, also at another coordinator`(isBack: String) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        let request = #"{"url":"http://origin.test/a","receipt":"r","deadline":600}"#
        try await one.call("image.submit", request)
        async let load = two.call("image.load", request)
        try await harness.until { ours.core.receipts.table["r"]?.following != nil && theirs.core.receipts.table["r"]?.isAdmitted == true }
        one.close()
        try await harness.until { ours.core.receipts.table["r"]?.waiters.isEmpty != false && ours.core.process.scope.count == 0 }
        let three = try await harness.client()
        func takeUp() async throws {
            #expect(try await three.call("receipt.get", #"{"receipt":"r"}"#).state == "queued")
        }
        if isBack == "before" { try await takeUp() }
        two.send(##"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"## + "\n")
        #expect(try await load.error?.code == 1040)
        if isBack == "after" { try await takeUp() }
        if isBack == "never" {
            try await harness.until { ours.core.receipts.table["r"]?.isOurs != false && ours.core.process.scope.count == 0 }
            #expect(try await state(harness, "r") == .queued)
            try await runOutGrace("r", at: ours)
            #expect(try await state(harness, "r") == .cancelled)
        } else {
            try await harness.worker.succeed(try await harness.worker.claim())
            _ = await three.notifications { !$0.isEmpty }
            #expect(types(three) == ["succeeded"])
        }
    }

    @Test func `a receipt that was submitted over HTTP outlives its observers`() async throws {
        let harness = try await CoordinatorHarness()
        let text = #"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":{"url":"http://origin.test/a","receipt":"h"}}"#
        #expect(try await HTTP.get(await harness.base + "/rpc", ["-d", text]).status == 200)
        let coordinator = harness.coordinator
        let looker = try await harness.client()
        try await looker.call("receipt.get", #"{"receipt":"h"}"#)
        looker.close()
        try await harness.until { coordinator.core.receipts.table["h"] == nil || coordinator.core.receipts.table["h"]?.graceEnd != nil }
        try await runOutGrace("h", at: coordinator)
        #expect(try await state(harness, "h") == .queued)
    }

    @Test func `a repeated submit moves the events to its coordinator, and earlier clients are told at once`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        let request = #"{"url":"http://origin.test/a","receipt":"again","deadline":100}"#
        async let answer = one.call("image.load", request)
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table["again"]?.isAdmitted == true }
        let repeated = try await two.call("image.submit", request)
        #expect(repeated.state == "queued", "\(repeated)")
        // The coordinator learns it by a message on its own channel, not by a sweep.
        try await harness.until { coordinator.core.receipts.table["again"]?.following != nil }
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.state == "succeeded")
        _ = await two.notifications { $0.contains { $0.type == "succeeded" } }
        #expect(types(two).filter { $0 == "succeeded" }.count == 1)
    }

    @Test func `a refused submit takes nothing from clients that continued the receipt`() async throws {
        let harness = try await CoordinatorHarness()
        let submitter = try await harness.client()
        try await submitter.call("image.submit", #"{"url":"http://origin.test/a","receipt":"taken","detached":true}"#)
        submitter.close()
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table["taken"] == nil }
        let waiter = try await harness.client()
        async let answer = waiter.call("receipt.get", #"{"receipt":"taken","wait":60}"#)
        try await harness.until { coordinator.core.receipts.table["taken"]?.waiters.isEmpty == false }
        let stranger = try await harness.client()
        let refused = try await stranger.call("image.submit", #"{"url":"http://origin.test/another","receipt":"taken"}"#)
        #expect(refused.error?.name == "invalidParams", "\(refused)")
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.state == "succeeded")
    }

    @Test func `asking through another coordinator takes nothing from a waiting client`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        async let answer = one.call("image.load", #"{"url":"http://origin.test/a","receipt":"shared","progress":true,"deadline":100}"#)
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table["shared"]?.isAdmitted == true }
        #expect(try await two.call("receipt.get", #"{"receipt":"shared"}"#).state == "queued")
        // The events still go to the client that requested them.
        let fetch = try await harness.worker.claim()
        _ = await one.notifications { $0.contains { $0.type == "started" } }
        two.close()
        let theirs = other
        try await harness.until { theirs.core.receipts.table["shared"] == nil || theirs.core.receipts.table["shared"]?.graceEnd != nil }
        try await runOutGrace("shared", at: theirs)
        #expect(try await state(harness, "shared") == .running)
        try await harness.worker.succeed(fetch)
        #expect(try await answer.state == "succeeded")
        #expect(types(one).suffix(3) == ["started", "rendition", "succeeded"])
    }

    @Test func `a client of another coordinator keeps the receipt when the first client leaves`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        try await one.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r"}"#)
        async let waited = two.call("receipt.get", #"{"receipt":"r","wait":100}"#)
        let (ours, theirs) = (harness.coordinator, other)
        try await harness.until { theirs.core.receipts.table["r"]?.waiters.isEmpty == false }
        one.close()
        try await harness.until { ours.core.receipts.table["r"]?.graceEnd != nil }
        // The coordinator that only followed the receipt notices the end, and takes the receipt over.
        try await harness.until { try await harness.worker.queue.receipt("r")?.coordinator == theirs.core.queues.registry.coordinator }
        try await runOutGrace("r", at: ours)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await waited.state == "succeeded")
    }

    @Test func `a receipt without a client belongs to the next client that asks, at any coordinator`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let one = try await harness.client()
        try await one.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r"}"#)
        one.close()
        try await harness.until { ours.core.receipts.table["r"]?.graceEnd != nil && ours.core.process.scope.count == 0 }
        let two = try await harness.client(of: other)
        try await two.call("receipt.get", #"{"receipt":"r"}"#)
        #expect(try await harness.worker.queue.receipt("r")?.coordinator == theirs.core.queues.registry.coordinator)
        try await runOutGrace("r", at: ours)
        #expect(try await state(harness, "r") == .queued)
        // The second client disconnects too, and the receipt comes back to a client of the first coordinator.
        two.close()
        try await harness.until { theirs.core.receipts.table["r"]?.graceEnd != nil && theirs.core.process.scope.count == 0 }
        let three = try await harness.client()
        try await three.call("receipt.get", #"{"receipt":"r"}"#)
        try await runOutGrace("r", at: theirs)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await three.notifications { !$0.isEmpty }
        #expect(types(three) == ["succeeded"])
    }

    @Test func `a short wait for a receipt does not end the grace period of its client`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        try await harness.leaveReceipt()
        let end = try #require(await coordinator.core.receipts.table["r"]?.graceEnd)
        let asked = #"{"jsonrpc":"2.0","id":1,"method":"receipt.get","params":{"receipt":"r","wait":0.05}}"#
        let answer = try await HTTP.get(await harness.base + "/rpc", ["-d", asked])
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self).contains("queued"))
        try await harness.until { coordinator.core.receipts.table["r"]?.waiters.isEmpty == true }
        #expect(await coordinator.core.receipts.table["r"]?.graceEnd == end)
    }

    /// The old connection still seems to exist: its host died silently, or its coordinator died and is not known to be dead.
    @Test(arguments: [true, false])
    func `a client that continues a receipt keeps it when the earlier client turns out to be gone`(isElsewhere: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await isElsewhere ? harness.another() : harness.coordinator
        let (ours, theirs) = (harness.coordinator, other)
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        try await one.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r"}"#)
        #expect(try await two.call("receipt.get", #"{"receipt":"r"}"#).state == "queued")
        one.close()
        if isElsewhere {
            try await harness.until { ours.core.receipts.table["r"]?.graceEnd != nil }
            try await harness.until { try await harness.worker.queue.receipt("r")?.coordinator == theirs.core.queues.registry.coordinator }
            try await runOutGrace("r", at: ours)
        } else {
            try await harness.until { ours.core.receipts.table["r"]?.waiters.count == 1 }
            #expect(await ours.core.receipts.table["r"]?.graceEnd == nil)
        }
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await two.notifications { !$0.isEmpty }
        #expect(types(two) == ["succeeded"])
    }

    @Test func `a client gets the end of a receipt whose coordinator is not yet known to be dead`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false)
        try await harness.worker.queue.greet(coordinator: "c-dead")
        _ = try await harness.worker.queue.submit(plan.submission(receipt: "r", coordinator: "c-dead", deadline: 600, isKept: true))
        let client = try await harness.client()
        #expect(try await client.call("receipt.get", #"{"receipt":"r"}"#).state == "queued")
        #expect(try await harness.worker.queue.receipt("r")?.coordinator == "c-dead")
        try await harness.redis.command("ZADD", "tintype:{default}:co", "1000", "c-dead")
        try await harness.until { try await harness.worker.queue.receipt("r")?.coordinator == coordinator.core.queues.registry.coordinator }
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await client.notifications { !$0.isEmpty }
        #expect(types(client) == ["succeeded"])
    }

    @Test func `an observer is told of the end and does not keep a canceled receipt`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let (one, two) = (try await harness.client(), try await harness.client())
        one.send(#"{"jsonrpc":"2.0","id":"load","method":"image.load","params":{"url":"http://origin.test/a","receipt":"r","deadline":100}}"# + "\n")
        try await harness.until { coordinator.core.receipts.table["r"]?.isAdmitted == true }
        for _ in 0..<2 { try await two.call("receipt.get", #"{"receipt":"r"}"#) }
        #expect(await coordinator.core.receipts.table["r"]?.waiters.count == 2)
        one.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"load"}}"# + "\n")
        _ = await two.notifications { !$0.isEmpty }
        #expect(types(two) == ["cancelled"])
        #expect(try await state(harness, "r") == .cancelled)
    }

    @Test func `results without bytes are made again in the same receipt, which ends once`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, listener) = (try await harness.client(), try await harness.client())
        async let load = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = try await load
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        try await harness.loseImages()
        try await listener.call("events.subscribe", #"{"receipts":["named"]}"#)
        async let anew = client.call("image.load", #"{"url":"http://origin.test/a","receipt":"named"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await anew.from == "remote")
        let events = await listener.notifications { $0.contains { $0.type == "succeeded" } }
        #expect(events.compactMap { $0.params?["seq"]?.int } == Array(1...events.count))
        #expect(types(listener).count { $0 == "succeeded" } == 1 && types(listener).last == "succeeded", "\(types(listener))")
    }

    @Test func `a cancellation does not outlive the request that caused it`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let (one, two) = (try await harness.client(), try await harness.client())
        // It is not known yet whether Redis has it.
        harness.redis.freeze()
        let params = #"{"url":"http://origin.test/a","receipt":"r","deadline":60}"#
        async let withdrawn = one.call("image.load", params)
        try await harness.until { coordinator.core.receipts.table["r"]?.waiters.count == 1 }
        one.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
        #expect(try await withdrawn.error?.code == 1040)
        async let wanted = two.call("image.load", params)
        try await harness.until { coordinator.core.receipts.table["r"]?.waiters.count == 1 }
        harness.redis.thaw()
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await wanted.state == "succeeded")
    }

    @Test func `a queue has the coordinator's limit until it is configured`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 10 }
        func limit(_ client: RPCClient) async throws -> Int? {
            try await client.call("queue.get", #"{"queue":"default"}"#)["limits"]?["maxQueued"]?.int
        }
        let client = try await harness.client()
        while try await limit(client) != 10 { try await Loop.sleep(.milliseconds(2)) }
        _ = try await harness.another { $0.maxQueued = 20 }
        while try await limit(client) != 20 { try await Loop.sleep(.milliseconds(2)) }
        try await client.call("queue.configure", #"{"queue":"default","maxQueued":5}"#)
        let last = try await harness.another { $0.maxQueued = 30 }
        try await harness.until { last.core.process.scope.count == 0 }
        #expect(try await limit(client) == 5)
    }
}
