import Foundation
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// `fallback`: the result that a client gets when the load fails.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct FallbackTests {
    private static let gone = TintypeError(.httpStatus, .download, "404", retryable: false, details: ["status": 404])

    private func first(_ result: JSON) -> JSON { result["renditions"]?.array?.first ?? [:] }
    private func cause(_ result: JSON) -> String? { result["error"]?["data"]?["name"]?.string }

    @Test func `a fallback color gives a picture of its size when the load fails`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let params = ##"{"url":"http://origin.test/a","receipt":"r1","progress":true,"fallback":{"color":"#C08","width":1000,"height":3}}"##
        async let answer = client.call("image.load", params)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        let result = try await answer.body
        #expect(result["from"]?.string == "fallback" && result["state"]?.string == "succeeded" && result["receipt"]?.string == "r1")
        #expect(cause(result) == "httpStatus")
        #expect(first(result)["width"]?.int == 1000 && first(result)["format"]?.string == "png" && first(result)["name"]?.string == "default")
        let body = try await HTTP.get(await harness.base + (try #require(first(result)["url"]?.string))).body
        #expect([UInt8](body) == PlainPicture.png(Color(red: 0xcc, green: 0, blue: 0x88), width: 1000, height: 3))
        let end = await client.notifications { $0.contains { $0.type == "succeeded" } }.last
        #expect(end?.params?["result"]?["from"]?.string == "fallback")
        // Later questions, also at another coordinator, get the same answer.
        let other = try await harness.another()
        let later = try await harness.client(of: other).call("receipt.get", #"{"receipt":"r1"}"#).body
        #expect(later["state"]?.string == "succeeded" && cause(later["result"] ?? [:]) == "httpStatus", "\(later)")
    }

    @Test @Loop func `other requests are answered while a fallback color is encoded`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        let params = ##"{"url":"http://origin.test/a","fallback":{"color":"#C08","width":8192,"height":8192}}"##
        async let answer = client.call("image.load", params)
        let fetch = try await harness.worker.claim()
        // This stands for a long encoding, and occupies the only thread of the pool.
        let release = harness.holdImages()
        try await harness.worker.fail(fetch, Self.gone)
        try await Gate.until("the end is known") { harness.coordinator.core.process.scope.count > 0 }
        for _ in 0..<10 { #expect(try await client.call("system.ping", "{}").error?.name == nil) }
        release()
        let result = try await answer.body
        #expect(result["from"]?.string == "fallback" && first(result)["width"]?.int == 8192)
    }

    @Test func `a fallback source makes the same renditions, and the first failure is reported if it fails too`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let renditions = #"[{"name":"x"},{"name":"y","output":{"format":"webp"}}]"#
        let params = #"{"url":"http://origin.test/a","tag":"t","renditions":\#(renditions),"fallback":{"url":"http://origin.test/b"}}"#
        async let answer = client.call("image.load", params)
        let fetch = try await harness.worker.claim()
        try await harness.worker.fail(fetch, Self.gone)
        let second = try await harness.worker.claim()
        #expect(try JSON(parsing: second.fetch)["url"] == "http://origin.test/b")
        #expect(second.renditions.map(\.json).sorted() == fetch.renditions.map(\.json).sorted())
        try await harness.worker.succeed(second)
        let result = try await answer.body
        #expect(result["from"]?.string == "fallback" && cause(result) == "httpStatus" && result["tag"]?.string == "t")
        #expect(result["renditions"]?.array?.compactMap { $0["name"]?.string } == ["x", "y"])

        async let lost = client.call("image.load", #"{"url":"http://origin.test/c","fallback":{"url":"http://origin.test/d"}}"#)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        try await harness.worker.fail(try await harness.worker.claim(), TintypeError(.badImageData, .decode, "broken"))
        #expect(try await lost.error?.name == "httpStatus")
    }

    @Test func `a fallback image is found by its key, and a missing one gives the failure`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let made = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array("stand-in".utf8))
        let key = try #require(first(try await made.body)["key"]?.string)
        async let answer = client.call("image.load", #"{"url":"http://origin.test/b","deliver":"inline","fallback":{"key":"\#(key)"}}"#)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        let result = try await answer.body
        #expect(result["from"]?.string == "fallback" && first(result)["key"]?.string == key)
        #expect(first(result)["data"]?.string == Base64.text(of: Array("stand-in".utf8)))
        async let lost = client.call("image.load", #"{"url":"http://origin.test/c","fallback":{"key":"nothing"}}"#)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        #expect(try await lost.error?.name == "httpStatus")
    }

    @Test func `requests that never start or are canceled get their error or their fallback`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let color = #""fallback":{"color":"red","width":2,"height":2}"#
        #expect(try await client.call("image.load", #"{"url":"nowhere",\#(color)}"#).error?.name == "invalidURL")
        let miss = try await client.call("image.load", #"{"url":"http://origin.test/a","cache":{"policy":"only","read":["memory","results"]},\#(color)}"#)
        #expect(miss.from == "fallback" && cause(miss.body) == "cacheMiss", "\(miss)")
        async let answer = client.call("image.load", #"{"url":"http://origin.test/b","receipt":"r",\#(color)}"#)
        _ = try await harness.worker.claim()
        try await client.call("receipt.cancel", #"{"receipt":"r"}"#)
        #expect(try await answer.error?.name == "cancelled")
        for wrong in [#"{"color":"red"}"#, #"{"url":"ftp://x"}"#, "{}", #"{"color":"red","width":9999,"height":1}"#] {
            #expect(try await client.call("image.load", #"{"url":"http://origin.test/a","fallback":\#(wrong)}"#).error != nil)
        }
    }
}
