import TintypeCore
import Foundation
import TestSupport
import Testing

/// Stores of results and sources that are gone or full while pictures are requested. The pictures arrive all the same, and the outage is counted.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct StoreOutageTests {
    private func load(_ client: RPCClient, _ url: String, width: Int, _ more: String = "") async throws -> RPCClient.Message {
        try await client.call("image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":\#(width)}],"deadline":60\#(more)}"#)
    }

    private func first(_ answer: RPCClient.Message) -> JSON { answer.renditions.first ?? [:] }

    /// Returns whether the same picture arrives inline and by its URL.
    private func isDelivered(_ answer: RPCClient.Message, by deployment: Deployment) async throws -> Bool {
        guard let data = (first(answer)["data"]?.string).flatMap({ Data(base64Encoded: $0) }), let path = first(answer)["url"]?.string else {
            return false
        }
        let served = try await HTTP.get(deployment.coordinators[0].base + path)
        return data.count == first(answer)["bytes"]?.int && served.status == 200 && served.body == data
    }

    private func count(_ store: String, _ operation: String, _ outcome: String, of worker: ServiceProcess) async throws -> Int {
        try await worker.value(of: #"tintype_store_operations_total{store="\#(store)",operation="\#(operation)",outcome="\#(outcome)"}"#)
    }

    @Test func `pictures are delivered and made again while S3 is down, and the metrics count it`() async throws {
        let s3 = try await S3Server()
        let deployment = try await Deployment(store: s3.url("images"), environment: s3.environment)
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+max-age=600")
        let inline = #","deliver":"inline""#
        let before = try await load(client, url, width: 16, inline)
        #expect(try await isDelivered(before, by: deployment), "\(before)")
        #expect(try await load(client, url, width: 17).from == "sources")
        await s3.kill9()
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        // A result in the index whose bytes are unreachable, a new one from a known source, and a new one altogether.
        for (width, picture) in [(16, url), (18, url), (16, deployment.url("/picture.png?size=65x48"))] {
            let answer = try await load(client, picture, width: width, inline)
            #expect(answer.from == "remote", "\(answer)")
            #expect(try await isDelivered(answer, by: deployment), "\(answer)")
        }
        let worker = try #require(deployment.workers.first)
        #expect(try await count("s3", "put", "failed", of: worker) == 3)
        #expect(try await count("redis", "hold", "ok", of: worker) == 3)
        for operation in ["get", "put"] {
            #expect(try await count("sources", operation, "failed", of: worker) >= 3)
        }
        let missing = try await client.call("cache.get", #"{"key":"0123456789abcdef"}"#)
        #expect(missing.error?.name == "storeFailed" && missing.error?.data["retryable"]?.bool == true, "\(missing)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `pictures are delivered when the disk for results is full, and the metrics count it`() async throws {
        let folder = try TemporaryFolder("full")
        // No disk has as much free space as this minimum.
        let deployment = try await Deployment(store: "file://\(folder.path)?minFree=1000000GiB")
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+max-age=600")
        for width in [16, 17] {
            let answer = try await load(client, url, width: width, #","deliver":"inline""#)
            #expect(answer.from == "remote", "\(answer)")
            #expect(try await isDelivered(answer, by: deployment), "\(answer)")
        }
        // A client that does not wait for the store gets the result all the same, a moment later.
        let early = try await load(client, url, width: 18, #","cache":{"await":false}"#)
        #expect(early.state == "succeeded", "\(early)")
        let path = try #require(first(early)["url"]?.string)
        try await Gate.until("it is held") { try await HTTP.get(deployment.coordinators[0].base + path).status == 200 }
        let worker = try #require(deployment.workers.first)
        for store in ["sources", "file"] {
            #expect(try await count(store, "put", "failed", of: worker) == 3, "\(store)")
        }
        #expect(try await count("redis", "hold", "ok", of: worker) == 3)
        #expect(TemporaryFolder.paths(below: folder.path).allSatisfy { !$0.hasPrefix("tmp/") }, "nothing is left behind")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `pictures are delivered when a Redis of sources is at its maxmemory, at the cost of downloads`() async throws {
        let full = try await RedisServer(options: ["--maxmemory", "2mb"])
        _ = try await full.command("CONFIG", "SET", "maxmemory", "1")
        let deployment = try await Deployment(store: full.url)
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+max-age=600")
        for (number, width) in [16, 17].enumerated() {
            let answer = try await load(client, url, width: width, #","deliver":"inline""#)
            #expect(answer.from == "remote", "\(answer)")
            #expect(try await isDelivered(answer, by: deployment), "\(answer)")
            #expect(try await deployment.asked() == number + 1)
        }
        let worker = try #require(deployment.workers.first)
        for store in ["sources", "redis"] {
            #expect(try await count(store, "put", "failed", of: worker) == 2, "\(store)")
        }
        // There is room again, and no further download.
        _ = try await full.command("CONFIG", "SET", "maxmemory", "0")
        #expect(try await load(client, url, width: 18).from == "remote")
        #expect(try await load(client, url, width: 19).from == "sources")
        #expect(try await deployment.asked() == 3)
        #expect(try await deployment.violations(client) == [])
    }
}
