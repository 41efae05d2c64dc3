import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Options of files: the bit depth of AVIF, and the thumbnail of a JPEG. Also the description of animations.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct DepthAndThumbnailTests {
    private static func made(_ source: [UInt8], _ output: String, _ transform: String = "", graphs: PlanarGraphs? = nil) throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output), graphs: graphs)
    }

    /// A gray ramp from black to a sixteenth of white, in 1024 steps of 16 bits.
    private static func ramp() throws -> [UInt8] {
        try VipsRuntime.start()
        let steps = try VipsOperation("linear").set("in", VipsOperation("identity").set("ushort", true).set("size", 1024).image()).set("a", [4]).set("b", [0])
            .image()
        let band = try VipsOperation("cast").set("in", VipsOperation("replicate").set("in", steps).set("across", 1).set("down", 16).image()).set(
            "format", Int(VipsBandFormat.uint16.rawValue)
        ).image()
        let colors = try VipsOperation("bandjoin").set("in", [band, band, band]).image()
        let tagged = try VipsOperation("copy").set("in", colors).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        return try TestPictures.encoded(tagged, .png)
    }

    /// The bit depth by the third byte of `av1C`.
    private static func bits(_ file: [UInt8]) throws -> Int {
        let at = try #require(file.firstRange(of: Array("av1C".utf8))).upperBound
        return file[at + 2] & 0x40 == 0 ? 8 : file[at + 2] & 0x20 == 0 ? 10 : 12
    }

    private static func steps(_ file: [UInt8]) throws -> Int {
        let image = try TestPictures.decoded(file)
        return try Set((0..<image.width).map { try image.pixel($0, 8)[1] }).count
    }

    @Test func `An AVIF of 10 or 12 bits keeps finer steps, and one of 8 bits is unchanged`() throws {
        let source = try Self.ramp()
        let eight = try Self.made(source, #"{"format":"avif","quality":95}"#)
        #expect(try Self.bits(eight) == 8 && Self.steps(eight) <= 20)
        #expect(try Self.made(source, #"{"format":"avif","quality":95,"bitDepth":8}"#) == eight)
        for (asked, bits, least) in [(9, 10, 40), (10, 10, 40), (11, 12, 120), (12, 12, 120)] {
            if bits == 10, !ImageFormat.avif.writesAllOfTenBits {
                for option in [#""metadata":"all""#, #""icc":"keep""#] {
                    let error = #expect(throws: PictureFailure.self) { try Self.made(source, #"{"format":"avif","bitDepth":\#(asked),\#(option)}"#) }
                    #expect(error?.reason == .unsupportedFormat && error?.message.contains("10 bits cannot be written here") == true)
                }
            }
            let deep = try Self.made(source, #"{"format":"avif","quality":95,"bitDepth":\#(asked)}"#)
            let steps = try Self.steps(deep)
            #expect(try Self.bits(deep) == bits && steps >= least, "\(asked): \(steps)")
            #expect(try abs(TestPictures.decoded(deep).pixel(1000, 8)[0] - 4000) < 160)
        }
    }

    @Test(arguments: [[200, 100, 50], [120], [200, 100, 50, 128]]) func `The colors are right whatever bands the source has`(color: [Double]) throws {
        try VipsRuntime.start()
        let flat = try VipsRuntime.solid(width: 32, height: 32, color, color.count < 3 ? .gray : .sRGB)
        let image = try TestPictures.decoded(Self.made(TestPictures.encoded(flat, .png), #"{"format":"avif","quality":95,"bitDepth":12}"#))
        let seen = try image.pixel(9, 9).map { $0 / 257 }
        #expect(near(seen, color.count == 1 ? [120, 120, 120] : color, within: 3), "\(seen)")
    }

    @Test func `An option that the format ignores does not change the key`() throws {
        func canonical(_ output: String) throws -> String { try PictureTests.rendition("", output).canonical.text }
        #expect(try canonical(#"{"format":"png","bitDepth":10,"thumbnail":64}"#) == canonical(#"{"format":"png"}"#))
        #expect(try canonical(#"{"format":"avif","bitDepth":8,"thumbnail":64}"#) == canonical(#"{"format":"avif"}"#))
        #expect(try canonical(#"{"format":"jpeg","bitDepth":12}"#) == canonical(#"{"format":"jpeg"}"#))
        #expect(try canonical(#"{"format":"avif","bitDepth":9}"#) == canonical(#"{"format":"avif","bitDepth":10}"#))
        #expect(try canonical("{}") != canonical(#"{"bitDepth":10}"#) && canonical("{}") != canonical(#"{"thumbnail":64}"#))
    }

    // MARK: Thumbnails

    /// The thumbnail as libexif finds it.
    private static func thumbnail(_ file: [UInt8]) throws -> [UInt8]? {
        try VipsRuntime.start()
        return try file.withUnsafeBytes { raw in
            try VipsOperation("jpegload_buffer").set("buffer", raw).image().bytes("jpeg-thumbnail-data")
        }
    }

    @Test func `A JPEG gets a thumbnail only on request`() throws {
        let source = try TestPictures.encoded(TestPictures.quarters(400, 200), .jpeg)
        for graphs in [nil, PlanarGraphs()] {
            let file = try Self.made(source, #"{"format":"jpeg","thumbnail":64}"#, #"{"op":"resize","width":300}"#, graphs: graphs)
            let small = try TestPictures.decoded(#require(try Self.thumbnail(file)))
            #expect((small.width, small.height) == (64, 32))
            #expect(try near(small.pixel(8, 8), [255, 0, 0], within: 20) && near(small.pixel(56, 24), [255, 255, 255], within: 20))
            let image = try TestPictures.decoded(file)
            #expect(image.width == 300 && image.orientation == 1)
            #expect(try Self.thumbnail(Self.made(source, #"{"format":"jpeg"}"#, graphs: graphs)) == nil)
            let tiny = try Self.made(source, #"{"format":"jpeg","thumbnail":64}"#, #"{"op":"resize","width":20}"#, graphs: graphs)
            #expect(try TestPictures.decoded(#require(try Self.thumbnail(tiny))).width == 20)
        }
    }

    @Test(arguments: [true, false]) func `Carried metadata stays beside the thumbnail`(isLittle: Bool) throws {
        var source = try TestPictures.encoded(TestPictures.quarters(400, 200), .jpeg)
        let block = TagWriter(isLittle: isLittle).block([
            EXIFTag(number: 0x010f, type: 2, count: 6, value: Array("Maker\0".utf8)), EXIFTag(number: 0x8298, type: 2, count: 6, value: Array("Owner\0".utf8)),
        ])
        source.insert(contentsOf: [0xff, 0xe1, 0, UInt8(block.count + 2)] + block, at: 2)
        for (metadata, words) in [("all", ["Maker", "Owner"]), ("copyright", ["Owner"])] {
            let file = try Self.made(source, #"{"format":"jpeg","thumbnail":64,"metadata":"\#(metadata)"}"#)
            #expect(try TestPictures.decoded(#require(try Self.thumbnail(file))).width == 64)
            for word in words { #expect(file.firstRange(of: Array(word.utf8)) != nil, "\(metadata)") }
            let plain = try Self.made(source, #"{"format":"jpeg","metadata":"\#(metadata)"}"#)
            func told(_ bytes: [UInt8]) -> JSONObject? { bytes.withUnsafeBytes { EXIFLocator($0, .jpeg)?.summary(in: $0) } }
            #expect(told(file) == told(plain))
        }
    }

    @Test func `A noisy thumbnail is compressed harder, and full EXIF leaves the file unchanged`() throws {
        try VipsRuntime.start()
        let noise = try VipsOperation("gaussnoise").set("width", 640).set("height", 640).set("mean", 128.0).set("sigma", 90.0).set("seed", 7).image()
        let plain = try VipsOperation("cast").set("in", VipsOperation("bandjoin").set("in", [noise, noise, noise]).image()).set("format", 0).image()
        let tagged = try VipsOperation("copy").set("in", plain).set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
        let file = try Self.made(TestPictures.encoded(tagged, .png), #"{"format":"jpeg","thumbnail":320}"#)
        let small = try #require(try Self.thumbnail(file))
        #expect(small.count <= EmbeddedThumbnail.mostBytes && small.count > 4096)
        let block = TagWriter(isLittle: true).block([EXIFTag(number: 0x010e, type: 2, count: 60000, value: [UInt8](repeating: 0x41, count: 60000))])
        let full = [0xff, 0xd8, 0xff, 0xe1, UInt8((block.count + 2) >> 8), UInt8((block.count + 2) & 255)] + block + [0xff, 0xda, 0, 2, 0xff, 0xd9]
        #expect(full.withUnsafeBytes { EmbeddedThumbnail.put([UInt8](repeating: 1, count: 9000), into: $0) } == nil)
        #expect(full.withUnsafeBytes { EmbeddedThumbnail.put([1, 2, 3], into: $0) } != nil)
    }

    // MARK: Animations

    @Test func `A probe reports delays and loops`() throws {
        for format in [ImageFormat.gif, .webp] {
            let bytes = try TestPictures.animation(20, 10, [[255, 0, 0], [0, 255, 0], [0, 0, 255]], delays: [100, 0, 300], loop: 2, format)
            #expect(try Self.told(bytes)["animation"] == ["loop": 2, "delays": [100, 100, 300]], "\(format)")
        }
        #expect(try Self.told(TestFrames.plain(3).bytes)["animation"]?["delays"]?.array?.count == 3)
        #expect(try Self.told(TestPictures.encoded(TestPictures.quarters(20, 10), .png))["animation"] == .null)
    }

    private static func told(_ source: [UInt8]) throws -> JSONObject {
        try VipsRuntime.start()
        return try source.withUnsafeBytes { raw in
            let format = try HeaderGuard().check(raw)
            let run = try PictureRun(raw, format: format, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(20)))
            return try run.describe(Rendition(canonical: ["describe": ["animation"]]))
        }
    }
}
