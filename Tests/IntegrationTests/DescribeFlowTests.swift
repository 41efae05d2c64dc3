import Foundation
import TintypeCore
import TestSupport
import Testing

/// The description of a picture through all processes: with renditions, from the cache, by a probe.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped) struct DescribeFlowTests {
    @Test func `a description comes with renditions, from the cache, and with a probe`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png")
        let request =
            #"{"url":"\#(url)","transform":[{"op":"resize","width":32}],"describe":["blurhash","thumbhash","dominantColor","palette","averageColor","phash","exif"]}"#
        func description(_ answer: RPCClient.Message) throws -> JSON {
            let words = try #require(answer["description"], "\(answer)")
            #expect(Set(words.object?.keys ?? []) == ["blurhash", "thumbhash", "dominantColor", "palette", "averageColor", "phash", "exif"])
            return words
        }
        let first = try await client.call("image.load", request)
        let words = try description(first)
        #expect(words["blurhash"]?.string?.count == 28)
        #expect(first.renditions.map { $0["name"]?.string } == ["default"])
        #expect(first.from == "remote")
        let again = try await client.call("image.load", request)
        #expect(try description(again) == words && again.from == "results", "\(again)")
        let versioned = request.dropLast() + #","cache":{"version":2}}"#
        _ = try await client.call("image.load", String(versioned))
        #expect(try await client.call("image.load", String(versioned)).from == "results")
        // Another picture of the same source: only the picture is made.
        let other = try await client.call("image.load", request.replacingOccurrences(of: #""width":32"#, with: #""width":33"#))
        #expect(try description(other) == words)
        let probe = try await client.call(
            "image.probe", #"{"url":"\#(url)","describe":["blurhash","thumbhash","dominantColor","palette","averageColor","phash","exif"]}"#)
        #expect(try description(probe) == words)
        #expect(probe["source"]?["width"]?.int ?? 0 > 32)
        let bytes = try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","describe":["phash"]}"#)
        #expect(bytes["description"]?["phash"]?.string == words["phash"]?.string)
        // The store has the result of the later version, and the memory that of the request without one.
        #expect(try await client.call("cache.contains", request)["tiers"]?.strings == ["memory", "sources"])
        #expect(try await client.call("cache.contains", String(versioned))["tiers"]?.strings == ["results", "sources"])
    }

    @Test func `a source that is no picture has no description, and the error says so`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let answer = try await client.call("image.load", #"{"url":"data:text/plain,hello","as":"bytes","describe":["phash"]}"#)
        #expect(answer.error?.code == 1020, "\(answer)")
    }
}
