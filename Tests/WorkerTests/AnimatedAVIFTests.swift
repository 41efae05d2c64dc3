@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The reading of AVIFs that move: frames, times, transparency, limits, and files that are broken.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
struct AnimatedAVIFTests {
    /// The pixels in the upper right, lower right and lower left of each frame.
    private static func look(_ frames: [VipsImage]) throws -> [[[Double]]] {
        try frames.map { [try $0.pixel(40, 4), try $0.pixel(40, 28), try $0.pixel(4, 28)] }
    }

    private static func made(_ source: [UInt8], _ transform: String = "", _ output: String = #"{"format":"webp","lossless":true}"#) throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    @Test func `Frames of another encoder have their colors and their transparency`() throws {
        for (file, alpha) in [(TestAVIFs.opaque, nil), (TestAVIFs.clear, 64.0)] {
            let seen = try Self.look(TestAVIFs.drawn(file))
            #expect(seen.count == 3)
            for (number, frame) in seen.enumerated() {
                let (color, left) = (TestAVIFs.colors[number], [Double](repeating: TestAVIFs.left[number], count: 3))
                let wanted = [color + [alpha].compactMap { $0 }, color + (alpha == nil ? [] : [255]), left + (alpha == nil ? [] : [255])]
                for (pixel, wish) in zip(frame, wanted) { #expect(near(pixel, wish, within: 4), "frame \(number): \(pixel), not \(wish)") }
            }
        }
    }

    @Test func `The header counts the frames, and tells their size and transparency`() throws {
        for (file, alpha) in [(TestAVIFs.opaque, false), (TestAVIFs.clear, true)] {
            let header = try #require(TestAVIFs.header(file))
            #expect(header.frames == 3 && header.width == 48 && header.height == 32 && header.hasAlpha == alpha && header.isComplete)
            let sequence = try #require(TestAVIFs.sequence(file))
            #expect(sequence.delays == [100, 250, 40] && sequence.plays == 0 && !sequence.isCut)
            // Before the tracks are there, the header is not complete.
            let tracks = try #require(file.firstRange(of: Array("moov".utf8))).lowerBound
            #expect(TestAVIFs.header(Array(file[..<tracks]))?.isComplete == false)
        }
    }

    @Test func `Frames, delays and steps become those of a WebP, a GIF and a PNG`() throws {
        for output in [#"{"format":"webp","lossless":true}"#, #"{"format":"gif"}"#] {
            let image = try TestPictures.decoded(Self.made(TestAVIFs.opaque, #"{"op":"resize","width":24}"#, output), frames: 3)
            #expect(image.pages == 3 && image.width == 24 && image.int("loop") == 0 && image.ints("delay") == [100, 250, 40], "\(output)")
            for (number, color) in TestAVIFs.colors.enumerated() { #expect(try nearOpaque(image.pixel(20, 16 * number + 8), color, within: 8)) }
        }
        let moving = try TestFrames.drawn(Self.made(TestAVIFs.clear, "", #"{"format":"png","animated":true}"#))
        #expect(try moving.count == 3 && near(moving[1].pixel(40, 4), [20, 200, 60, 64], within: 4))
    }

    @Test func `Frames are chosen among those of an AVIF`() throws {
        let picked = try TestPictures.decoded(Self.made(TestAVIFs.opaque, #"{"op":"frames","pick":[2,0]}"#), frames: 2)
        #expect(try picked.pages == 2 && nearOpaque(picked.pixel(40, 4), TestAVIFs.colors[2], within: 4))
        #expect(try nearOpaque(picked.pixel(40, 36), TestAVIFs.colors[0], within: 4))
        for (decode, number) in [(#"{"frames":"first"}"#, 0), (#"{"frames":"first","page":1}"#, 1)] {
            let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"output":{"format":"png"}}"#))
            let image = try TestPictures.decoded(TestPictures.made(TestAVIFs.opaque, rendition))
            #expect(try near(image.pixel(40, 4), TestAVIFs.colors[number], within: 4), "\(decode)")
        }
        #expect(try TestPictures.decoded(Self.made(TestAVIFs.opaque, "", #"{"format":"jpeg"}"#)).height == 32)
    }

    @Test func `A description tells delays and plays`() throws {
        let rendition = try Rendition(canonical: JSON(parsing: #"{"describe":["animation"]}"#))
        let said = try TestAVIFs.clear.withUnsafeBytes { raw in
            try PictureRun(raw, format: .avif, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60))).describe(rendition)
        }
        #expect(said["animation"]?["delays"]?.array?.compactMap(\.int) == [100, 250, 40] && said["animation"]?["loop"]?.int == 0)
    }

    // MARK: Limits

    @Test func `Wanted frames count against the limits, others do not`() throws {
        var limits = ImageLimits()
        func refusal(_ transform: String) throws -> PictureFailure.Reason? {
            do {
                _ = try TestPictures.made(TestAVIFs.opaque, PictureTests.rendition(transform, #"{"format":"webp"}"#), limits: limits)
            } catch let error as PictureFailure { return error.reason }
            return nil
        }
        limits.maxFrames = 2
        #expect(try refusal("") == .limitExceeded(which: "maxFrames", value: 3, limit: 2))
        #expect(try refusal(#"{"op":"frames","first":2}"#) == nil)
        limits = ImageLimits()
        limits.maxPixels = 2 * 48 * 32
        #expect(try refusal("") == .limitExceeded(which: "maxPixels", value: 3 * 48 * 32, limit: 2 * 48 * 32))
    }

    @Test func `The pictures that frames may refer to count against the memory`() throws {
        // Ten pictures of 1.5 bytes for each pixel, the canvas and its copy; and of 4:4:4 with alpha, in 10 bits, ten of 8 bytes.
        for (file, bytes) in [(TestAVIFs.opaque, 23), (TestAVIFs.clear, 88)] {
            var limits = ImageLimits()
            limits.maxDecodedBytes = 48 * 32 * bytes
            #expect(GuardTests.refusal(file, limits) == nil)
            limits.maxDecodedBytes -= 1
            #expect(GuardTests.refusal(file, limits) == .limitExceeded(which: "maxDecodedBytes", value: 48 * 32 * bytes, limit: limits.maxDecodedBytes))
        }
    }

    @Test func `Too many frames are not opened`() throws {
        let file = TestAVIFs.changed(TestAVIFs.opaque, "stsz", at: 8, to: BigEndian.bytes(PNGAnimation.mostFrames + 1))
        #expect(TestAVIFs.sequence(file)?.frames == [])
        #expect(GuardTests.refusal(file) == .unsupportedFormat)
    }

    // MARK: Other files

    @Test func `A file that asks for its still picture shows that one`() throws {
        let still = TestAVIFs.changed(TestAVIFs.opaque, "ftyp", at: 0, to: Array("avif".utf8))
        #expect(TestAVIFs.header(still)?.frames == 1)
        #expect(try TestPictures.decoded(Self.made(still)).height == 32)
    }

    @Test func `Frames that are turned, cropped or premultiplied are no animation`() {
        let changes: [(String, Int, [UInt8])] = [
            ("tkhd", 52, BigEndian.bytes(0)), ("tkhd", 56, BigEndian.bytes(0x10000)), ("ccst", -4, Array("clap".utf8)), ("ccst", -4, Array("irot".utf8)),
            ("auxl", -4, Array("prem".utf8)), ("av1C", -4, Array("hvcC".utf8)),
        ]
        // The last box of this kind is that of a track.
        for (kind, at, bytes) in changes {
            var file = kind == "auxl" ? TestAVIFs.clear : TestAVIFs.opaque
            let place = (0..<file.count - 4).last { file[$0..<$0 + 4].elementsEqual(kind.utf8) } ?? 0
            file.replaceSubrange(place + 4 + at..<place + 4 + at + bytes.count, with: bytes)
            #expect(TestAVIFs.sequence(file) == nil, "\(kind) \(at)")
        }
        #expect(TestAVIFs.sequence(TestAVIFs.opaque) != nil && TestAVIFs.sequence(TestAVIFs.clear) != nil)
    }

    @Test func `A file that ends within its frames fails, or shows the complete ones if damage is allowed`() throws {
        let cut = Array(TestAVIFs.opaque.dropLast(8))
        #expect(TestAVIFs.sequence(cut)?.isCut == true)
        let error = #expect(throws: PictureFailure.self) { try TestAVIFs.drawn(cut) }
        #expect(error?.message.contains("ends early") == true, "\(error?.message ?? "")")
        let frames = try TestAVIFs.drawn(cut, failOn: 0)
        #expect(try near(frames[0].pixel(40, 4), TestAVIFs.colors[0], within: 4))
    }

    @Test func `A frame with broken data fails`() throws {
        var file = TestAVIFs.opaque
        let place = try #require(TestAVIFs.sequence(file)?.frames[1])
        for at in place { file[at] ^= 0x55 }
        #expect(throws: PictureFailure.self) { try TestAVIFs.drawn(file) }
        #expect(try near(TestAVIFs.drawn(file, failOn: 0)[0].pixel(40, 4), TestAVIFs.colors[0], within: 4))
    }

    @Test func `Frames of another size than the file says are refused`() throws {
        let place = try #require(TestAVIFs.opaque.firstRange(of: Array("av01".utf8) + [0, 0, 0, 0, 0, 0, 0, 1])).upperBound
        for (width, height) in [(47, 32), (96, 64), (48, 16)] {
            var file = TestAVIFs.opaque
            file.replaceSubrange(place + 16..<place + 20, with: BigEndian.bytes(width, 2) + BigEndian.bytes(height, 2))
            #expect(TestAVIFs.sequence(file)?.width == width)
            #expect(throws: PictureFailure.self) { try TestAVIFs.drawn(file) }
        }
    }

    @Test func `Wherever it is cut or changed, it ends`() {
        for file in [TestAVIFs.opaque, TestAVIFs.clear] {
            for length in 0..<file.count { _ = TestAVIFs.header(Array(file[..<length])) }
            for at in file.indices {
                for flip in [0xff, 0x01] as [UInt8] {
                    var hostile = file
                    hostile[at] ^= flip
                    // A size of half a million pixels is enough for a test.
                    guard let sequence = TestAVIFs.sequence(hostile), sequence.width * sequence.height * sequence.count < 1 << 19 else { continue }
                    _ = try? TestAVIFs.drawn(hostile, failOn: 0)
                }
            }
        }
    }
}
