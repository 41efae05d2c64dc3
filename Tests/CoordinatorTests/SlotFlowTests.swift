import Foundation
import TestSupport
import Testing

@testable import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// A supersede key as clients of two coordinators see it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct SlotFlowTests {
    @Test func `a load is superseded by another coordinator's request with the same key`() async throws {
        let harness = try await CoordinatorHarness()
        let old = try await harness.client()
        let new = try await harness.client(of: try await harness.another())
        async let load = old.call("image.load", #"{"url":"http://origin.test/1","slot":"avatar-42","progress":true}"#)
        let first = try await harness.worker.claim()
        let second = try await new.call("image.submit", #"{"url":"http://origin.test/2","slot":"avatar-42","receipt":"second"}"#)
        #expect(second.state == "queued", "\(second)")
        let answer = try await load
        let data = answer.error?.data
        #expect(answer.error?.code == 1041 && data?["reason"]?.string == "superseded", "\(answer)")
        let told = await old.notifications { $0.contains { $0.type == "cancelled" } }
        #expect(told.last?.params?["reason"]?.string == "superseded")
        #expect(try await harness.worker.queue.progress(first.lease, []) == .cancel)
        _ = try await harness.worker.queue.finish(first.lease, .cancelled)

        // The repeated request names the same receipt. The next request with this key ends it.
        let again = try await old.call("image.submit", #"{"url":"http://origin.test/2","slot":"avatar-42","receipt":"second"}"#)
        #expect(again.state == "queued", "\(again)")
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await new.notifications { $0.contains { $0.type == "succeeded" } }
        let third = try await new.call("image.submit", #"{"url":"http://origin.test/3","slot":"avatar-42","receipt":"third"}"#)
        #expect(third.state == "queued", "\(third)")
        // A result from memory supersedes too.
        let cached = try await new.call("image.load", #"{"url":"http://origin.test/2","slot":"avatar-42"}"#)
        #expect(cached.state == "succeeded", "\(cached)")
        let ended = try await new.call("receipt.get", #"{"receipt":"third"}"#)
        #expect(ended.state == "cancelled", "\(ended)")
        #expect(try await new.call("system.validate", "{}")["ok"]?.bool == true)
    }

    @Test func `the last request wins although an older one first checks its results`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let made = client.call("image.load", #"{"url":"http://origin.test/1"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await made.state == "succeeded")
        // This coordinator has not seen the bytes yet, so it asks the store before it answers.
        let other = try await harness.client(of: try await harness.another())
        other.send(#"{"jsonrpc":"2.0","id":"a","method":"image.submit","params":{"url":"http://origin.test/1","slot":"s","receipt":"older"}}"# + "\n")
        let newer = try await other.call("image.submit", #"{"url":"http://origin.test/2","slot":"s","receipt":"newer"}"#)
        #expect(newer.state == "queued", "\(newer)")
        #expect(try await other.call("receipt.get", #"{"receipt":"older"}"#).state == "succeeded")
        #expect(try await other.call("receipt.get", #"{"receipt":"newer"}"#).state == "queued")
    }

    @Test func `the end of a superseded receipt is sent before an answer from the index`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let made = client.call("image.load", #"{"url":"http://origin.test/1"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = try await made
        _ = try await client.call("image.submit", #"{"url":"http://origin.test/2","slot":"s","receipt":"older"}"#)
        // Its event comes by another connection, and for now it does not arrive.
        try await harness.redis.command("CLIENT", "KILL", "TYPE", "pubsub")
        _ = try await client.call("image.submit", #"{"url":"http://origin.test/1","slot":"s","receipt":"newer"}"#)
        let told = await client.notifications { $0.contains { $0.type == "succeeded" } }
        let ends = told.filter { ["cancelled", "succeeded"].contains($0.type) }.map { $0.receipt ?? "" }
        #expect(ends == ["older", "newer"], "\(ends)")
    }
}
