import Foundation
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// `fallback`: what a client gets when the load fails.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct FallbackTests {
    private static let gone = TintypeError(.httpStatus, .download, "404", retryable: false, details: ["status": 404])

    private func first(_ result: [String: Any]) -> [String: Any] { (result["renditions"] as? [[String: Any]])?.first ?? [:] }
    private func cause(_ result: [String: Any]) -> String? { ((result["error"] as? [String: Any])?["data"] as? [String: Any])?["name"] as? String }

    @Test func `a colour stands in for what cannot be loaded, as a picture of its size`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let params = ##"{"url":"http://origin.test/a","receipt":"r1","progress":true,"fallback":{"color":"#C08","width":1000,"height":3}}"##
        async let answer = client.call("image.load", params)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        let result = try await answer.fields
        #expect(result["from"] as? String == "fallback" && result["state"] as? String == "succeeded" && result["receipt"] as? String == "r1")
        #expect(cause(result) == "httpStatus")
        #expect(first(result)["width"] as? Int == 1000 && first(result)["format"] as? String == "png" && first(result)["name"] as? String == "default")
        let body = try await HTTP.get(await harness.base + (try #require(first(result)["url"] as? String))).body
        #expect([UInt8](body) == PlainPicture.png(Color(red: 0xcc, green: 0, blue: 0x88), width: 1000, height: 3))
        let end = await client.notifications { $0.contains { $0.params?["type"] as? String == "succeeded" } }.last
        #expect((end?.params?["result"] as? [String: Any])?["from"] as? String == "fallback")
        // Whoever asks later, and elsewhere, is told the same.
        let other = try await harness.another()
        let later = try await harness.client(of: other).call("receipt.get", #"{"receipt":"r1"}"#).fields
        #expect(later["state"] as? String == "succeeded" && cause(later["result"] as? [String: Any] ?? [:]) == "httpStatus", "\(later)")
    }

    @Test @Loop func `while a colour is packed others are answered`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        let params = ##"{"url":"http://origin.test/a","fallback":{"color":"#C08","width":8192,"height":8192}}"##
        async let answer = client.call("image.load", params)
        let fetch = try await harness.worker.claim()
        // Stands for packing that takes long: the pool's only thread.
        let release = harness.holdImages()
        try await harness.worker.fail(fetch, Self.gone)
        try await Gate.until("the end is known") { harness.services.scope.count > 0 }
        for _ in 0..<10 { #expect(try await client.call("system.ping", "{}").errorName == nil) }
        release()
        let result = try await answer.fields
        #expect(result["from"] as? String == "fallback" && first(result)["width"] as? Int == 8192)
    }

    @Test func `another source stands in with the same renditions, and if that fails too the first failure is told`() async throws {
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
        let result = try await answer.fields
        #expect(result["from"] as? String == "fallback" && cause(result) == "httpStatus" && result["tag"] as? String == "t")
        #expect((result["renditions"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == ["x", "y"])

        async let lost = client.call("image.load", #"{"url":"http://origin.test/c","fallback":{"url":"http://origin.test/d"}}"#)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        try await harness.worker.fail(try await harness.worker.claim(), TintypeError(.badImageData, .decode, "broken"))
        #expect(try await lost.errorName == "httpStatus")
    }

    @Test func `a finished image stands in by its key, and where it is gone nothing does`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let made = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: Array("stand-in".utf8))
        let key = try #require(first(try await made.fields)["key"] as? String)
        async let answer = client.call("image.load", #"{"url":"http://origin.test/b","deliver":"inline","fallback":{"key":"\#(key)"}}"#)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        let result = try await answer.fields
        #expect(result["from"] as? String == "fallback" && first(result)["key"] as? String == key)
        #expect(first(result)["data"] as? String == Base64.text(of: Array("stand-in".utf8)))
        async let lost = client.call("image.load", #"{"url":"http://origin.test/c","fallback":{"key":"nothing"}}"#)
        try await harness.worker.fail(try await harness.worker.claim(), Self.gone)
        #expect(try await lost.errorName == "httpStatus")
    }

    @Test func `what never begins, or is withdrawn, is told as ever or stood in for`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let color = #""fallback":{"color":"red","width":2,"height":2}"#
        #expect(try await client.call("image.load", #"{"url":"nowhere",\#(color)}"#).errorName == "invalidURL")
        let miss = try await client.call("image.load", #"{"url":"http://origin.test/a","cache":{"policy":"only","read":["memory","results"]},\#(color)}"#)
        #expect(miss.fields["from"] as? String == "fallback" && cause(miss.fields) == "cacheMiss", "\(miss.object)")
        async let answer = client.call("image.load", #"{"url":"http://origin.test/b","receipt":"r",\#(color)}"#)
        _ = try await harness.worker.claim()
        try await client.call("receipt.cancel", #"{"receipt":"r"}"#)
        #expect(try await answer.errorName == "cancelled")
        for wrong in [#"{"color":"red"}"#, #"{"url":"ftp://x"}"#, "{}", #"{"color":"red","width":9999,"height":1}"#] {
            #expect(try await client.call("image.load", #"{"url":"http://origin.test/a","fallback":\#(wrong)}"#).error != nil)
        }
    }
}
