@testable import ImageHeads
import TestSupport
import Testing
import TintypeImages

@testable import Engine

/// AVIF files by libaom itself: what their boxes say, and what libheif reads from them.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct AVIFWriterTests {
    private static func made(_ source: [UInt8], _ options: String = "", _ transform: String = "") throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, #"{"format":"avif"\#(options.isEmpty ? "" : ",")\#(options)}"#))
    }

    private static func flat(_ width: Int, _ height: Int, _ color: [Double]) throws -> [UInt8] {
        try VipsRuntime.start()
        return try TestPictures.encoded(VipsRuntime.solid(width: width, height: height, color, color.count < 3 ? .gray : .sRGB), .png)
    }

    private static func noise(_ width: Int, _ height: Int) throws -> VipsImage {
        try VipsRuntime.start()
        let band = try VipsOperation("gaussnoise").set("width", width).set("height", height).set("mean", 128.0).set("sigma", 40.0).set("seed", 7).image()
        let whole = try VipsOperation("cast").set("in", band).set("format", Int(VipsBandFormat.uint8.rawValue)).image()
        let colors = try VipsOperation("bandjoin").set("in", [whole, whole, whole]).image()
        return try VipsOperation("copy").set("in", colors).set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
    }

    /// The third byte of each `av1C`: bits, gray, and halved colors.
    private static func layouts(_ file: [UInt8]) -> [UInt8] {
        file.indices.dropLast(8).filter { file[$0..<$0 + 4].elementsEqual("av1C".utf8) }.map { file[$0 + 6] }
    }

    @Test(
        arguments: [[200, 100, 50], [0, 0, 255], [255, 255, 255], [120], [200, 100, 50, 128], [120, 40]], [(1, 1), (1, 2), (3, 5), (17, 16), (64, 33)])
    func `A flat color and its transparency come back at every size`(color: [Double], size: (Int, Int)) throws {
        let file = try Self.made(Self.flat(size.0, size.1, color), #""quality":90"#)
        let image = try TestPictures.decoded(file)
        #expect(PictureSize(image.width, image.height) == PictureSize(size.0, size.1) && image.hasAlpha == [2, 4].contains(color.count))
        let wanted = color.count < 3 ? [color[0], color[0], color[0]] + color.dropFirst() : color
        let seen = try image.pixel(size.0 - 1, size.1 - 1)
        #expect(near(seen.count < 3 ? [seen[0], seen[0], seen[0]] + seen.dropFirst() : seen, wanted, within: 4), "\(seen)")
    }

    @Test(arguments: [
        (#""quality":80"#, 3, 0x0c), (#""subsampling":"4:4:4""#, 3, 0x00), ("", 1, 0x1c), (#""bitDepth":10"#, 3, 0x4c), (#""bitDepth":12"#, 3, 0x6c),
        (#""bitDepth":10,"subsampling":"4:4:4""#, 3, 0x40),
    ])
    func `The file states bits, gray and halved colors`(options: String, bands: Int, layout: Int) throws {
        let source = try Self.flat(20, 20, bands == 1 ? [90] : [90, 60, 200])
        let file = try Self.made(source, options)
        // More than 8 bits are always colors.
        #expect(Self.layouts(file) == [UInt8(layout)])
        #expect(ImageSniff.of(file) == .image(.avif))
        let header = try #require(file.withUnsafeBytes { ImageHeader.read($0, as: .avif) })
        #expect(header.width == 20 && header.height == 20 && header.isComplete)
        let image = try TestPictures.decoded(file)
        let white = image.format == .uint16 ? 65535.0 : 255
        #expect(try near(image.pixel(3, 3).prefix(3).map { $0 / white * 255 }, bands == 1 ? [90, 90, 90] : [90, 60, 200], within: 5))
    }

    @Test func `Transparency is a picture of its own that belongs to the first`() throws {
        let file = try Self.made(Self.flat(20, 20, [90, 60, 200, 40]))
        #expect(Self.layouts(file) == [0x0c, 0x1c])
        #expect(file.firstRange(of: Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha".utf8)) != nil)
        let meta = try #require(file.withUnsafeBytes { HEIFMeta(ByteReader(bytes: $0)) })
        #expect(meta.hasAlpha && meta.pictures == 1)
    }

    @Test func `Quality, effort and a byte limit reach the encoder`() throws {
        let source = try TestPictures.encoded(Self.noise(160, 120), .png)
        let (low, high) = try (Self.made(source, #""quality":30"#), Self.made(source, #""quality":80"#))
        #expect(low.count < high.count)
        #expect(try Self.made(source, #""quality":60,"effort":0"#) != Self.made(source, #""quality":60,"effort":6"#))
        let limited = try Self.made(source, #""quality":90,"maxBytes":\#(high.count)"#)
        #expect(limited.count <= high.count)
        #expect(try Self.made(source, #""quality":80"#) == high)
    }

    @Test func `A profile or metadata that is kept is written by libheif`() throws {
        let wide = try VipsOperation("icc_transform").set("in", TestPictures.quarters(40, 30)).set("output-profile", "p3").image()
        let file = try Self.made(VipsOperation("pngsave_buffer").set("in", wide).bytes().copied(), #""icc":"keep""#)
        let image = try TestPictures.decoded(file)
        #expect(image.has("icc-profile-data") && image.width == 40)
    }

    @Test func `Planes whose bytes do not fit their size are refused`() {
        let size = PictureSize(3, 3)
        #expect(AV1Planes(size: size, depth: 8, isFullColor: false, planes: [Array(repeating: 0, count: 9)]) != nil)
        #expect(AV1Planes(size: size, depth: 10, isFullColor: false, planes: [Array(repeating: 0, count: 9)]) == nil)
        #expect(AV1Planes(size: size, depth: 8, isFullColor: false, planes: [Array(repeating: 0, count: 9), Array(repeating: 0, count: 4)]) == nil)
        let third = Array(repeating: UInt8(0), count: 4)
        #expect(AV1Planes(size: size, depth: 8, isFullColor: false, planes: [Array(repeating: 0, count: 9), third, third]) != nil)
        #expect(AV1Planes(size: size, depth: 8, isFullColor: true, planes: [Array(repeating: 0, count: 9), third, third]) == nil)
    }

    @Test func `Bands beyond transparency fail at 10 bits instead of ending the process`() throws {
        try VipsRuntime.start()
        let five = try VipsRuntime.solid(width: 16, height: 16, [90, 60, 200, 255, 7], .sRGB)
        let writer = PictureEncoder(output: PictureOutput(format: .avif, options: try PictureTests.rendition("", #"{"format":"avif","bitDepth":10}"#).output))
        guard !ImageFormat.avif.writesAllOfTenBits else { return }
        #expect(throws: VipsError.self) { try writer.encode(five) }
    }

    @Test func `The brand states the bounds that a picture keeps`() throws {
        func brands(_ options: String, _ color: [Double] = [90, 60, 200]) throws -> String {
            let file = try Self.made(Self.flat(20, 20, color), options)
            return String(decoding: file[16..<Int(file[3])], as: UTF8.self)
        }
        #expect(try brands("") == "avifmif1miafMA1B")
        #expect(try brands(#""subsampling":"4:4:4""#) == "avifmif1miafMA1A")
        // Gray has nothing to subsample.
        #expect(try brands(#""subsampling":"4:4:4""#, [90]) == "avifmif1miafMA1B")
        #expect(try brands(#""bitDepth":12"#) == "avifmif1miaf")
    }
}
