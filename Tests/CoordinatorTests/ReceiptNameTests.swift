import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The receipt id that a client has chosen, in more than one queue.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ReceiptNameTests {
    /// Makes a receipt `x` that has ended in `default`, and a queue `bulk`.
    private func ended() async throws -> (CoordinatorHarness, RPCClient) {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk","order":"fifo"}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await client.notifications { $0.contains { $0.type == "succeeded" } }
        return (harness, client)
    }

    @Test func `an id of one queue is refused in another`() async throws {
        let (harness, client) = try await ended()
        // A coordinator that has never received the id refuses it too.
        for client in [client, try await harness.client(of: try await harness.another())] {
            for method in ["image.submit", "image.load"] {
                let refused = try await client.call(method, #"{"url":"http://origin.test/a","receipt":"x","queue":"bulk"}"#)
                let data = refused.error?.data
                #expect(refused.error?.code == -32602 && data?["path"]?.string == "receipt", "\(refused)")
            }
        }
        // In its own queue the id works as before.
        let again = try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        #expect(again.state == "succeeded", "\(again)")
    }

    @Test func `an id is refused when a queue that was created later has it`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func submit(_ receipt: String, to queue: String) async throws -> RPCClient.Message {
            try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"\#(receipt)","queue":"\#(queue)"}"#)
        }
        for (number, queue) in ["bulk", "night"].enumerated() {
            let other = try await harness.client(of: try await harness.another())
            try await other.call("queue.configure", #"{"queue":"\#(queue)","order":"fifo"}"#)
            #expect(try await submit("x\(number)", to: queue).error == nil)
            let refused = try await submit("x\(number)", to: "default")
            #expect(refused.error?.code == -32602, "\(refused)")
            #expect(try await submit("y\(number)", to: "default").error == nil)
        }
    }

    /// Each id is submitted to two queues through two coordinators at once.
    @Test(arguments: [["default", "bulk"], ["bulk", "night"]])
    func `only one of two queues gets an id that both are asked for at once`(queues: [String]) async throws {
        let harness = try await CoordinatorHarness()
        let clients = [try await harness.client(), try await harness.client(of: try await harness.another())]
        for queue in ["bulk", "night"] { try await clients[0].call("queue.configure", #"{"queue":"\#(queue)","order":"fifo"}"#) }
        /// Returns for each id whether each of the two submits was accepted.
        func ask() async throws -> [Int: [Bool]] {
            try await withThrowingTaskGroup(of: (Int, Int, Bool).self) { group in
                for id in 0..<200 {
                    for side in [0, 1] {
                        group.addTask {
                            let params = #"{"url":"http://origin.test/\#(id)","receipt":"x\#(id)","queue":"\#(queues[side])"}"#
                            let answer = try await clients[side].call("image.submit", params)
                            if answer.error == nil { return (id, side, true) }
                            let data = answer.error?.data
                            #expect(answer.error?.code == -32602 && data?["path"]?.string == "receipt", "\(answer)")
                            return (id, side, false)
                        }
                    }
                }
                var taken: [Int: [Bool]] = [:]
                for try await (id, side, isTaken) in group { taken[id, default: [false, false]][side] = isTaken }
                return taken
            }
        }
        let first = try await ask()
        #expect(first.count == 200 && first.values.allSatisfy { $0.count { $0 } == 1 }, "\(first)")
        // The same answers again, for the queue that has the id and for the other one.
        #expect(try await ask() == first)
        #expect(try await clients[1].call("system.validate")["ok"]?.bool == true)
    }

    @Test func `an id is free for other queues after its submit failed`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk","maxQueued":1}"#)
        #expect(try await client.call("image.submit", #"{"url":"http://origin.test/a","queue":"bulk"}"#).error == nil)
        let full = try await client.call("image.submit", #"{"url":"http://origin.test/b","receipt":"x","queue":"bulk"}"#)
        #expect(full.error?.name == "overloaded")
        try await harness.until { harness.coordinator.core.process.scope.count == 0 }
        #expect(try await client.call("image.submit", #"{"url":"http://origin.test/b","receipt":"x"}"#).error == nil)
    }

    /// This is the state after a death of the coordinator between the two calls.
    @Test func `an id that is reserved and never submitted belongs to its queue`() async throws {
        let harness = try await CoordinatorHarness(appendOnly: true)
        let client = try await harness.client()
        try await client.call("queue.configure", #"{"queue":"bulk","order":"fifo"}"#)
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/a", "receipt": "x", "queue": "bulk"]), isProbe: false)
        let submission = plan.submission(receipt: "x", coordinator: "c9", deadline: 600, isKept: true)
        #expect(try await Queue(name: "bulk", redis: harness.worker.nodes).reserve(submission, token: "t"))
        await harness.redis.kill9()
        try await harness.redis.restart()
        try await harness.until { harness.coordinator.readiness.obstacle == nil }
        let refused = try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x"}"#)
        #expect(refused.error?.code == -32602, "\(refused)")
        #expect(try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"x","queue":"bulk"}"#).error == nil)
    }

    @Test func `the live one of two receipts with the same id is used`() async throws {
        let (harness, client) = try await ended()
        // This is the state after two requests at the same moment.
        let plan = AdmissionPlan(try ImageRequest(["url": "http://origin.test/b"]), isProbe: false)
        let bulk = await Queue(name: "bulk", redis: harness.worker.nodes)
        _ = try await bulk.submit(plan.submission(receipt: "x", coordinator: "c9", deadline: 600, isKept: true))
        #expect(try await client.call("receipt.get", #"{"receipt":"x"}"#).state == "queued")
        #expect(try await client.call("receipt.cancel", #"{"receipt":"x"}"#)["cancelled"]?.bool == true)
        #expect(try await bulk.receipt("x")?.state == .cancelled)
        #expect(try await client.call("receipt.get", #"{"receipt":"x"}"#).state == "succeeded")
    }
}
