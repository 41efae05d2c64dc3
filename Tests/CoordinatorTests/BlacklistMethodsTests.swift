import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The blacklist as clients of two coordinators meet it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct BlacklistMethodsTests {
    private static let missing = TintypeError(.httpStatus, .download, "the server answered 404", details: ["status": 404])

    @Loop private func list(
        _ harness: CoordinatorHarness, _ client: RPCClient, _ url: String, queue: String = "default", for error: TintypeError = missing
    ) async throws {
        try await client.call("image.submit", #"{"url":"\#(url)","queue":"\#(queue)","blacklist":"retry","cache":{"policy":"reload"}}"#)
        let fetch = try await harness.worker.claim()
        let listing = BlacklistRules().listing(of: error, url: url)
        _ = try await harness.worker.queue.finish(fetch.held, .failure(error, retryAfter: nil), listing: listing)
    }

    @Test func `a failed source is refused everywhere, listed, and let go by its URL`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.client(of: try await harness.another())
        let client = try await harness.client()
        let url = "http://origin.test/a?token=geheim"
        try await list(harness, client, url)

        let refused = try await other.call("image.load", #"{"url":"\#(url)"}"#)
        let data = try #require(refused.error?["data"] as? [String: Any], "\(refused.object)")
        #expect(refused.error?["code"] as? Int == 1003 && data["cause"] as? String == "httpStatus" && data["status"] as? Int == 404)
        let (since, until) = try (#require(data["since"] as? Double), #require(data["until"] as? Double))
        #expect(until == since + 60 && abs(since - WallClock.now) < 30)

        let submitted = try await other.call("image.submit", #"{"url":"\#(url)","receipt":"mine"}"#)
        #expect(submitted.fields["state"] as? String == "failed", "\(submitted.object)")
        #expect((submitted.fields["error"] as? [String: Any])?["code"] as? Int == 1003)

        let listed = try await client.call("blacklist.list", "{}")
        let items = try #require(listed.fields["items"] as? [[String: Any]])
        #expect(items.count == 1 && items[0]["url"] as? String == "http://origin.test/a?token=***" && items[0]["queue"] as? String == "default")
        #expect(items[0]["until"] as? Double == until && items[0]["id"] is String)

        #expect(try await client.call("blacklist.remove", #"{"url":"http://origin.test/b"}"#).fields["removed"] as? Int == 0)
        let request = #"{"url":"\#(url)","transform":[{"op":"resize","width":10}],"deadline":5}"#
        #expect(try await client.call("blacklist.remove", request).fields["removed"] as? Int == 1)
        // The receipt that was refused stays so; a new request goes to the network.
        let again = try await client.call("image.submit", #"{"url":"\#(url)","receipt":"mine"}"#)
        #expect(again.fields["state"] as? String == "failed", "\(again.object)")
        let fresh = try await client.call("image.submit", #"{"url":"\#(url)","receipt":"other"}"#)
        #expect(fresh.fields["state"] as? String == "queued", "\(fresh.object)")
    }

    @Test func `a source of a scope, or with mirrors, is let go by what names it`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for request in [
            #""url":"http://origin.test/a","cache":{"scope":"mine","policy":"reload"}"#, #""urls":["http://origin.test/b","http://origin.test/c"]"#,
        ] {
            try await client.call("image.submit", "{\(request)}")
            let fetch = try await harness.worker.claim()
            let listing = BlacklistRules().listing(of: Self.missing, url: "http://origin.test/a")
            _ = try await harness.worker.queue.finish(fetch.held, .failure(Self.missing, retryAfter: nil), listing: listing)
            #expect(try await client.call("blacklist.remove", #"{"url":"http://origin.test/a"}"#).fields["removed"] as? Int == 0)
            #expect(try await client.call("blacklist.remove", "{\(request)}").fields["removed"] as? Int == 1)
        }
        let lonely = try await client.call("blacklist.remove", #"{"id":"x","cache":{"scope":"mine"}}"#)
        #expect(lonely.errorName == "invalidParams" && (lonely.error?["data"] as? [String: Any])?["path"] as? String == "cache", "\(lonely.object)")
    }

    @Test func `an entry says whether it refuses pictures alone`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await list(harness, client, "http://origin.test/missing")
        try await list(harness, client, "http://origin.test/broken", for: TintypeError(.badImageData, .decode, "no picture"))
        let items = try #require(try await client.call("blacklist.list", "{}").fields["items"] as? [[String: Any]])
        let refuses = Dictionary(uniqueKeysWithValues: items.compactMap { item in (item["url"] as? String).map { ($0, item["refuses"] as? String) } })
        #expect(refuses == ["http://origin.test/missing": "all", "http://origin.test/broken": "pictures"])
    }

    @Test func `the lists of all queues are pages of one, and each may be emptied`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for number in 0..<3 { try await list(harness, client, "http://origin.test/\(number)") }
        try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        let bulk = await Queue(name: "bulk", redis: harness.worker.nodes)
        try await client.call("image.submit", #"{"url":"http://origin.test/9","queue":"bulk"}"#)
        var claimed: ClaimedFetch?
        while claimed == nil { claimed = try await bulk.claim(worker: "w1", count: 1).fetches.first }
        let listing = BlacklistRules().listing(of: Self.missing, url: "http://origin.test/9")
        _ = try await bulk.finish(try #require(claimed).held, .failure(Self.missing, retryAfter: nil), listing: listing)

        var (cursor, queues): (String?, [String]) = (nil, [])
        repeat {
            let page = try await client.call("blacklist.list", cursor.map { #"{"limit":2,"cursor":"\#($0)"}"# } ?? #"{"limit":2}"#)
            queues += try #require(page.fields["items"] as? [[String: Any]], "\(page.object)").compactMap { $0["queue"] as? String }
            cursor = page.fields["cursor"] as? String
        } while cursor != nil
        #expect(queues == ["default", "default", "default", "bulk"])
        let entries = try await client.call("blacklist.list", #"{"queue":"default","limit":2}"#).fields["items"] as? [[String: Any]]
        let ids = try #require(entries).compactMap { $0["id"] as? String }
        #expect(try await client.call("blacklist.remove", #"{"id":"\#(ids[0])"}"#).fields["removed"] as? Int == 1)
        #expect(try await client.call("blacklist.remove", #"{"ids":["\#(ids[0])","\#(ids[1])"]}"#).fields["removed"] as? Int == 1)
        #expect(try await client.call("blacklist.clear", #"{"queue":"bulk"}"#).fields["removed"] as? Int == 1)
        #expect(try await client.call("blacklist.clear", "{}").fields["removed"] as? Int == 1)
        #expect(try await client.call("blacklist.remove", "{}").errorName == "invalidParams")
        #expect(try await client.call("blacklist.list", #"{"queue":"nowhere"}"#).errorName == "unknownQueue")
    }
}
