import Foundation
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing
@testable import Worker

extension FetchRunnerTests {
    @Test @Loop func `a rendition that joins is made from the same download`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        let first = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        // A rendition that cannot be made is enough to see that it joined.
        let second = try await h.submit(bytes(origin.url)) { $0.renditions[0] = .init(name: "late", digest: "late", json: "not JSON") }
        origin.open()
        await run.value
        #expect(try await h.result(first)["state"] == "succeeded")
        #expect(try await h.failure(second).name == .internalError)
        #expect(origin.requests == 1)
        origin.close()
    }

    @Test @Loop func `a picture is made, and an impossible rendition fails alone`() async throws {
        let h = try await WorkerHarness()
        let renditions: JSON = [
            ["name": "small", "transform": [["op": "resize", "width": 60]], "output": ["format": "jpeg"]],
            ["name": "outside", "transform": [["op": "crop", "x": 500, "y": 500, "width": 10, "height": 10]]],
        ]
        let url = h.url("/picture.png?size=120x90")
        let good = try await h.submit(["url": .string(url), "renditions": [renditions[0] ?? .null]])
        let both = try await h.submit(["url": .string(url), "renditions": renditions])
        try await h.runOne()
        let result = try await h.result(good)
        let small = try #require(result["renditions"]?[0])
        #expect(small["width"] == 60 && small["height"] == 45 && small["format"] == "jpeg" && small["applied"] == true)
        #expect(result["source"]?["width"] == 120 && result["source"]?["hasAlpha"] == false)
        #expect(try await h.store.get(small["key"]?.string ?? "")?.bytes.starts(with: [0xff, 0xd8]) == true)
        #expect(try await h.failure(both).name == .transformFailed)
        #expect(try await h.counts()["total"] == 1)
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webp, .avif, .heif, .gif, .tiff]) @Loop func `a probe returns all facts that a picture's result would`(
        format: ImageFormat
    ) async throws {
        let h = try await WorkerHarness()
        let bytes = try TestPictures.encoded(TestPictures.quarters(40, 30, alpha: true), format)
        let url = JSON.string("data:image/x;base64," + Data(bytes).base64EncodedString())
        let probe = try await h.submit(["url": url], isProbe: true)
        let whole = try await h.submit(["url": url])
        try await h.runOne()
        try await h.runOne()
        let (probed, loaded) = (try await h.result(probe)["source"], try await h.result(whole)["source"])
        for name in ["format", "width", "height", "frames", "hasAlpha", "orientation"] {
            #expect(probed?[name] != nil && probed?[name] == loaded?[name], "\(name)")
        }
    }

    @Test @Loop func `a probe for EXIF alone ends with the header, and uses the cache`() async throws {
        let h = try await WorkerHarness()
        // At this rate the whole picture would take longer than the test may.
        let slow = JSON.string(h.url("/picture.png?size=1000x800&rate=20000"))
        let probe = try await h.submit(["url": slow, "describe": ["exif"]], isProbe: true)
        try await h.runOne()
        let told = try await h.result(probe)
        #expect(told["source"]?["width"] == 1000 && told["source"]?["format"] == "png" && told["description"]?["exif"] == [:])
        // A picture that no header describes is read to its end.
        let bytes = try TestPictures.encoded(TestPictures.quarters(40, 30), .tiff)
        let url = JSON.string("data:image/x;base64," + Data(bytes).base64EncodedString())
        let whole = try await h.submit(["url": url, "describe": ["exif"]], isProbe: true)
        try await h.runOne()
        let described = try await h.result(whole)
        #expect(described["source"]?["width"] == 40 && described["description"]?["exif"]?.object != nil)
        // For a kept source the origin is not asked.
        let kept = JSON.string(h.url("/picture.png?size=60x40&with=Cache-Control:+max-age=600"))
        try await h.submit(["url": kept])
        try await h.runOne()
        let asked = try await h.counts()["total"]
        let again = try await h.submit(["url": kept, "describe": ["exif"]], isProbe: true)
        try await h.runOne()
        #expect(try await h.result(again)["source"]?["width"] == 60)
        #expect(try await h.counts()["total"] == asked)
    }

    /// At this rate a whole picture would take longer than the test may: probes without a palette end with its header.
    @Test(arguments: [[], ["exif"], ["palette"]] as [[JSON]]) @Loop func `a probe of a picture that is too large fails like a load`(
        traits: [JSON]
    ) async throws {
        let folder = try TemporaryFolder("large")
        let rows = [UInt8](repeating: 0, count: 10 * (1 + 3 * 17000))
        let picture = PNGChunk.signature + PNGChunk.header(width: 17000, height: 10, depth: 8, type: 2) + PNGChunk.data(rows, level: 0)
        try Data(picture).write(to: URL(fileURLWithPath: folder.path + "/large.png"))
        let h = try await WorkerHarness(root: folder.path)
        let load = try await h.submit(["url": .string(h.url("/large.png"))])
        let probed = JSON.string(h.url(traits == ["palette"] ? "/large.png?once" : "/large.png?rate=5000"))
        let probe = try await h.submit(traits.isEmpty ? ["url": probed] : ["url": probed, "describe": .array(traits)], isProbe: true)
        try await h.runOne()
        try await h.runOne()
        let (one, other) = (try await h.failure(load), try await h.failure(probe))
        #expect(one.name == .limitExceeded && one.details["limit"] == "maxSide" && one.details["value"] == 17000)
        #expect(other.name == one.name && other.phase == one.phase && other.message == one.message && other.details["value"] == 17000)
    }

    @Test @Loop func `a worker without pixel processes leaves the fetch to another attempt`() async throws {
        let pool = PixelPoolTests().pool {
            $0.executable = "/nowhere"
            if !TestTimes.areReal { $0.startPatience = .seconds(1) }
        }
        let h = try await WorkerHarness(pixels: pool)
        let receipt = try await h.submit(["url": .string(h.url("/picture.png?size=40x30"))])
        try await h.runOne()
        #expect(try await h.snapshot(receipt).state == .delayed)
    }
}
