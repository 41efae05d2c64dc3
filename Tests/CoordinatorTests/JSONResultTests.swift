import Foundation
import Shared
import TestSupport
import Testing

@testable import Coordinator

/// `as: json`: the body is in the result, and nowhere in Redis.
@Suite(.timeLimit(.minutes(1)), .serialized) struct JSONResultTests {
    private static let body = Array(#"{"id":7,"next":"http://origin.test/two"}"#.utf8)

    @Test func `the answer, the event and a later question have the json`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","as":"json"}"#)
        let fetch = try await harness.worker.claim()
        #expect(fetch.renditions.first?.json == #"{"as":"json"}"#)
        try await harness.worker.succeed(fetch, bytes: Self.body)
        #expect((try await answer.fields["json"] as? [String: Any])?["id"] as? Int == 7)

        try await client.call("image.submit", #"{"url":"http://origin.test/b","as":"json","receipt":"r1"}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Self.body)
        let events = await client.notifications { $0.contains { $0.params?["type"] as? String == "succeeded" } }
        let end = events.last { $0.params?["type"] as? String == "succeeded" }?.params?["result"] as? [String: Any]
        #expect((end?["json"] as? [String: Any])?["id"] as? Int == 7)
        let later = try await client.call("receipt.get", #"{"receipt":"r1"}"#).fields["result"] as? [String: Any]
        #expect((later?["json"] as? [String: Any])?["next"] as? String == "http://origin.test/two")
        // Asked for again it is in the cache, and in the answer all the same.
        let again = try await client.call("image.load", #"{"url":"http://origin.test/a","as":"json"}"#)
        #expect((again.fields["json"] as? [String: Any])?["id"] as? Int == 7 && again.fields["from"] as? String == "results")
        await harness.stop()
    }

    @Test func `a step of a chain goes where the json of the one before says`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let steps = #"[{"url":"http://origin.test/one","as":"json"},{"url":"${steps[0].json.next}"}]"#
        let started = try await client.call("chain.start", #"{"steps":\#(steps)}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Self.body)
        let second = try await harness.worker.claim()
        #expect(try JSON(parsing: second.fetch)["url"] == "http://origin.test/two")
        try await harness.worker.succeed(second)
        let group = try #require(started.fields["group"] as? String)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#)
        let results = end.fields["results"] as? [[String: Any]]
        #expect(((results?.first?["result"] as? [String: Any])?["json"] as? [String: Any])?["id"] as? Int == 7, "\(end.object)")
        await harness.stop()
    }

    @Test func `json stands for nothing in later steps once a chain has noted too much`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try #require(
            try await client.call("chain.start", #"{"steps":[{"url":"http://origin.test/one"}]}"#).fields["group"] as? String)
        let first = try await harness.worker.claim()
        // The chain reads what was noted when it learns of new steps: as much as it takes.
        let key = QueueKeys("default").prefix + "g:" + group
        _ = try await harness.worker.redis.command(["HSET", .string(key), "size", .int(Int64(GroupView.mostNoted))])
        let steps = #"[{"url":"http://origin.test/two","as":"json"},{"url":"${steps[1].json.next}"}]"#
        try await client.call("chain.append", #"{"group":"\#(group)","steps":\#(steps)}"#)
        try await harness.worker.succeed(first)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Self.body)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#)
        let failed = try #require(end.fields["failed"] as? [String: Any], "\(end.object)")
        #expect(failed["index"] as? Int == 2 && (failed["error"] as? [String: Any])?["code"] as? Int == -32602)
        await harness.stop()
    }

    /// Steps that are added make the chain read what was written down, as a takeover does.
    @Test(arguments: [false, true]) func `json that is too long to be written down stands for nothing in later steps, always`(isRead: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let steps = #"[{"url":"http://origin.test/one","as":"json"},{"url":"${steps[0].json.next}"}]"#
        let group = try #require(try await client.call("chain.start", #"{"steps":\#(steps)}"#).fields["group"] as? String)
        let first = try await harness.worker.claim()
        if isRead { try await client.call("chain.append", #"{"group":"\#(group)","steps":[{"url":"http://origin.test/three"}]}"#) }
        let body = #"{"next":"http://origin.test/two","more":"\#(String(repeating: "x", count: 70_000))"}"#
        try await harness.worker.succeed(first, bytes: Array(body.utf8))
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#)
        let failed = try #require(end.fields["failed"] as? [String: Any], "\(end.object)")
        #expect(failed["index"] as? Int == 1 && (failed["error"] as? [String: Any])?["code"] as? Int == -32602)
        await harness.stop()
    }
}
