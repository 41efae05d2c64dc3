import TintypeCore
import Foundation
import TestSupport
import Testing

/// The effects of `cache` in a request, with a real worker and a real origin.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct CachePolicyTests {
    private func load(
        _ client: RPCClient, _ url: String, width: Int = 16, _ cache: String = "{}", layer: String? = nil, more: String = ""
    ) async throws -> RPCClient.Message {
        let composite = layer.map { #",{"op":"composite","url":"\#($0)"}"# } ?? ""
        return try await client.call(
            "image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":\#(width)}\#(composite)],"cache":\#(cache),"deadline":30\#(more)}"#)
    }

    private func reason(_ answer: RPCClient.Message) -> String? { answer.error?.data["reason"]?.string }

    @Test func `a refresh delivers the cached result, then says whether it has changed`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let same = deployment.url("/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        let first = try await load(client, same)
        #expect(client.notifications.isEmpty)
        let second = try await load(client, same, #"{"policy":"refresh"}"#, more: #","receipt":"again""#)
        #expect(second["notModified"]?.bool == true && second["updated"]?.bool == false, "\(second)")
        #expect(client.notifications.map { $0.type } == ["cached"])
        let shown = client.notifications.first?.params?["result"]
        func sum(_ result: JSON?) -> String? { result?["source"]?["sha256"]?.string }
        #expect(sum(shown) == sum(first.body) && shown?["from"]?.string == "results" && sum(second.body) == sum(first.body))

        let changing = deployment.url("/picture.png?size=64x48&after=1&with=Cache-Control:+max-age=60")
        _ = try await load(client, changing)
        let changed = try await load(client, changing, #"{"policy":"refresh"}"#)
        #expect(changed["updated"]?.bool == true && changed["notModified"]?.bool == false, "\(changed)")
        #expect(client.notifications.count == 2)
        // Without an entry it is like any other policy. With an entry and an origin that fails, the shown result stays.
        let unknown = try await load(client, deployment.url("/picture.png?size=64x49"), #"{"policy":"refresh"}"#)
        #expect(unknown.state == "succeeded" && client.notifications.count == 2)
        let failing = deployment.url("/status/404?after=1")
        _ = try await load(client, failing)
        let failed = try await load(client, failing, #"{"policy":"refresh"}"#)
        #expect(failed.error?.name == "httpStatus" && client.notifications.count == 3, "\(failed)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `without the network a request gets a cached result, or a reason`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        #expect(reason(try await load(client, url, #"{"policy":"only"}"#)) == "absent")
        #expect(reason(try await load(client, url, #"{"policy":"only","ttl":-1}"#)) == "ttlUnset")
        #expect(try await deployment.asked() == 0)
        _ = try await load(client, url)
        for (width, tier) in [(16, "memory"), (17, "sources")] {
            let found = try await load(client, url, width: width, #"{"policy":"only"}"#)
            #expect(found.from == tier, "\(found)")
        }
        #expect(reason(try await load(client, url, width: 18, #"{"policy":"only","version":2}"#)) == "version")
        #expect(reason(try await load(client, url, width: 18, #"{"policy":"only","scope":"anna"}"#)) == "absent")
        #expect(reason(try await load(client, url, width: 18, #"{"policy":"only","read":["memory","results"]}"#)) == "absent")
        let stale = deployment.url("/picture.png?size=64x50&with=Cache-Control:+max-age=0")
        _ = try await load(client, stale)
        #expect(reason(try await load(client, stale, #"{"policy":"only"}"#)) == "expired")
        #expect(try await deployment.asked() == 2)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a new rendition of a fresh source needs no download, and one of a stale source no body`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+max-age=60")
        for width in 10..<20 { #expect(try await load(client, url, width: width).state == "succeeded") }
        #expect(try await deployment.asked() == 1)
        let stale = deployment.url("/picture.png?size=65x48&with=Cache-Control:+no-cache")
        _ = try await load(client, stale)
        let bytes = try await deployment.counts()["bytes"]?.int
        for _ in 0..<3 {
            let again = try await load(client, stale)
            #expect(again.from == "sources" && again["notModified"]?.bool == true, "\(again)")
        }
        #expect(try await deployment.asked() == 5)
        #expect(try await deployment.counts()["bytes"]?.int == bytes)
    }

    @Test func `only the tiers that a request names are written and read`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func kept() async throws -> [String: Int] {
            let tiers = try await client.call("cache.stats").body.object?.members ?? []
            return Dictionary(uniqueKeysWithValues: tiers.map { ($0.key, $0.value["count"]?.int ?? -1) })
        }
        for (number, tiers) in [[], ["memory"], ["results"], ["sources"], ["memory", "results", "sources"]].enumerated() {
            let url = deployment.url("/picture.png?size=64x\(48 + number)&with=Cache-Control:+max-age=60")
            let write = tiers.map { "\"\($0)\"" }.joined(separator: ",")
            let first = try await load(client, url, #"{"write":[\#(write)]}"#, more: #","deliver":"inline""#)
            #expect(first.from == "remote", "\(first)")
            // With a request that reads only one tier, and writes none.
            for tier in ["memory", "results", "sources"] {
                let only = try await load(client, url, #"{"policy":"only","read":["\#(tier)"],"write":[]}"#)
                #expect(only.from == (tiers.contains(tier) ? tier : nil), "\(tiers) \(tier): \(only)")
            }
            // A result that is stored only for its URL is in no index. There are no such sources.
            #expect(try await kept()["sources"] == (tiers.contains("sources") ? 1 : 0), "\(tiers)")
            try await client.call("cache.clear")
        }
        #expect(try await deployment.asked() == 5)
    }

    @Test func `a request can set version, scope and key of its result`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48")
        for (cache, asked) in [
            (#"{"version":1}"#, 1), (#"{"version":1}"#, 1), (#"{"version":2}"#, 2), (#"{"version":2}"#, 2), (#"{"scope":"anna"}"#, 3),
            (#"{"scope":"anna"}"#, 3),
            (#"{"scope":"ben"}"#, 4), (#"{"key":"my-avatar"}"#, 5), (#"{"key":"my-avatar"}"#, 5),
        ] {
            let answer = try await load(client, url, cache)
            #expect(answer.state == "succeeded", "\(answer)")
            #expect(try await deployment.asked() == asked, "\(cache)")
        }
        #expect(try await HTTP.get(deployment.coordinators[0].base + "/images/my-avatar").status == 200)
        let refused = try await load(client, url, #"{"key":"0123456789abcdef0123456789abcdef01234567"}"#)
        #expect(refused.error?.data["path"]?.string == "cache.key", "\(refused)")
    }

    @Test func `scopes that differ only in the spelling of an accent share no private picture`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&with=Cache-Control:+private,+max-age=60")
        var keys: [String] = []
        for (scope, asked) in [("José", 1), ("Jose\u{301}", 2), ("José", 2), ("Jose\u{301}", 2)] {
            let answer = try await load(client, url, #"{"scope":"\#(scope)"}"#)
            #expect(try await deployment.asked() == asked && (answer.from == "remote") == (keys.count < asked), "\(scope): \(answer)")
            keys.append(answer["renditions"]?[0]?["key"]?.string ?? "")
        }
        #expect(keys[0] != keys[1] && keys[0] == keys[2] && keys[1] == keys[3] && !keys.contains(""), "\(keys)")
    }

    @Test func `concurrent requests share a download unless they differ in version or await`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48")
        let words = [#"{"version":1}"#, #"{"version":1,"write":["results"]}"#, #"{"version":2}"#, #"{"await":false}"#, "{}", #"{"write":[]}"#]
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        let answers = try await withThrowingTaskGroup(of: (Int, RPCClient.Message).self) { group in
            for (number, cache) in words.enumerated() {
                group.addTask { (number, try await self.load(client, url, cache, more: #","deliver":"inline""#)) }
            }
            try await Gate.until("all wait") { try await deployment.redis("ZCARD", "dl") == "\(words.count)" }
            try await client.call("queue.resume", #"{"queue":"default"}"#)
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let renditions = words.indices.map { answers[$0]?.renditions.first ?? [:] }
        #expect(renditions.map { $0["version"]?.int } == [1, 1, 2, nil, nil, nil], "\(answers)")
        #expect(renditions.allSatisfy { $0["data"]?.string?.isEmpty == false })
        #expect(try await deployment.asked() == 3, "inline waits for the store, whatever it says")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `private results are served with Cache-Control private`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func control(_ path: String, _ cache: String = "{}", under layer: String? = nil, more: String = "") async throws -> String? {
            let answer = try await load(client, deployment.url(path), cache, layer: layer.map { deployment.url($0) }, more: more)
            let image = answer.renditions.first?["url"]?.string
            let served = try await HTTP.get(deployment.coordinators[0].base + (image ?? ""))
            #expect(served.status == 200, "\(answer)")
            return served.headers["cache-control"]?.split(separator: ",").first.map(String.init)
        }
        #expect(try await control("/picture.png?size=64x48") == "public")
        #expect(try await control("/picture.png?size=64x48", #"{"scope":"anna"}"#) == "private")
        #expect(try await control("/picture.png?size=64x49", more: #","fetch":{"auth":{"bearer":"geheim"}}"#) == "private")
        #expect(try await control("/picture.png?size=64x50", more: #","fetch":{"cookies":"jar"}"#) == "private")
        #expect(try await control("/picture.png?size=64x51&with=Cache-Control:+private") == "private")
        #expect(try await control("/picture.png?size=64x52&with=Cache-Control:+no-store") == "no-store")
        // One private picture of two is enough.
        let (open, closed) = ("/picture.png?size=8x8", "/picture.png?size=8x9&with=Cache-Control:+private")
        #expect(try await control("/picture.png?size=64x53", under: open) == "public")
        #expect(try await control("/picture.png?size=64x54&with=Cache-Control:+private", under: open) == "private")
        #expect(try await control("/picture.png?size=64x55", under: closed) == "private")
    }

    @Test func `requests use a source that was put, and reasons are named`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48")
        let other = try await HTTP.get(deployment.url("/picture.png?size=20x10")).body
        _ = try await HTTP.get(deployment.origin.base + "/_reset")
        let put = try await client.call("cache.put", #"{"url":"\#(url)","tier":"sources","ttl":60,"data":"\#(other.base64EncodedString())"}"#)
        #expect(put.error == nil, "\(put)")
        let answer = try await load(client, url, #"{"await":false}"#)
        #expect(answer.from == "sources" && answer["source"]?["width"]?.int == 20, "\(answer)")
        #expect(try await deployment.asked() == 0)
        let key = answer.renditions.first?["key"]?.string ?? ""
        try await Gate.until("it is stored") { try await HTTP.get(deployment.coordinators[0].base + "/images/" + key).status == 200 }
        let rest = #""url":"\#(url)","transform":[{"op":"resize","width":16}],"tier":"results""#
        #expect(try await client.call("cache.get", "{\(rest)}").error == nil)
        #expect(reason(try await client.call("cache.get", #"{\#(rest),"cache":{"version":3}}"#)) == "version")
    }

    /// Another worker may continue a download that one has begun.
    @Test func `another worker continues a download when the first one is killed`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let url = deployment.url("/slow/picture.png?size=1200x900&rate=300000")
        async let answer = client.call(
            "image.load", #"{"url":"\#(url)","as":"bytes","receipt":"r","progress":{"interval":0,"fraction":0},"deadline":60}"#)
        _ = await client.notifications { $0.contains { $0.type == "started" } }
        let fetch = try await deployment.redis("HGET", "r:r", "fetch")
        let first = try #require(try await deployment.worker(of: fetch))
        _ = await client.notifications {
            $0.contains { ($0.params?["receivedBytes"]?.int ?? 0) > 1_800_000 }
        }
        await first.kill9()
        try await deployment.expireLeases(of: [fetch])
        let result = try await answer
        #expect(result["attempts"]?.int == 2 && result.state == "succeeded", "\(result)")
        let resumed = client.notifications.compactMap(\.params).filter { $0["resumedFrom"] != nil }
        let start = try #require(resumed.first?["resumedFrom"]?.int)
        #expect(start >= 1 << 20, "what had come in a second was kept")
        #expect(resumed.allSatisfy { $0["receivedBytes"]?.int ?? 0 >= start && $0["resumedFrom"]?.int == start }, "and counts from there")
        let source = result["source"]
        let whole = try await HTTP.get(deployment.url("/picture.png?size=1200x900")).body
        #expect(source?["bytes"]?.int == whole.count)
        let path = result.renditions.first?["url"]?.string ?? ""
        #expect(try await HTTP.get(deployment.coordinators[0].base + path).body == whole)
        #expect(try await deployment.violations(client) == [])
    }
}
