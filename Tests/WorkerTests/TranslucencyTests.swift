@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Half-transparent pixels keep their color under every operation, and are not lost.
@Suite(.tags(.optimized), .timeLimit(.minutes(2))) struct TranslucencyTests {
    private static func flat(_ alpha: Double) throws -> [UInt8] {
        try VipsRuntime.start()
        return try TestPictures.encoded(VipsRuntime.solid(width: 40, height: 40, [200, 100, 50, alpha]), .png)
    }

    @Test(
        arguments: [
            #"{"op":"rotate","angle":30}"#, #"{"op":"rotate","angle":200.5,"expand":false}"#, #"{"op":"resize","width":20}"#, #"{"op":"resize","width":17}"#,
            #"{"op":"resize","width":90,"enlarge":true}"#, #"{"op":"blur","sigma":2}"#,
        ], [3.0, 10, 40, 128, 255])
    func `a flat color does not change`(step: String, alpha: Double) throws {
        let image = try PictureTests.made(Self.flat(alpha), step)
        let wrong = try image.pixels { pixel in
            // As near as eight bits of a weighted number allow, on the way there and back.
            let most = pixel[3] > 0 ? 255 / pixel[3] + 1 : 255
            return pixel[3] > 2 && !near(Array(pixel.prefix(3)), [200, 100, 50], within: most)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    /// As in Chromium. Pillow, whose weighted numbers have eight bits, makes a rim here that is up to 31 steps brighter.
    @Test(
        arguments: ["cubic", "mitchell", "lanczos2", "lanczos3", "linear"].flatMap { kernel in [30, 77, 100, 250].map { (kernel, $0) } }, [false, true])
    func `A flat color has no rim at a hard edge`(resize: (kernel: String, width: Int), isDeep: Bool) throws {
        try VipsRuntime.start()
        let wanted = [128.0, 200, 60]
        let flat = try VipsRuntime.solid(width: 81, height: 81, wanted + [255])
        let edged = try VipsOperation("embed").set("in", flat).set("x", 23).set("y", 20).set("width", 120).set("height", 120).image()
        let source = try TestPictures.encoded(isDeep ? ColorStep.sixteenBit(edged) : edged, .png)
        let image = try PictureTests.made(source, #"{"op":"resize","width":\#(resize.width),"enlarge":true,"kernel":"\#(resize.kernel)"}"#)
        #expect(image.width == resize.width && image.bands == 4 && (image.format == .uint16) == isDeep)
        let scale = isDeep ? 257.0 : 1
        let wrong = try image.pixels { pixel in
            let pixel = pixel.map { $0 / scale }
            return pixel[3] >= 8 && !near(Array(pixel.prefix(3)), wanted, within: 2 + 255 / pixel[3])
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test(arguments: [
        (##"{"op":"tint","color":"#ff000080"}"##, true), (#"{"op":"tint","color":"red"}"#, false),
        (#"{"op":"roundCorners","radius":0,"border":{"width":8,"color":"red","join":"round"}}"#, true),
        (#"{"op":"roundCorners","radius":0,"border":{"width":8,"color":"red"}}"#, false),
        (#"{"op":"rotate","angle":90,"expand":false}"#, true), (#"{"op":"rotate","angle":90}"#, false),
        (#"{"op":"rotate","angle":180,"expand":false}"#, false), (#"{"op":"rotate","angle":90,"expand":false,"background":"red"}"#, false),
    ])
    func `auto chooses a format for pictures that have become transparent`(step: String, isTranslucent: Bool) throws {
        let source = try TestPictures.encoded(TestPictures.quarters(60, 40), .jpeg)
        let rendition = try Rendition(canonical: JSON(parsing: #"{"transform":[\#(step)],"output":{"format":"auto","accept":["jpeg","png"]}}"#))
        let made = try TestPictures.made(source, rendition)
        #expect(ImageSniff.of(made) == .image(isTranslucent ? .png : .jpeg))
    }

    @Test(arguments: [(#"{"op":"roundCorners","radius":9}"#, ImageFormat.png), (#"{"op":"resize","width":9}"#, .jpeg)])
    func `a source format that cannot be written is replaced by one with transparency`(step: String, format: ImageFormat) throws {
        let rendition = try Rendition(canonical: JSON(parsing: #"{"transform":[\#(step)],"output":{"format":"original"}}"#))
        let plan = try PicturePlanner.plan(PlanTests.facts(.heif), rendition, ImageLimits(), encoders: [.jpeg, .png, .webp])
        #expect(plan.output.format == format)
    }

    @Test func `trim removes nothing transparent from an opaque picture`() throws {
        let inner = try TestPictures.quarters(60, 40)
        let framed = try VipsOperation("embed").set("in", inner).set("x", 10).set("y", 10).set("width", 80).set("height", 60).image()
        let image = try PictureTests.made(TestPictures.encoded(framed, .png), #"{"op":"trim","color":"transparent"}"#)
        #expect(PictureSize(image.width, image.height) == PictureSize(80, 60))
        let trimmed = try PictureTests.made(TestPictures.encoded(framed, .png), #"{"op":"trim","color":"black"}"#)
        #expect(PictureSize(trimmed.width, trimmed.height) == PictureSize(60, 40))
    }
}
