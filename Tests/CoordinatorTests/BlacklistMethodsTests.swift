import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The blacklist as clients of two coordinators see it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct BlacklistMethodsTests {
    private static let missing = TintypeError(.httpStatus, .download, "the server answered 404", details: ["status": 404])

    @Loop private func list(
        _ harness: CoordinatorHarness, _ client: RPCClient, _ url: String, queue: String = "default", for error: TintypeError = missing
    ) async throws {
        try await client.call("image.submit", #"{"url":"\#(url)","queue":"\#(queue)","blacklist":"retry","cache":{"policy":"reload"}}"#)
        let fetch = try await harness.worker.claim()
        let listing = BlacklistRules().listing(of: error, url: url)
        _ = try await harness.worker.queue.finish(fetch.lease, .failure(error, retryAfter: nil), listing: listing)
    }

    @Test func `a failed source is blacklisted for all coordinators and removed by its URL`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.client(of: try await harness.another())
        let client = try await harness.client()
        let url = "http://origin.test/a?token=geheim"
        try await list(harness, client, url)

        let refused = try await other.call("image.load", #"{"url":"\#(url)"}"#)
        let data = try #require(refused.error?.data, "\(refused)")
        #expect(refused.error?.code == 1003 && data["cause"]?.string == "httpStatus" && data["status"]?.int == 404)
        let (since, until) = try (#require(data["since"]?.double), #require(data["until"]?.double))
        #expect(until == since + 60 && abs(since - WallClock.now) < 30)

        let submitted = try await other.call("image.submit", #"{"url":"\#(url)","receipt":"mine"}"#)
        #expect(submitted.state == "failed", "\(submitted)")
        #expect(submitted["error"]?["code"]?.int == 1003)

        let listed = try await client.call("blacklist.list", "{}")
        let items = try #require(listed["items"]?.array)
        #expect(items.count == 1 && items[0]["url"]?.string == "http://origin.test/a?token=***" && items[0]["queue"]?.string == "default")
        #expect(items[0]["until"]?.double == until && items[0]["id"]?.string != nil)

        #expect(try await client.call("blacklist.remove", #"{"url":"http://origin.test/b"}"#)["removed"]?.int == 0)
        let request = #"{"url":"\#(url)","transform":[{"op":"resize","width":10}],"deadline":5}"#
        #expect(try await client.call("blacklist.remove", request)["removed"]?.int == 1)
        // The refused receipt stays refused; a new request uses the network.
        let again = try await client.call("image.submit", #"{"url":"\#(url)","receipt":"mine"}"#)
        #expect(again.state == "failed", "\(again)")
        let fresh = try await client.call("image.submit", #"{"url":"\#(url)","receipt":"other"}"#)
        #expect(fresh.state == "queued", "\(fresh)")
    }

    @Test func `a blacklisted source with a scope or mirrors is removed by these members`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for request in [
            #""url":"http://origin.test/a","cache":{"scope":"mine","policy":"reload"}"#, #""urls":["http://origin.test/b","http://origin.test/c"]"#,
        ] {
            try await client.call("image.submit", "{\(request)}")
            let fetch = try await harness.worker.claim()
            let listing = BlacklistRules().listing(of: Self.missing, url: "http://origin.test/a")
            _ = try await harness.worker.queue.finish(fetch.lease, .failure(Self.missing, retryAfter: nil), listing: listing)
            #expect(try await client.call("blacklist.remove", #"{"url":"http://origin.test/a"}"#)["removed"]?.int == 0)
            #expect(try await client.call("blacklist.remove", "{\(request)}")["removed"]?.int == 1)
        }
        let lonely = try await client.call("blacklist.remove", #"{"id":"x","cache":{"scope":"mine"}}"#)
        #expect(lonely.error?.name == "invalidParams" && lonely.error?.data["path"]?.string == "cache", "\(lonely)")
    }

    @Test func `a blacklist entry says whether it refuses only pictures`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await list(harness, client, "http://origin.test/missing")
        try await list(harness, client, "http://origin.test/broken", for: TintypeError(.badImageData, .decode, "no picture"))
        let items = try #require(try await client.call("blacklist.list", "{}")["items"]?.array)
        let refuses = Dictionary(uniqueKeysWithValues: items.compactMap { item in (item["url"]?.string).map { ($0, item["refuses"]?.string) } })
        #expect(refuses == ["http://origin.test/missing": "all", "http://origin.test/broken": "pictures"])
    }

    @Test func `the blacklists of all queues are paged as one, and each may be emptied`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for number in 0..<3 { try await list(harness, client, "http://origin.test/\(number)") }
        try await client.call("queue.configure", #"{"queue":"bulk"}"#)
        let bulk = await Queue(name: "bulk", redis: harness.worker.nodes)
        try await client.call("image.submit", #"{"url":"http://origin.test/9","queue":"bulk"}"#)
        var claimed: ClaimedFetch?
        while claimed == nil { claimed = try await bulk.claim(worker: "w1", count: 1).fetches.first }
        let listing = BlacklistRules().listing(of: Self.missing, url: "http://origin.test/9")
        _ = try await bulk.finish(try #require(claimed).lease, .failure(Self.missing, retryAfter: nil), listing: listing)

        var (cursor, queues): (String?, [String]) = (nil, [])
        repeat {
            let page = try await client.call("blacklist.list", cursor.map { #"{"limit":2,"cursor":"\#($0)"}"# } ?? #"{"limit":2}"#)
            queues += try #require(page["items"]?.array, "\(page)").compactMap { $0["queue"]?.string }
            cursor = page["cursor"]?.string
        } while cursor != nil
        #expect(queues == ["default", "default", "default", "bulk"])
        let entries = try await client.call("blacklist.list", #"{"queue":"default","limit":2}"#)["items"]?.array
        let ids = try #require(entries).compactMap { $0["id"]?.string }
        #expect(try await client.call("blacklist.remove", #"{"id":"\#(ids[0])"}"#)["removed"]?.int == 1)
        #expect(try await client.call("blacklist.remove", #"{"ids":["\#(ids[0])","\#(ids[1])"]}"#)["removed"]?.int == 1)
        #expect(try await client.call("blacklist.clear", #"{"queue":"bulk"}"#)["removed"]?.int == 1)
        #expect(try await client.call("blacklist.clear", "{}")["removed"]?.int == 1)
        #expect(try await client.call("blacklist.remove", "{}").error?.name == "invalidParams")
        #expect(try await client.call("blacklist.list", #"{"queue":"nowhere"}"#).error?.name == "unknownQueue")
    }
}
