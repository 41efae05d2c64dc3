import Foundation
import Shared
import TestSupport
import Testing

@testable import Coordinator

/// The id that a client has given its receipt, over more queues than one.
@Suite(.timeLimit(.minutes(1)), .serialized) struct ReceiptNameTests {
    /// `x` has ended in `default`; there is a queue `bulk` beside it.
    private func ended() async throws -> (CoordinatorHarness, RPCClient) {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk","order":"fifo"}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await client.notifications { $0.contains { $0.params?["type"] as? String == "succeeded" } }
        return (harness, client)
    }

    @Test func `an id that one queue knows is refused in another`() async throws {
        let (harness, client) = try await ended()
        // A coordinator that has never heard of it refuses it too.
        for client in [client, try await harness.client(of: try await harness.another())] {
            for method in ["image.submit", "image.load"] {
                let refused = try await client.call(method, #"{"url":"http://origin.test/a","receipt":"x","queue":"bulk"}"#)
                let data = refused.error?["data"] as? [String: Any]
                #expect(refused.error?["code"] as? Int == -32602 && data?["path"] as? String == "receipt", "\(refused.object)")
            }
        }
        // In its own queue it is the same as ever.
        let again = try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        #expect(again.fields["state"] as? String == "succeeded", "\(again.object)")
        await harness.stop()
    }

    @Test func `a queue that came later is asked too`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func submit(_ receipt: String, to queue: String) async throws -> RPCClient.Message {
            try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"\#(receipt)","queue":"\#(queue)"}"#)
        }
        // The list of queues is read, and remembered: there is one.
        #expect(try await submit("first", to: "default").error == nil)
        for (number, queue) in ["bulk", "night"].enumerated() {
            let other = try await harness.client(of: try await harness.another())
            try await other.call("queue.configure", #"{"queue":"\#(queue)","order":"fifo"}"#)
            #expect(try await submit("x\(number)", to: queue).error == nil)
            let refused = try await submit("x\(number)", to: "default")
            #expect(refused.error?["code"] as? Int == -32602, "\(refused.object)")
            #expect(try await submit("y\(number)", to: "default").error == nil)
        }
        await harness.stop()
    }

    /// A list that has become shorter shows by its length; one that is as long as before was lost with the connection.
    @Test(arguments: [["bulk", "night"], ["bulk"]])
    func `a queue that takes the place of others whose list Redis has lost is asked too`(before: [String]) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for queue in before { try await client.call("queue.configure", #"{"queue":"\#(queue)","order":"fifo"}"#) }
        #expect(try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"first"}"#).error == nil)
        let redis = harness.worker.redis
        #expect(try await redis.command(["HLEN", .string(QueueKeys.registry)]).int == Int64(before.count))
        _ = try await redis.command(["DEL", .string(QueueKeys.registry)])
        if before.count == 1 {
            let services = await harness.services
            let since = await services.redis.connectedSince
            _ = try await redis.command(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
            try await harness.until { services.redis.connectedSince != nil && services.redis.connectedSince != since }
        }
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/b"]), isProbe: false)
        let fresh = await Queue(name: "fresh", redis: redis)
        _ = try await fresh.configure(QueueChange(order: .fifo))
        _ = try await fresh.submit(plan.submission(receipt: "x", coordinator: "c9", deadline: 600, isKept: true))
        let refused = try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        #expect(refused.error?["code"] as? Int == -32602, "\(refused.object)")
        await harness.stop()
    }

    @Test func `of two receipts of one id the live one is meant`() async throws {
        let (harness, client) = try await ended()
        // As two requests that came in the same moment.
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/b"]), isProbe: false)
        let bulk = await Queue(name: "bulk", redis: harness.worker.redis)
        _ = try await bulk.submit(plan.submission(receipt: "x", coordinator: "c9", deadline: 600, isKept: true))
        #expect(try await client.call("receipt.get", #"{"receipt":"x"}"#).fields["state"] as? String == "queued")
        #expect(try await client.call("receipt.cancel", #"{"receipt":"x"}"#).fields["cancelled"] as? Bool == true)
        #expect(try await bulk.receipt("x")?.state == .cancelled)
        #expect(try await client.call("receipt.get", #"{"receipt":"x"}"#).fields["state"] as? String == "succeeded")
        await harness.stop()
    }
}
