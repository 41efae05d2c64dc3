import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeStores

@testable import Coordinator

/// Results that requests and methods pin, on a real Redis and a real folder.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PinnedResultTests {
    private static let data = Data("picture".utf8).base64EncodedString()

    /// Returns whether the file of a result is marked as pinned.
    private func isPinned(_ harness: CoordinatorHarness, _ key: String) throws -> Bool {
        let mode = try FileManager.default.attributesOfItem(atPath: harness.results.path + "/\(key.prefix(2))/\(key)")[.posixPermissions] as? Int
        return (mode ?? 0) & 0o100 != 0
    }

    @Test func `a request pins new and existing results`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let pinned = #"{"url":"http://origin.test/a","cache":{"pin":true}}"#
        async let answer = client.call("image.load", pinned)
        try await harness.worker.succeed(try await harness.worker.claim())
        let key = try #require(try await answer.renditions.first?["key"]?.string)
        try await harness.until { try isPinned(harness, key) }
        #expect(try await client.call("cache.unpin", #"{"url":"http://origin.test/a"}"#)["unpinned"]?.int == 1)
        #expect(try !isPinned(harness, key))
        #expect(try await client.call("image.load", #"{"url":"http://origin.test/a"}"#).from == "memory")
        #expect(try !isPinned(harness, key))
        #expect(try await client.call("image.load", pinned).from == "results")
        try await harness.until { try isPinned(harness, key) }
    }

    @Test func `cache.pin pins existing results`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let key = try #require(try await client.call("cache.put", #"{"url":"http://origin.test/a","data":"\#(Self.data)"}"#)["key"]?.string)
        #expect(try !isPinned(harness, key))
        #expect(try await client.call("cache.pin", #"{"key":"\#(key)"}"#)["pinned"]?.int == 1)
        #expect(try isPinned(harness, key))
        // A change of its metadata writes the file again.
        #expect(try await client.call("cache.setMetadata", #"{"key":"\#(key)","metadata":{"a":"1"}}"#).error == nil)
        #expect(try isPinned(harness, key))
        #expect(try await client.call("cache.pin", #"{"url":"http://origin.test/other"}"#)["pinned"]?.int == 0)
    }

    @Test(arguments: [#""await":false"#, #""write":["memory"]"#, #""write":[]"#]) func `pinning is refused when the store may not get the result`(
        words: String
    ) async throws {
        let request = try JSON(parsing: #"{"url":"http://origin.test/a","cache":{"pin":true,\#(words)}}"#)
        let error = try #require(throws: TintypeError.self) { try ImageRequest(request) }
        #expect(error.details["path"] == "cache.pin")
    }
}
