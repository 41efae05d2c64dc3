@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The writing of AVIFs that move: when one is written, and its content.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
struct AnimatedAVIFWriteTests {
    private static let colors: [[Double]] = [[220, 40, 30], [20, 200, 60], [30, 60, 230]]
    private static let moving = #"{"format":"avif","animated":true}"#

    private static func made(_ source: [UInt8], _ transform: String = "", _ output: String = moving) throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    private static func source(_ colors: [[Double]] = colors, loop: Int = 3, _ format: ImageFormat = .webp) throws -> [UInt8] {
        try TestPictures.animation(24, 16, colors, delays: [100, 250, 40], loop: loop, format)
    }

    @Test(arguments: [ImageFormat.gif, .webp], [0, 1, 3]) func `Frames, delays and plays are kept if an AVIF is to move`(
        format: ImageFormat, loop: Int
    ) throws {
        let bytes = try Self.made(Self.source(loop: loop, format))
        let sequence = try #require(TestAVIFs.sequence(bytes))
        #expect(sequence.delays == [100, 250, 40] && sequence.plays == loop && !sequence.isCut)
        // Chromium takes 32 bits of ones for a time.
        let head = try #require(bytes.firstRange(of: Array("tkhd".utf8))).upperBound
        #expect(bytes[head] == 1 && bytes[head + 28..<head + 36].allSatisfy { $0 == 0xff } == (loop == 0))
        // The GIFs of libvips have a transparent color, which no pixel has here.
        #expect(sequence.masks == nil)
        #expect(ImageSniff.of(bytes) == .image(.avif))
        for (frame, color) in zip(try TestAVIFs.drawn(bytes), Self.colors) { #expect(try nearOpaque(frame.pixel(12, 8), color, within: 10)) }
        // libheif does not know tracks.
        #expect(try nearOpaque(TestPictures.decoded(bytes).pixel(12, 8), Self.colors[0], within: 10))
    }

    @Test func `The default is the first frame`() throws {
        for output in [#"{"format":"avif"}"#, #"{"format":"auto","accept":["avif","jpeg"]}"#] {
            #expect(try TestAVIFs.header(Self.made(Self.source(), "", output))?.frames == 1, "\(output)")
        }
        let page = try Rendition(canonical: JSON(parsing: #"{"decode":{"frames":"first"},"output":\#(Self.moving)}"#))
        #expect(try TestAVIFs.header(TestPictures.made(Self.source(), page))?.frames == 1)
        #expect(try TestAVIFs.header(Self.made(Self.source(), "", #"{"format":"auto","accept":["avif","jpeg"],"animated":true}"#))?.frames == 3)
        #expect(try Self.made(Self.source(), "", #"{"format":"auto","accept":["avif","webp"],"animated":true}"#).starts(with: Array("RIFF".utf8)))
    }

    @Test func `An animated AVIF stays animated, and steps change each frame`() throws {
        for output in ["{}", #"{"format":"avif"}"#] {
            let bytes = try Self.made(TestAVIFs.opaque, #"{"op":"resize","width":24}"#, output)
            let frames = try TestAVIFs.drawn(bytes)
            #expect(frames.count == 3 && frames.allSatisfy { $0.width == 24 && $0.height == 16 }, "\(output)")
            #expect(try near(frames[2].pixel(20, 8), TestAVIFs.colors[2], within: 10))
        }
        #expect(try Self.made(TestAVIFs.opaque, "", #"{"format":"auto","accept":["*/*"]}"#).starts(with: Array("GIF89a".utf8)))
        // A sheet of pictures has no frames.
        let sheet = try TestPictures.encoded(TestPictures.quarters(16, 16), .avif)
        #expect(try TestAVIFs.header(Self.made(sheet, #"{"op":"animate","columns":2,"rows":2}"#, #"{"format":"avif"}"#))?.frames == 1)
        #expect(try TestAVIFs.header(Self.made(sheet, #"{"op":"animate","columns":2,"rows":2}"#))?.frames == 4)
        #expect(try Self.made(sheet, #"{"op":"animate","columns":2,"rows":2}"#, "{}").starts(with: Array("RIFF".utf8)))
    }

    @Test func `Transparency is a track of its own`() throws {
        let bytes = try Self.made(Self.source([[220, 40, 30, 255], [20, 200, 60, 90], [30, 60, 230, 200]]))
        #expect(TestAVIFs.sequence(bytes)?.masks?.count == 3 && TestAVIFs.header(bytes)?.hasAlpha == true)
        let seen = try TestAVIFs.drawn(bytes).map { try $0.pixel(12, 8) }
        for (pixel, alpha) in zip(seen, [255.0, 90, 200]) { #expect(abs(pixel[3] - alpha) <= 4, "\(pixel)") }
        #expect(near(seen[1], [20, 200, 60, 90], within: 10))
        #expect(try TestPictures.decoded(bytes).hasAlpha)
    }

    @Test func `Ten bits, full color and a profile reach the file`() throws {
        let deep = try Self.made(Self.source(), "", #"{"format":"avif","animated":true,"bitDepth":10,"subsampling":"4:4:4"}"#)
        #expect(try near(TestAVIFs.drawn(deep)[1].pixel(12, 8), Self.colors[1], within: 6))
        let place = try #require(deep.firstRange(of: Array("av1C".utf8))).upperBound
        #expect(deep[place + 2] == 0x40)
        let wide = try VipsOperation("icc_transform").set("in", TestPictures.quarters(16, 16)).set("output-profile", "p3").image()
        let source = try VipsOperation("pngsave_buffer").set("in", wide).bytes().copied()
        let kept = try Self.made(source, #"{"op":"animate","columns":2,"rows":2}"#, #"{"format":"avif","animated":true,"icc":"keep"}"#)
        let profile = try #require(TestAVIFs.sequence(kept)?.profile)
        #expect(try Array(kept[profile]) == #require(wide.bytes(ColorStep.profileField)))
        // The still picture has it too.
        #expect(try TestPictures.decoded(kept).has(ColorStep.profileField))
    }

    @Test func `A lossless animation is refused by name`() throws {
        let error = #expect(throws: PictureFailure.self) {
            var rendition = try PictureTests.rendition("", #"{"format":"avif","animated":true,"lossless":true}"#)
            rendition.output.format = .avif
            _ = try TestPictures.made(Self.source(), rendition)
        }
        #expect(error?.reason == .unsupportedFormat)
    }

    @Test func `A frame that libaom has no memory for is refused before it is decoded`() throws {
        func plan(_ height: Int, _ output: String = Self.moving) throws -> PicturePlan {
            var facts = ImageProperties(format: .gif, size: PictureSize(2000, height))
            facts.frames = 3
            return try PicturePlanner.plan(facts, PictureTests.rendition("", output), ImageLimits())
        }
        #expect(try plan(2600).frameCount == 3 && plan(2700, #"{"format":"avif"}"#).frameCount == 1)
        let error = #expect(throws: PictureFailure.self) { try plan(2700) }
        #expect(error?.reason == .limitExceeded(which: "avif maxPixels", value: 5_400_000, limit: 5_333_333))
    }

    @Test func `Frames that change little take few bytes`() throws {
        let still = try TestPictures.encoded(TestPictures.quarters(64, 64), .png)
        let pan = try Self.made(still, #"{"op":"resize","width":128,"height":128,"fit":"fill"},{"op":"animate","columns":1,"rows":2}"#)
        #expect(TestAVIFs.header(pan)?.frames == 2)
        let colors = [[Double]](repeating: Self.colors[0], count: 12)
        let darker = colors.enumerated().map { [$1[0] - Double($0), $1[1], $1[2]] }
        let many = try TestPictures.animation(64, 64, darker, delays: [Int](repeating: 50, count: 12), loop: 0, .webp)
        let sequence = try #require(TestAVIFs.sequence(Self.made(many)))
        #expect(sequence.count == 12 && sequence.frames.dropFirst().reduce(0) { $0 + $1.count } < 12 * sequence.frames[0].count)
    }

    @Test func `Animations of libaom's own rhythm keep every frame in its place`() throws {
        // More frames than libaom looks ahead, so that it reorders and hides some.
        let colors = stride(from: 0.0, to: 225, by: 5).map { level -> [Double] in [level, 255 - level, 128] }
        let source = try TestPictures.animation(32, 32, colors, delays: [Int](repeating: 50, count: 45), loop: 0, .webp)
        let frames = try TestAVIFs.drawn(Self.made(source, "", #"{"format":"avif","animated":true,"quality":80}"#))
        #expect(frames.count == 45)
        for (frame, color) in zip(frames, colors) { #expect(try near(frame.pixel(16, 16), color, within: 12)) }
    }
}
