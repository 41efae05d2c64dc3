import Foundation
import TintypeCore
import TestSupport
import Testing

/// The sources that real workers blacklist, and the requests that the origin gets.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct BlacklistedSourceTests {
    @Test func `a blacklisted source is not asked again until it is retried`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        func load(_ path: String, _ more: String = "") async throws -> RPCClient.Message {
            try await client.call("image.load", #"{"url":"\#(deployment.url(path))"\#(more)}"#)
        }
        func asked(_ path: String) async throws -> Int { try await deployment.counts()["counts"]?.integers?[path] ?? 0 }
        let paths = ["/status/404": "httpStatus", "/status/410": "httpStatus", "/text": "badImageData", "/redirect/9": "tooManyRedirects"]
        for (path, name) in paths {
            #expect(try await load(path).error?.name == name)
            for _ in 0..<3 {
                let again = try await load(path)
                let data = again.error?.data
                #expect(again.error?.name == "blacklisted" && data?["cause"]?.string == name, "\(again)")
            }
            #expect(try await asked(path) == 1, "\(path)")
        }
        // Failures that may be over soon, or are the request's fault, are asked each time.
        for (path, more, name) in [
            ("/status/403", "", "httpStatus"), ("/status/401", "", "httpStatus"),
            ("/status/503", #","fetch":{"retry":{"attempts":1}}"#, "httpStatus"), ("/picture.png?c", #","fetch":{"maxBytes":1000}"#, "limitExceeded"),
        ] {
            for _ in 0..<2 { #expect(try await load(path, more).error?.name == name) }
            #expect(try await asked(path) == 2, "\(path)")
        }
        // The text is no picture, but its bytes can be read.
        #expect(try await load("/text", #","as":"bytes""#).state == "succeeded")

        // The answer fails requests that accept only success, but not a request that accepts its status.
        for name in ["httpStatus", "blacklisted"] { #expect(try await load("/status/404?page").error?.name == name) }
        let page = try await load("/status/404?page", #","as":"bytes","fetch":{"acceptableStatus":["200","404"]}"#)
        #expect(page.state == "succeeded", "\(page)")
        #expect(try await load("/status/404?page").error?.name == "blacklisted")

        // The source is missing once, then there.
        let late = "/status/404?times=2"
        #expect(try await load(late, #","blacklist":"off""#).error?.name == "httpStatus")
        #expect(try await load(late).error?.name == "httpStatus", "off does not list")
        #expect(try await load(late).error?.name == "blacklisted")
        #expect(try await load(late, #","blacklist":"retry""#).state == "succeeded")
        #expect(try await load(late, #","transform":[{"op":"resize","width":30}]"#).state == "succeeded", "retry has cleared it")

        // A cached result is served although its origin has lost it.
        let lost = "/status/410?after=1"
        #expect(try await load(lost).state == "succeeded")
        #expect(try await load(lost, #","cache":{"policy":"reload"}"#).error?.name == "httpStatus")
        #expect(try await load(lost, #","cache":{"policy":"reload"}"#).error?.name == "blacklisted")
        let other = try await load(lost, #","transform":[{"op":"resize","width":30}]"#)
        #expect(other.from == "sources", "its original is kept: \(other)")
        #expect(try await load(lost, #","transform":[{"op":"resize","width":31}],"cache":{"read":["memory","results"]}"#).error?.name == "blacklisted")
        #expect(try await load(lost).state == "succeeded")
        #expect(try await load(lost, #","cache":{"read":["results"]}"#).from == "results")
        #expect(try await asked(lost) == 2)
        let answer = try await client.call("blacklist.clear", "{}")
        #expect(answer["removed"]?.int ?? 0 >= 4, "\(answer)")
        #expect(try await load("/status/404").error?.name == "httpStatus")
        #expect(try await asked("/status/404") == 2)
    }

    @Test func `caches answer before the blacklist, which refuses stale entries without using the network`() async throws {
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
            #expect(try await load(path).error?.name == nil)
            #expect(try await load(path, #"{"policy":"reload"}"#).error?.name == "httpStatus")
            for _ in 0..<2 {
                let answer = try await load(path)
                #expect(answer.error?.name == name && answer.from == (name == nil ? "sources" : nil), "\(answer)")
                let data = answer.error?.data
                if name != nil { #expect(data?["cause"]?.string == "httpStatus" && data?["until"]?.double ?? 0 > 0, "\(answer)") }
            }
            #expect(try await load(path, #"{"policy":"reload"}"#).error?.name == "blacklisted")
            #expect(try await load(path, #"{"policy":"revalidate"}"#).error?.name == "blacklisted")
            #expect(try await load(path, #"{"policy":"only"}"#).error?.name == (name == nil ? nil : "cacheMiss"))
            #expect(try await deployment.counts()["counts"]?.integers?[path] == 2)
        }
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a refresh of a blacklisted source delivers the cached result, then fails as blacklisted`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let path = "/status/404?after=1&with=Cache-Control:+max-age=60"
        func request(_ width: Int, _ cache: String, _ more: String = "") -> String {
            #"{"url":"\#(deployment.url(path))","transform":[{"op":"resize","width":\#(width)}],"cache":\#(cache)\#(more)}"#
        }
        let first = try await client.call("image.load", request(20, "{}"))
        #expect(try await client.call("image.load", request(20, #"{"policy":"reload"}"#)).error?.name == "httpStatus")
        #expect(client.notifications.isEmpty)

        let refresh = #"{"policy":"refresh"}"#
        for number in 1...2 {
            let answer = try await client.call("image.load", request(20, refresh))
            #expect(answer.error?.name == "blacklisted", "\(answer)")
            #expect(client.notifications.count == number && client.notifications.allSatisfy { $0.type == "cached" })
        }
        let shown = client.notifications.last?.params?["result"]
        #expect(shown?["from"]?.string == "results")
        #expect(shown?["source"]?["sha256"]?.string == first["source"]?["sha256"]?.string)
        // A client that submits the request gets its answer first, then both events in order. A client that wants progress does too, and the hooks
        // surround them.
        let submitted = try await client.call("image.submit", request(20, refresh, #","receipt":"mine","hooks":true"#))
        #expect(submitted.state == "failed", "\(submitted)")
        let heard = await client.notifications { $0.contains { $0.hook == "didStop" } }
        let mine = heard.filter { $0.receipt == "mine" }
        #expect(
            mine.map { $0.type ?? $0.hook } == ["willStart", "cached", "willStop", "failed", "didStop"],
            "\(mine)")
        #expect(mine.compactMap { $0.params?["seq"]?.int } == [1, 2])

        // Without a result it is like any other request: made from the kept source, while that is fresh.
        let other = try await client.call("image.load", request(21, refresh))
        #expect(other.from == "sources", "\(other)")
        #expect(try await deployment.counts()["counts"]?.integers?[path] == 2, "nothing went to the network")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `settings change the times on the blacklist`() async throws {
        let deployment = try await Deployment(workerArguments: ["--blacklist-missing", "0s", "--blacklist-broken", "1h"])
        let client = try deployment.client()
        for path in ["/status/404", "/text"] {
            _ = try await client.call("image.load", #"{"url":"\#(deployment.url(path))"}"#)
        }
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/status/404"))"}"#).error?.name == "httpStatus")
        let answer = try await client.call("image.load", #"{"url":"\#(deployment.url("/text"))"}"#)
        let data = try #require(answer.error?.data)
        #expect((data["until"]?.double ?? 0) - (data["since"]?.double ?? 0) == 3600, "\(answer)")
    }
}
