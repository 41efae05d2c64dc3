import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// `receipt.pause` and `receipt.resume`, as clients see them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ReceiptPauseTests {
    @Test func `a paused receipt waits beside the queue, and goes on at its old place`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for name in ["a", "b"] {
            _ = try await client.call("image.submit", #"{"url":"http://origin.test/\#(name)","receipt":"\#(name)","progress":true}"#)
        }
        for _ in 0..<2 { #expect(try await client.call("receipt.pause", #"{"receipt":"a"}"#).state == "paused") }
        #expect(try await client.call("receipt.get", #"{"receipt":"a"}"#).state == "paused")
        let other = try await harness.worker.claim()
        #expect(try JSON(parsing: other.fetch)["url"] == "http://origin.test/b")
        #expect(try await harness.worker.queue.claim(worker: "w1", count: 5).fetches.isEmpty)
        #expect(try await client.call("receipt.resume", #"{"receipt":"a"}"#).state == "queued")
        #expect(try await client.call("receipt.resume", #"{"receipt":"a"}"#).state == "queued")
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await client.notifications { $0.contains { $0.receipt == "a" && $0.type == "succeeded" } }
        let told = client.notifications.filter { $0.receipt == "a" }.compactMap(\.type).filter { $0 != "rendition" && $0 != "progress" }
        #expect(told == ["queued", "paused", "resumed", "started", "succeeded"], "\(told)")
        // A client cannot know that its receipt ends at this moment.
        for method in ["receipt.pause", "receipt.resume"] { #expect(try await client.call(method, #"{"receipt":"a"}"#).state == "succeeded") }
        #expect(try await client.call("receipt.setPriority", #"{"receipt":"a","priority":7}"#)["priority"] == 7)
        for (method, more) in [("pause", ""), ("resume", ""), ("setPriority", #","priority":7"#)] {
            #expect(try await client.call("receipt.\(method)", #"{"receipt":"nobody"\#(more)}"#).error?.name == "unknownReceipt", "\(method)")
        }
    }

    @Test func `who shares its download with others gets its result all the same`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for name in ["a", "b"] { _ = try await client.call("image.submit", #"{"url":"http://origin.test/x","receipt":"\#(name)","progress":{"interval":0}}"#) }
        #expect(try await client.call("receipt.pause", #"{"receipt":"a"}"#).state == "paused")
        let fetch = try await harness.worker.claim()
        try await harness.worker.progress(fetch, ["phase": "download", "receivedBytes": 1, "expectedBytes": 2, "fraction": 0.5])
        try await harness.worker.succeed(fetch)
        _ = await client.notifications { $0.count { $0.type == "succeeded" } == 2 }
        let told = client.notifications.filter { $0.receipt == "a" }.compactMap(\.type)
        #expect(told == ["queued", "paused", "succeeded"] && client.notifications.contains { $0.receipt == "b" && $0.type == "progress" }, "\(told)")
    }

    @Test func `its deadline goes on, and so does what is made of its coordinator's death`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        _ = try await client.call("image.submit", #"{"url":"http://origin.test/x","receipt":"a","deadline":1}"#)
        #expect(try await client.call("receipt.pause", #"{"receipt":"a"}"#).state == "paused")
        let end = await client.notifications { $0.contains { $0.type == "failed" } }.last
        #expect(end?.params?["error"]?["data"]?["name"] == "deadlineExceeded")
        _ = try await client.call("image.submit", #"{"url":"http://origin.test/y","receipt":"b"}"#)
        #expect(try await client.call("receipt.pause", #"{"receipt":"b"}"#).state == "paused")
        #expect(try await client.call("receipt.cancel", #"{"receipt":"b"}"#)["cancelled"] == true)
        let left = try await harness.worker.queue.dump()
        #expect(left.entries["delay"] == nil && QueueInvariants.violations(in: left) == [])
    }
}
