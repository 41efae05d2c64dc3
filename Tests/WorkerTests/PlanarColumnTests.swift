import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Every column of a planar result is where it belongs. zimg has separate code for each kind of processor, with faults in some of it.
@Suite(.tags(.optimized), .timeLimit(.minutes(3)))
struct PlanarColumnTests {
    private static func made(_ source: [UInt8], _ transform: String, speed: String = "best", quality: Int = 100) throws -> VipsImage {
        let text = #"{"transform":[\#(transform)],"decode":{"speed":"\#(speed)"},"output":{"format":"jpeg","quality":\#(quality)}}"#
        let graphs = PlanarGraphs()
        let image = try TestPictures.decoded(TestPictures.made(source, Rendition(canonical: JSON(parsing: text)), graphs: graphs))
        try #require(graphs.built > 0, "it was made by planes")
        return image
    }

    /// Vertical lines at ratios a little above 2 (vapoursynth#1063): columns eight samples further left, in all but the last blocks of sixteen.
    @Test func `A ramp stays a ramp whatever its width`() throws {
        try VipsRuntime.start()
        let width = 664
        let ramp = (0..<32).flatMap { _ in (0..<width).map { UInt8(Double($0) / Double(width - 1) * 255) } }
        let image = try VipsImage.of(ramp, width: width, height: 32, bands: 1)
        let gray = try VipsOperation("copy").set("in", image).set("interpretation", Int(VipsColors.gray.rawValue)).image()
        let source = try VipsOperation("jpegsave_buffer").set("in", gray).set("Q", 100).bytes().copied()
        for wanted in Array(300...350) + Array(stride(from: 40, to: 300, by: 7)) {
            let result = try Self.made(source, #"{"op":"resize","width":\#(wanted)}"#)
            let samples = try result.samples()
            let off = (4..<wanted - 4).map { x -> Double in
                let right: Double = (Double(x) + 0.5) / Double(wanted) * 255
                return abs(Double(samples[wanted + x]) - right)
            }
            #expect(off.max() ?? 255 < 4, "\(wanted): column \(off.firstIndex(of: off.max() ?? 0).map { $0 + 4 } ?? 0) is off by \(off.max() ?? 0)")
        }
    }

    /// The vertical pass fails if a window is narrower than its vectors and begins within the picture.
    @Test(arguments: [1, 3, 6, 8]) func `A strip of a picture of one color has that color`(orientation: Int) throws {
        try VipsRuntime.start()
        let flat = try VipsRuntime.solid(width: 520, height: 405, [200, 60, 30]).withHeader { $0.set("orientation", orientation) }
        for whole in [1, 2] {
            let source = try VipsOperation("jpegsave_buffer").set("in", flat).set("Q", 95).set("subsample-mode", whole).bytes().copied()
            for (width, height) in [(2, 300), (4, 300), (6, 300), (8, 300), (12, 200), (20, 100), (33, 300), (300, 4), (300, 8)] {
                let crop = #"{"op":"resize","width":\#(width),"height":\#(height),"fit":"cover"}"#
                let text = #"{"transform":[\#(crop)],"output":{"format":"jpeg","quality":95}}"#
                let image = try TestPictures.decoded(TestPictures.made(source, Rendition(canonical: JSON(parsing: text)), graphs: PlanarGraphs()))
                let samples = try image.samples().map { Int($0) }
                for (band, wanted) in [200, 60, 30].enumerated() {
                    let off = stride(from: band, to: samples.count, by: 3).map { abs(samples[$0] - wanted) }.max() ?? 255
                    #expect(off <= 4, "\(width)×\(height), band \(band): off by \(off)")
                }
            }
        }
    }
}
