import Foundation
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeHistory

/// The failures that the dashboard keeps, and asks again.
@Suite(.timeLimit(.minutes(1)), .scoped) struct RecentEndsTests {
    private func failure(_ error: TintypeError, receipt: String = "r", at: Double = 1) -> JSON {
        ["receipt": .string(receipt), "queue": "default", "type": "failed", "at": JSON(at), "error": error.json]
    }

    @Test func `a failure belongs to the host of its URL, and without one to the host of its fetch`() {
        var ends = RecentEnds()
        let missing = TintypeError(.httpStatus, .download, "the server answered 404", details: ["status": 404]).about(url: "http://a.test:81/x?key=secret")
        ends.failed(failure(missing), ("b.test", "http://b.test/"))
        ends.failed(failure(missing, receipt: "s", at: 2))
        ends.failed(failure(TintypeError(.storeFailed, .store, "full"), at: 3), ("b.test", nil))
        ends.failed(failure(TintypeError(.storeFailed, .store, "full"), at: 4))
        let found = ends.failures(9, now: 9)
        #expect(found.map { $0["host"]?.string } == ["", "b.test", "a.test"] && found.map { $0["count"]?.int } == [1, 1, 2])
        #expect(found.last?["sample"]?.text == #"{"receipt":"s","url":"http://a.test:81/x?key=***","message":"the server answered 404","status":404}"#)
        #expect(found.map { $0["status"]?.int } == [nil, nil, 404])
        ends.failed(failure(TintypeError(.httpStatus, .download, "no", details: ["status": 503]).about(url: "http://a.test/y"), at: 5))
        #expect(ends.failures(1, now: 9).first?["status"]?.int == 503 && ends.failures(1, now: 9).first?["count"]?.int == 1, "each status is a group")
        #expect(ends.failures(byHostOf: "default", now: 9) == ["": 1, "b.test": 1, "a.test": 3])
    }

    @Test func `the bytes that no decoder could read are shown, and the latest pictures that killed one, each once`() {
        var ends = RecentEnds()
        func crash(_ digest: String, at: Double) {
            let error = TintypeError(
                .badImageData, .decode, "its decoder died",
                details: ["crashed": true, "received": ["start": "ffd8", "format": "jpeg", "sha256": .string(digest)]])
            ends.failed(failure(error.about(url: "http://a.test/\(digest)"), at: at))
        }
        for number in 0..<12 { crash("\(number)", at: Double(number)) }
        crash("5", at: 20)
        let group = ends.failures(1, now: 9).first
        #expect(group?["sample"]?["received"]?.text == #"{"start":"ffd8","format":"jpeg","sha256":"5"}"#)
        let crashes = group?["crashes"]?.array ?? []
        #expect(crashes.map { $0["sha256"]?.string } == ["5", "11", "10", "9", "8", "7", "6", "4", "3", "2"])
        #expect(crashes.first?.text == #"{"sha256":"5","url":"http://a.test/5","at":20}"#)
    }

    @Test func `a group that has been silent for a day is in no list`() {
        var ends = RecentEnds()
        let missing = TintypeError(.httpStatus, .download, "no", details: ["status": 404])
        ends.failed(failure(missing.about(url: "http://a.test/"), at: 1))
        ends.failed(failure(missing.about(url: "http://b.test/"), at: 100))
        #expect(ends.failures(9, now: 86_400).count == 2 && ends.failures(byHostOf: "default", now: 86_400) == ["a.test": 1, "b.test": 1])
        #expect(ends.failures(9, now: 86_402).map { $0["host"] } == ["b.test"] && ends.failures(byHostOf: "default", now: 86_402) == ["b.test": 1])
    }

    @Test func `each rendition of a receipt is a picture, and no page cuts a receipt`() {
        var ends = RecentEnds()
        for receipt in ["a", "b", "c"] {
            let renditions = ["small", "medium", "large"].map { JSON.object(["key": .string("\(receipt)-\($0)")]) }
            ends.succeeded([
                "receipt": .string(receipt), "result": ["renditions": .array(renditions + [["bytes": 1]]), "source": ["url": "http://a.test/"]],
            ])
        }
        func keys(_ limit: Int, after: String? = nil) -> [String] { ends.pictures(limit, after: after).compactMap { $0["key"]?.string } }
        #expect(keys(1) == ["c-small", "c-medium", "c-large"] && keys(3) == keys(1))
        #expect(keys(4, after: "c") == ["b-small", "b-medium", "b-large", "a-small", "a-medium", "a-large"])
    }

    private func success(_ receipt: String, _ url: String) -> JSON {
        [
            "receipt": .string(receipt), "queue": "default", "type": "succeeded", "at": 1,
            "result": [
                "renditions": [["key": .string("key-" + receipt), "format": "webp"]], "source": ["url": .string(url), "bytes": 7],
            ],
        ]
    }

    @Test func `the latest pictures are listed by host and from one on, and the oldest go`() {
        var ends = RecentEnds()
        for number in 0..<RecentEnds.mostPictures + 10 {
            ends.succeeded(success("r\(number)", "http://\(number % 2 == 0 ? "a" : "b").test/\(number)?key=secret"))
        }
        func receipts(_ limit: Int, host: String? = nil, after: String? = nil) -> [String] {
            ends.pictures(limit, host: host, after: after).compactMap { $0["receipt"]?.string }
        }
        #expect(receipts(3) == ["r1009", "r1008", "r1007"])
        #expect(receipts(2, host: "a.test") == ["r1008", "r1006"] && receipts(9, host: "c.test") == [])
        #expect(receipts(2, after: "r1008") == ["r1007", "r1006"] && receipts(2, host: "b.test", after: "r1008") == ["r1007", "r1005"])
        #expect(receipts(2, after: "r9") == [] && receipts(9, after: "r10") == [])
        #expect(receipts(5000).count == RecentEnds.mostPictures)
        #expect(ends.pictures(1)[0]["url"]?.string == "http://b.test/1009?key=***")
        // The colors that a request wanted to know stand for a picture until it is loaded.
        let description: JSON = ["thumbhash": "AAAA", "averageColor": "#102030"]
        ends.succeeded(["receipt": "t", "result": ["renditions": [["key": "k"]], "source": [:], "description": description]])
        #expect(ends.pictures(1)[0]["thumbhash"] == "AAAA" && ends.pictures(1)[0]["color"] == "#102030")
        ends.succeeded(success("r1009", "http://b.test/1009?key=secret"))
        // A result in another place has no picture here.
        ends.succeeded(["receipt": "s", "result": ["renditions": [["bytes": 1]], "source": [:]]])
        #expect(receipts(1) == ["r1009"])
    }

    @Test func `what the dashboard itself has asked for is in no list`() {
        var ends = RecentEnds()
        let missing = TintypeError(.httpStatus, .download, "the server answered 404").about(url: "http://a.test/x")
        for tag in ["dashboard", "shop"] {
            var (made, failed) = (success(tag, "http://a.test/y").object ?? [:], failure(missing, receipt: tag).object ?? [:])
            (made["tag"], failed["tag"]) = (.string(tag), .string(tag))
            ends.succeeded(.object(made))
            ends.failed(.object(failed))
        }
        #expect(ends.pictures(9).map { $0["receipt"] } == ["shop"])
        #expect(ends.failures(9, now: 9).map { $0["count"] } == [1])
    }

    @Test @Loop func `results with a tag are listed page by page over all queues, as long as the index has them`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        #expect(try await client.call("queue.configure", #"{"queue":"bulk"}"#).error == nil)
        let bulk = Queue(name: "bulk", redis: h.worker.nodes)
        func make(_ number: Int, _ queue: String = "default", _ cache: String = #""tags":["cats"]"#) async throws {
            let url = "http://\(number % 2 == 0 ? "a" : "b").test/\(number)?key=secret"
            try await client.call("image.submit", #"{"url":"\#(url)","queue":"\#(queue)","cache":{"ttl":\#(1000 - number),\#(cache)},"detached":true}"#)
            let place = queue == "bulk" ? bulk : h.worker.queue
            let fetch = try #require(try await place.claim(worker: "w1", count: 1).fetches.first)
            var facts = RenditionInfo(
                key: fetch.renditions[0].digest, contentType: "image/png", bytes: 7, sha256: "", stored: [.results], isApplied: true)
            // A description of a source has no format, and is no picture.
            facts.format = .png
            let source = SourceInfo(url: url, finalURL: url, status: 200, bytes: 1)
            let made = RenditionOutcome.Result.success(
                info: facts.json.object ?? [:], source: source.json.object ?? [:], description: nil, time: .seconds(1000))
            _ = try await place.finish(fetch.lease, .success(metrics: [:], [RenditionOutcome(fetch.renditions[0].digest, made)]))
        }
        for number in 0..<5 { try await make(number) }
        try await make(5, "bulk")
        try await make(6, "default", #""tags":["dogs"]"#)
        try await make(7, "default", #""tags":["cats"],"scope":"mine""#)
        func list(_ more: String = "") async throws -> RPCClient.Message { try await client.call("pictures.list", #"{"tag":"cats"\#(more)}"#) }
        var (keys, pages, cursor): ([String], Int, String?) = ([], 0, nil)
        repeat {
            let page = try await list(#","limit":2"# + (cursor.map { #","cursor":"\#($0)""# } ?? ""))
            keys += page["items"]?.array?.compactMap { $0["key"]?.string } ?? []
            (pages, cursor) = (pages + 1, page["cursor"]?.string)
        } while cursor != nil && pages < 9
        #expect(keys.count == 6 && Set(keys).count == 6 && pages == 3, "\(keys) \(pages)")
        let all = try await list()
        #expect(all["items"]?.array?.count == 6 && all["cursor"] == nil && all["items"]?[0]?["bytes"]?.int == 7, "\(all)")
        #expect(all["items"]?.array?.map { $0["queue"]?.string ?? "" } == [String](repeating: "default", count: 5) + ["bulk"])
        let shown = all.result?.text ?? "secret"
        #expect(!shown.contains("secret"))
        #expect(try await list(#","scope":"mine""#)["items"]?.array?.count == 1)
        #expect(try await list(#","host":"nowhere.test""#)["items"]?.array?.isEmpty == true)
        // The index has lost one.
        let lost = try #require(keys.last { key in all["items"]?.array?.contains { $0["key"]?.string == key && $0["queue"]?.string == "default" } == true })
        try await h.redis.command("DEL", "tintype:{default}:x:\(lost)")
        #expect(try await list()["items"]?.array?.count == 5)
        for wrong in [#"{"scope":"mine"}"#, #"{"cursor":"1:a"}"#, #"{"tag":"cats","after":"r"}"#, #"{"limit":401}"#, #"{"tag":"no tag"}"#] {
            #expect(try await client.call("pictures.list", wrong).error?.name == "invalidParams", "\(wrong)")
        }
    }

    @Test @Loop func `one group of failures is asked again, as many as wanted`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        func fail(_ url: String, _ error: TintypeError) async throws {
            _ = try await client.call("image.submit", JSON.object(["url": .string(url), "fetch": ["retry": ["attempts": 1]], "detached": true]).text)
            let error = error.about(url: url)
            _ = try await h.worker.queue.finish(
                try await h.worker.claim().lease, .failure(error, retryAfter: nil), listing: BlacklistRules().listing(of: error, url: url))
        }
        let slow = TintypeError(.timeout, .download, "too slow")
        for name in ["a", "b", "c"] { try await fail("http://a.test/\(name)", slow) }
        try await fail("http://b.test/a", slow)
        try await fail("http://a.test/d", TintypeError(.connect, .download, "no connection"))
        let missing = TintypeError(.httpStatus, .download, "the server answered 404", details: ["status": 404])
        for host in ["a.test", "b.test"] { try await fail("http://\(host)/gone", missing) }
        func retry(_ error: String, _ host: String, _ more: String = "") async throws -> String? {
            try await client.call("failures.retry", #"{"error":"\#(error)","host":"\#(host)"\#(more)}"#).result?.text
        }
        func dead() async throws -> [String] {
            try await client.call("dead.list", #"{"queue":"default"}"#)["items"]?.array?.compactMap { $0["url"]?.string }.sorted() ?? []
        }
        #expect(try await retry("timeout", "a.test", #","limit":2"#) == #"{"retried":2,"pardoned":0}"#)
        #expect(try await dead() == ["http://a.test/a", "http://a.test/d", "http://b.test/a"], "the latest first")
        #expect(try await retry("timeout", "a.test", #","queue":"default""#) == #"{"retried":1,"pardoned":0}"#)
        #expect(try await retry("timeout", "a.test") == #"{"retried":0,"pardoned":0}"#)
        #expect(try await dead() == ["http://a.test/d", "http://b.test/a"])
        #expect(try await retry("httpStatus", "a.test", #","status":410"#) == #"{"retried":0,"pardoned":0}"#)
        #expect(try await retry("httpStatus", "a.test", #","status":404"#) == #"{"retried":0,"pardoned":1}"#)
        try await fail("http://a.test/broken", TintypeError(.httpStatus, .download, "the server answered 500", retryable: true, details: ["status": 500]))
        #expect(try await retry("httpStatus", "a.test", #","status":503"#) == #"{"retried":0,"pardoned":0}"#)
        #expect(try await retry("httpStatus", "a.test") == #"{"retried":1,"pardoned":0}"#)
        let listed = try await client.call("blacklist.list")["items"]?.array ?? []
        #expect(listed.map { $0["url"]?.string } == ["http://b.test/gone"])
        #expect(try await client.call("failures.retry", #"{"error":"timeout","host":"a.test","queue":"none"}"#).error?.name == "unknownQueue")
    }
}
