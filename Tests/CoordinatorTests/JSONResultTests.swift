import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeGroups

/// `as: json`: the body is in the result, and nowhere in Redis.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct JSONResultTests {
    private static let body = Array(#"{"id":7,"next":"http://origin.test/two"}"#.utf8)

    @Test func `the answer, the event and a later question contain the JSON`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","as":"json"}"#)
        let fetch = try await harness.worker.claim()
        #expect(fetch.renditions.first?.json == #"{"as":"json"}"#)
        try await harness.worker.succeed(fetch, bytes: Self.body)
        #expect(try await answer["json"]?["id"]?.int == 7)

        try await client.call("image.submit", #"{"url":"http://origin.test/b","as":"json","receipt":"r1"}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Self.body)
        let events = await client.notifications { $0.contains { $0.type == "succeeded" } }
        let end = events.last { $0.type == "succeeded" }?.params?["result"]
        #expect(end?["json"]?["id"]?.int == 7)
        let later = try await client.call("receipt.get", #"{"receipt":"r1"}"#)["result"]
        #expect(later?["json"]?["next"]?.string == "http://origin.test/two")
        // A repeated request is answered from the cache, and its answer contains the JSON too.
        let again = try await client.call("image.load", #"{"url":"http://origin.test/a","as":"json"}"#)
        #expect(again["json"]?["id"]?.int == 7 && again.from == "results")
    }

    @Test(arguments: ["text", "xml"]) func `text stands in the answer and in later steps as a string`(kind: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","as":"\#(kind)"}"#)
        let fetch = try await harness.worker.claim()
        #expect(fetch.renditions.first?.json == #"{"as":"\#(kind)"}"#)
        let body = "<a>\"\u{1f600}\n</a>"
        try await harness.worker.succeed(fetch, bytes: Array(body.utf8))
        #expect(try await answer["text"]?.string == body)
        let again = try await client.call("image.load", #"{"url":"http://origin.test/a","as":"\#(kind)"}"#)
        #expect(again["text"]?.string == body && again.from == "results")
        let steps = #"[{"url":"http://origin.test/one","as":"\#(kind)"},{"url":"${steps[0].text}"}]"#
        try await client.call("chain.start", #"{"steps":\#(steps)}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array("http://origin.test/two".utf8))
        #expect(try JSON(parsing: try await harness.worker.claim().fetch)["url"] == "http://origin.test/two")
    }

    /// Counts the turns of an answer.
    @Loop private final class Turns: AnswerOrder {
        private(set) var bytes: [Int] = []

        func inTurn<T>(_ bytes: Int, isKnown: Bool, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
            self.bytes.append(bytes)
            return try await body()
        }
    }

    /// Control characters have six bytes in JSON, line breaks have two.
    @Test(arguments: [(1, 1 << 20, 6), (10, 1 << 20, 2), (65, 1 << 20, 1), (1, 20_000, 6), (1, 2 << 20, 6), (10, 6 << 20, 2)])
    @Loop func `a text has room for its escapes, or is refused`(byte: UInt8, count: Int, each: Int) async throws {
        let harness = try await CoordinatorHarness()
        let info = RenditionInfo(key: "text", contentType: "text/plain", bytes: count, sha256: "0", stored: [.results], isApplied: true).json
        harness.coordinator.core.storage.memory.remember(
            StoredImage(
                key: "text", contentType: "text/plain", info: info, source: .null, bytes: [UInt8](repeating: byte, count: count), storedAt: WallClock.now))
        let result: JSON = ["renditions": [info]]
        let outcome = Outcome(ReceiptEvent(type: .succeeded, sequence: 1, at: "", body: #""result":\#(result.text)"#))
        var use = ResultUse()
        use.terms.document = .text
        let (turns, done) = (Turns(), OneShot<Outcome>())
        harness.coordinator.core.receipts.results.fill(outcome, use, for: turns) { done.complete(.success($0)) }
        let end = try await done.wait()
        let (first, length, most) = (Base64.length(of: count), count * each + 2, Base64.length(of: 8 << 20))
        #expect(turns.bytes == (length > max(first, 64 << 10) && length <= most ? [first, length] : [first]))
        if length > most {
            #expect(end.error?.name == .limitExceeded && end.error?.details["value"]?.int == length && end.error?.details["allowed"]?.int == most)
        } else {
            #expect(end.result?[.text].map { $0.bytes().count } == length, "\(String(describing: end.error))")
        }
    }

    @Test func `what a client has put is text if it is UTF-8, and no XML`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        func load(_ kind: String, _ bytes: [UInt8]) async throws -> RPCClient.Message {
            let request = #"{"url":"http://origin.test/a","as":"\#(kind)"}"#
            try await client.call("cache.put", #"{"request":\#(request),"data":"\#(Base64.text(of: bytes))"}"#)
            return try await client.call("image.load", request)
        }
        #expect(try await load("text", Array("<a/>".utf8))["text"] == "<a/>")
        #expect(try await load("text", [0xff]).error?.name == "textInvalid")
        #expect(try await load("xml", Array("<a/>".utf8)).error?.name == "textInvalid")
    }

    @Test func `a step of a chain uses values from the JSON of the step before`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let steps = #"[{"url":"http://origin.test/one","as":"json"},{"url":"${steps[0].json.next}"}]"#
        let started = try await client.call("chain.start", #"{"steps":\#(steps)}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Self.body)
        let second = try await harness.worker.claim()
        #expect(try JSON(parsing: second.fetch)["url"] == "http://origin.test/two")
        try await harness.worker.succeed(second)
        let group = try #require(started.group)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#)
        let results = end["results"]?.array
        #expect(results?.first?["result"]?["json"]?["id"]?.int == 7, "\(end)")
    }

    @Test func `references to JSON fail when a chain has recorded too much`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try #require(
            try await client.call("chain.start", #"{"steps":[{"url":"http://origin.test/one"}]}"#).group)
        let first = try await harness.worker.claim()
        // A chain reads its recorded outcomes when it learns of new steps.
        let key = QueueKeys("default").prefix + "g:" + group
        _ = try await harness.worker.redis.command(["HSET", .string(key), "outcomeBytes", .int(Int64(GroupView.maxNoted))])
        let steps = #"[{"url":"http://origin.test/two","as":"json"},{"url":"${steps[1].json.next}"}]"#
        try await client.call("chain.append", #"{"group":"\#(group)","steps":\#(steps)}"#)
        try await harness.worker.succeed(first)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Self.body)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#)
        let failed = try #require(end["failed"], "\(end)")
        #expect(failed["index"]?.int == 2 && failed["error"]?["code"]?.int == -32602)
    }

    /// Added steps make the chain read its records, as a takeover does.
    @Test(arguments: [false, true]) func `references to JSON that is too long to record always fail`(isRead: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let steps = #"[{"url":"http://origin.test/one","as":"json"},{"url":"${steps[0].json.next}"}]"#
        let group = try #require(try await client.call("chain.start", #"{"steps":\#(steps)}"#).group)
        let first = try await harness.worker.claim()
        if isRead { try await client.call("chain.append", #"{"group":"\#(group)","steps":[{"url":"http://origin.test/three"}]}"#) }
        let body = #"{"next":"http://origin.test/two","more":"\#(String(repeating: "x", count: 70_000))"}"#
        try await harness.worker.succeed(first, bytes: Array(body.utf8))
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#)
        let failed = try #require(end["failed"], "\(end)")
        #expect(failed["index"]?.int == 1 && failed["error"]?["code"]?.int == -32602)
    }

    /// A body in the form that people write, and its form in an answer, which is one line.
    private static let precise = "{\r\n \"id\": 18446744073709551615,\n \"next\": 1.0, \"a\\nb\": 1e2, \"a\\nb\": 2.50\n}"
    private static let told = precise.replacingOccurrences(of: "\r\n", with: "  ").replacingOccurrences(of: "\n", with: " ")

    @Test func `JSON is delivered unchanged, with all digits and members`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        func call(_ method: String, _ params: String) -> [UInt8] {
            Array(#"{"jsonrpc":"2.0","id":"\#(method)","method":"\#(method)","params":\#(params)}"#.utf8) + [10]
        }
        client.send(call("image.load", #"{"url":"http://origin.test/a","as":"json"}"#))
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array(Self.precise.utf8))
        client.send(call("image.submit", #"{"url":"http://origin.test/b","as":"json","receipt":"r1"}"#))
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array(Self.precise.utf8))
        _ = await client.lines(3)
        client.send(call("receipt.get", #"{"receipt":"r1"}"#))
        _ = await client.lines(4)
        client.send(call("batch.start", #"{"items":[{"url":"http://origin.test/c","as":"json"}],"mode":"settleAll"}"#))
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array(Self.precise.utf8))
        let lines = await client.lines(7)
        let event = try #require(lines.last { $0.contains("group.event") && $0.contains("succeeded") })
        let group = try #require(JSON(parsing: event)["params"]?["group"]?.string)
        client.send(call("group.get", #"{"group":"\#(group)"}"#))
        let all = await client.lines(8)
        for name in [#""id":"image.load""#, #""type":"succeeded""#, #""id":"receipt.get""#, #""method":"group.event""#, #""id":"group.get""#] {
            let line = try #require(all.last { $0.contains(name) }, "\(name) in \(all)")
            #expect(line.contains(#""json":"# + Self.told), "\(line)")
        }
    }

    @Test func `the deepest JSON that workers accept gives answers of at most 64 levels`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        let body = String(repeating: "[", count: JSONText.maxLevels) + String(repeating: "]", count: JSONText.maxLevels)
        let starter = try await harness.client()
        let started = try await starter.call("batch.start", #"{"items":[{"url":"http://origin.test/c","as":"json"}],"mode":"settleAll"}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array(body.utf8))
        let group = try #require(started.group)
        client.send(Array(#"[{"jsonrpc":"2.0","id":1,"method":"group.get","params":{"group":"\#(group)","wait":20}}]"#.utf8) + [10])
        let answer = try #require(await client.lines(1).first)
        #expect(answer.contains(body))
        #expect(try JSON(parsing: answer)[0]?["result"]?["results"]?[0]?["state"] == "succeeded")
    }

    @Test func `JSON that no worker has checked is parsed before it is part of an answer`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let forged = Base64.text(of: Array(#"1},"forged":{"a":1"#.utf8))
        try await client.call("cache.put", #"{"request":{"url":"http://origin.test/a","as":"json"},"data":"\#(forged)"}"#)
        let refused = try await client.call("image.load", #"{"url":"http://origin.test/a","as":"json"}"#)
        #expect(refused.error?.name == "jsonInvalid" && refused.json["forged"] == nil, "\(refused)")
        try await client.call("cache.put", #"{"request":{"url":"http://origin.test/b","as":"json"},"data":"\#(Base64.text(of: Self.body))"}"#)
        let taken = try await client.call("image.load", #"{"url":"http://origin.test/b","as":"json"}"#)
        #expect(taken["json"]?["id"]?.int == 7, "\(taken)")
    }
}
