@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Sources that are read line by line during the work: alone, beside other renditions, damaged, and larger than memory allows.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)), .serialized)
struct StreamingTests {
    /// Returns noise, so that no decoder has all of it in its read-ahead.
    private static func noise(_ width: Int, _ height: Int, bands: Int = 3, seed: Int = 7) throws -> VipsImage {
        try VipsRuntime.start()
        let planes = try (0..<bands).map { band in
            try VipsOperation("gaussnoise").set("width", width).set("height", height).set("mean", 128.0).set("sigma", 40.0).set("seed", seed + band).image()
        }
        let whole = bands == 1 ? planes[0] : try VipsOperation("bandjoin").set("in", planes).image()
        let plain = try VipsOperation("cast").set("in", whole).set("format", 0).image()
        return try VipsOperation("copy").set("in", plain).set("interpretation", Int((bands == 1 ? VipsColors.gray : .sRGB).rawValue)).image()
    }

    private static func pages(_ width: Int, _ height: Int) throws -> [UInt8] {
        let strip = try VipsOperation("arrayjoin").set("in", [noise(width, height), noise(width, height, seed: 70)]).set("across", 1).image()
        return try TestPictures.encoded(strip.withHeader { $0.set("page-height", height) }, .tiff)
    }

    /// Makes the second rendition of a source alone, and after the first one, which has left its pixels.
    private static func both(_ source: [UInt8], _ format: ImageFormat, _ rendition: Rendition) throws -> (alone: [UInt8], after: [UInt8], isShared: Bool) {
        try source.withUnsafeBytes { raw in
            func run() throws -> PictureRun {
                try PictureRun(raw, format: format, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(120)))
            }
            let first = try run()
            first.adoptDecoded(nil, isMoreToCome: true)
            _ = try first.render(PictureTests.rendition(#"{"op":"resize","width":50}"#))
            let second = try run()
            second.adoptDecoded(first.whole, isMoreToCome: false)
            return (try run().render(rendition).bytes.copied(), try second.render(rendition).bytes.copied(), first.whole != nil)
        }
    }

    @Test(arguments: [
        #"{"op":"rotate","angle":90}"#, #"{"op":"crop","width":300,"height":300,"gravity":"attention"}"#,
        #"{"op":"flip","vertical":true},{"op":"blur","sigma":3}"#,
    ])
    func `Pixels of another rendition change nothing for one that opens the source again`(transform: String) throws {
        func rendition(_ decode: String) throws -> Rendition {
            try Rendition(canonical: JSON(parsing: #"{"transform":[\#(transform)],"output":{"format":"png"},"decode":\#(decode)}"#))
        }
        let tiff = try Self.both(Self.pages(700, 1500), .tiff, rendition(#"{"page":1}"#))
        #expect(tiff.isShared && tiff.alone == tiff.after)
        let png = try Self.both(TestPictures.encoded(Self.noise(700, 1500), .png), .png, rendition(#"{"failOn":"none"}"#))
        #expect(png.isShared && png.alone == png.after)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp])
    func `A truncated picture too large for memory is bad, not badly encoded`(output: ImageFormat) throws {
        // More than 64 MiB of pixels, so that the encoder pulls the lines.
        let bytes = try TestPictures.encoded(Self.noise(5200, 4600), .jpeg, OutputOptions(quality: 20))
        let rendition = try PictureTests.rendition("", #"{"format":"\#(output.rawValue)","effort":0}"#)
        let error = #expect(throws: PictureFailure.self) { try TestPictures.made(Array(bytes[..<(bytes.count * 2 / 3)]), rendition, within: .seconds(240)) }
        #expect(error?.reason == .badImageData && error?.phase == .decode, "\(String(describing: error))")
    }

    /// Otherwise each tile of the last step would run all earlier steps again for all tiles around it.
    @Test(arguments: [(1, 2), (3, 4), (12, 13)]) func `Steps over neighborhoods run once each, over the result of the one before`(turns: Int, passes: Int)
        throws
    {
        let steps = (0..<turns).map { _ in #"{"op":"rotate","angle":45,"expand":false}"# }.joined(separator: ",")
        let bytes = try TestPictures.encoded(Self.noise(200, 150), .jpeg)
        try bytes.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .jpeg, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(120)))
            _ = try run.render(PictureTests.rendition(steps, #"{"format":"jpeg"}"#))
            #expect(run.computations == passes)
        }
    }

    @Test func `Pixels in memory are not computed again before a step over neighborhoods`() throws {
        let bytes = try TestPictures.encoded(Self.noise(200, 150), .png)
        try bytes.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .png, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(120)))
            _ = try run.render(PictureTests.rendition(#"{"op":"crop","x":5,"y":5,"width":90,"height":80},{"op":"rotate","angle":90}"#))
            #expect(run.computations == 1 && run.whole != nil)
        }
    }

    @Test func `Each phase is reported before its work, and a source that is read first is read alone`() throws {
        let layer = try OperationTests.flat([1, 2, 3], 10, 10)
        let rendition = try Rendition(
            canonical: JSON(
                parsing: #"{"transform":[{"op":"resize","width":50},{"op":"composite","url":"http://h/"},{"op":"blur","sigma":2}],"output":{"format":"jpeg"}}"#)
        )
        func phases(_ format: ImageFormat, readsFirst: Bool, _ rendition: Rendition, _ graphs: PlanarGraphs? = nil) throws -> [PictureFailure.Phase] {
            var phases: [PictureFailure.Phase] = []
            try TestPictures.encoded(Self.noise(200, 150), format).withUnsafeBytes { raw in
                try layer.withUnsafeBytes { layer in
                    let clock = PictureClock(deadline: .now + .seconds(120))
                    clock.onPhase = { phases.append($0) }
                    let run = try PictureRun(raw, format: format, limits: ImageLimits(), clock: clock, graphs: graphs)
                    run.readsFirst = readsFirst
                    _ = try run.render(rendition, layers: rendition.layers.isEmpty ? [] : [layer])
                }
            }
            return phases
        }
        // Header, plan, source with the steps that run meanwhile, the rest, encoder.
        #expect(try phases(.jpeg, readsFirst: false, rendition) == [.decode, .transform, .decode, .transform, .decode, .transform, .encode])
        #expect(try phases(.jpeg, readsFirst: true, rendition) == [.decode, .transform, .decode, .transform, .encode])
        #expect(try phases(.png, readsFirst: true, rendition) == [.decode, .transform, .decode, .transform, .encode])
        let plain = try PictureTests.rendition(#"{"op":"resize","width":50}"#, #"{"format":"jpeg"}"#)
        #expect(try phases(.jpeg, readsFirst: true, plain, PlanarGraphs()) == [.decode, .transform, .decode, .transform, .encode])
    }
}
