import Foundation
import TintypeCore
import TintypeImages
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// The bytes of a source that errors of decoders show to operators.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped)
@Loop
struct ReceivedTests {
    private func received(_ h: WorkerHarness, _ request: JSONObject) async throws -> JSON? {
        let receipt = try await h.submit(.object(request))
        try await h.runOne()
        return try await h.failure(receipt).details["received"]
    }

    @Test func `the first bytes of a source that is no picture are shown with their format`() async throws {
        let folder = try TemporaryFolder("received")
        let page = "<!DOCTYPE html><html><head><title>Please log in</title></head><body>" + String(repeating: "x", count: 1000)
        try Data(page.utf8).write(to: URL(fileURLWithPath: folder.path + "/page.jpg"))
        try Data("neither".utf8).write(to: URL(fileURLWithPath: folder.path + "/short.jpg"))
        let h = try await WorkerHarness(root: folder.path)
        let shown = try #require(try await received(h, ["url": .string(h.url("/page.jpg"))]))
        #expect(shown["start"]?.string == Digest.hex(Array(page.utf8.prefix(64))) && shown["format"] == "html" && shown["sha256"] == nil)
        #expect(try await received(h, ["url": .string(h.url("/short.jpg"))])?.text == #"{"start":"\#(Digest.hex(Array("neither".utf8)))"}"#)
    }

    @Test func `no bytes of a source with credentials are shown, nor of private ones, nor without a failure of a decoder`() async throws {
        let folder = try TemporaryFolder("received")
        try Data("neither".utf8).write(to: URL(fileURLWithPath: folder.path + "/short.jpg"))
        let h = try await WorkerHarness(root: folder.path)
        let url = h.url("/short.jpg")
        for request in [
            ["url": .string(url + "?token=hush")], ["url": .string(url.replacingOccurrences(of: "http://", with: "http://user:hush@"))],
            ["url": .string(url), "fetch": ["headers": ["x-key": "hush"]]], ["url": .string(url), "fetch": ["cookies": "jar"]],
            ["url": .string(url), "cache": ["scope": "mine"]], ["url": .string(h.url("/text?with=Cache-Control:+private"))],
            ["url": .string(h.url("/status/404"))], ["url": .string(h.url("/picture.png?size=20x10")), "require": ["minWidth": 50]],
        ] as [JSONObject] {
            #expect(try await received(h, request) == nil, "\(request)")
        }
    }

    @Test func `a picture that kills pixel processes has its digest, with credentials too`() async throws {
        let pool = PixelPoolTests().pool()
        let folder = try TemporaryFolder("received")
        let bytes = try TestPictures.encoded(TestPictures.quarters(200, 100), .png) + Array("tintype-test-hook:crash".utf8)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/bad.png"))
        let h = try await WorkerHarness(pixels: pool, root: folder.path)
        let draw: JSON = [["name": "a", "transform": [["op": "resize", "width": 50]]]]
        let shown = try #require(try await received(h, ["url": .string(h.url("/bad.png")), "renditions": draw]))
        #expect(shown["sha256"]?.string == Digest.sha256Hex(bytes) && shown["format"] == "png" && shown["start"]?.string == Digest.hex(bytes.prefix(64)))
        let secret = try await received(h, ["url": .string(h.url("/bad.png?token=hush")), "renditions": draw])
        #expect(secret?.text == #"{"sha256":"\#(Digest.sha256Hex(bytes))"}"#)
    }
}
