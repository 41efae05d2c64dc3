import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// `system.validate` against a real Redis, intact and broken.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .serialized, .scoped) struct ValidateTests {
    @Test func `a working queue has no violations, and damage from outside is named`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        for number in 0..<3 {
            let queue = number == 0 ? "bulk" : "default"
            try await client.call("image.submit", #"{"url":"http://origin.test/\#(number)","receipt":"v-\#(number)","queue":"\#(queue)"}"#)
        }
        _ = try await harness.worker.claim()
        let well = try await client.call("system.validate")
        #expect(well["ok"]?.bool == true && well["violations"]?.strings?.isEmpty == true, "\(well)")

        try await harness.redis.command("ZADD", "tintype:{bulk}:run", "1", "nobody")
        let broken = try await client.call("system.validate")
        let violations = try #require(broken["violations"]?.strings)
        #expect(broken["ok"]?.bool == false && violations.contains { $0.hasPrefix("bulk: Q1") && $0.contains("nobody") }, "\(violations)")
        // The harness does the same after every test.
        #expect(try await harness.redis.breaches().contains { $0.hasPrefix("bulk: Q1") && $0.contains("nobody") })
    }

    @Test func `a receipt that lives in two queues is a violation`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false)
        _ = try await Queue(name: "bulk", redis: harness.worker.nodes).submit(plan.submission(receipt: "x", coordinator: "c9", deadline: 600, isKept: true))
        let broken = try await client.call("system.validate")
        #expect(broken["violations"]?.strings == ["bulk: Q15: receipt x lives in queue default too"], "\(broken)")
    }

    /// Returns the number of calls of each Redis command since `CONFIG RESETSTAT`.
    private func commands(_ harness: CoordinatorHarness) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in try await harness.redis.command("INFO", "commandstats").split(whereSeparator: \.isNewline) {
            guard let name = line.firstRange(of: "cmdstat_"), let calls = line.firstRange(of: ":calls=") else { continue }
            counts[String(line[name.upperBound..<calls.lowerBound])] = Int(line[calls.upperBound...].prefix { $0 != "," })
        }
        return counts
    }

    /// Makes queues that each have a receipt of their own.
    @Loop private func fill(_ queues: [String], _ harness: CoordinatorHarness) async throws {
        for name in queues {
            let plan = AdmissionPlan(try ImageRequest(["url": .string("http://origin.test/\(name)")]), isProbe: false)
            let queue = Queue(name: name, redis: harness.worker.nodes)
            _ = try await queue.configure(QueueChange())
            _ = try await queue.submit(plan.submission(receipt: "in-\(name)", coordinator: "c9", deadline: 600, isKept: true))
        }
    }

    @Test @Loop func `many queues cost a few round trips each`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try harness.client()
        try await fill((0..<40).map { "q\($0)" }, harness)
        try await harness.redis.command("CONFIG", "RESETSTAT")
        #expect(try await client.call("system.validate")["ok"]?.bool == true)
        let counts = try await commands(harness)
        // For each queue's receipts, only the one other queue is asked that may know them. The keys of all queues are found together.
        #expect(counts["zmscore", default: 0] <= 40 && counts["mget", default: 0] <= 40 && counts["scan", default: 0] <= 4, "\(counts)")
    }

    @Test @Loop func `receipts in two queues are violations whichever queue has their ids`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try harness.client()
        for name in ["bulk", "slow"] { try await client.call("queue.configure", #"{"queue":"\#(name)"}"#) }
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x","queue":"slow"}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"y","queue":"slow"}"#)
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false)
        for (receipt, name) in [("x", "default"), ("y", "bulk")] {
            let queue = Queue(name: name, redis: harness.worker.nodes)
            _ = try await queue.submit(plan.submission(receipt: receipt, coordinator: "c9", deadline: 600, isKept: true))
        }
        let broken = try await client.call("system.validate")
        let expected: Set = ["slow: Q15: receipt x lives in queue default too", "bulk: Q15: receipt y lives in queue slow too"]
        let found = broken["violations"]?.strings ?? []
        #expect(Set(found) == expected && found.count == 2, "\(broken)")
    }

    @Test @Loop func `at most a thousand violations are reported`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try harness.client()
        let names = ["default", "bulk", "slow"]
        for name in names {
            _ = try await Queue(name: name, redis: harness.worker.nodes).configure(QueueChange())
            try await harness.redis.command(["ZADD", "tintype:{\(name)}:run"] + (0..<700).flatMap { ["9999999999999", "nobody\($0)"] })
        }
        let broken = try await client.call("system.validate")
        #expect(broken["violations"]?.strings?.count == QueueInspection.most)
    }

    @Test func `simultaneous callers share one check, and the next call checks again`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try await harness.client()
        #expect(try await client.call("system.validate")["ok"]?.bool == true)
        try await harness.redis.command("CONFIG", "RESETSTAT")
        try await client.call("system.validate")
        let one = try await commands(harness)["scan"] ?? 0
        #expect(one > 0)
        try await harness.redis.command("CONFIG", "RESETSTAT")
        // No check ends before all of them have begun.
        harness.redis.freeze()
        for number in 0..<20 { client.send(#"{"jsonrpc":"2.0","id":"v\#(number)","method":"system.validate"}"# + "\n") }
        try await client.call("system.ping")
        harness.redis.thaw()
        let answers = await client.notifications { $0.count == 20 }
        #expect(answers.count == 20 && answers.allSatisfy { $0["ok"]?.bool == true })
        #expect(try await commands(harness)["scan"] == one)
        try await harness.redis.command("ZADD", "tintype:{default}:run", "1", "nobody")
        #expect(try await client.call("system.validate")["ok"]?.bool == false)
    }
}
