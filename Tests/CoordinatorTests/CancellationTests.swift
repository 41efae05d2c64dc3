import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// Canceled requests and disconnected clients, at moments when the state in Redis is unknown.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct CancellationTests {
    private func cancel(_ id: String, _ client: RPCClient) {
        client.send(##"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\##(id)}}"## + "\n")
    }

    @Loop private func onlyReceipt(of coordinator: Coordinator) -> String { coordinator.core.receipts.table.all.first?.id ?? "none" }

    @Test func `a client that disconnects before the answer does not keep the receipt`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        try await harness.leaveReceipt()
        let two = try await harness.client()
        try await two.call("image.submit", #"{"url":"http://origin.test/b","receipt":"mark","detached":true}"#)
        harness.redis.freeze()
        two.send(#"{"jsonrpc":"2.0","id":"get","method":"receipt.get","params":{"receipt":"r"}}"# + "\n")
        // The ping is answered after the request was taken, so Redis has been asked by now.
        try await two.call("system.ping")
        two.close()
        try await harness.until { coordinator.core.receipts.table["mark"] == nil }
        harness.redis.thaw()
        try await harness.until { coordinator.core.process.scope.count == 0 }
        #expect(await coordinator.core.receipts.table["r"]?.waiters.isEmpty == true)
        #expect(await coordinator.core.receipts.table["r"]?.graceEnd != nil)
        // A client that comes later gets the end.
        let three = try await harness.client()
        try await three.call("receipt.get", #"{"receipt":"r"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let told = await three.notifications { !$0.isEmpty }
        #expect(told.last?.type == "succeeded")
    }

    @Test(arguments: [true, false])
    func `a receipt that is canceled during its submit ends even when the answer is lost`(isByName: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let (one, two) = (try await harness.client(), try await harness.client())
        harness.redis.freeze()
        async let load = one.call("image.load", #"{"url":"http://origin.test/a","deadline":100}"#)
        try await harness.until { coordinator.core.receipts.table.all.first?.waiters.count == 1 }
        let id = await onlyReceipt(of: coordinator)
        if isByName {
            #expect(try await two.call("receipt.cancel", #"{"receipt":"\#(id)"}"#)["cancelled"]?.bool == true)
        } else {
            cancel("1", one)
        }
        #expect(try await load.error?.code == 1040)
        // The connection was abandoned, but Redis still runs the commands that came by it.
        try await harness.until { coordinator.core.receipts.table.count == 0 && !coordinator.core.queues.redis.isConnected }
        harness.redis.thaw()
        try await harness.until {
            guard let known = try? await harness.worker.queue.snapshots([id]) else { return false }
            // Redis has no receipt, and no task works on it any more: the connection broke before the command was sent.
            return known[id].map { $0.state == .cancelled } ?? (coordinator.core.process.scope.count == 0)
        }
        #expect(try await harness.worker.queue.info()?.queued == 0)
    }

    @Test func `a request that is canceled while it waits for its turn makes no receipt`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let client = try await harness.client()
        harness.redis.freeze()
        for (id, more) in [("first", ""), ("second", #","detached":true"#), ("third", "")] {
            let params = #"{"url":"http://origin.test/\#(id)","receipt":"\#(id)","slot":"s"\#(more)}"#
            client.send(#"{"jsonrpc":"2.0","id":"\#(id)","method":"image.submit","params":\#(params)}"# + "\n")
        }
        cancel(#""second""#, client)
        cancel(#""third""#, client)
        try await client.call("system.ping")
        harness.redis.thaw()
        try await harness.until { coordinator.core.receipts.table["first"]?.isAdmitted == true && coordinator.core.process.scope.count == 0 }
        for id in ["second", "third"] {
            #expect(try await client.call("receipt.get", #"{"receipt":"\#(id)"}"#).error?.code == 1060)
        }
        #expect(try await client.call("receipt.get", #"{"receipt":"first"}"#).state == "queued")
    }

    @Test(arguments: [true, false])
    func `canceling a load ends nothing for a client of another coordinator`(hasHeardOfIt: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        let params = #"{"url":"http://origin.test/a","receipt":"r","deadline":100}"#
        async let first = one.call("image.load", params)
        try await harness.until { ours.core.receipts.table["r"]?.isAdmitted == true }
        async let second = two.call("image.load", params)
        try await harness.until { ours.core.receipts.table["r"]?.isOurs == false && theirs.core.receipts.table["r"]?.isAdmitted == true }
        if !hasHeardOfIt { await believeOurs("r", at: ours) }
        cancel("1", one)
        #expect(try await first.error?.code == 1040)
        try await harness.until { ours.core.receipts.table["r"] == nil && ours.core.process.scope.count == 0 }
        try await harness.worker.succeed(try await harness.worker.claim())
        let answer = try await second
        #expect(answer.state == "succeeded", "\(answer)")
    }

    @Test(arguments: [true, false])
    func `leaving a load ends nothing for a client that waits through another coordinator`(isCancelled: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        one.send(#"{"jsonrpc":"2.0","id":"load","method":"image.load","params":{"url":"http://origin.test/a","deadline":100}}"# + "\n")
        try await harness.until { ours.core.receipts.table.all.first?.isAdmitted == true }
        let id = await onlyReceipt(of: ours)
        async let waited = two.call("receipt.get", #"{"receipt":"\#(id)","wait":100}"#)
        try await harness.until { try await harness.redis.command("HEXISTS", "tintype:{default}:r:\(id)", "followers") == "1" }
        if isCancelled {
            cancel(#""load""#, one)
            _ = await one.notifications { !$0.isEmpty }
            #expect(one.notifications.first?.error?.code == 1040)
        } else {
            one.close()
        }
        try await harness.until { theirs.core.receipts.table[id]?.isOurs == true && ours.core.receipts.table[id] == nil }
        try await harness.worker.succeed(try await harness.worker.claim())
        let answer = try await waited
        #expect(answer.state == "succeeded", "\(answer)")
    }

    @Test func `a client that continues a load and cancels it gives the load back`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        let params = #"{"url":"http://origin.test/a","receipt":"r","progress":true,"deadline":100}"#
        async let first = one.call("image.load", params)
        try await harness.until { ours.core.receipts.table["r"]?.isAdmitted == true }
        async let second = two.call("image.load", params)
        try await harness.until { ours.core.receipts.table["r"]?.isOurs == false && theirs.core.receipts.table["r"]?.isAdmitted == true }
        cancel("1", two)
        #expect(try await second.error?.code == 1040)
        try await harness.until { theirs.core.receipts.table["r"] == nil && ours.core.receipts.table["r"]?.isOurs == true }
        let fetch = try await harness.worker.claim()
        try await harness.worker.progress(fetch, ["status": 200, "headers": [:], "expectedBytes": 100], type: .response)
        try await harness.worker.succeed(fetch)
        let answer = try await first
        #expect(answer.state == "succeeded", "\(answer)")
        // All events come here again, not only the end.
        #expect(one.notifications.contains { $0.type == "response" })
    }

    @Test func `a receipt is not handed to a coordinator whose client no longer waits`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let ours = harness.coordinator
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        async let load = one.call("image.load", #"{"url":"http://origin.test/a","receipt":"r","deadline":100}"#)
        try await harness.until { ours.core.receipts.table["r"]?.isAdmitted == true }
        async let waited = two.call("receipt.get", #"{"receipt":"r","wait":0.5}"#)
        #expect(try await waited.state == "queued")
        try await harness.until { try await harness.redis.command("HEXISTS", "tintype:{default}:r:r", "followers") == "0" }
        cancel("1", one)
        #expect(try await load.error?.code == 1040)
        try await harness.until { try await harness.worker.queue.receipt("r")?.state == .cancelled }
        // The client observed the receipt, so it is told.
        _ = await two.notifications { $0.contains { $0.type == "cancelled" } }
    }

    /// The client there disconnected at the same moment, and Redis did not know it yet.
    @Test(arguments: [true, false])
    func `a receipt that is handed to a coordinator without its client is canceled there`(isDetached: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let one = try await harness.client()
        async let load = one.call("image.load", #"{"url":"http://origin.test/a","receipt":"r","detached":\#(isDetached),"deadline":100}"#)
        try await harness.until { ours.core.receipts.table["r"]?.isAdmitted == true }
        try await harness.redis.command("HSET", "tintype:{default}:r:r", "followers", await theirs.core.queues.registry.coordinator)
        cancel("1", one)
        #expect(try await load.error?.code == 1040)
        try await harness.until { try await harness.worker.queue.receipt("r")?.state == .cancelled }
        #expect(try await harness.worker.queue.receipt("r")?.coordinator == theirs.core.queues.registry.coordinator)
        #expect(try await harness.worker.queue.receipt("r")?.ending?.body.contains(#""reason":"requested""#) == true)
    }

    /// The index has the result, or another client asks for the receipt before Redis has it.
    @Test(arguments: [true, false])
    func `receipt.cancel during a submit reports the outcome`(isKnown: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let (one, two, three) = (try await harness.client(), try await harness.client(), try await harness.client())
        if isKnown {
            async let first = one.call("image.load", #"{"url":"http://origin.test/a"}"#)
            try await harness.worker.succeed(try await harness.worker.claim())
            #expect(try await first.error == nil)
            try await one.call("cache.clear", #"{"tier":"memory"}"#)
        }
        harness.redis.freeze()
        let params = #"{"url":"http://origin.test/a","receipt":"r","deadline":100}"#
        async let submitted = one.call("image.submit", params)
        try await harness.until { coordinator.core.receipts.table["r"]?.life.submits == 1 }
        async let cancelled = two.call("receipt.cancel", #"{"receipt":"r"}"#)
        try await harness.until { coordinator.core.receipts.table["r"]?.life.cancelCause != nil }
        async let wanted = three.call("image.submit", params)
        try await harness.until { coordinator.core.receipts.table["r"]?.life.submits == 2 }
        harness.redis.thaw()
        #expect(try await submitted.error == nil)
        #expect(try await wanted.error == nil)
        let answer = try await cancelled
        let told = await three.notifications { !$0.isEmpty }
        #expect(answer["cancelled"]?.bool == !isKnown, "\(answer)")
        #expect(told.first?.type == (isKnown ? "succeeded" : "cancelled"))
        #expect(try await harness.worker.queue.receipt("r")?.state == (isKnown ? .succeeded : .cancelled))
    }

    /// This is the state while the message about the new owner is still on its way.
    @Loop private func believeOurs(_ receipt: String, at coordinator: Coordinator) { coordinator.core.receipts.table[receipt]?.belongs(toUs: true) }

    @Test func `canceling a load during its submit ends nothing for a client of another coordinator`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (ours, theirs) = (harness.coordinator, other)
        let (one, two) = (try await harness.client(), try await harness.client(of: other))
        let params = #"{"url":"http://origin.test/a","receipt":"r","deadline":100}"#
        async let second = two.call("image.load", params)
        try await harness.until { theirs.core.receipts.table["r"]?.isAdmitted == true }
        harness.redis.freeze()
        async let first = one.call("image.load", params)
        try await harness.until { ours.core.receipts.table["r"]?.waiters.count == 1 }
        cancel("1", one)
        #expect(try await first.error?.code == 1040)
        harness.redis.thaw()
        try await harness.until { ours.core.receipts.table["r"]?.isAdmitted != false && ours.core.process.scope.count == 0 }
        try await harness.worker.succeed(try await harness.worker.claim())
        let answer = try await second
        #expect(answer.state == "succeeded", "\(answer)")
    }
}
