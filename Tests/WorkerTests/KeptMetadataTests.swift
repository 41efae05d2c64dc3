import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeStores
import TintypeTransport

@testable import Worker

/// Metadata of clients, which workers keep with results.
@Suite(.timeLimit(.minutes(1)), .scoped) struct KeptMetadataTests {
    @Loop private func make(_ h: WorkerHarness, _ path: String, _ words: String, _ mode: CacheUse.Mode = .normal, more: JSONObject = [:]) async throws -> JSON {
        var request: JSONObject = ["url": .string(h.url(path)), "metadata": try JSON(parsing: words)]
        for (name, value) in more.members { request[name] = value }
        var use = CacheUse()
        use.mode = mode
        let receipt = try await h.submit(.object(request), cache: use) { $0.readResults = false }
        try await h.runOne()
        return try await h.result(receipt)
    }

    @Test(arguments: [["transform": [["op": "resize", "width": 8]]], ["as": "bytes"]] as [JSONObject])
    @Loop func `a new result keeps the metadata of its request`(more: JSONObject) async throws {
        let h = try await WorkerHarness()
        let result = try await make(h, "/picture.png?size=64x48", #"{"version":"7","a":"Zoë"}"#, more: more)
        let rendition = try #require(result["renditions"]?[0])
        #expect(rendition["metadata"] == ["version": "7", "a": "Zoë"], "\(rendition)")
        let key = try #require(rendition["key"]?.string)
        #expect(try await h.store.get(key)?.rendition.metadata?.json == rendition["metadata"])
        #expect(try await h.queue.dump().text("x:" + key)?.contains(#""metadata":{"version":"7""#) == true)
    }

    @Test @Loop func `a renewed result keeps its metadata, unless the request brings new ones`() async throws {
        let h = try await WorkerHarness()
        let (path, more): (String, JSONObject) = ("/picture.png?size=64x48&with=Cache-Control:+max-age=60", ["transform": [["op": "resize", "width": 8]]])
        for (words, kept) in [(#"{"a":"1"}"#, "1"), ("{}", "1"), (#"{"a":"2"}"#, "2"), ("null", "2")] {
            let result = try await make(h, path, words, .revalidate, more: more)
            #expect(result["renditions"]?[0]?["metadata"] == ["a": .string(kept)], "\(words): \(result)")
        }
        let anew = try await make(h, path, "{}", .reload, more: more)
        #expect(anew["renditions"]?[0]?["metadata"] == nil, "a new result has its request's metadata")
    }
}
