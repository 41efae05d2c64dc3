import Foundation
import TestSupport
import Testing
import TintypeCore

/// Purges with whole processes: real coordinators, workers, stores and origins.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PurgeTests {
    private static let age = "&with=Cache-Control:+max-age=600"

    private func load(_ client: RPCClient, _ url: String, width: Int = 16, cache: String = "{}", more: String = "") async throws -> RPCClient.Message {
        try await client.call(
            "image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":\#(width)}],"cache":\#(cache),"deadline":30\#(more)}"#)
    }

    private func purge(_ client: RPCClient, _ way: String, _ text: String) async throws -> [Int?] {
        let answer = try await client.call("cache.purge", #"{"\#(way)":\#(JSON.string(text).text)}"#)
        #expect(answer.error == nil, "\(answer)")
        return ["results", "sources", "fetches"].map { answer[$0]?.int }
    }

    private func tiers(_ client: RPCClient, _ url: String, width: Int = 16, cache: String = "{}") async throws -> [String]? {
        try await client.call("cache.contains", #"{"url":"\#(url)","transform":[{"op":"resize","width":\#(width)}],"cache":\#(cache)}"#)["tiers"]?.strings?
            .filter { $0 != "sources" }
    }

    private func hasSource(_ client: RPCClient, _ url: String) async throws -> Bool {
        try await client.call("cache.contains", #"{"url":"\#(url)","tier":"sources"}"#)["tiers"]?.strings == ["sources"]
    }

    @Test(arguments: ["folder", "redis"]) func `a purge removes all sizes of a URL, its source, and the memory of all coordinators`(kind: String) async throws {
        let other = kind == "redis" ? try await RedisServer() : nil
        let deployment = try await Deployment(coordinators: 2, store: other?.url)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        let (url, stays) = (deployment.url("/picture.png?size=64x48" + Self.age), deployment.url("/picture.png?size=64x49" + Self.age))
        for client in [one, two] {
            for width in [16, 17] { #expect(try await load(client, url, width: width).state == "succeeded") }
            #expect(try await load(client, stays).state == "succeeded")
        }
        #expect(try await deployment.asked() == 2)
        let key = try #require(try await load(one, url).renditions.first?["key"]?.string)
        let http = "http://\(deployment.coordinators[1].ready["http"] ?? "")"
        #expect(try await HTTP.get("\(http)/images/\(key)").status == 200)
        #expect(try await purge(one, "url", url) == [2, 1, 0])
        for client in [one, two] {
            try await Gate.until("the memory is purged") { try await tiers(client, url) == [] }
            #expect(try await tiers(client, stays) == ["memory", "results"])
            #expect(try await !hasSource(client, url))
        }
        #expect(try await HTTP.get("\(http)/images/\(key)").status == 404)
        #expect(try await load(two, url, width: 18).from == "remote")
        #expect(try await load(two, stays, width: 18).from == "sources")
        #expect(try await deployment.asked() == 3)
        // Once more, by another spelling of the host and the beginning of the path.
        #expect(try await purge(two, "prefix", deployment.url("/").replacing("http:", with: "HTTP:")) == [3, 0, 0])
        #expect(try await !hasSource(one, stays))
        #expect(try await load(one, stays, width: 19).from == "remote")
        #expect(try await purge(two, "prefix", deployment.url("/other")) == [0, 0, 0])
        #expect(try await deployment.violations(one) == [])
    }

    @Test func `no character of a prefix has a meaning of its own`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func url(_ name: String) -> String { deployment.url("/picture.png?size=64x48\(Self.age)&name=\(name)") }
        let names = ["a*b", "axb", "[ab]", "a", "a%3Fb", "a?b", "%5C*", #"a\\b"#, "a%25"]
        for name in names { #expect(try await load(client, url(name)).state == "succeeded", "\(name)") }
        for (prefix, hit) in [("a*", 1), ("[", 1), ("a?", 1), ("%5C", 1), ("a%", 2), ("?", 0), ("*", 0), ("a", 3)] {
            #expect(try await purge(client, "prefix", url(prefix)).first == hit, "\(prefix)")
        }
        for wrong in ["https://example.org", "https://exa", "*", "", "ftp://a/", "data:image/png,", "upload:", "https:///", "https://example.org/#a"] {
            #expect(try await client.call("cache.purge", #"{"prefix":"\#(wrong)"}"#).error?.name == "invalidParams", "\(wrong)")
        }
        #expect(try await client.call("cache.purge", #"{"prefix":"http://a/","tag":"b"}"#).error?.name == "invalidParams")
        #expect(try await client.call("cache.purge", "{}").error?.name == "invalidParams")
    }

    @Test func `a download under way answers those who wait, and neither store nor memory keeps it`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        let url = deployment.url("/picture.png?size=64x48&gate=g&after=1" + Self.age)
        async let first = load(one, url, cache: #"{"ttl":600}"#)
        async let memory = load(one, url, width: 17, cache: #"{"ttl":600,"write":["memory","sources"]}"#)
        try await Gate.until("the origin is asked") { try await deployment.asked() == 1 }
        try await Gate.until("both wait") { try await deployment.redis("ZCARD", "dl").trimmingCharacters(in: .whitespacesAndNewlines) == "2" }
        #expect(try await purge(two, "url", url) == [0, 0, 1])
        // A client that asks now joins no old download.
        async let later = load(two, url, cache: #"{"ttl":600}"#)
        try await Gate.until("the origin is asked again") { try await deployment.asked() == 2 }
        #expect(try await HTTP.get(deployment.url("/_open?gate=g")).status == 200)
        let old = try await first
        let unkept = try await memory
        #expect(unkept.state == "succeeded" && unkept.renditions.first?["stored"]?.strings == [], "\(unkept)")
        #expect(old.state == "succeeded" && old["purged"]?.bool == true, "\(old)")
        #expect(old.renditions.first?["stored"]?.strings == [], "\(old)")
        for client in [one, two] { #expect(try await tiers(client, url, width: 17, cache: #"{"ttl":600}"#) == []) }
        #expect(try await HTTP.get(deployment.url("/_open?gate=g")).status == 200)
        let new = try await later
        #expect(new.state == "succeeded" && new["purged"] == nil, "\(new)")
        let (before, after) = (old["source"]?["sha256"]?.string, new["source"]?["sha256"]?.string)
        #expect(before != nil && after != nil && before != after)
        for client in [one, two] {
            let again = try await load(client, url, cache: #"{"ttl":600}"#)
            #expect(["memory", "results"].contains(again.from) && again["source"]?["sha256"]?.string == after, "\(again)")
            let larger = try await load(client, url, width: 20, cache: #"{"ttl":600}"#)
            #expect(larger["source"]?["sha256"]?.string == after, "\(larger)")
        }
        #expect(try await deployment.asked() == 2)
        #expect(try await deployment.violations(one) == [])
    }

    @Test func `a source from before a purge is used no more, and one from afterwards is`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48" + Self.age)
        let only = #"{"write":["sources"]}"#
        #expect(try await load(client, url, cache: only).from == "remote")
        for _ in 0..<3 {
            #expect(try await load(client, url, width: 17, cache: only).from == "sources")
            #expect(try await purge(client, "prefix", deployment.url("/pic")) == [0, 0, 0])
            #expect(try await load(client, url, width: 17, cache: #"{"policy":"only"}"#).error?.data["reason"]?.string == "absent")
            #expect(try await load(client, url, width: 18, cache: only).from == "remote")
        }
        // So it is with a source that a client puts.
        let put = #"{"url":"\#(url)","tier":"sources","data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}"#
        #expect(try await client.call("cache.put", put)["bytes"]?.int == 42)
        #expect(try await hasSource(client, url))
        #expect(try await purge(client, "prefix", deployment.url("/pic")) == [0, 0, 0])
        #expect(try await !hasSource(client, url))
    }

    @Test func `a tag purges what requests with the tag got, whoever made it, and no other scope`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (one, two) = (try deployment.client(0), try deployment.client(1))
        func url(_ name: String) -> String { deployment.url("/picture.png?size=64x48\(Self.age)&name=\(name)") }
        func tagged(_ tags: String..., more: String = "") -> String { #"{"tags":[\#(tags.map { "\"\($0)\"" }.joined(separator: ","))]\#(more)}"# }
        #expect(try await load(one, url("a"), cache: tagged("red")).state == "succeeded")
        #expect(try await load(one, url("b"), cache: tagged("red", "blue")).state == "succeeded")
        #expect(try await load(one, url("b"), width: 17).from == "sources")
        // Made without a tag, then answered from memory, or from the index at another coordinator.
        for name in ["c", "d"] { #expect(try await load(one, url(name)).state == "succeeded") }
        #expect(try await load(one, url("c"), cache: tagged("blue")).from == "results")
        #expect(try await load(one, url("c"), cache: tagged("blue")).from == "memory")
        #expect(try await load(two, url("d"), cache: tagged("blue")).from == "results")
        #expect(try await load(one, url("e"), cache: tagged("blue", more: #","write":["memory"]"#)).state == "succeeded")
        #expect(try await load(one, url("f"), cache: tagged("blue", more: #","scope":"anna""#)).state == "succeeded")
        #expect(try await load(one, url("g")).state == "succeeded")
        #expect(try await purge(two, "tag", "green") == [0, 0, 0])
        #expect(try await purge(two, "tag", "blue") == [3, 3, 0])
        for client in [one, two] {
            for name in ["b", "c", "d", "e"] { try await Gate.until("\(name) is purged") { try await tiers(client, url(name)) == [] } }
            for name in ["a", "g"] { #expect(try await tiers(client, url(name)) == (client === one ? ["memory", "results"] : ["results"]), "\(name)") }
            #expect(try await tiers(client, url("f"), cache: #"{"scope":"anna"}"#)?.contains("results") == true)
        }
        #expect(try await load(one, url("b"), cache: tagged("red")).from == "remote")
        #expect(try await purge(one, "tag", "red") == [2, 2, 0])
        #expect(try await tiers(two, url("g")) == ["results"])
        #expect(try await deployment.violations(one) == [])
    }

    @Test func `purged results of the second place do not come back`() async throws {
        let first = try await Deployment()
        let old = try first.client()
        let (url, tagged) = (first.url("/picture.png?size=64x48" + Self.age), first.url("/picture.png?size=64x49" + Self.age))
        for url in [url, tagged] { #expect(try await load(old, url).state == "succeeded") }
        let deployment = try await Deployment(coordinatorArguments: ["--results-fallback", "file://\(first.results.path)"])
        let client = try deployment.client()
        let tags = #"{"tags":["red"]}"#
        let found = try await load(client, url)
        let key = try #require(found.renditions.first?["key"]?.string)
        #expect(found.from == "results")
        #expect(try await load(client, tagged, cache: tags).from == "results")
        #expect(try await purge(client, "url", url).first == 1)
        #expect(try await purge(client, "tag", "red").first == 1)
        let http = "http://\(deployment.coordinators[0].ready["http"] ?? "")"
        #expect(try await HTTP.get("\(http)/images/\(key)").status == 404)
        #expect(try await load(client, url).from == "remote")
        #expect(try await load(client, tagged).from == "remote")
    }

    @Test func `a tag purges a download under way`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48&gate=g" + Self.age)
        async let first = load(client, url, cache: #"{"tags":["red"]}"#)
        try await Gate.until("the origin is asked") { try await deployment.asked() == 1 }
        #expect(try await purge(deployment.client(), "tag", "red").last == 1)
        #expect(try await HTTP.get(deployment.url("/_open?gate=g")).status == 200)
        let old = try await first
        #expect(old.state == "succeeded" && old["purged"]?.bool == true, "\(old)")
        #expect(try await tiers(client, url) == [])
        #expect(try await !hasSource(client, url))
    }

    /// Starts a deployment that knows these tokens, a line each.
    private static func guarded(_ tokens: String) async throws -> Deployment {
        let folder = try TemporaryFolder("tokens")
        try Data(tokens.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        // The folder goes with its last owner.
        TestScope.atEnd { [folder] in _ = folder }
        return try await Deployment(coordinatorArguments: ["--token-file", folder.path + "/tokens"])
    }

    private static func client(of deployment: Deployment, _ token: String) async throws -> RPCClient {
        let client = try deployment.client()
        #expect(try await client.call("session.authenticate", #"{"token":"\#(token)"}"#)["ok"]?.bool == true)
        return client
    }

    @Test func `a token with a scope purges its own tags and nothing else`() async throws {
        let deployment = try await Self.guarded("admin-admin-admin\nput-put-put role=put\nalice-alice role=put scope=alice\nload-load-load role=load\n")
        func client(_ token: String) async throws -> RPCClient { try await Self.client(of: deployment, token) }
        let (admin, alice, put, reader) = (
            try await client("admin-admin-admin"), try await client("alice-alice"), try await client("put-put-put"), try await client("load-load-load")
        )
        let url = deployment.url("/picture.png?size=64x48" + Self.age)
        for one in [alice, reader] { #expect(try await load(one, url, cache: #"{"tags":["red"]}"#).state == "succeeded") }
        for way in ["url", "prefix"] {
            let refused = try await alice.call("cache.purge", #"{"\#(way)":"\#(url)"}"#)
            #expect(refused.error?.name == "forbidden" && refused.error?.data["path"]?.string == way, "\(refused)")
        }
        for params in [#"{"tag":"red"}"#, #"{"tag":"red","scope":"alice"}"#] {
            #expect(try await reader.call("cache.purge", params).error?.name == "forbidden")
        }
        let other = try await alice.call("cache.purge", #"{"tag":"red","scope":"bob"}"#)
        #expect(other.error?.name == "forbidden" && other.error?.data["path"]?.string == "scope", "\(other)")
        #expect(try await purge(alice, "tag", "red") == [1, 1, 0])
        #expect(try await tiers(reader, url) == ["memory", "results"])
        #expect(try await tiers(alice, url) == [])
        #expect(try await load(alice, url).state == "succeeded")
        #expect(try await purge(put, "tag", "red") == [1, 1, 0])
        #expect(try await tiers(reader, url) == [])
        #expect(try await tiers(alice, url) == ["memory", "results"])
        #expect(try await purge(admin, "prefix", url).first == 1)
        #expect(try await tiers(alice, url) == [])
    }

    @Test func `an unbound token purges the tag of a scope that it names, and no other scope's`() async throws {
        let deployment = try await Self.guarded("admin-admin-admin\nput-put-put role=put\nalice-alice role=put scope=alice\nbob-bob-bob role=put scope=bob\n")
        func client(_ token: String) async throws -> RPCClient { try await Self.client(of: deployment, token) }
        let (admin, put) = (try await client("admin-admin-admin"), try await client("put-put-put"))
        let (alice, bob) = (try await client("alice-alice"), try await client("bob-bob-bob"))
        let url = deployment.url("/picture.png?size=64x48" + Self.age)
        let owners = [alice, bob, put]
        for owner in owners { #expect(try await load(owner, url, cache: #"{"tags":["red"]}"#).state == "succeeded") }
        func purge(_ client: RPCClient, _ params: String) async throws -> [Int?] {
            let answer = try await client.call("cache.purge", params)
            return ["results", "sources", "fetches"].map { answer[$0]?.int }
        }
        func kept() async throws -> [Bool] {
            var kept: [Bool] = []
            for owner in owners { kept.append(try await tiers(owner, url) == ["memory", "results"]) }
            return kept
        }
        #expect(try await purge(put, #"{"tag":"red","scope":"carol"}"#) == [0, 0, 0])
        #expect(try await kept() == [true, true, true])
        #expect(try await purge(put, #"{"tag":"red","scope":"alice"}"#) == [1, 1, 0])
        #expect(try await kept() == [false, true, true])
        #expect(try await purge(bob, #"{"tag":"red","scope":"bob"}"#) == [1, 1, 0])
        #expect(try await kept() == [false, false, true])
        #expect(try await load(alice, url, cache: #"{"tags":["red"]}"#).from == "remote")
        #expect(try await purge(admin, #"{"tag":"red","scope":"alice"}"#) == [1, 1, 0])
        #expect(try await kept() == [false, false, true])
        for way in ["url", "prefix"] {
            let refused = try await admin.call("cache.purge", #"{"\#(way)":"\#(url)","scope":"alice"}"#)
            #expect(refused.error?.name == "invalidParams" && refused.error?.data["path"]?.string == "scope", "\(refused)")
        }
        #expect(try await deployment.violations(admin) == [])
    }

    @Test func `pictures of the door tell caches their tags, and are purged by them`() async throws {
        let door = try await PictureDoorDeployment(presets: "default=tag:shop\nphoto=tag:p1:p2/tag:p3\n")
        let client = try door.deployment.client()
        let source = "/picture.png?size=64x48" + Self.age
        let plain = door.path(source, "w:10")
        let first = try await door.get(plain)
        #expect(first.status == 200 && first.headers["cache-tag"] == "shop", "\(first)")
        let many = try await door.get(door.path(source, "pr:photo", "w:11", "cb:v2"))
        #expect(many.headers["cache-tag"] == "shop,p1,p2,p3,v2", "\(many)")
        #expect(try await door.get(door.path(source, "w:12", "cb:a%20b")).headers["cache-tag"] == "shop")
        let unchanged = try await door.get(plain, ["-H", "If-None-Match: \(first.headers["etag"] ?? "")"])
        #expect(unchanged.status == 304 && unchanged.headers["cache-tag"] == "shop")
        #expect(try await door.get(plain).headers["server-timing"]?.hasPrefix("from;desc=\"memory\"") == true)
        #expect(try await purge(client, "tag", "v2") == [1, 1, 0])
        #expect(try await door.get(plain).headers["server-timing"]?.hasPrefix("from;desc=\"memory\"") == true)
        let shop = try await purge(client, "tag", "shop")
        #expect(shop == [2, 0, 0], "\(shop)")
        #expect(try await door.get(plain).headers["server-timing"]?.hasPrefix("from;desc=\"remote\"") == true)
        #expect(try await door.get(door.path(source, "tag:x")).status == 403)
    }

    @Test func `the command line purges by URL, prefix and tag`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func tintype(_ words: [String]) async throws -> (status: Int32, output: String, errors: String) {
            let child = try ChildProcess(
                ServiceProcess.path("tintype"), ["cache"] + words + ["--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"])
            return (await child.finished(), child.output, child.errors)
        }
        let url = deployment.url("/picture.png?size=64x48" + Self.age)
        for (words, output) in [
            (["--url", url], "1 results, 1 sources, 0 running fetches\n"), (["--prefix", deployment.url("/pic")], "1 results, 0 sources, 0 running fetches\n"),
            (["--tag", "red", "--scope", "anna"], "0 results, 0 sources, 0 running fetches\n"),
            (["--tag", "red", "--json"], #"{"results":1,"sources":1,"fetches":0}"#),
        ] {
            #expect(try await load(client, url, cache: #"{"tags":["red"]}"#).state == "succeeded")
            let purged = try await tintype(["purge"] + words)
            #expect(purged.status == 0 && purged.output.filter { $0 != " " || words.last != "--json" }.hasPrefix(output), "\(purged)")
        }
        for wrong in [
            ["purge"], ["purge", "--url", url, "--tag", "a"], ["purge", "--tag", "a", "--tier", "memory"], ["clear", "--tag", "a"],
            ["purge", "--url", url, "--scope", "a"], ["clear", "--scope", "a"],
        ] {
            let refused = try await ChildProcess(ServiceProcess.path("tintype"), ["cache"] + wrong).finished()
            #expect(refused == 2, "\(wrong)")
        }
    }
}
