@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Our guard reads the headers of JPEG 2000 and JPEG XL, and libvips their pixels if it can.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct NewerFormatTests {
    private static let color = [200.0, 100, 50]

    private static func has(_ operation: String) throws -> Bool {
        try VipsRuntime.start()
        return VipsOperation.exists(operation)
    }

    private static func picture(_ width: Int, _ height: Int, _ format: ImageFormat) throws -> [UInt8] {
        let quarters = try TestPictures.quarters(width, height)
        return format == .jp2
            ? try VipsOperation("jp2ksave_buffer").set("in", quarters).set("lossless", true).bytes().copied()
            : try VipsOperation("jxlsave_buffer").set("in", quarters).set("Q", 95).bytes().copied()
    }

    private static func header(_ bytes: [UInt8], _ format: ImageFormat) -> ImageHeader? { bytes.withUnsafeBytes { ImageHeader.read($0, as: format) } }

    @Test(arguments: [ImageFormat.jp2, .jxl], [(202, 98), (64, 64), (1000, 750), (8, 200), (1920, 1080)])
    func `The header gives the size, and the pixels are decoded`(format: ImageFormat, size: (Int, Int)) throws {
        let name = format == .jp2 ? "jp2k" : "jxl"
        guard try Self.has("\(name)save_buffer"), try Self.has("\(name)load_buffer") else { return }
        let bytes = try Self.picture(size.0, size.1, format)
        #expect(ImageSniff.of(bytes) == .image(format))
        let header = try #require(Self.header(bytes, format))
        #expect((header.width, header.height) == size)
        #expect(try HeaderGuard().check(bytes) == format)
        let image = try TestPictures.decoded(TestPictures.made(bytes, PictureTests.rendition("", #"{"format":"png"}"#)))
        #expect((image.width, image.height) == size)
        #expect(try near(image.pixel(1, 1), [255, 0, 0]) && near(image.pixel(size.0 - 2, size.1 - 2), [255, 255, 255]))
    }

    /// libjxl describes the colors of each file by a profile, which libvips hands on. Converted to sRGB, these numbers would be off by up to 2.
    @Test(arguments: [1, 2, 3, 4], [false, true]) func `A lossless JPEG XL is exact`(bands: Int, isDeep: Bool) throws {
        guard try Self.has("jxlsave_buffer"), try Self.has("jxlload_buffer") else { return }
        // Each number of 8 bits, in another order in each band.
        let numbers = (0..<256).flatMap { pixel in (0..<bands).map { UInt8(truncatingIfNeeded: pixel * [1, 3, 5, 7][$0] + 40 * $0) } }
        let space: VipsColors = bands < 3 ? isDeep ? .gray16 : .gray : isDeep ? .rgb16 : .sRGB
        let flat =
            try isDeep
            ? VipsImage.of(numbers.map { UInt16($0) * 257 }, width: 16, height: 16, bands: bands) : VipsImage.of(numbers, width: 16, height: 16, bands: bands)
        let tagged = try VipsOperation("copy").set("in", flat).set("interpretation", Int(space.rawValue)).image()
        let file = try VipsOperation("jxlsave_buffer").set("in", tagged).set("lossless", true).bytes().copied()
        for output in [#"{"format":"png"}"#, #"{"format":"png","icc":"keep"}"#] {
            let image = try TestPictures.decoded(TestPictures.made(file, PictureTests.rendition("", output)))
            #expect(try image.bands == bands && image.samples() == tagged.samples())
        }
    }

    @Test func `A JPEG XL in Display P3 becomes sRGB`() throws {
        guard try Self.has("jxlsave_buffer"), try Self.has("jxlload_buffer") else { return }
        let wide = try VipsOperation("icc_transform").set("in", VipsRuntime.solid(width: 16, height: 16, Self.color)).set("output-profile", "p3").image()
        let file = try VipsOperation("jxlsave_buffer").set("in", wide).set("lossless", true).bytes().copied()
        let image = try TestPictures.decoded(TestPictures.made(file, PictureTests.rendition("")))
        #expect(try near(image.pixel(5, 5), Self.color, within: 2))
    }

    @Test(arguments: [ImageFormat.jp2, .jxl]) func `Damaged headers do no harm, and excessive claims are refused`(
        format: ImageFormat
    ) throws {
        let bytes = try #require(format == .jp2 ? CodecSamples.bytes(.jp2) : Self.boxed(Self.stream(64, 64)))
        #expect(Self.header(bytes, format)?.width == 64)
        for length in 0..<bytes.count { _ = Self.header(Array(bytes.prefix(length)), format) }
        for at in bytes.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var broken = bytes
                broken[at] = value
                _ = try? HeaderGuard().check(broken)
            }
        }
        #expect(GuardTests.refusal(Array(bytes.prefix(14))) == .badImageData)
        let large = format == .jp2 ? Self.siz(20000, 10) : Self.stream(20000, 10)
        #expect(GuardTests.refusal(large) == .limitExceeded(which: "maxSide", value: 20000, limit: 16384))
        let huge = format == .jp2 ? Self.siz(0xffff_ffff, 0xffff_ffff) : Self.stream(1 << 30, 1 << 30)
        guard case .limitExceeded(which: "maxSide", value: _, limit: _)? = GuardTests.refusal(huge) else { throw TestFailure("\(format)") }
    }

    /// OpenJPEG holds one tile in memory at a time.
    @Test func `The memory of a JPEG 2000 counts by its tiles`() {
        #expect(Self.header(Self.siz(4000, 4000), .jp2)?.bytesPerPixel == 6 + 24)
        #expect(Self.header(Self.siz(4000, 4000, tile: 1000), .jp2)?.bytesPerPixel == 6 + 2)
        #expect(GuardTests.refusal(Self.siz(7000, 7000)) == .limitExceeded(which: "maxDecodedBytes", value: 1_470_000_000, limit: 400_000_000))
        #expect(GuardTests.refusal(Self.siz(7000, 7000, tile: 512)) == nil)
        #expect(Self.header(Self.siz(40, 30, origin: 10), .jp2).map { [$0.width, $0.height] } == [30, 20])
        #expect([Self.siz(0, 1), Self.siz(1, 1, tile: 0), Self.siz(1, 1, origin: 1)].allSatisfy { Self.header($0, .jp2) == nil })
    }

    @Test func `A JPEG XL header gives the size in four ways, and the orientation`() {
        for (bits, width, height) in [
            ([(1, 1), (7, 5), (1, 3)], 64, 64), ([(1, 1), (7, 5), (0, 3), (3, 5)], 32, 64), ([(1, 1), (9, 5), (2, 3)], 96, 80),
            ([(0, 1), (0, 2), (99, 9), (5, 3)], 177, 100), ([(0, 1), (1, 2), (4999, 13), (0, 3), (3, 2), (1_000_000, 30)], 1_000_001, 5000),
        ] as [([(Int, Int)], Int, Int)] {
            let header = Self.header(Self.stream(bits: bits + [(1, 1)]), .jxl)
            #expect(header.map { [$0.width, $0.height] } == [width, height], "\(bits)")
            let turned = Self.header(Self.boxed(Self.stream(bits: bits + [(0, 1), (1, 1), (5, 3)])), .jxl)
            #expect(turned.map { [$0.width, $0.height] } == [height, width], "\(bits)")
        }
    }

    @Test func `A JPEG 2000 of few bits fills the range`() throws {
        guard try Self.has("jp2ksave_buffer"), try Self.has("jp2kload_buffer") else { return }
        let deep = try VipsOperation("linear").set("in", VipsRuntime.solid(width: 32, height: 32, [0, 0, 0])).set("a", [1]).set("b", [32768, 33768, 31768])
            .image()
        let whole = try VipsOperation("copy").set("in", VipsOperation("cast").set("in", deep).set("format", Int(VipsBandFormat.uint16.rawValue)).image())
            .set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        var bytes = try VipsOperation("jp2ksave_buffer").set("in", whole).set("lossless", true).bytes().copied()
        let start = try #require(bytes.firstRange(of: [0xff, 0x4f, 0xff, 0x51])).lowerBound
        // 12 bits instead of 16: the middle is then 2048.
        for component in 0..<3 { bytes[start + 42 + 3 * component] = 11 }
        let image = try TestPictures.decoded(TestPictures.made(bytes, PictureTests.rendition("", #"{"format":"png"}"#)))
        #expect(try near(image.pixel(9, 9).map { $0 / 257 }, [127.5, 189.8, 65.3], within: 2))
    }

    @Test func `A build without a loader says so`() {
        let codecs = CodecWarmUp.run(PlanarGraphs())
        let read = codecs["decode"]?.array?.compactMap(\.string) ?? []
        #expect(read.contains("jp2") == VipsOperation.exists("jp2kload_buffer") && read.contains("jxl") == VipsOperation.exists("jxlload_buffer"))
        #expect(read.contains("raw") && !read.contains("svg") && !read.contains("pdf"))
    }

    // MARK: Heads

    private static func big(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * (length - 1 - $0))) } }

    /// The beginning of a JPEG 2000 codestream.
    static func siz(_ width: Int, _ height: Int, tile: Int? = nil, origin: Int = 0) -> [UInt8] {
        let edges = [width, height, origin, origin, tile ?? width, tile ?? height, 0, 0].flatMap { big($0, 4) }
        return [0xff, 0x4f, 0xff, 0x51] + big(47, 2) + big(0, 2) + edges + big(3, 2) + [7, 1, 1, 7, 1, 1, 7, 1, 1]
    }

    /// The beginning of a JPEG XL codestream, from numbers and their bits.
    private static func stream(bits: [(Int, Int)]) -> [UInt8] {
        var all: [Bool] = []
        for (value, count) in bits { for bit in 0..<count { all.append(value >> bit & 1 == 1) } }
        var bytes = [UInt8](repeating: 0, count: (all.count + 7) / 8)
        for (index, bit) in all.enumerated() where bit { bytes[index / 8] |= 1 << UInt8(index % 8) }
        return [0xff, 0x0a] + bytes
    }

    private static func stream(_ width: Int, _ height: Int) -> [UInt8] {
        stream(bits: [(0, 1), (3, 2), (height - 1, 30), (0, 3), (3, 2), (width - 1, 30), (1, 1)])
    }

    private static func boxed(_ stream: [UInt8]) -> [UInt8] {
        big(12, 4) + Array("JXL ".utf8) + [0x0d, 0x0a, 0x87, 0x0a] + big(20, 4) + Array("ftypjxl ".utf8) + big(0, 4) + Array("jxl ".utf8)
            + big(12 + stream.count, 4) + Array("jxlp".utf8) + big(0, 4) + stream
    }
}
