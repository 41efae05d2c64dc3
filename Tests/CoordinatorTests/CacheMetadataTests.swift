import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeStores

@testable import Coordinator

/// Metadata that clients keep with results, over JSON-RPC and HTTP, on a real Redis and a real folder.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct CacheMetadataTests {
    private static let data = Data("picture".utf8).base64EncodedString()

    private func metadata(_ answer: RPCClient.Message) -> JSON? { answer.renditions.first?["metadata"] }

    @Test func `metadata that is put comes back in every way`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        // Names that the scripts look for in the info of a result.
        let words = #"{"version":"7","storedat":"1","sha256":"abcdef","title":"Zoë"}"#
        let put = try await client.call("cache.put", #"{"url":"http://origin.test/a","data":"\#(Self.data)","metadata":\#(words)}"#)
        let key = try #require(put["key"]?.string)
        let kept = try JSON(parsing: words)
        #expect(metadata(try await client.call("cache.get", #"{"key":"\#(key)"}"#)) == kept)
        for tier in ["memory", "results"] {
            let loaded = try await client.call("image.load", #"{"url":"http://origin.test/a","cache":{"read":["\#(tier)"],"policy":"only"}}"#)
            #expect(loaded.from == tier && metadata(loaded) == kept, "\(loaded)")
        }
        let got = try await HTTP.get(await harness.base + "/images/" + key)
        #expect(got.headers["tintype-meta-version"] == "7" && got.headers["tintype-meta-title"] == "Zo%C3%AB")
    }

    @Test func `metadata changes in the store, the index and the memory of all coordinators`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let clients = [try await harness.client(), try await harness.client(of: other)]
        let put = try await clients[0].call("cache.put", #"{"url":"http://origin.test/a","data":"\#(Self.data)","metadata":{"a":"1"}}"#)
        let key = try #require(put["key"]?.string)
        for client in clients { #expect(metadata(try await client.call("image.load", #"{"url":"http://origin.test/a"}"#)) == ["a": "1"]) }
        let before = try #require(try await harness.coordinator.core.storage.results.get(key))
        #expect(try await clients[0].call("cache.setMetadata", #"{"url":"http://origin.test/a","metadata":{"b":"2"}}"#)["changed"]?.int == 1)
        let after = try #require(try await harness.coordinator.core.storage.results.get(key))
        #expect(after.bytes == before.bytes && after.expiresAt == before.expiresAt && after.rendition.sha256 == before.rendition.sha256)
        for client in clients {
            try await harness.until { metadata(try await client.call("image.load", #"{"url":"http://origin.test/a"}"#)) == ["b": "2"] }
        }
        let indexed = try await clients[1].call("image.load", #"{"url":"http://origin.test/a","cache":{"read":["results"],"policy":"only"}}"#)
        #expect(indexed.from == "results" && metadata(indexed) == ["b": "2"])
        #expect(try await clients[1].call("cache.setMetadata", #"{"key":"\#(key)"}"#)["changed"]?.int == 1)
        #expect(metadata(try await clients[1].call("cache.get", #"{"key":"\#(key)"}"#)) == nil)
        #expect(try await clients[0].call("cache.setMetadata", #"{"key":"nothing","metadata":{"a":"1"}}"#).error?.name == "cacheMiss")
    }

    @Test func `sources have no metadata, and methods without metadata refuse it`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let source = try await client.call("cache.put", #"{"key":"mine","tier":"sources","data":"\#(Self.data)","metadata":{"a":"1"}}"#)
        #expect(source.error?.data["path"]?.string == "metadata")
        #expect(try await client.call("cache.get", #"{"key":"mine","metadata":{"a":"1"}}"#).error?.data["path"]?.string == "metadata")
        #expect(try await client.call("cache.put", #"{"key":"mine","data":"\#(Self.data)","metadata":{"A":"1"}}"#).error?.data["path"]?.string == "metadata.A")
    }

    @Test func `a put over HTTP carries metadata in headers`() async throws {
        let harness = try await CoordinatorHarness()
        let base = await harness.base
        let port = try #require(base.split(separator: ":").last.flatMap { UInt16($0) })
        func put(_ headers: String...) async throws -> Int {
            try await RawClient.ask(port: port, "PUT", "/images/mine", ["Host: 127.0.0.1"] + headers, body: Array("picture".utf8)).status
        }
        #expect(try await put("Tintype-Meta-Title: two%20words", "TINTYPE-META-n: 7") == 201)
        let got = try await HTTP.get(await harness.base + "/images/mine")
        #expect(got.headers["tintype-meta-title"] == "two%20words" && got.headers["tintype-meta-n"] == "7")
        for broken in ["Tintype-Meta-a: %zz", "Tintype-Meta-a_b: 1", "Tintype-Meta-: 1"] { #expect(try await put(broken) == 400, "\(broken)") }
        #expect(try await put("Tintype-Meta-a: 1", "Tintype-Meta-A: 2") == 400)
    }
}
