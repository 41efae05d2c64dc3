import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Coordinator

/// The member `cache` of a request, and its effect on later requests.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct CacheWordsTests {
    private func stored(_ answer: RPCClient.Message) -> [String]? {
        (answer["result"] ?? answer.body)["renditions"]?[0]?["stored"]?.strings
    }

    /// Loads a picture that has to be made.
    private func load(
        _ harness: CoordinatorHarness, _ client: RPCClient, _ params: String, bytes: String = "picture"
    ) async throws -> RPCClient.Message {
        async let answer = client.call("image.load", params)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array(bytes.utf8))
        return try await answer
    }

    @Test func `a result names the tiers that its own request writes`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let cases: [(words: String, tiers: [String])] = [
            (#"{}"#, ["memory", "results"]), (#"{"write":[]}"#, []), (#"{"write":["memory"]}"#, ["memory"]),
            (#"{"write":["results"]}"#, ["results"]), (#"{"ttl":-1}"#, []),
        ]
        for (number, one) in cases.enumerated() {
            let params = #"{"url":"http://origin.test/\#(number)","receipt":"r\#(number)","cache":\#(one.words)}"#
            #expect(stored(try await load(harness, client, params)) == one.tiers, "\(one.words)")
            #expect(stored(try await client.call("receipt.get", #"{"receipt":"r\#(number)"}"#)) == one.tiers, "\(one.words) later")
        }
        // For a result from memory, the new request's tiers count.
        let again = try await client.call("image.load", #"{"url":"http://origin.test/0","cache":{"write":[]}}"#)
        #expect(again.from == "memory" && stored(again) == [])
    }

    /// Two runs made different bytes of it, and the store does not have those that the index names.
    @Test func `bytes that differ from the index are not delivered but made again`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func request(_ cache: String) -> String { #"{"url":"http://origin.test/a","deliver":"inline","cache":{\#(cache)}}"# }
        func first(_ answer: RPCClient.Message) -> JSON? { answer.renditions.first }
        let made = try await load(harness, client, request(#""write":["results"]"#))
        let key = try #require(first(made)?["key"]?.string)
        let coordinator = harness.coordinator
        var other = try #require(try await coordinator.core.storage.results.get(key))
        other.bytes = Array("another".utf8)
        (other.info, other.sha256) = (["key": .string(key), "sha256": .string(Digest.sha256Hex(other.bytes))], nil)
        try await coordinator.core.storage.results.put(other)
        let again = try await load(harness, client, request(""))
        #expect(again.from == "remote", "\(again)")
        #expect(first(again)?["data"]?.string == Base64.text(of: Array("picture".utf8)))
        // They do not fill the memory of the coordinator either that was just told of the other bytes.
        try await coordinator.core.storage.results.put(other)
        await { @Loop in
            let tier = MemoryTier(capacity: 1 << 20, metrics: Metrics())
            tier.remember(renditions: [["key": .string(key), "sha256": "0123", "expiresAt": JSON(WallClock.now + 60)]], source: [:])
            tier.remember(other)
            #expect(tier.entry(key)?.image == other && tier.entry(key)?.sha256 == other.info["sha256"]?.string)
        }()
    }

    /// A coordinator with the earlier picture in memory would serve that one.
    @Test(arguments: [#""policy":"reload","write":[]"#, #""ttl":-1"#, #""policy":"reload","write":["results"]"#])
    func `the URL of a result serves its own bytes, whatever memory had under its key`(cache: String) async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let clients = [try await harness.client(), try await harness.client(of: other)]
        func request(_ cache: String) -> String { #"{"url":"http://origin.test/a","cache":{\#(cache)}}"# }
        let made = try await load(harness, clients[0], request(""))
        let path = try #require(made.renditions.first?["url"]?.string)
        let bases = [await harness.base, await "http://\(other.httpAddress)"]
        for (client, base) in zip(clients, bases) {
            #expect(try await client.call("image.load", request("")).error?.name == nil)
            #expect(String(decoding: try await HTTP.get(base + path).body, as: UTF8.self) == "picture")
        }
        let anew = try await load(harness, clients[0], request(cache), bytes: "another")
        #expect(anew.from == "remote", "\(anew)")
        #expect(String(decoding: try await HTTP.get(bases[0] + path).body, as: UTF8.self) == "another")
        try await Gate.until("the others have heard of it") { String(decoding: try await HTTP.get(bases[1] + path).body, as: UTF8.self) == "another" }
    }

    @Test func `cache.stats and cache.clear treat the three tiers separately`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        _ = try await load(harness, client, #"{"url":"http://origin.test/a"}"#)
        let coordinator = harness.coordinator
        try await coordinator.core.storage.sources.put(
            StoredImage(key: "s1", contentType: "image/png", info: [:], source: [:], bytes: Array("source".utf8), storedAt: WallClock.now))
        func counts() async throws -> [String: Int] {
            let tiers = try await client.call("cache.stats").body.object?.members ?? []
            return Dictionary(uniqueKeysWithValues: tiers.map { ($0.key, $0.value["count"]?.int ?? -1) })
        }
        #expect(try await counts() == ["memory": 1, "results": 1, "sources": 1])
        #expect(try await client.call("cache.stats", #"{"tier":"sources"}"#).body.object?.keys.sorted() == ["sources"])
        #expect(try await client.call("cache.clear", #"{"tier":"sources"}"#)["removed"]?.int == 1)
        #expect(try await counts() == ["memory": 1, "results": 1, "sources": 0])
        #expect(try await client.call("cache.clear", #"{"tier":"results"}"#)["removed"]?.int == 1)
        #expect(try await counts() == ["memory": 1, "results": 0, "sources": 0])
        #expect(try await client.call("cache.clear")["removed"]?.int == 1)
        #expect(try await counts() == ["memory": 0, "results": 0, "sources": 0])
    }

    @Test func `a result that only memory keeps is served with its bytes from memory`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let params = #"{"url":"http://origin.test/a","cache":{"write":["memory"],"read":["memory"]}}"#
        let first = try await load(harness, client, params)
        let path = try #require(first.renditions.first?["url"]?.string)
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.storage.memory.entry(String(path.dropFirst(ImagePath.prefix.count)))?.image != nil }
        try await harness.loseImages()
        await coordinator.core.storage.memory.markAllUnverified()
        #expect(try await client.call("image.load", params).from == "memory")
        #expect(try await HTTP.get(await harness.base + path).body == Data("picture".utf8))
    }

    @Test func `a request that reads only memory checks the store when memory is not verified`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        _ = try await load(harness, client, #"{"url":"http://origin.test/a"}"#)
        let params = #"{"url":"http://origin.test/a","cache":{"read":["memory"]}}"#
        await harness.coordinator.core.storage.memory.markAllUnverified()
        #expect(try await client.call("image.load", params).from == "memory")
        await harness.coordinator.core.storage.memory.markAllUnverified()
        try await harness.loseImages()
        #expect(try await load(harness, client, params).from == "remote")
    }

    @Test @Loop func `memory answers only requests that accept the age of the entry`() {
        let memory = MemoryTier(capacity: 1 << 20, metrics: Metrics())
        func info(_ key: String, age: Double, fresh: Double) -> ImageResult.Rendition {
            ["key": .string(key), "storedAt": JSON(WallClock.now - age), "expiresAt": JSON(WallClock.now + fresh)]
        }
        // One is kept for an hour because its request said so, and is fresh for a minute because its origin said so.
        memory.remember(renditions: [info("long", age: 100, fresh: 60), info("stale", age: 100, fresh: -1)], source: [:], lifetime: 3600)
        for (key, ttl, isGiven) in [
            ("long", nil, true), ("long", 3600, true), ("long", 101, true), ("long", 99, false), ("long", 0, false), ("stale", nil, false),
            ("stale", 3600, true), ("stale", 99, false),
        ] as [(String, Double?, Bool)] {
            #expect((memory.verified([key], ttl: ttl) != nil) == isGiven, "\(key) \(ttl ?? -1)")
            #expect((memory.miss([key], ttl: ttl) == .expired) == !isGiven)
        }
        #expect(memory.miss(["absent"], ttl: nil) == nil)
        // An entry that is kept for a moment answers no request after that.
        memory.remember(renditions: [info("short", age: 0, fresh: 60)], source: [:], lifetime: 0.000_001)
        #expect(memory.verified(["short"]) == nil)
    }

    @Test @Loop func `memory answers no longer than the result is kept`() {
        let memory = MemoryTier(capacity: 1 << 20, metrics: Metrics())
        memory.remember(
            renditions: [["key": "past", "expiresAt": JSON(WallClock.now - 1)], ["key": "future", "expiresAt": JSON(WallClock.now + 60)]], source: [:])
        #expect(memory.verified(["past"]) == nil)
        #expect(memory.verified(["future"])?.first.map { $0.expiresAt - Seconds.monotonic <= 60 } == true)
    }
}
