import Foundation
import TintypeCore
import TestSupport
import Testing

/// Expired results and receipts: reported as such, and made again when a client asks.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ResultLifetimeTests {
    @Test func `an expired result is a named miss, and is made again once for all clients`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let clients = [try deployment.client(0), try deployment.client(1)]
        func load(_ client: RPCClient, _ cache: String = "") async throws -> RPCClient.Message {
            try await client.call(
                "image.load", #"{"url":"\#(deployment.url("/slow/picture.png"))","as":"bytes","cache":{"ttl":8\#(cache)},"deadline":30}"#)
        }
        let first = try await load(clients[0])
        #expect(first.from == "remote", "\(first)")
        let only = try await load(clients[1], #","policy":"only""#)
        #expect(only.from == "results", "\(only)")
        for client in clients {
            try await Gate.until("its time is over") { try await load(client, #","policy":"only""#).error?.name == "cacheMiss" }
        }
        try await clients[0].call("queue.pause", #"{"queue":"default"}"#)
        async let one = load(clients[0])
        async let two = load(clients[1])
        try await Gate.until("both wait") { try await deployment.redis("ZCARD", "dl") == "2" }
        try await clients[0].call("queue.resume", #"{"queue":"default"}"#)
        let both = [try await one, try await two]
        for again in both {
            #expect(again.state == "succeeded" && again["notModified"]?.bool == true, "\(again)")
        }
        let asked = try await deployment.asked()
        #expect(asked == 2, "\(first) \(both)")
        #expect(try await deployment.violations(clients[0]) == [])
    }

    /// A client gets a result that another has stored only if it is new enough for its own request.
    @Test func `each request has its own ttl`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let clients = [try deployment.client(0), try deployment.client(1)]
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+no-store")
        func load(_ cache: String, from number: Int = 0) async throws -> RPCClient.Message {
            try await clients[number].call(
                "image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":16}],"cache":{\#(cache)},"deadline":30}"#)
        }
        func reason(_ answer: RPCClient.Message) -> String? { answer.error?.data["reason"]?.string }
        // With these options no result is kept, so no client gets one.
        for cache in [#""ttl":-1"#, #""write":[]"#] {
            #expect(try await load(cache).from == "remote")
            for number in 0...1 { #expect(reason(try await load(#""policy":"only""#, from: number)) == "absent") }
        }
        #expect(try await deployment.asked() == 2)
        // One request keeps the result for an hour, against the headers of its origin, and requests with the same option get it.
        #expect(try await load(#""ttl":3600"#).from == "remote")
        #expect(try await load(#""ttl":3600"#).from == "memory")
        #expect(try await load(#""ttl":3600"#, from: 1).from == "results")
        #expect(try await deployment.asked() == 3)
        for number in 0...1 {
            for read in [#"["memory","results"]"#, #"["results"]"#, #"["memory","results","sources"]"#] {
                #expect(reason(try await load(#""policy":"only","read":\#(read)"#, from: number)) == "expired", "\(read)")
                try await Gate.until("it is older than that") {
                    reason(try await load(#""policy":"only","ttl":0.05,"read":\#(read)"#, from: number)) == "expired"
                }
                #expect(try await load(#""policy":"only","ttl":3600,"read":\#(read)"#, from: number).error?.name == nil)
            }
        }
        let rest = #""url":"\#(url)","transform":[{"op":"resize","width":16}]"#
        #expect(reason(try await clients[0].call("cache.get", "{\(rest)}")) == "expired")
        #expect(try await clients[0].call("cache.get", #"{\#(rest),"cache":{"ttl":3600}}"#).error?.name == nil)
        #expect(try await load("")["notModified"]?.bool == true, "who names no time asks the origin")
        #expect(try await deployment.asked() == 4)
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `an expired receipt is unknown, and its id can be used again`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let clients = [try deployment.client(0), try deployment.client(1)]
        let request = #"{"url":"\#(deployment.url("/picture.png?size=64x48"))","as":"bytes","receipt":"r","cache":{"policy":"reload"},"deadline":30}"#
        try await clients[0].call("image.submit", request)
        let end = try await clients[0].call("receipt.get", #"{"receipt":"r","wait":30}"#)
        #expect(end.state == "succeeded", "\(end)")
        let left = Int(try await deployment.redis("PTTL", "r:r")) ?? 0
        #expect((86_000_000...86_400_000).contains(left), "kept for a day: \(left)")
        try await deployment.redis("PEXPIRE", "r:r", "1")
        try await Gate.until("its day is over") { try await deployment.redis("EXISTS", "r:r") == "0" }
        for client in clients {
            let gone = try await client.call("receipt.get", #"{"receipt":"r"}"#)
            #expect(gone.error?.name == "unknownReceipt", "\(gone)")
        }
        try await clients[1].call("image.submit", request)
        let again = try await clients[1].call("receipt.get", #"{"receipt":"r","wait":30}"#)
        #expect(again.state == "succeeded", "\(again)")
        #expect(try await deployment.counts()["total"]?.int == 2)
        #expect(try await deployment.violations(clients[0]) == [])
    }
}
