import Foundation
import TestSupport
import Testing

/// What is told of a picture on its whole way: beside renditions, from the cache, by a probe.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct DescribeFlowTests {
    @Test func `a description comes with the pictures, once more from the cache, and to a probe`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png")
        let request =
            #"{"url":"\#(url)","transform":[{"op":"resize","width":32}],"describe":["blurhash","thumbhash","dominantColor","palette","averageColor","phash","exif"]}"#
        func description(_ answer: RPCClient.Message) throws -> NSDictionary {
            let words = try #require(answer.fields["description"] as? [String: Any], "\(answer.object)")
            #expect(Set(words.keys) == ["blurhash", "thumbhash", "dominantColor", "palette", "averageColor", "phash", "exif"])
            return words as NSDictionary
        }
        let first = try await client.call("image.load", request)
        let words = try description(first)
        #expect((words["blurhash"] as? String)?.count == 28)
        #expect((first.fields["renditions"] as? [[String: Any]])?.map { $0["name"] as? String } == ["default"])
        #expect(first.fields["from"] as? String == "remote")
        let again = try await client.call("image.load", request)
        #expect(try description(again) == words && again.fields["from"] as? String == "results", "\(again.object)")
        let versioned = request.dropLast() + #","cache":{"version":2}}"#
        _ = try await client.call("image.load", String(versioned))
        #expect(try await client.call("image.load", String(versioned)).fields["from"] as? String == "results")
        // Another picture of the same source: only the picture is made.
        let other = try await client.call("image.load", request.replacingOccurrences(of: #""width":32"#, with: #""width":33"#))
        #expect(try description(other) == words)
        let probe = try await client.call(
            "image.probe", #"{"url":"\#(url)","describe":["blurhash","thumbhash","dominantColor","palette","averageColor","phash","exif"]}"#)
        #expect(try description(probe) == words)
        #expect((probe.fields["source"] as? [String: Any])?["width"] as? Int ?? 0 > 32)
        let bytes = try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","describe":["phash"]}"#)
        #expect((bytes.fields["description"] as? [String: Any])?["phash"] as? String == words["phash"] as? String)
        #expect(try await client.call("cache.contains", request).fields["tiers"] as? [String] == ["memory", "results", "sources"])
    }

    @Test func `what cannot be opened cannot be described, and says so`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let answer = try await client.call("image.load", #"{"url":"data:text/plain,hello","as":"bytes","describe":["phash"]}"#)
        #expect(answer.error?["code"] as? Int == 1020, "\(answer.object)")
    }
}
