import Foundation
import Shared
import TestSupport
import Testing

@testable import Coordinator

/// A slot as clients of two coordinators meet it.
@Suite(.timeLimit(.minutes(1)), .serialized) struct SlotFlowTests {
    @Test func `a load is superseded by another coordinator's request in its slot`() async throws {
        let harness = try await CoordinatorHarness()
        let old = try await harness.client()
        let new = try await harness.client(of: try await harness.another())
        async let load = old.call("image.load", #"{"url":"http://origin.test/1","slot":"avatar-42","progress":true}"#)
        let first = try await harness.worker.claim()
        let second = try await new.call("image.submit", #"{"url":"http://origin.test/2","slot":"avatar-42","receipt":"second"}"#)
        #expect(second.fields["state"] as? String == "queued", "\(second.object)")
        let answer = try await load
        let data = answer.error?["data"] as? [String: Any]
        #expect(answer.error?["code"] as? Int == 1041 && data?["reason"] as? String == "superseded", "\(answer.object)")
        let told = await old.notifications { $0.contains { $0.params?["type"] as? String == "cancelled" } }
        #expect(told.last?.params?["reason"] as? String == "superseded")
        #expect(try await harness.worker.queue.progress(first.held, []) == .cancel)
        _ = try await harness.worker.queue.finish(first.held, .cancelled)

        // Repeated, it is the same receipt; what follows it in the slot ends it.
        let again = try await old.call("image.submit", #"{"url":"http://origin.test/2","slot":"avatar-42","receipt":"second"}"#)
        #expect(again.fields["state"] as? String == "queued", "\(again.object)")
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await new.notifications { $0.contains { $0.params?["type"] as? String == "succeeded" } }
        let third = try await new.call("image.submit", #"{"url":"http://origin.test/3","slot":"avatar-42","receipt":"third"}"#)
        #expect(third.fields["state"] as? String == "queued", "\(third.object)")
        // What memory holds supersedes too.
        let cached = try await new.call("image.load", #"{"url":"http://origin.test/2","slot":"avatar-42"}"#)
        #expect(cached.fields["state"] as? String == "succeeded", "\(cached.object)")
        let ended = try await new.call("receipt.get", #"{"receipt":"third"}"#)
        #expect(ended.fields["state"] as? String == "cancelled", "\(ended.object)")
        #expect(try await new.call("system.validate", "{}").fields["ok"] as? Bool == true)
        await harness.stop()
    }
}
