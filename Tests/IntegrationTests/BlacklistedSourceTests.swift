import Foundation
import TestSupport
import Testing

/// What real workers list, and what the origin sees of it.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct BlacklistedSourceTests {
    @Test func `a blacklisted source is not asked again until it is retried`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func load(_ path: String, _ more: String = "") async throws -> RPCClient.Message {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))"\#(more)}"#)
        }
        func asked(_ path: String) async throws -> Int { (try await deployment.counts()["counts"] as? [String: Int])?[path] ?? 0 }
        let paths = ["/status/404": "httpStatus", "/status/410": "httpStatus", "/text": "badImageData", "/redirect/9": "tooManyRedirects"]
        for (path, name) in paths {
            #expect(try await load(path).errorName == name)
            for _ in 0..<3 {
                let again = try await load(path)
                let data = again.error?["data"] as? [String: Any]
                #expect(again.errorName == "blacklisted" && data?["cause"] as? String == name, "\(again.object)")
            }
            #expect(try await asked(path) == 1, "\(path)")
        }
        // What may be over in a moment, or is the request's fault, is asked each time.
        for (path, more, name) in [
            ("/status/403", "", "httpStatus"), ("/status/401", "", "httpStatus"),
            ("/status/503", #","fetch":{"retry":{"attempts":1}}"#, "httpStatus"), ("/picture.png?c", #","fetch":{"maxBytes":1000}"#, "limitExceeded"),
        ] {
            for _ in 0..<2 { #expect(try await load(path, more).errorName == name) }
            #expect(try await asked(path) == 2, "\(path)")
        }
        // The text is no picture, but it is bytes.
        #expect(try await load("/text", #","as":"bytes""#).fields["state"] as? String == "succeeded")

        // It is no answer to those who take only what is there, but it is one to who takes it.
        for name in ["httpStatus", "blacklisted"] { #expect(try await load("/status/404?page").errorName == name) }
        let page = try await load("/status/404?page", #","as":"bytes","fetch":{"acceptableStatus":["200","404"]}"#)
        #expect(page.fields["state"] as? String == "succeeded", "\(page.object)")
        #expect(try await load("/status/404?page").errorName == "blacklisted")

        // Missing once, then there.
        let late = "/status/404?times=2"
        #expect(try await load(late, #","blacklist":"off""#).errorName == "httpStatus")
        #expect(try await load(late).errorName == "httpStatus", "off does not list")
        #expect(try await load(late).errorName == "blacklisted")
        #expect(try await load(late, #","blacklist":"retry""#).fields["state"] as? String == "succeeded")
        #expect(try await load(late, #","transform":[{"op":"resize","width":30}]"#).fields["state"] as? String == "succeeded", "retry has cleared it")

        // What is cached is served although its origin has lost it.
        let lost = "/status/410?after=1"
        #expect(try await load(lost).fields["state"] as? String == "succeeded")
        #expect(try await load(lost, #","cache":{"policy":"reload"}"#).errorName == "httpStatus")
        #expect(try await load(lost, #","cache":{"policy":"reload"}"#).errorName == "blacklisted")
        let other = try await load(lost, #","transform":[{"op":"resize","width":30}]"#)
        #expect(other.fields["from"] as? String == "sources", "its original is kept: \(other.object)")
        #expect(try await load(lost, #","transform":[{"op":"resize","width":31}],"cache":{"read":["memory","results"]}"#).errorName == "blacklisted")
        #expect(try await load(lost).fields["state"] as? String == "succeeded")
        #expect(try await load(lost, #","cache":{"read":["results"]}"#).fields["from"] as? String == "results")
        #expect(try await asked(lost) == 2)
        let answer = try await client.call("blacklist.clear", "{}")
        #expect(answer.fields["removed"] as? Int ?? 0 >= 4, "\(answer.object)")
        #expect(try await load("/status/404").errorName == "httpStatus")
        #expect(try await asked("/status/404") == 2)
    }

    @Test func `what is kept is asked before the blacklist, what is stale is refused by it, and nothing goes to the network`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        var width = 20
        func load(_ path: String, _ cache: String = "{}") async throws -> RPCClient.Message {
            width += 1
            return try await client.call(
                "image.load", #"{"url":"\#(deployment.url(path))","transform":[{"op":"resize","width":\#(width)}],"cache":\#(cache)}"#)
        }
        for (age, name) in [(60, nil), (0, "blacklisted")] as [(Int, String?)] {
            let path = "/status/404?after=1&with=Cache-Control:+max-age=\(age)"
            #expect(try await load(path).errorName == nil)
            #expect(try await load(path, #"{"policy":"reload"}"#).errorName == "httpStatus")
            for _ in 0..<2 {
                let answer = try await load(path)
                #expect(answer.errorName == name && answer.fields["from"] as? String == (name == nil ? "sources" : nil), "\(answer.object)")
                let data = answer.error?["data"] as? [String: Any]
                if name != nil { #expect(data?["cause"] as? String == "httpStatus" && data?["until"] as? Double ?? 0 > 0, "\(answer.object)") }
            }
            #expect(try await load(path, #"{"policy":"reload"}"#).errorName == "blacklisted")
            #expect(try await load(path, #"{"policy":"revalidate"}"#).errorName == "blacklisted")
            #expect(try await load(path, #"{"policy":"only"}"#).errorName == (name == nil ? nil : "cacheMiss"))
            #expect((try await deployment.counts()["counts"] as? [String: Int])?[path] == 2)
        }
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a refresh of a blacklisted source delivers what is kept, then says that it was refused`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let path = "/status/404?after=1&with=Cache-Control:+max-age=60"
        func request(_ width: Int, _ cache: String, _ more: String = "") -> String {
            #"{"url":"\#(deployment.url(path))","transform":[{"op":"resize","width":\#(width)}],"cache":\#(cache)\#(more)}"#
        }
        let first = try await client.call("image.load", request(20, "{}"))
        #expect(try await client.call("image.load", request(20, #"{"policy":"reload"}"#)).errorName == "httpStatus")
        #expect(client.notifications.isEmpty)

        let refresh = #"{"policy":"refresh"}"#
        for number in 1...2 {
            let answer = try await client.call("image.load", request(20, refresh))
            #expect(answer.errorName == "blacklisted", "\(answer.object)")
            #expect(client.notifications.count == number && client.notifications.allSatisfy { $0.params?["type"] as? String == "cached" })
        }
        let shown = client.notifications.last?.params?["result"] as? [String: Any]
        #expect(shown?["from"] as? String == "results")
        #expect((shown?["source"] as? [String: Any])?["sha256"] as? String == (first.fields["source"] as? [String: Any])?["sha256"] as? String)
        // Whoever submits it is answered first, then told of both in order; so is whoever wants progress, and the hooks stand around them.
        let submitted = try await client.call("image.submit", request(20, refresh, #","receipt":"mine","hooks":true"#))
        #expect(submitted.fields["state"] as? String == "failed", "\(submitted.object)")
        let heard = await client.notifications { $0.contains { $0.params?["hook"] as? String == "didStop" } }
        let mine = heard.filter { $0.params?["receipt"] as? String == "mine" }
        #expect(
            mine.map { ($0.params?["type"] ?? $0.params?["hook"]) as? String } == ["willStart", "cached", "willStop", "failed", "didStop"],
            "\(mine.map(\.object))")
        #expect(mine.compactMap { $0.params?["seq"] as? Int } == [1, 2])

        // Without a result it is like any other: made of the source that is kept, while that is fresh.
        let other = try await client.call("image.load", request(21, refresh))
        #expect(other.fields["from"] as? String == "sources", "\(other.object)")
        #expect((try await deployment.counts()["counts"] as? [String: Int])?[path] == 2, "nothing went to the network")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `the times on the blacklist are settings`() async throws {
        let deployment = try await Deployment(workerArguments: ["--blacklist-missing", "0s", "--blacklist-broken", "1h"])
        let client = try deployment.client()
        for path in ["/status/404", "/text"] {
            _ = try await client.call("image.load", #"{"url":"\#(deployment.url(path))"}"#)
        }
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/status/404"))"}"#).errorName == "httpStatus")
        let answer = try await client.call("image.load", #"{"url":"\#(deployment.url("/text"))"}"#)
        let data = try #require(answer.error?["data"] as? [String: Any])
        #expect((data["until"] as? Double ?? 0) - (data["since"] as? Double ?? 0) == 3600, "\(answer.object)")
    }
}
