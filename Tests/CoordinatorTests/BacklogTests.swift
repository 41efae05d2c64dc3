import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The cost of many waiting receipts, counted instead of timed. `scripts/bench depth` times the same.
@Suite(.timeLimit(.minutes(10)), .serialized, .scoped) struct BacklogTests {
    private static let depth = 3000

    /// Submits waiting receipts with the ids `r0`, `r1` and so on.
    private func fill(_ harness: CoordinatorHarness, _ client: RPCClient, _ count: Int = depth, deadline: Double) async throws {
        let due = ContinuousClock.now + .seconds(deadline)
        var number = 0
        while number < count {
            var lines = ""
            for _ in 0..<min(250, count - number) {
                let left = max(0.001, (due - .now) / .seconds(1))
                let params = #"{"url":"http://h.test/\#(number)","receipt":"r\#(number)","deadline":\#(left)}"#
                lines += #"{"jsonrpc":"2.0","id":\#(number),"method":"image.submit","params":\#(params)}"# + "\n"
                number += 1
            }
            client.send(lines)
            let sent = number
            let coordinator = harness.coordinator
            try await harness.until {
                // The first receipts have ended by then, so that the condition would never hold.
                if due <= .now { throw TestFailure("the deadline of \(deadline) s came after \(sent) receipts, before all were submitted") }
                return coordinator.core.receipts.table.all.count { $0.isAdmitted } == sent
            }
        }
    }

    /// Returns how often Redis has run each command since `CONFIG RESETSTAT`.
    private func calls(_ harness: CoordinatorHarness) async throws -> [String: Int] {
        var calls: [String: Int] = [:]
        for line in try await harness.redis.command("INFO", "commandstats").split(whereSeparator: \.isNewline) where line.hasPrefix("cmdstat_") {
            let words = line.dropFirst(8).split { ":=,".contains($0) }
            if words.count > 2 { calls[String(words[0])] = Int(words[2]) }
        }
        return calls
    }

    /// Waits for this many numbered pings, one every two seconds.
    private func pings(_ count: Int, _ harness: CoordinatorHarness) async throws {
        let coordinator = harness.coordinator
        let number: [RedisArgument] = ["HGET", "tintype:{default}:cseq", .string(await coordinator.core.queues.registry.coordinator)]
        let first = try #require(try await coordinator.core.queues.redis.servers[0].command(number).string.flatMap { Int($0) })
        try await harness.until {
            try await Loop.sleep(.milliseconds(100))
            return try await coordinator.core.queues.redis.servers[0].command(number).string.flatMap { Int($0) } ?? 0 >= first + count
        }
    }

    @Test func `waiting receipts cause no questions to Redis`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await fill(harness, client, deadline: 600)
        try await harness.redis.command("CONFIG", "RESETSTAT")
        try await pings(5, harness)
        let calls = try await calls(harness)
        print("commands in ten seconds with \(Self.depth) receipts waiting: \(calls.sorted { $0.key < $1.key })")
        // Only upkeep remains: a heartbeat every two seconds, a check of the reaper every second, the figures of the queue every five.
        #expect(calls["evalsha", default: 0] <= 60, "\(calls)")
        #expect(calls["hmget", default: 0] <= 300, "\(calls)")
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.all.allSatisfy { $0.liveness.cause == .none } }
    }

    /// A coordinator and its client with many receipts of one deadline. A busy machine needs longer than the first deadlines to submit them all.
    private func filledInTime() async throws -> (CoordinatorHarness, RPCClient) {
        var deadline = 12.0
        while true {
            let harness = try await CoordinatorHarness()
            let client = try await harness.client()
            do {
                try await fill(harness, client, deadline: deadline)
                return (harness, client)
            } catch let failure as TestFailure where deadline < 100 {
                print("again with a longer one: \(failure)")
                deadline *= 3
            }
        }
    }

    @Test func `receipts with deadlines in the same second end once each, a few at a time`() async throws {
        let (harness, client) = try await filledInTime()
        let coordinator = harness.coordinator
        let tasks = await coordinator.core.process.scope.count
        var most = 0
        try await harness.until {
            most = max(most, coordinator.core.process.scope.count)
            return coordinator.core.receipts.table.count == 0
        }
        #expect(most <= tasks + 100, "\(most) tasks at once")
        let ended = await client.notifications { $0.count >= Self.depth }
        let ids = ended.filter { $0.type == "failed" }.compactMap { $0.receipt }
        #expect(ended.count == Self.depth && Set(ids).count == Self.depth)
        try await harness.until { try await harness.worker.queue.info()?.queued == 0 }
    }

    @Test func `a gap makes the coordinator read everything pending in pages`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try await harness.client()
        let coordinator = harness.coordinator
        try await fill(harness, client, 1000, deadline: 600)
        let fetch = try await harness.worker.claim()
        // The end is published where no coordinator listens. Then a number is missing, as if that message had been lost.
        let waiting = "tintype:{default}:fr:" + fetch.lease.fetch
        let receipt = try await harness.redis.command("HKEYS", waiting).trimmingCharacters(in: .whitespacesAndNewlines)
        try await harness.redis.command("HSET", waiting, receipt, "0 nobody")
        try await harness.worker.succeed(fetch)
        try await harness.redis.command("HINCRBY", "tintype:{default}:cseq", await coordinator.core.queues.registry.coordinator, "1")
        let told = await client.notifications { !$0.isEmpty }
        #expect(told.map { $0.receipt } == [receipt] && told[0].type == "succeeded")
        #expect(await coordinator.core.receipts.table.count == 999)
    }

    /// Numbers show no loss when no message arrives at all.
    @Test func `a coordinator that may not subscribe reads the state instead`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let coordinator = harness.coordinator
        try await harness.redis.command("ACL", "SETUSER", "default", "-subscribe", "-ssubscribe")
        try await harness.redis.command("CLIENT", "KILL", "TYPE", "pubsub")
        try await harness.until { coordinator.core.queues.channels.isConnected && coordinator.core.queues.registry["default"]?.channel.isConfirmed == false }
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","deadline":100}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.state == "succeeded")
    }

    @Test @Loop func `a receipt is asked about when a gap overlapped its submit`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let handle = try #require(coordinator.core.queues.registry["default"])
        func receipt(_ id: String) -> PendingReceipt {
            PendingReceipt(id: id, handle: handle, meta: "", use: ResultUse(), submission: nil, deadline: nil)
        }
        let calm = receipt("calm")
        _ = calm.admit()
        #expect(calm.liveness.cause == .none)
        let broken = receipt("broken")
        coordinator.core.receipts.recovery.refresh(handle)
        _ = broken.admit()
        #expect(broken.liveness.cause == .unproven)
    }
}
