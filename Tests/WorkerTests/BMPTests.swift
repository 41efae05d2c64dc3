@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Bitmaps of Windows and OS/2, by tables of generated files, and real ones of the corpus.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .scoped)
struct BMPTests {
    private static let red: [UInt8] = [255, 0, 0], green: [UInt8] = [0, 255, 0], blue: [UInt8] = [0, 0, 255], white: [UInt8] = [255, 255, 255]
    private static let four = TestBitmaps.palette([red, green, blue, white])

    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let file: [UInt8]
        /// Red, green / blue, white unless stated otherwise.
        var pixels: [[UInt8]] = [red, green, blue, white]
        var testDescription: String { name }
    }

    /// Bitmaps of 2 × 2 pixels; the lower row comes first.
    private static let samples: [Sample] = {
        func file(_ bits: Int, _ pixels: [UInt8], kind: Int = 0, colors: Int = 0, behind: [UInt8] = [], height: Int = 2, more: [UInt8] = []) -> [UInt8] {
            TestBitmaps.file(TestBitmaps.header(2, height, bits: bits, kind: kind, colors: colors, more: more), behind: behind, pixels)
        }
        let (padded, little) = (TestBitmaps.padded, TestBitmaps.little)
        let true24 = padded([255, 0, 0, 255, 255, 255]) + padded([0, 0, 255, 0, 255, 0])
        let true32 = [255, 0, 0, 7, 255, 255, 255, 7, 0, 0, 255, 7, 0, 255, 0, 7] as [UInt8]
        let core = little(12, 4) + little(2, 2) + little(2, 2) + little(1, 2) + little(24, 2)
        // Alpha of half, none, full and full.
        let alphas = little(0x80ff_0000, 4) + little(0xffffff, 4) + little(0xff00_00ff, 4) + little(0xff00_ff00, 4)
        let rgba = TestBitmaps.masks([0xff, 0xff00, 0xff_0000, 0xff00_0000])
        /// Returns the end of a version 4 header: masks, a color space and its numbers. Masks of colors do not count here.
        func fourth(_ alpha: [Int]) -> [UInt8] { TestBitmaps.masks([1, 2, 4] + alpha) + [UInt8](repeating: 0, count: 52) }
        func five(_ red: Int, _ green: Int, _ blue: Int) -> [UInt8] { little(red << 10 | green << 5 | blue, 2) }
        func six(_ red: Int, _ green: Int, _ blue: Int) -> [UInt8] { little(red << 11 | green << 5 | blue, 2) }
        return [
            Sample(name: "24 bits", file: file(24, true24)),
            Sample(name: "24 bits, upper row first", file: file(24, true24, height: -2), pixels: [blue, white, red, green]),
            Sample(name: "24 bits of OS/2", file: TestBitmaps.file(core, true24)),
            Sample(name: "24 bits, the last row not filled up", file: file(24, Array(true24.dropLast(2)))),
            Sample(name: "32 bits, whose fourth byte says nothing", file: file(32, true32)),
            Sample(name: "16 bits", file: file(16, five(0, 0, 31) + five(31, 31, 31) + five(31, 0, 0) + five(0, 31, 0))),
            Sample(
                name: "16 bits of 5, 6 and 5",
                file: file(16, six(0, 0, 31) + six(31, 63, 31) + six(31, 0, 0) + six(0, 63, 0), kind: 3, behind: TestBitmaps.masks([0xf800, 0x7e0, 0x1f]))),
            Sample(
                name: "32 bits with alpha, masks behind the header", file: file(32, alphas, kind: 6, behind: rgba),
                pixels: [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128], [255, 255, 255, 0]]),
            Sample(
                name: "32 bits with alpha, version 4", file: file(32, alphas, kind: 3, more: rgba + [UInt8](repeating: 0, count: 52)),
                pixels: [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 128], [255, 255, 255, 0]]),
            Sample(
                name: "32 bits with a mask of alpha and no alpha",
                file: file(32, alphas.enumerated().map { $0 % 4 == 3 ? 0 : $1 }, kind: 3, more: rgba + [UInt8](repeating: 0, count: 68)),
                pixels: [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]]),
            Sample(name: "8 bits", file: file(8, padded([2, 3]) + padded([0, 1]), colors: 4, behind: four)),
            Sample(name: "4 bits", file: file(4, padded([0x23]) + padded([0x01]), colors: 4, behind: four)),
            Sample(name: "2 bits", file: file(2, padded([0xb0]) + padded([0x10]), behind: four)),
            Sample(
                name: "1 bit", file: file(1, padded([0x40]) + padded([0x80]), colors: 2, behind: TestBitmaps.palette([green, red])),
                pixels: [red, green, green, red]),
            Sample(
                name: "a number without a color", file: file(8, padded([2, 9]) + padded([0, 1]), colors: 4, behind: four),
                pixels: [red, green, blue, [0, 0, 0]]),
            Sample(name: "runs of 8 bits", file: file(8, [1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1], kind: 1, colors: 4, behind: four)),
            Sample(
                name: "runs of 8 bits that jump and overflow", file: file(8, [9, 3, 0, 2, 0, 1, 0, 0, 0, 1], kind: 1, colors: 4, behind: four),
                pixels: [red, red, white, white]),
            Sample(
                name: "32 bits, mask of alpha in version 4, no bit fields",
                file: file(32, little(0x8000_00ff, 4) + little(0xffff_ffff, 4) + little(0xffff_0000, 4) + little(0xff00_ff00, 4), more: fourth([0xff00_0000])),
                pixels: [red + [255], green + [255], blue + [128], white + [255]]),
            Sample(
                name: "16 bits, mask of alpha in version 4, no bit fields",
                file: file(16, little(0x1f, 2) + little(0xffff, 2) + little(0xfc00, 2) + little(0x83e0, 2), more: fourth([0x8000])),
                pixels: [red + [255], green + [255], blue + [0], white + [255]]),
            Sample(name: "32 bits, mask of alpha among the colors", file: file(32, true32, more: fourth([0xff]))),
            Sample(name: "32 bits, mask of alpha in version 3", file: file(32, true32, more: TestBitmaps.masks([0xff_0000, 0xff00, 0xff, 0xff00_0000]))),
            Sample(name: "runs without an end", file: file(8, [1, 2, 1, 3, 0, 0, 1, 0, 1, 1], kind: 1, colors: 4, behind: four)),
            Sample(name: "runs of 4 bits", file: file(4, [2, 0x23, 0, 0, 2, 0x01, 0, 1], kind: 2, colors: 4, behind: four)),
        ]
    }()

    private static func decoded(_ file: [UInt8]) throws -> VipsImage { try TestPictures.decoded(TestPictures.made(file, PictureTests.rendition(""))) }

    @Test(arguments: samples) func `Each kind of bitmap has its pixels where they belong`(sample: Sample) throws {
        let header = try #require(sample.file.withUnsafeBytes { ImageHeader.read($0, as: .bmp) })
        #expect(header.width == 2 && header.height == 2 && header.isComplete && header.hasAlpha == (sample.pixels[0].count == 4))
        let image = try Self.decoded(sample.file)
        let seen = try [(0, 0), (1, 0), (0, 1), (1, 1)].map { try image.pixel($0.0, $0.1).map { UInt8($0) } }
        #expect(seen == sample.pixels)
    }

    @Test func `Literals of runs are read to whole words`() throws {
        let pixels: [UInt8] = [0, 3, 0, 1, 2, 0, 0, 0, 0, 5, 1, 1, 1, 1, 1, 0, 0, 1]
        let file = TestBitmaps.file(TestBitmaps.header(5, 2, bits: 8, kind: 1, colors: 4), behind: Self.four, pixels)
        let image = try Self.decoded(file)
        #expect(try (0..<5).map { try image.pixel($0, 1).map { UInt8($0) } } == [Self.red, Self.green, Self.blue, Self.red, Self.red])
        #expect(try image.pixel(4, 0) == [0, 255, 0])
    }

    @Test func `A bitmap that ends early fails, or shows its rows if damage is allowed`() throws {
        let file = Self.samples[0].file.dropLast(8)
        #expect(throws: PictureFailure.self) { try Self.decoded(Array(file)) }
        let lenient = try Rendition(canonical: JSON(parsing: #"{"decode":{"failOn":"none"},"output":{"format":"png"}}"#))
        let image = try TestPictures.decoded(TestPictures.made(Array(file), lenient))
        #expect(try image.pixel(0, 0) == [0, 0, 0] && image.pixel(0, 1) == [0, 0, 255])
    }

    @Test func `Claims are checked before anything is decoded`() {
        func refusal(_ header: [UInt8]) -> PictureFailure.Reason? { GuardTests.refusal(TestBitmaps.file(header, [UInt8](repeating: 0, count: 64))) }
        let header = TestBitmaps.header
        #expect(refusal(header(20000, 1, 24, 0, 0, [])) == .limitExceeded(which: "maxSide", value: 20000, limit: 16384))
        #expect(refusal(header(10000, -10000, 24, 0, 0, [])) == .limitExceeded(which: "maxPixels", value: 100_000_000, limit: 50_000_000))
        #expect(refusal(header(2, 2, 24, 4, 0, [])) == .unsupportedFormat && refusal(header(2, 2, 24, 5, 0, [])) == .unsupportedFormat)
        for (name, broken) in [
            ("no width", header(0, 2, 24, 0, 0, [])), ("no height", header(2, 0, 24, 0, 0, [])), ("a width below none", header(-2, 2, 24, 0, 0, [])),
            ("bits that there are not", header(2, 2, 7, 0, 0, [])), ("runs from above", header(2, -2, 8, 1, 0, [])),
            ("runs of 24 bits", header(2, 2, 24, 1, 0, [])),
            ("a mask with a gap", header(2, 2, 32, 3, 0, TestBitmaps.masks([0x50, 0xff00, 0xff]))),
        ] { #expect(refusal(broken) == .badImageData, "\(name)") }
        #expect(GuardTests.refusal(Array("BM is how this text begins, and it is none".utf8)) == .badImageData)
    }

    @Test func `A profile in the file is applied to the pixels`() throws {
        try VipsRuntime.start()
        let profile = try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied()
        let masks = TestBitmaps.masks([0xff_0000, 0xff00, 0xff, 0])
        let pixels = [UInt8](repeating: 200, count: 16)
        let more = masks + TestBitmaps.little(0x4d42_4544, 4) + [UInt8](repeating: 0, count: 52) + TestBitmaps.little(124 + 16, 4)
        let header = TestBitmaps.header(2, 2, bits: 32, kind: 3, more: more + TestBitmaps.little(profile.count, 4) + TestBitmaps.little(0, 4))
        let made = try TestPictures.made(
            TestBitmaps.file(header, pixels + profile), Rendition(canonical: JSON(parsing: #"{"output":{"format":"png","icc":"keep"}}"#)))
        #expect(try TestPictures.decoded(made).bytes("icc-profile-data") == profile)
    }

    @Test func `Wherever it is cut or changed, it ends`() {
        for sample in Self.samples { TestPictures.makeDamaged(sample.file, changing: 80) }
    }

    @Test(.needsCorpus, arguments: ["imgproxy-bmp-1-bpp", "imgproxy-bmp-8-bpp-rle-small", "imgproxy-bmp-32-bpp-with-alpha-self-gen"])
    func `Real ones open`(name: String) throws {
        let file = try TestPictures.bytes("formats/\(name).bmp")
        let image = try Self.decoded(file)
        let header = try #require(file.withUnsafeBytes { ImageHeader.read($0, as: .bmp) })
        #expect(image.width == header.width && image.height == header.height && image.hasAlpha == header.hasAlpha)
    }
}
