import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Coordinator
import TintypeSettings

/// `cache.*` and `PUT /images/{key}` on a real Redis and a real folder.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .serialized, .scoped) struct CacheMethodsTests {
    private static let url = #""url":"http://origin.test/a""#
    private static let png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3].map { UInt8($0) }

    private func load(_ harness: CoordinatorHarness, _ client: RPCClient, _ params: String) async throws -> RPCClient.Message {
        async let answer = client.call("image.load", params)
        try await harness.worker.succeed(try await harness.worker.claim())
        return try await answer
    }

    private func rendition(_ message: RPCClient.Message) throws -> JSON { try #require(message.renditions.first) }

    private func tiers(_ message: RPCClient.Message) -> [String]? { message["tiers"]?.strings }

    private func reason(_ message: RPCClient.Message) -> String? {
        guard message.error?.code == 1030 else { return nil }
        return message.error?.data["reason"]?.string
    }

    private func file(_ harness: CoordinatorHarness, _ key: String) -> String { "\(harness.results.path)/\(key.prefix(2))/\(key)" }

    @Test func `cache.contains names the tiers that have all renditions of a request`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        #expect(tiers(try await client.call("cache.contains", "{\(Self.url)}")) == [])
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        #expect(tiers(try await client.call("cache.contains", "{\(Self.url)}")) == ["memory", "results"])
        #expect(tiers(try await client.call("cache.contains", "{\"request\":{\(Self.url)}}")) == ["memory", "results"])
        #expect(tiers(try await client.call("cache.contains", #"{"key":"\#(key)"}"#)) == ["memory", "results"])
        #expect(tiers(try await client.call("cache.contains", #"{"key":"\#(key)","tier":"results"}"#)) == ["results"])
        let two = #"{\#(Self.url),"renditions":[{"name":"a"},{"name":"b","transform":[{"op":"resize","width":5}]}]}"#
        #expect(tiers(try await client.call("cache.contains", two)) == [])
        #expect(try await client.call("cache.contains", #"{"key":"\#(key)",\#(Self.url)}"#).error?.name == "invalidParams")
        #expect(try await client.call("cache.contains", "{}").error?.name == "invalidParams")
    }

    @Test @Loop func `cache.contains names no tier whose entry is older than the ttl of the request`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        let old = WallClock.now - 100
        async let answer = client.call("image.load", "{\(Self.url)}")
        try await harness.worker.succeed(try await harness.worker.claim(), storedAt: old)
        let key = try #require(rendition(try await answer)["key"]?.string)
        let source = CachedSource(
            info: SourceInfo(url: "u", finalURL: "u", status: 200, bytes: 1), contentType: nil, bytes: [1],
            freshness: Freshness([], requestedAt: old, receivedAt: old), storedAt: old, version: 0)
        let target = try CacheTarget(["url": "http://origin.test/a"], .none, harness.coordinator.core.admission.keys)
        try await harness.coordinator.core.storage.sources.put(source.stored(as: target.source, ttl: 3600, longest: 3600))
        for tier in ["memory", "results", "sources"] {
            for (ttl, found) in [(3600, [tier]), (60, [])] {
                let params = #"{\#(Self.url),"tier":"\#(tier)","cache":{"ttl":\#(ttl)}}"#
                #expect(tiers(try await client.call("cache.contains", params)) == found, "\(tier), \(ttl)")
            }
        }
        #expect(tiers(try await client.call("cache.contains", #"{"key":"\#(key)"}"#)) == ["memory", "results"], "a key alone has no ttl")
    }

    @Test @Loop func `results and sources of a canceled request are removed, and sources of other fetches stay`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        let sources = harness.coordinator.core.storage.sources
        for (name, fetch) in [("own", "f:1"), ("other", "f:2")] {
            try await sources.put(
                StoredImage(
                    key: name, contentType: "image/png", info: ["fetch": .string(fetch)], source: [:], bytes: Self.png, storedAt: WallClock.now,
                    expiresAt: WallClock.now + 600))
        }
        await harness.coordinator.core.storage.cache.takeBack([key], sources: ["own", "other"], of: "f:1")
        #expect(try await !sources.contains("own"))
        #expect(try await sources.contains("other"))
        #expect(try await !harness.coordinator.core.storage.results.contains(key))
        #expect(harness.coordinator.core.storage.memory.entry(key)?.image == nil)
    }

    /// One thread serves the folder, in the order in which it is asked: the look at the source, then the source of another fetch.
    @Test @Loop func `a source that another fetch has put after the look at the canceled one stays`() async throws {
        let harness = try await CoordinatorHarness()
        let sources = harness.coordinator.core.storage.sources
        func image(_ fetch: String) -> StoredImage {
            StoredImage(
                key: "own", contentType: "image/png", info: ["fetch": .string(fetch)], source: [:], bytes: Self.png, storedAt: WallClock.now,
                expiresAt: WallClock.now + 600)
        }
        try await sources.put(image("f:1"))
        let later = image("f:2")
        async let takenBack: Void = harness.coordinator.core.storage.cache.takeBack([], sources: ["own"], of: "f:1")
        async let put: Void = sources.put(later)
        await takenBack
        try await put
        #expect(try await sources.get("own") == later)
    }

    @Test func `cache.get answers only from the cache, and a miss has a reason`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        #expect(reason(try await client.call("cache.get", "{\(Self.url)}")) == "absent")
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        let found = try await client.call("cache.get", #"{\#(Self.url),"deliver":"inline","tier":"results"}"#)
        #expect(found.from == "results" && found.state == "succeeded")
        #expect(try rendition(found)["data"]?.string == Data("picture".utf8).base64EncodedString())
        #expect(try rendition(found)["stored"]?.strings == ["results"])
        // A request that named only a store does not fill memory.
        #expect(await harness.coordinator.core.storage.memory.entry(key)?.image == nil)
        #expect(try await client.call("cache.get", #"{"key":"\#(key)"}"#).from == "results")
        #expect(try await client.call("cache.get", #"{"key":"\#(key)"}"#).from == "memory")
        #expect(reason(try await client.call("cache.get", #"{"key":"\#(key)","tier":"sources"}"#)) == "absent")
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file(harness, key)))
        try handle.seek(toOffset: 60)
        try handle.write(contentsOf: Data([0xff]))
        #expect(reason(try await client.call("cache.get", #"{"key":"\#(key)"}"#)) == "unreadable")
        #expect(reason(try await client.call("cache.get", #"{"key":"\#(key)"}"#)) == "absent")
    }

    @Test @Loop func `a picture that somebody only looks at does not enter memory`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        for (name, query, isKept) in [("b", "?memory=no", false), ("c", "?memory=yes", true), ("d", "", true)] {
            let key = try #require(rendition(try await load(harness, client, #"{"url":"http://origin.test/\#(name)"}"#))["key"]?.string)
            _ = harness.coordinator.core.storage.memory.clear()
            let looked = try await HTTP.get(harness.base + "/images/\(key)\(query)")
            #expect(looked.status == 200 && looked.body == Data("picture".utf8))
            #expect((harness.coordinator.core.storage.memory.entry(key)?.image != nil) == isKept, "\(query)")
        }
        // The dashboard shows no traffic of its own.
        let counted = harness.coordinator.core.process.metrics.totals(of: [.httpRequests])
        #expect(counted.sum(of: .httpRequests) { $0.first == "looks" } == 1 && counted.sum(of: .httpRequests) { $0.first == "images" } == 2)
    }

    @Test func `a damaged result is made again when its bytes are delivered`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file(harness, key)))
        try handle.seek(toOffset: 60)
        try handle.write(contentsOf: Data([0xff]))
        let again = try await load(harness, client, #"{\#(Self.url),"deliver":"inline"}"#)
        #expect(again.from == "remote")
        #expect(try rendition(again)["data"]?.string == Data("picture".utf8).base64EncodedString())
    }

    @Test func `bytes of a client cannot become the source of a request that decrypts`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let request = #"\#(Self.url),"as":"bytes","fetch":{"decrypt":"mine"}"#
        let data = Data(Self.png).base64EncodedString()
        for params in [#"{\#(request),"tier":"sources","data":"\#(data)"}"#, #"{"request":{\#(request)},"tier":"sources","data":"\#(data)"}"#] {
            let refused = try await client.call("cache.put", params)
            #expect(refused.error?.name == "invalidParams", "\(refused)")
            #expect(refused.error?.data["path"]?.string == "fetch.decrypt")
        }
        #expect(tiers(try await client.call("cache.contains", #"{\#(request),"tier":"sources"}"#)) == [])
        // The decrypted picture itself can be put: no key is needed to read it.
        #expect(try await client.call("cache.put", #"{\#(request),"data":"\#(data)"}"#).error == nil)
    }

    @Test func `an image that was put answers a request and is served`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let other = try await harness.client(of: try await harness.another())
        _ = try await load(harness, client, "{\(Self.url)}")
        _ = try await other.call("image.load", "{\(Self.url)}")
        let data = Data(Self.png).base64EncodedString()
        let put = try await client.call("cache.put", #"{\#(Self.url),"data":"\#(data)","ttl":100}"#)
        let key = try #require(put["key"]?.string)
        #expect(put["bytes"]?.int == Self.png.count)
        for one in [client, other] {
            while true {
                let answer = try await one.call("image.load", "{\(Self.url)}")
                let found = try rendition(answer)
                // The other coordinator learns of the image a moment later.
                guard found["contentType"]?.string == "image/png", found["bytes"]?.int == Self.png.count else {
                    try await Task.sleep(for: .milliseconds(10))
                    continue
                }
                #expect(found["key"]?.string == key && answer.from != "remote")
                break
            }
        }
        #expect(try await HTTP.get(await harness.base + "/images/" + key).body == Data(Self.png))
        #expect(try await client.call("cache.put", #"{\#(Self.url),"data":"no base64!"}"#).error?.name == "invalidParams")
        #expect(try await client.call("cache.put", #"{\#(Self.url),"queue":"nobody","data":"\#(data)"}"#).error?.name == "unknownQueue")
        // A source is stored in its own tier.
        let source = try await client.call("cache.put", #"{\#(Self.url),"tier":"sources","data":"\#(data)"}"#)
        #expect(tiers(try await client.call("cache.contains", #"{\#(Self.url),"tier":"sources"}"#)) == ["sources"])
        #expect(source["key"]?.string != key)
        let stored = try await client.call("cache.get", #"{\#(Self.url),"tier":"sources","deliver":"inline"}"#)
        #expect(try rendition(stored)["data"]?.string == data, "\(stored)")
        // A negative ttl stores nothing.
        _ = try await client.call("cache.put", #"{"key":"mine","data":"\#(data)","ttl":-1}"#)
        #expect(tiers(try await client.call("cache.contains", #"{"key":"mine"}"#)) == [])
    }

    @Test func `an image that was put is a complete result`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        // A GIF of 3 × 2 pixels with one frame.
        let gif: [UInt8] = Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 3, 0, 2, 0, 0, 2, 1, 0, 0, 0x3b]
        for tier in ["results", "sources"] {
            _ = try await client.call("cache.put", #"{\#(Self.url),"tier":"\#(tier)","data":"\#(Data(gif).base64EncodedString())"}"#)
            let found = try await client.call("cache.get", #"{\#(Self.url),"tier":"\#(tier)"}"#)
            let info = try rendition(found)
            #expect(info["format"]?.string == "gif" && info["frames"]?.int == 1, "\(found)")
            #expect(info["width"]?.int == 3 && info["height"]?.int == 2, "\(found)")
        }
    }

    @Test func `a spilled result is in no tier`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let answer = try await load(harness, client, #"{\#(Self.url),"cache":{"write":[]}}"#)
        let key = try #require(rendition(answer)["key"]?.string)
        #expect(try await harness.coordinator.core.storage.results.get(key)?.bytes == Array("picture".utf8), "whoever was told of it fetches it")
        #expect(tiers(try await client.call("cache.contains", #"{"key":"\#(key)"}"#)) == [])
        let stats = try await client.call("cache.stats", #"{"tier":"results"}"#)
        #expect(stats["results"]?["count"]?.int == 0, "\(stats)")
        #expect(reason(try await client.call("cache.get", #"{"key":"\#(key)"}"#)) == "absent")
        let only = #"{\#(Self.url),"cache":{"policy":"only","read":["memory","results"]}}"#
        #expect(reason(try await client.call("image.load", only)) == "absent")
    }

    @Test func `a result that is too old gives the same answer to cache.get and to policy only`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        // The index forgets an entry a little sooner than the store.
        try await harness.worker.queue.forget(results: [key])
        var old = try #require(try await harness.coordinator.core.storage.results.get(key))
        var info = try #require(old.info.object)
        info["expiresAt"] = JSON(WallClock.now - 1)
        old.info = .object(info)
        try await harness.coordinator.core.storage.results.put(old)
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        #expect(reason(try await client.call("cache.get", #"{\#(Self.url),"tier":"results"}"#)) == "expired")
        let only = #"{\#(Self.url),"cache":{"policy":"only","read":["results"]}}"#
        #expect(reason(try await client.call("image.load", only)) == "expired")
    }

    /// Without the optimizer, the walk over so many blocks takes longer than a turn may.
    @Test(.freesLoop) @Loop func `the hash and the header of a long image that is put leave the loop free`() async throws {
        let head = Array("GIF89a".utf8) + [7, 0, 5, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 7, 0, 5, 0, 0, 2]
        let bytes = await Task.detached {
            var blocks: [UInt8] = [1, 0]
            while blocks.count < 32 << 20 { blocks += blocks }
            return head + blocks + [0, 0x3b]
        }.value
        let target = try CacheTarget(["key": "mine"], .none, .none, besideKey: [])
        let put = try await PutImage.of(target, bytes, contentType: nil, ttl: nil)
        #expect(put.image.rendition.sha256 == Digest.sha256Hex(bytes) && put.image.bytes.count == bytes.count && put.image.info["frames"] == 1)
    }

    @Test func `large images are put over HTTP`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let bytes = Self.png + [UInt8](repeating: 7, count: 6 << 20)
        let folder = try TemporaryFolder("put")
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/picture"))
        let base = await harness.base
        func send(_ path: String, _ method: String, _ more: String...) async throws -> HTTP.Response {
            let headers = (["Content-Type: image/png", "Expect:"] + more).flatMap { ["-H", $0] }
            return try await HTTP.get(base + path, ["-X", method, "--data-binary", "@\(folder.path)/picture"] + headers)
        }
        let put = try await send("/images/mine?ttl=60&tier=results", "PUT")
        #expect(put.status == 201 && put.headers["location"] == "/images/mine")
        #expect(try JSON(parsing: [UInt8](put.body)) == ["key": "mine", "bytes": JSON(bytes.count)])
        #expect(tiers(try await client.call("cache.contains", #"{"key":"mine"}"#)) == ["results"])
        let got = try await HTTP.get(base + "/images/mine")
        #expect(got.body == Data(bytes))
        #expect(try await send("/images/mine?ttl=60&tier=results", "PUT", "If-None-Match: *").status == 412)
        let tag = try #require(got.headers["etag"])
        #expect(try await send("/images/mine?ttl=60&tier=results", "PUT", "If-Match: \(tag)").status == 201)
        #expect(try await send("/images/mine", "PUT", "If-None-Match: \"a\"", "If-None-Match: *").status == 412)
        #expect(try await send("/images/mine", "PUT", "If-Match: \"a\"", "if-match: \(tag)").status == 201)
        #expect(try await HTTP.get(base + "/images/mine", ["-H", "If-None-Match: \"a\"", "-H", "If-None-Match: \(tag)"]).status == 304)
        #expect(try await send("/images/mine", "PUT", "Content-Range: bytes 0-9/99").status == 400)
        #expect(try await send("/images/mine", "PUT", "Content-Encoding: gzip").status == 415)
        #expect(try await send("/images/mine", "PUT", "Content-Encoding: identity").status == 201)
        #expect(try await HTTP.get(base + "/images/mine", ["--head", "-H", "Range: bytes=0-9"]).status == 200)
        #expect(try await send("/images/mine?ttl=soon", "PUT").status == 400)
        #expect(try await send("/rpc", "POST").status == 413)
    }

    @Test func `cache.remove removes the bytes, the index entry and the memory of all coordinators`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let second = try await harness.another()
        let other = try await harness.client(of: second)
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        _ = try await other.call("image.load", "{\(Self.url)}")
        #expect(await second.core.storage.memory.knows([key]))
        let index = "tintype:{default}:x:" + key
        #expect(try await harness.redis.command("EXISTS", index) == "1")
        let removed = try await client.call("cache.remove", "{\(Self.url)}")
        #expect(removed["removed"]?.int == 2)
        #expect(try await harness.redis.command("EXISTS", index) == "0")
        #expect(await !harness.coordinator.core.storage.memory.knows([key]))
        try await harness.until { !second.core.storage.memory.knows([key]) }
        #expect(tiers(try await client.call("cache.contains", "{\(Self.url)}")) == [])
        #expect(try await load(harness, other, "{\(Self.url)}").from == "remote")
        #expect(try await client.call("cache.remove", #"{"key":"nothing"}"#)["removed"]?.int == 0)
    }

    @Test func `removing a source removes its partial download`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let data = Base64.text(of: Self.png)
        for key in ["one", CachedSource.beginning(of: "one")] {
            _ = try await client.call("cache.put", #"{"key":"\#(key)","tier":"sources","data":"\#(data)"}"#)
            #expect(tiers(try await client.call("cache.contains", #"{"key":"\#(key)"}"#)) == ["sources"])
        }
        #expect(try await client.call("cache.remove", #"{"key":"one"}"#)["removed"]?.int == 2)
        #expect(tiers(try await client.call("cache.contains", #"{"key":"\#(CachedSource.beginning(of: "one"))"}"#)) == [])
    }

    @Test func `memory without bytes does not answer when a result is removed from the store`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let key = try #require(rendition(try await load(harness, client, "{\(Self.url)}"))["key"]?.string)
        #expect(try await client.call("cache.remove", #"{"key":"\#(key)","tier":"results"}"#)["removed"]?.int == 1)
        #expect(try await load(harness, client, "{\(Self.url)}").from == "remote")
    }

    @Test func `pictures are delivered while the result store is down, and indexed ones are made again`() async throws {
        let harness = try await CoordinatorHarness { $0.common.results = "redis://127.0.0.1:1" }
        let client = try await harness.client()
        let (redis, held) = await (harness.worker.redis, SpilledResults(harness.worker.nodes))
        func load(_ params: String) async throws -> RPCClient.Message {
            async let answer = client.call("image.load", params)
            let fetch = try await harness.worker.claim()
            let key = fetch.renditions[0].digest
            let info: JSON = ["key": .string(key), "sha256": .string(Digest.sha256Hex(Array("picture".utf8)))]
            _ = await held.hold(
                StoredImage(key: key, contentType: "image/png", info: info, source: [:], bytes: Array("picture".utf8), storedAt: WallClock.now))
            try await harness.worker.succeed(fetch, stores: false)
            return try await answer
        }
        let first = try await load(#"{\#(Self.url),"deliver":"inline"}"#)
        #expect(try rendition(first)["data"]?.string == Data("picture".utf8).base64EncodedString())
        let key = try #require(rendition(first)["key"]?.string)
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        #expect(try await HTTP.get(await harness.base + "/images/" + key).body == Data("picture".utf8))
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        #expect(try await client.call("image.load", "{\(Self.url)}").from == "results")
        _ = try await redis.command(["DEL", .string("tintype:held:" + key)])
        try await client.call("cache.clear", #"{"tier":"memory"}"#)
        #expect(try await load(#"{\#(Self.url),"deliver":"inline"}"#).from == "remote")
    }

    @Test func `members without effect are refused by name`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let data = Base64.text(of: Self.png)
        func path(_ method: String, _ params: String) async throws -> String? {
            let answer = try await client.call(method, params)
            return answer.error?.name == "invalidParams" ? answer.error?.data["path"]?.string : nil
        }
        #expect(try await path("cache.get", #"{"request":{\#(Self.url)},"deliver":"inline"}"#) == "deliver")
        #expect(try await path("cache.put", #"{"request":{\#(Self.url)},"queue":"bulk","data":"\#(data)"}"#) == "queue")
        #expect(try await path("cache.get", #"{"key":"k","output":{"format":"png"}}"#) == "output")
        #expect(try await path("cache.contains", #"{"key":"k","deliver":"inline"}"#) == "deliver")
        #expect(try await path("cache.remove", #"{"key":"k","queue":"default"}"#) == "queue")
        // Members that have an effect, and null members, are accepted.
        #expect(try await client.call("cache.put", #"{"key":"k","queue":"default","data":"\#(data)","output":null}"#).error == nil)
        let found = try await client.call("cache.get", #"{"key":"k","deliver":"inline"}"#)
        #expect(try rendition(found)["data"]?.string == data, "\(found)")
        let base = await harness.base
        for query in ["key=other", "data=eA==", "deliver=inline", "tll=5"] {
            let put = try await HTTP.get(base + "/images/mine?\(query)", ["-X", "PUT", "--data-binary", "picture"])
            #expect(put.status == 400, "\(query): \(put.status)")
        }
        #expect(tiers(try await client.call("cache.contains", #"{"key":"other"}"#)) == [])
        #expect(try await HTTP.get(base + "/images/mine?queue=default&ttl=60", ["-X", "PUT", "--data-binary", "picture"]).status == 201)
    }

    @Test func `a cached result has all members of metrics`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func names(_ answer: RPCClient.Message) -> Set<String> { Set(answer["metrics"]?.object?.keys ?? []) }
        _ = try await load(harness, client, "{\(Self.url)}")
        let answers = [
            try await client.call("image.load", "{\(Self.url)}"), try await client.call("cache.get", "{\(Self.url)}"),
            try await client.call("image.load", #"{\#(Self.url),"cache":{"read":["results"]}}"#),
            try await client.call(
                "image.load",
                ##"{"url":"http://origin.test/none","cache":{"policy":"only","read":["memory","results"]},"fallback":{"color":"#ccc","width":2,"height":2}}"##),
        ]
        #expect(answers.map { $0.from } == ["memory", "results", "results", "fallback"])
        for answer in answers { #expect(names(answer) == Set(ResultTimes.names), "\(answer)") }
    }

    @Test func `cache.trim removes expired entries`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let coordinator = harness.coordinator
        for (key, end) in [("over", WallClock.now - 1), ("good", WallClock.now + 100)] {
            try await coordinator.core.storage.results.put(
                StoredImage(key: key, contentType: "image/png", info: [:], source: [:], bytes: Self.png, storedAt: WallClock.now, expiresAt: end))
        }
        #expect(try await client.call("cache.trim")["removed"]?.int == 1)
        #expect(tiers(try await client.call("cache.contains", #"{"key":"good"}"#)) == ["results"])
    }

    @Test func `inline bytes do not fill memory when the request does not write memory`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let params = #"{\#(Self.url),"deliver":"inline","cache":{"write":["results"]}}"#
        let key = try #require(rendition(try await load(harness, client, params))["key"]?.string)
        #expect(try await client.call("image.load", params).from == "results")
        #expect(await !harness.coordinator.core.storage.memory.knows([key]))
    }
}
