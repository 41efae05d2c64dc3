@testable import ImageHeads
import PNG
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The pixel density of a picture. It does not depend on `metadata`: every format that can store it states it.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct DensityTests {
    static let formats = [ImageFormat.jpeg, .png, .tiff]

    /// Returns a picture of 300 across and 150 down.
    private static func source(_ format: ImageFormat, inches: Bool) throws -> [UInt8] {
        let dense = try VipsOperation("copy").set("in", TestPictures.quarters(64, 48)).set("xres", 300 / 25.4).set("yres", 150 / 25.4).image()
        let image = try dense.withHeader { $0.set("resolution-unit", inches ? "in" : "cm") }
        return try format == .tiff
            ? VipsOperation("tiffsave_buffer").set("in", image).set("resunit", inches ? 1 : 0).bytes().copied() : TestPictures.encoded(image, format)
    }

    /// Returns the pixels per inch.
    private static func density(_ bytes: [UInt8]) throws -> [Double] {
        let (across, down) = try TestPictures.decoded(bytes).pixelsPerMillimeter
        return [across * 25.4, down * 25.4]
    }

    @Test(arguments: formats, formats) func `Each format passes the density on to each`(from: ImageFormat, to: ImageFormat) throws {
        for inches in [true, false] {
            let source = try Self.source(from, inches: inches)
            for transform in ["", #"{"op":"resize","width":32},{"op":"rotate","angle":180}"#] {
                for metadata in ["none", "all"] {
                    let rendition = try PictureTests.rendition(transform, #"{"format":"\#(to.rawValue)","metadata":"\#(metadata)"}"#)
                    for graphs in [nil, PlanarGraphs()] {
                        let made = try Self.density(TestPictures.made(source, rendition, graphs: graphs))
                        // A JPEG counts whole pixels of a centimeter.
                        #expect(near(made, [300, 150], within: 1), "\(inches) \(transform) \(metadata) \(graphs == nil)")
                    }
                }
            }
        }
    }

    /// libvips reports a missing density as one pixel per millimeter.
    @Test(arguments: formats) func `A density without a unit is no density`(to: ImageFormat) throws {
        let png = try TestPictures.encoded(TestPictures.quarters(64, 48), .png)
        let at = PNGChunk.signature.count + 25
        let rendition = try PictureTests.rendition("", #"{"format":"\#(to.rawValue)"}"#)
        var sources: [[UInt8]] = [[0, 0, 0, 72, 0, 0, 0, 72, 0], [0, 0, 0, 1, 0, 0, 0, 2, 0], [0, 0, 0, 72, 0, 0, 0, 72, 2]].map { numbers in
            Array(png[..<at] + PNGChunk.whole("pHYs", numbers) + png[at...])
        }
        let front = [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1] as [UInt8]
        let jpeg = try TestPictures.encoded(TestPictures.quarters(64, 48), .jpeg)
        try #require(jpeg.starts(with: front))
        sources += [png, jpeg] + [[0, 0, 72, 0, 72], [0, 0, 1, 0, 2]].map { front + $0 + jpeg[18...] }
        for format in [ImageFormat.gif, .webp, .avif] { sources.append(try TestPictures.encoded(TestPictures.quarters(64, 48), format)) }
        for (index, source) in sources.enumerated() {
            let made = try TestPictures.made(source, rendition)
            Self.expectNothing(of: made, to, "\(index)")
            let plain = try TestPictures.made(source, rendition, isLibpngUsed: true)
            Self.expectNothing(of: plain, to, "\(index) by libpng")
        }
    }

    /// Checks the bytes, because libvips cannot tell one pixel per millimeter from nothing.
    private static func expectNothing(of file: [UInt8], _ format: ImageFormat, _ comment: Comment) {
        switch format {
        case .png: #expect(file.firstRange(of: Array("pHYs".utf8)) == nil, comment)
        case .tiff: #expect(unit(file, at: 0) == 1, comment)
        default: #expect(file.starts(with: [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1]), comment)
        }
    }

    /// Returns the ResolutionUnit of TIFF and EXIF: 1 none, 2 inches, 3 centimeters.
    private static func unit(_ bytes: [UInt8], at: Int) -> Int? { bytes.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: at)?.int(0x128) } }

    @Test(arguments: [ImageFormat.jpeg, .webp]) func `Rewritten EXIF invents no density`(to: ImageFormat) throws {
        let image = try TestPictures.quarters(64, 48).withHeader { header in
            header.set("resolution-unit", "none")
            header.set("exif-ifd0-Artist", "Jane")
        }
        let source = try TestPictures.encoded(image, .jpeg)
        for metadata in ["all", "copyright"] {
            let made = try TestPictures.made(source, PictureTests.rendition("", #"{"format":"\#(to.rawValue)","metadata":"\#(metadata)"}"#))
            let block = try #require(TestPictures.decoded(made).bytes("exif-data"))
            #expect(Self.unit(block, at: 0) == 1, "\(metadata)")
        }
    }
}
