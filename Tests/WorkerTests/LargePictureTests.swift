@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeTransport

@testable import Engine
@testable import Worker

/// `decode.limitBytes` opens JPEGs beyond the limits by scaling them down while they are read.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .scoped) struct LargePictureTests {
    private static func jpeg(_ width: Int, _ height: Int, isProgressive: Bool = false) throws -> [UInt8] {
        try TestPictures.encoded(TestPictures.quarters(width, height), .jpeg, OutputOptions(quality: 90, isProgressive: isProgressive))
    }

    private static func made(_ source: [UInt8], _ decode: String, limits: ImageLimits, transform: String = "") throws -> VipsImage {
        let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"transform":[\#(transform)],"output":{"format":"png"}}"#))
        return try TestPictures.decoded(TestPictures.made(source, rendition, limits: HeaderGuard(limits: limits).serving(rendition.decode).limits))
    }

    private static let limits = ImageLimits(bytes: 64 << 20, pixels: 1_000_000, side: 2000, frames: 2)

    @Test(arguments: [
        // The requested size, the limit of pixels, the limit of sides, and a small picture.
        (1600, 1200, 400_000, 365, 273), (1600, 1200, 100_000_000, 1154, 866), (4000, 300, 100_000_000, 2000, 149), (1000, 800, 400_000, 353, 282),
    ]) func `A JPEG beyond the limits is scaled down to them`(width: Int, height: Int, most: Int, wide: Int, high: Int) throws {
        let source = try Self.jpeg(width, height)
        let image = try Self.made(source, #"{"limitBytes":\#(most)}"#, limits: Self.limits)
        #expect((image.width, image.height) == (wide, high))
        #expect(try near(image.pixel(3, 3), [255, 0, 0]) && near(image.pixel(wide - 4, high - 4), [255, 255, 255]))
        for speed in ["fast", "best"] {
            let other = try Self.made(source, #"{"limitBytes":\#(most),"speed":"\#(speed)"}"#, limits: Self.limits, transform: #"{"op":"resize","width":60}"#)
            #expect(other.width == 60)
        }
        if width * height > 1_000_000 { #expect(throws: PictureFailure.self) { try Self.made(source, "{}", limits: Self.limits) } }
    }

    @Test func `Progressive JPEGs, PNGs and layers keep to the limits`() throws {
        for source in [try Self.jpeg(1600, 1200, isProgressive: true), try TestPictures.encoded(TestPictures.quarters(1600, 1200), .png)] {
            let error = #expect(throws: PictureFailure.self) { try Self.made(source, #"{"limitBytes":400000}"#, limits: Self.limits) }
            #expect(error?.reason == .limitExceeded(which: "maxPixels", value: 1_920_000, limit: 1_000_000))
        }
        // Too much even at an eighth.
        let limits = ImageLimits(bytes: 64 << 20, pixels: 20_000, side: 2000, frames: 2)
        #expect(throws: PictureFailure.self) { try Self.made(Self.jpeg(1600, 1200), #"{"limitBytes":400}"#, limits: limits) }
        let rendition = try Rendition(
            canonical: JSON(parsing: #"{"decode":{"limitBytes":400000},"transform":[{"op":"composite","url":"http://a.test/b"}],"output":{"format":"png"}}"#))
        let error = #expect(throws: PictureFailure.self) {
            try TestPictures.made(
                Self.jpeg(200, 100), rendition, limits: HeaderGuard(limits: Self.limits).serving(rendition.decode).limits, layers: [Self.jpeg(1600, 1200)])
        }
        #expect(error?.reason == .transformFailed && error?.message.contains("maxPixels") == true, "\(error?.message ?? "")")
    }

    /// 400 million pixels, as colors 1.2 GB; a pixel process has 768 MiB.
    @Test(.holdsLoop("the test writes a large picture")) @Loop
    func `A pixel process holds only a part of a huge JPEG`() async throws {
        try VipsRuntime.start()
        let source = try PixelPoolTests.source(TestPictures.encoded(VipsRuntime.solid(width: 20000, height: 20000, [200], .gray), .jpeg))
        let pool = PixelPoolTests().pool()
        let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":{"limitBytes":4000000},"output":{"format":"jpeg"}}"#))
        let result = try await pool.run(PixelJob(source: source, rendition: rendition, deadline: .seconds(60)))
        #expect(result.output?.width == 1000 && result.source.width == 20000)
    }
}
