import Foundation
import Shared
import TestSupport
import Testing

@testable import Coordinator

/// `system.validate` against a real Redis, well and broken.
@Suite(.timeLimit(.minutes(1)), .serialized) struct ValidateTests {
    @Test func `a queue at work keeps every rule, and what a hand from outside breaks is named`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        for number in 0..<3 {
            let queue = number == 0 ? "bulk" : "default"
            try await client.call("image.submit", #"{"url":"http://origin.test/\#(number)","receipt":"v-\#(number)","queue":"\#(queue)"}"#)
        }
        _ = try await harness.worker.claim()
        let well = try await client.call("system.validate")
        #expect(well.fields["ok"] as? Bool == true && (well.fields["violations"] as? [String])?.isEmpty == true, "\(well.object)")

        try await harness.redis.command("ZADD", "tintype:{bulk}:run", "1", "nobody")
        let broken = try await client.call("system.validate")
        let violations = try #require(broken.fields["violations"] as? [String])
        #expect(broken.fields["ok"] as? Bool == false && violations.contains { $0.hasPrefix("bulk: Q1") && $0.contains("nobody") }, "\(violations)")
        // As after every test by the harness.
        #expect(try await harness.redis.breaches().contains { $0.hasPrefix("bulk: Q1") && $0.contains("nobody") })
        await harness.stop(breaksRules: true)
    }

    @Test func `a receipt that lives in two queues is named`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a"]), isProbe: false)
        _ = try await Queue(name: "bulk", redis: harness.worker.redis).submit(plan.submission(receipt: "x", coordinator: "c9", deadline: 600, isKept: true))
        let broken = try await client.call("system.validate")
        #expect(broken.fields["violations"] as? [String] == ["bulk: Q15: receipt x lives in queue default too"], "\(broken.object)")
        await harness.stop(breaksRules: true)
    }
}
