import Foundation
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport
import TestSupport
import Testing

@testable import Coordinator

/// What the dashboard keeps of failures, and asks again.
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
        let found = ends.failures(9)
        #expect(found.map { $0["host"]?.string } == ["", "b.test", "a.test"] && found.map { $0["count"]?.int } == [1, 1, 2])
        #expect(found.last?["sample"]?.text == #"{"receipt":"s","url":"http://a.test:81/x?key=***","message":"the server answered 404","status":404}"#)
        #expect(ends.failures(byHostOf: "default") == ["": 1, "b.test": 1, "a.test": 2])
    }

    @Test func `the bytes that no decoder could read are shown, and the latest pictures that killed one, each once`() {
        var ends = RecentEnds()
        func crash(_ digest: String, at: Double) {
            let error = TintypeError(
                .badImageData, .decode, "its decoder died", details: ["crashed": true, "received": ["start": "ffd8", "format": "jpeg", "sha256": .string(digest)]])
            ends.failed(failure(error.about(url: "http://a.test/\(digest)"), at: at))
        }
        for number in 0..<12 { crash("\(number)", at: Double(number)) }
        crash("5", at: 20)
        let group = ends.failures(1).first
        #expect(group?["sample"]?["received"]?.text == #"{"start":"ffd8","format":"jpeg","sha256":"5"}"#)
        let crashes = group?["crashes"]?.array ?? []
        #expect(crashes.map { $0["sha256"]?.string } == ["5", "11", "10", "9", "8", "7", "6", "4", "3", "2"])
        #expect(crashes.first?.text == #"{"sha256":"5","url":"http://a.test/5","at":20}"#)
    }

    @Test @Loop func `one group of failures is asked again, as many as wanted`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        func fail(_ url: String, _ error: TintypeError) async throws {
            try await client.call("image.submit", .object(["url": .string(url), "fetch": ["retry": ["attempts": 1]], "detached": true]).text)
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
        #expect(try await retry("httpStatus", "a.test") == #"{"retried":0,"pardoned":1}"#)
        let listed = try await client.call("blacklist.list")["items"]?.array ?? []
        #expect(listed.map { $0["url"]?.string } == ["http://b.test/gone"])
        #expect(try await client.call("failures.retry", #"{"error":"timeout","host":"a.test","queue":"none"}"#).error?.name == "unknownQueue")
    }
}
