import Foundation
@testable import ImageHeads
@testable import PNG
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The reading of animated PNGs: frames, delays, disposal, and files that break the rules.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
struct AnimatedPNGTests {
    private static let whole = PNGWindow(x: 0, y: 0, width: 4, height: 2), left = PNGWindow(x: 0, y: 0, width: 2, height: 2)
    private static let red: [UInt8] = [255, 0, 0, 255], green: [UInt8] = [0, 255, 0, 255], blue: [UInt8] = [0, 0, 255, 255]

    private static func header(_ bytes: [UInt8]) -> ImageHeader? { bytes.withUnsafeBytes { ImageHeader.read($0, as: .png) } }

    /// The frames of a result as libvips reads them, with their metadata.
    private func moving(_ source: [UInt8], _ transform: String = "", _ output: String = #"{"format":"webp","lossless":true}"#, frames: Int) throws -> VipsImage
    {
        try TestPictures.decoded(TestPictures.made(source, PictureTests.rendition(transform, output)), frames: frames)
    }

    /// The pixels at 0|0 and 3|1 of each frame.
    private func corners(_ image: VipsImage) throws -> [[[Double]]] {
        try (0..<image.height / 2).map { [try image.pixel(0, 2 * $0), try image.pixel(3, 2 * $0 + 1)] }
    }

    // MARK: Reading

    @Test(arguments: [1, 3]) func `Frames, delays and plays become those of a WebP and a GIF`(pieces: Int) throws {
        var file = TestFrames.plain(3)
        (file.plays, file.pieces) = (5, pieces)
        for (index, delay) in [(1, 4), (7, 0), (1, 1000)].enumerated() { file.frames[index].delay = delay }
        let header = try #require(Self.header(file.bytes))
        #expect(header.frames == 3 && header.hasAlpha == true && header.isComplete)
        for output in [#"{"format":"webp","lossless":true}"#, #"{"format":"gif"}"#] {
            let image = try moving(file.bytes, "", output, frames: 3)
            // A denominator of 0 stands for hundredths. Too short delays are shown for a tenth of a second.
            #expect(image.pages == 3 && image.int("loop") == 5 && image.ints("delay") == [250, 70, 100], "\(image.ints("delay") ?? [])")
            for (index, color) in [[255.0, 0, 0], [0, 255, 0], [0, 0, 255]].enumerated() {
                #expect(try nearOpaque(image.pixel(1, 2 * index), color, within: 4))
            }
        }
    }

    @Test func `Disposal and blending of frames match browsers`() throws {
        var file = TestFrames()
        file.frames = [
            TestFrames.Frame(color: Self.red, window: Self.whole),
            TestFrames.Frame(color: Self.green, window: Self.left, disposal: 1),
            TestFrames.Frame(color: [0, 0, 255, 128], window: Self.whole, disposal: 2, isOver: true),
            TestFrames.Frame(color: [0, 0, 255, 128], window: PNGWindow(x: 3, y: 1, width: 1, height: 1)),
            TestFrames.Frame(color: [9, 9, 9, 0], window: Self.whole, isOver: true),
        ]
        let opaque = [255.0, 0, 0, 255]
        let expected: [[[Double]]] = [
            [opaque, opaque], [[0, 255, 0, 255], opaque], [[0, 0, 255, 128], [127, 0, 128, 255]], [[0, 0, 0, 0], [0, 0, 255, 128]],
            [[0, 0, 0, 0], [0, 0, 255, 128]],
        ]
        let frames = try TestFrames.drawn(file.bytes)
        #expect(try frames.map { [try $0.pixel(0, 0), try $0.pixel(3, 1)] } == expected)
        #expect(try corners(moving(file.bytes, "", #"{"format":"png"}"#, frames: 1)) == [expected[0]], "libpng shows only the first frame")
    }

    @Test func `A first frame that restores its background clears the canvas`() throws {
        var file = TestFrames.plain(2)
        file.frames[0].disposal = 2
        file.frames[1].window = Self.left
        #expect(try TestFrames.drawn(file.bytes)[1].pixel(3, 1) == [0, 0, 0, 0])
    }

    @Test func `A picture that is no frame is not shown in an animation`() throws {
        var file = TestFrames.plain(2)
        file.picture = [9, 9, 9, 255]
        #expect(Self.header(file.bytes)?.frames == 2)
        let image = try moving(file.bytes, frames: 2)
        #expect(try nearOpaque(image.pixel(0, 0), [255, 0, 0], within: 0) && nearOpaque(image.pixel(0, 2), [0, 255, 0], within: 0))
        for (decode, color) in [(#"{"frames":"first"}"#, [255.0, 0, 0, 255]), (#"{"frames":"first","page":1}"#, [0, 255, 0, 255])] {
            let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"output":{"format":"png"}}"#))
            #expect(try TestPictures.decoded(TestPictures.made(file.bytes, rendition)).pixel(0, 0) == color, "\(decode)")
        }
        file.frames.removeLast()
        #expect(try TestPictures.decoded(TestPictures.made(file.bytes, PictureTests.rendition(""))).pixel(0, 0) == [255, 0, 0, 255], "one frame counts too")
    }

    @Test(arguments: [("[2,0]", [2, 0]), ("[1]", [1]), ("[3,3]", [3, 3])]) func `Frames are chosen among those of a PNG`(pick: String, frames: [Int]) throws {
        let file = TestFrames.plain(4)
        let image = try moving(file.bytes, #"{"op":"frames","pick":\#(pick)}"#, #"{"format":"png"}"#, frames: 1)
        let all = try TestFrames.drawn(file.bytes)
        #expect(try image.pixel(0, 0) == all[frames[0]].pixel(0, 0))
        let reversed = try moving(file.bytes, #"{"op":"frames","reverse":true}"#, frames: 4)
        #expect(try nearOpaque(reversed.pixel(0, 2), [0, 0, 255], within: 0) && nearOpaque(reversed.pixel(0, 6), [255, 0, 0], within: 0))
    }

    @Test(arguments: ["palette", "gray", "gray alpha", "deep", "interlaced", "packed gray"]) func `Frames of every kind look like their picture`(
        kind: String
    ) throws {
        let quarters = try TestPictures.quarters(16, 8, alpha: kind == "gray alpha")
        var options = OutputOptions(format: .png)
        (options.isPalette, options.isProgressive) = (kind == "palette", kind == "interlaced")
        let image =
            switch kind {
            case "gray", "gray alpha", "packed gray": try VipsOperation("colourspace").set("in", quarters).set("space", Int(VipsColors.gray.rawValue)).image()
            case "deep": try VipsOperation("colourspace").set("in", quarters).set("space", Int(VipsColors.rgb16.rawValue)).image()
            default: quarters
            }
        var still = try TestPictures.encoded(image, .png, options)
        if kind == "packed gray" { still = PlainPicture.png(Color(red: 90, green: 90, blue: 90), width: 16, height: 8) }
        // The same picture twice: as it is, and as a frame.
        let data = still.withUnsafeBytes { raw in
            let reader = ByteReader(bytes: raw)
            var (at, data) = (8, [UInt8]())
            while let length = reader.big(at, 4), let name = reader.big(at + 4, 4) {
                if name == 0x4944_4154 { data += raw[(at + 8)..<(at + 8 + length)] }
                at += 12 + length
            }
            return data
        }
        let place = try #require(still.firstRange(of: Array("IDAT".utf8))).lowerBound - 4
        let end = try #require(still.firstRange(of: Array("IEND".utf8))).lowerBound - 4
        let frame = TestFrames.Frame(color: [], window: PNGWindow(x: 0, y: 0, width: 16, height: 8))
        var file = Array(still[..<place])
        file += TestFrames.announcement(2) + TestFrames.control(0, frame)
        file += still[place..<end]
        file += TestFrames.control(1, frame) + PNGChunk.whole("fdAT", BigEndian.bytes(2) + data)
        file += still[end...]
        let frames = try TestFrames.drawn(file)
        let plain = try ColorStep.eightBit(TestPictures.decoded(still))
        #expect(frames.count == 2)
        for (index, frame) in frames.enumerated() {
            #expect(try frame.samples() == plain.samples() && frame.bands == plain.bands, "frame \(index)")
        }
    }

    @Test func `An animated PNG on another picture shows its first frame`() throws {
        let whole = try TestPictures.encoded(VipsRuntime.solid(width: 4, height: 2, [9, 9, 9]), .png)
        let rendition = try PictureTests.rendition(#"{"op":"composite","url":"http://a.test/0"}"#)
        #expect(try near(TestPictures.decoded(TestPictures.made(whole, rendition, layers: [TestFrames.plain(2).bytes])).pixel(1, 1), [255, 0, 0]))
    }

    // MARK: Refused and damaged files

    private static let broken: [(String, @Sendable (inout TestFrames) -> Void)] = [
        ("no frames said", { $0.said = 0 }),
        ("a frame beyond the right edge", { $0.frames[1].window.x = 1 }), ("a frame beyond the lower edge", { $0.frames[1].window.y = 1 }),
        ("a frame far beyond", { $0.frames[1].window.x = 0xffff_ffff }),
        ("a first frame that is not the picture", { $0.frames[0].window.width = 3 }), ("a way to leave that there is not", { $0.frames[1].disposal = 3 }),
    ]

    @Test(arguments: broken.indices) func `A PNG with broken frame chunks is the picture that every reader shows`(_ index: Int) throws {
        var file = TestFrames.plain(3)
        Self.broken[index].1(&file)
        #expect(Self.header(file.bytes)?.frames == 1, "\(Self.broken[index].0)")
        if file.frames[0].window == Self.whole {
            #expect(try TestPictures.decoded(TestPictures.made(file.bytes, PictureTests.rendition(""))).pixel(0, 0) == [255, 0, 0, 255])
        }
    }

    @Test func `Chunks in the wrong order are no animation`() {
        let file = TestFrames.plain(2)
        let (start, end) = (PNGChunk.signature + TestFrames.header(4, 2), PNGChunk.whole("IEND", []))
        let control = TestFrames.control(0, file.frames[0])
        let data = PNGChunk.whole("IDAT", TestFrames.packed(Self.red, 4, 2))
        func frame(_ number: Int, _ second: Int) -> [UInt8] {
            TestFrames.control(number, file.frames[1]) + PNGChunk.whole("fdAT", BigEndian.bytes(second) + TestFrames.packed(Self.green, 4, 2))
        }
        let said = TestFrames.announcement(2)
        let orders: [(String, [UInt8], Int)] = [
            ("as it should be", said + control + data + frame(1, 2), 2), ("no announcement", control + data + frame(1, 2), 1),
            ("announced behind the picture", control + data + said + frame(1, 2), 1), ("announced twice", said + said + control + data + frame(1, 2), 1),
            ("a number left out", said + control + data + frame(2, 3), 1), ("a number twice", said + control + data + frame(1, 1), 1),
            ("two controls at once", said + control + TestFrames.control(1, file.frames[1]) + data, 1),
            ("a control without data", said + control + data + TestFrames.control(1, file.frames[1]), 1),
            ("data without a control", said + data + PNGChunk.whole("fdAT", BigEndian.bytes(0) + [1]), 1),
            ("data of no length", said + control + data + TestFrames.control(1, file.frames[1]) + PNGChunk.whole("fdAT", [0, 0]), 1),
            ("more frames than said", said + control + data + frame(1, 2) + frame(3, 4), 2),
        ]
        for (name, chunks, count) in orders { #expect(Self.header(start + chunks + end)?.frames == count, "\(name)") }
    }

    @Test func `A file that ends within its frames fails, or shows the complete ones if damage is allowed`() throws {
        let whole = TestFrames.plain(3).bytes
        let cut = Array(whole[..<(whole.count - 20)])
        let lenient = #"{"decode":{"failOn":"none"},"output":{"format":"webp","lossless":true}}"#
        #expect(try TestPictures.decoded(TestPictures.made(cut, Rendition(canonical: JSON(parsing: lenient))), frames: 2).pages == 2)
        let error = #expect(throws: PictureFailure.self) { try moving(cut, frames: 2) }
        #expect(error?.reason == .badImageData)
        // The first frame is there all the same.
        let first = try Rendition(canonical: JSON(parsing: #"{"decode":{"frames":"first"},"output":{"format":"png"}}"#))
        #expect(try TestPictures.decoded(TestPictures.made(cut, first)).pixel(0, 0) == [255, 0, 0, 255])
    }

    @Test func `A frame with broken data fails, or is left out if damage is allowed`() throws {
        var file = TestFrames.plain(3).bytes
        let place = try #require(file.firstRange(of: Array("fdAT".utf8))).upperBound + 4
        for at in place..<place + 6 { file[at] ^= 0x55 }
        #expect(throws: PictureFailure.self) { try TestFrames.drawn(file) }
        #expect(try TestFrames.drawn(file, failOn: 0).last?.pixel(0, 0) == [0, 0, 255, 255])
    }

    @Test func `Wherever it is cut or changed, it ends`() throws {
        let file = TestFrames.plain(3).bytes
        for length in 0..<file.count { _ = Self.header(Array(file[..<length])) }
        for at in file.indices {
            var hostile = file
            hostile[at] ^= 0xff
            _ = try? TestFrames.drawn(hostile, failOn: 0)
        }
    }

    @Test func `Wanted frames count against the limits, others do not`() throws {
        var limits = ImageLimits()
        (limits.maxFrames, limits.maxPixels) = (3, 20)
        let file = TestFrames.plain(4).bytes
        func refusal(_ transform: String, _ limits: ImageLimits) throws -> PictureFailure.Reason? {
            do { _ = try TestPictures.made(file, PictureTests.rendition(transform, #"{"format":"webp"}"#), limits: limits) } catch let error as PictureFailure {
                return error.reason
            }
            return nil
        }
        #expect(try refusal("", limits) == .limitExceeded(which: "maxFrames", value: 4, limit: 3))
        #expect(try refusal(#"{"op":"frames","first":3}"#, limits) == .limitExceeded(which: "maxPixels", value: 24, limit: 20))
        #expect(try refusal(#"{"op":"frames","pick":[0,3]}"#, limits) == nil)
        limits = ImageLimits()
        limits.maxDecodedBytes = 127
        // A frame, the canvas, its earlier content and the result: sixteen bytes for each of eight pixels.
        #expect(try refusal("", limits) == .limitExceeded(which: "maxDecodedBytes", value: 128, limit: 127))
    }

    @Test func `Too many frames are not opened`() {
        let pixel = TestFrames.Frame(color: Self.red, window: PNGWindow(x: 0, y: 0, width: 1, height: 1))
        let count = PNGAnimation.mostFrames + 1
        var file = PNGChunk.signature + TestFrames.header(1, 1) + TestFrames.announcement(count) + TestFrames.control(0, pixel)
        let data = TestFrames.packed(Self.red, 1, 1)
        file += PNGChunk.whole("IDAT", data)
        for index in 1..<count {
            file += TestFrames.control(2 * index - 1, pixel)
            file += PNGChunk.whole("fdAT", BigEndian.bytes(2 * index) + data)
        }
        #expect(GuardTests.refusal(file + PNGChunk.whole("IEND", [])) == .unsupportedFormat)
    }
}
