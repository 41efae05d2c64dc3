@testable import ImageHeads
import PNG
import TintypeCore
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The header guard, which checks bytes before a decoder sees them.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct GuardTests {
    static let sniffs: [(String, [UInt8], ImageSniff?)] = [
        ("jpeg", [0xff, 0xd8, 0xff, 0xe0], .image(.jpeg)),
        ("png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .image(.png)),
        ("png with a broken line end", [0x89, 0x50, 0x4e, 0x47, 0x0a, 0x0a, 0x1a, 0x0a], nil),
        ("gif", Array("GIF89a".utf8), .image(.gif)),
        ("webp", Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBPVP8 ".utf8), .image(.webp)),
        ("wave", Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WAVEfmt ".utf8), nil),
        ("avif", [0, 0, 0, 32] + Array("ftypavif".utf8), .image(.avif)),
        ("avif by a compatible brand", [0, 0, 0, 32] + Array("ftypmif1".utf8) + [0, 0, 0, 0] + Array("mif1avif".utf8), .image(.avif)),
        ("heic", [0, 0, 0, 32] + Array("ftypheic".utf8), .image(.heif)),
        ("mp4", [0, 0, 0, 32] + Array("ftypisom".utf8), .other("video")),
        ("tiff", [0x49, 0x49, 0x2a, 0], .image(.tiff)),
        ("svg", Array("<svg xmlns=".utf8), .image(.svg)),
        ("svg behind its declaration", Array("<?xml version=\"1.0\"?>\n<!-- by hand -->\n<svg xmlns=".utf8), .image(.svg)),
        ("svg behind a remark", Array("\n<!-- <html> --> <svg>".utf8), .image(.svg)),
        (
            "svg behind its type",
            Array("\u{feff}<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/\" [ <!ENTITY a \">\"> ]><svg/>".utf8), .image(.svg)
        ),
        ("svg with a name for its space", Array("<?xml version='1.0'?><svg:svg xmlns:svg='http://www.w3.org/2000/svg'>".utf8), .image(.svg)),
        ("a name that begins like it", Array("<?xml version='1.0'?><svgs>".utf8), .other("xml")),
        ("another text that is XML", Array("<?xml version=\"1.0\"?><Error><!-- <svg> --></Error>".utf8), .other("xml")),
        ("a page that is XML, with a drawing in it", Array("<?xml version=\"1.0\"?><html><body><svg>".utf8), .other("html")),
        ("a page with a drawing in it", Array("<!doctype html><svg>".utf8), .other("html")),
        ("a page behind a remark", Array("<!-- saved from --><html>".utf8), .other("html")),
        ("a remark without an end", Array("<!-- <svg>".utf8), nil),
        ("a declaration without an end", Array("<?xml <svg>".utf8), .other("xml")),
        ("svg behind long comments", Array(("<!--" + String(repeating: "<a> ", count: 20_000) + "-->\n<!----><svg/>").utf8), .image(.svg)),
        ("svg behind a comment over the limit", Array(("<!--" + String(repeating: "-", count: 1 << 20) + "--><svg/>").utf8), nil),
        ("svg behind a long declaration", Array(("<?xml version='1.0'?><?\(String(repeating: "x", count: 9000))?><svg>").utf8), .image(.svg)),
        ("svg in UTF-16 with its mark", utf16("\u{feff}<svg/>"), .image(.svg)),
        ("svg in UTF-16 of the other order", utf16("\u{feff}<!-- \u{3c} \u{153c} --><svg:svg/>", isBig: true), .image(.svg)),
        ("svg in UTF-16 behind its declaration", utf16("<?xml version='1.0' encoding='UTF-16LE'?>\n<svg "), .image(.svg)),
        ("svg in UTF-16 behind its declaration, of the other order", utf16("<?xml version='1.0'?><!DOCTYPE svg><svg>", isBig: true), .image(.svg)),
        ("a page in UTF-16", utf16("\u{feff}<html><svg>"), .other("html")), ("text in UTF-16", utf16("\u{feff}hello"), nil),
        ("letters that only look like it", utf16("\u{feff}<\u{173}\u{176}\u{167}/>"), nil), ("half a character", Array(utf16("\u{feff}<svg").dropLast()), nil),
        ("icns", Array("icns".utf8) + [0, 0, 0, 8], .image(.icns)),
        ("xbm", Array("#define a_width 1\n#define a_height 1\nstatic char a_bits[] = {".utf8), .image(.xbm)),
        ("another text in C", Array("/* a */\n#define a_width 1\n#include <a.h>\n".utf8), nil),
        ("gzip, perhaps svgz", [0x1f, 0x8b, 8, 0], .other("gzip")),
        ("pdf", Array("%PDF-1.4".utf8), .image(.pdf)),
        ("html", Array("\n <!DOCTYPE html>".utf8), .other("html")),
        ("text", Array("hello, world".utf8), nil),
        ("one byte", [0x89], nil),
        ("nothing", [], nil),
    ]

    @Test func `A HEIF header that is cut off or damaged anywhere is read without harm`() throws {
        let file = try TestPictures.encoded(TestPictures.quarters(64, 48, alpha: true), .avif)
        let whole = file.withUnsafeBytes { ImageHeader.read($0, as: .avif) }
        #expect(whole?.width == 64 && whole?.height == 48 && whole?.hasAlpha == true && whole?.orientation == 1)
        let meta = min(file.count, 1024)
        for length in 0..<meta { _ = file[..<length].withUnsafeBytes { ImageHeader.read($0, as: .avif) } }
        for at in 0..<meta {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var hostile = file
                hostile[at] = value
                _ = hostile.withUnsafeBytes { ImageHeader.read($0, as: .avif) }
            }
        }
    }

    private static func utf16(_ text: String, isBig: Bool = false) -> [UInt8] {
        text.utf16.flatMap { unit in isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)] }
    }

    @Test(arguments: sniffs.indices) func `The first bytes identify the format`(_ index: Int) {
        let (name, bytes, kind) = Self.sniffs[index]
        #expect(ImageSniff.of(bytes) == kind, "\(name)")
    }

    static func header(_ bytes: [UInt8], _ format: ImageFormat) -> ImageHeader? { bytes.withUnsafeBytes { ImageHeader.read($0, as: format) } }

    static func refusal(_ bytes: [UInt8], _ limits: ImageLimits = ImageLimits()) -> PictureFailure.Reason? {
        do throws(PictureFailure) {
            _ = try HeaderGuard(limits: limits).check(bytes)
            return nil
        } catch { return error.reason }
    }

    private static func big(_ value: Int, _ length: Int = 4) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (length - 1 - $0)) & 0xff) } }

    private static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] { big(8 + content.count) + Array(kind.utf8) + content }

    private static func full(_ kind: String, _ content: [UInt8], version: Int = 0) -> [UInt8] { box(kind, big(version << 24) + content) }

    /// Returns an AVIF without pixels: its first picture has the first size, another property the second one.
    /// - Parameter more: an additional property of the picture.
    private static func avif(
        _ size: (Int, Int), _ other: (Int, Int) = (64, 64), more: [UInt8]? = nil, lists: [UInt8] = [], references: [UInt8] = []
    ) -> [UInt8] {
        let item = full("infe", big(1, 2) + big(0, 2) + Array("av01".utf8) + [0], version: 2)
        let sizes = full("ispe", big(size.0) + big(size.1)) + full("ispe", big(other.0) + big(other.1))
        let owned = box("iprp", box("ipco", sizes + (more ?? [])) + full("ipma", big(1) + big(1, 2) + (more == nil ? [1, 1] : [2, 1, 3])) + lists)
        let meta = full("hdlr", big(0)) + full("pitm", big(1, 2)) + full("iinf", big(1, 2) + item) + references + owned
        return box("ftyp", Array("avif".utf8) + big(0) + Array("avifmif1".utf8)) + full("meta", meta)
    }

    @Test func `A HEIF header that claims an enormous size overflows nothing`() throws {
        for side in [0xffff_ffff, 0x8000_0000, 1 << 25, 1 << 24] {
            for size in [(side, side), (side, 1), (1, side)] {
                for file in [Self.avif(size), Self.avif((64, 64), size)] {
                    let header = try #require(file.withUnsafeBytes { ImageHeader.read($0, as: .avif) })
                    #expect(max(header.width, header.height) <= 1 << 24)
                    _ = Self.refusal(file)
                }
            }
        }
        #expect(Self.avif((640, 480), (640, 480)).withUnsafeBytes { ImageHeader.read($0, as: .avif) }?.hasAlpha == false, "a sound file is read")
    }

    /// A probe reads only the front of a file, and must end like a load.
    @Test func `The colors of a picture's stream are read from the front of the file if they are there too`() {
        func colors(_ unit: [UInt8]) -> CodedColors? {
            Self.avif((64, 48), more: Self.box("av1C", [0x81, 0, 0x0c, 0] + unit)).withUnsafeBytes { CodedColors.alone(ByteReader(bytes: $0)) }
        }
        let header = AV1SequenceTests.Header(isDeep: true, colors: (9, 16, 9), isFullRange: false)
        #expect(colors(header.unit()) == header.said)
        #expect(Self.refusal(Self.avif((64, 48), more: Self.box("av1C", [0x81, 0, 0x0c, 0] + header.unit()))) == nil)
        #expect(colors([]) == nil && colors(Array(header.unit().prefix(6))) == nil)
        #expect(Self.avif((64, 48), more: Self.box("av1C", [0x81])).withUnsafeBytes { CodedColors.alone(ByteReader(bytes: $0)) } == nil)
    }

    /// Each box claims thousands of entries and has none. Their place would be behind the box.
    @Test func `Lists of a HEIF header end with their boxes, and have a limit`() {
        func isRead(_ file: [UInt8]) -> Bool { file.withUnsafeBytes { ImageHeader.read($0, as: .avif) }?.isComplete == true }
        let rest = Self.box("free", [UInt8](repeating: 0xff, count: 1 << 20))
        #expect(isRead(Self.avif((64, 64), lists: rest)))
        let empty = Self.full("ipma", Self.big(4096))
        #expect(!isRead(Self.avif((64, 64), lists: Array(repeatElement(empty, count: 1000).joined()) + rest)))
        let references = Self.full("iref", Self.box("thmb", Self.big(7, 2) + Self.big(4096, 2)))
        #expect(!isRead(Self.avif((64, 64), lists: rest, references: references)))
        let sound = Self.full("iref", Self.box("thmb", Self.big(7, 2) + Self.big(4000, 2) + [UInt8](repeating: 0, count: 8000)))
        #expect(isRead(Self.avif((64, 64), references: sound)))
        #expect(!isRead(Self.avif((64, 64), references: sound + sound)), "8000 in all")
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif, .avif]) func `Our own header reader agrees with the encoder`(format: ImageFormat) throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(202, 98), format)
        let header = try #require(Self.header(bytes, format))
        #expect(header.width == 202 && header.height == 98 && header.frames == 1 && !header.progressive)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif], [false, true]) func `Transparency is read as by the decoder`(
        format: ImageFormat, alpha: Bool
    ) throws {
        let solid = try VipsRuntime.solid(width: 20, height: 10, alpha ? [200, 100, 50, 0] : [200, 100, 50])
        for lossless in [false, true] {
            let bytes = try TestPictures.encoded(solid, format, OutputOptions(isLossless: lossless))
            #expect(try Self.header(bytes, format)?.hasAlpha == TestPictures.decoded(bytes).hasAlpha, "\(format) \(lossless)")
        }
    }

    /// Returns `1…8` as EXIF: one entry in one directory, in either byte order.
    static func exif(_ orientation: UInt8, little: Bool) -> [UInt8] {
        func number(_ value: UInt8, _ length: Int) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: length - 1)
            return little ? [value] + zeros : zeros + [value]
        }
        return Array((little ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(1, 2)
            + (little ? [0x12, 0x01] : [0x01, 0x12]) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0] + number(0, 4)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt8>, [false, true]) func `Orientation is read as by the decoder`(orientation: UInt8, little: Bool) throws {
        let block = Self.exif(orientation, little: little)
        let quarters = try TestPictures.quarters(20, 10)
        var jpeg = try TestPictures.encoded(quarters, .jpeg)
        jpeg.insert(contentsOf: [0xff, 0xe1, 0, UInt8(block.count + 8)] + Array("Exif\0\0".utf8) + block, at: 2)
        var png = try TestPictures.encoded(quarters, .png)
        png.insert(contentsOf: PNGChunk.whole("eXIf", block), at: 33)
        for (bytes, format) in [(jpeg, ImageFormat.jpeg), (png, .png)] {
            #expect(try Self.header(bytes, format)?.orientation == TestPictures.decoded(bytes).orientation, "\(format)")
        }
        #expect(Self.header(jpeg, .jpeg)?.orientation == Int(orientation))
    }

    @Test(arguments: [ImageFormat.jpeg, .png]) func `Progressive and interlaced files are recognized`(format: ImageFormat) throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(64, 64), format, OutputOptions(isProgressive: true))
        #expect(try #require(Self.header(bytes, format)).progressive)
    }

    @Test(arguments: [ImageFormat.gif, .webp]) func `Frames are counted`(format: ImageFormat) throws {
        let bytes = try TestPictures.animation(20, 10, [[255, 0, 0], [0, 255, 0], [0, 0, 255]], delays: [100, 200, 300], loop: 2, format)
        let header = try #require(Self.header(bytes, format))
        #expect(header.frames == 3 && header.width == 20 && header.height == 10)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif, .avif]) func `Every truncation and every flipped byte is read without a trap`(format: ImageFormat)
        throws
    {
        let bytes = try TestPictures.encoded(TestPictures.quarters(32, 16), format)
        for length in 0..<min(bytes.count, 400) { _ = Self.refusal(Array(bytes[..<length])) }
        for index in 0..<min(bytes.count, 400) {
            for value: UInt8 in [0, 0x7f, 0xff] {
                var broken = bytes
                broken[index] = value
                _ = Self.refusal(broken)
            }
        }
        #expect(Self.refusal(bytes) == nil)
    }

    static func png(_ width: UInt32, _ height: UInt32, chunk: (String, UInt32)? = nil, data: Int = 0) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        var bytes: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + big(13) + Array("IHDR".utf8)
        bytes += big(width) + big(height) + [8, 6, 0, 0, 0] + big(0)
        if let chunk { bytes += big(chunk.1) + Array(chunk.0.utf8) + [UInt8](repeating: 0, count: data + 4) }
        return bytes + big(0) + Array("IEND".utf8) + big(0xae42_6082)
    }

    @Test func `A chunk that is longer than its file never reaches libpng`() {
        for kind in ["zTXt", "iTXt", "tEXt", "pCAL", "sCAL", "sPLT"] {
            #expect(Self.refusal(Self.png(1, 1, chunk: (kind, 0x7fff_ffff))) == .badImageData)
        }
        let long = 5 << 20
        let (count, most) = (long, PNGChunkWalk.maxAncillary)
        #expect(Self.refusal(Self.png(1, 1, chunk: ("zTXt", UInt32(long)), data: long)) == .limitExceeded(which: "ancillaryBytes", value: count, limit: most))
        #expect(Self.refusal(Self.png(1, 1, chunk: ("zTXt", 100), data: 100)) == nil)
    }

    @Test func `Every limit is named with its value`() {
        #expect(Self.refusal(Self.png(20000, 10)) == .limitExceeded(which: "maxSide", value: 20000, limit: 16384))
        #expect(Self.refusal(Self.png(10000, 10000)) == .limitExceeded(which: "maxPixels", value: 100_000_000, limit: 50_000_000))
        #expect(Self.refusal(Self.png(0, 10)) == .badImageData)
        #expect(Self.refusal(Self.png(0xffff_ffff, 0xffff_ffff)) == .limitExceeded(which: "maxSide", value: 0xffff_ffff, limit: 16384))
        var limits = ImageLimits()
        limits.maxBytes = 10
        #expect(Self.refusal(Self.png(1, 1), limits) == .limitExceeded(which: "maxBytes", value: 45, limit: 10))
        limits = ImageLimits()
        limits.maxDecodedBytes = 39_999
        #expect(Self.refusal(Self.png(100, 100), limits) == .limitExceeded(which: "maxDecodedBytes", value: 40_000, limit: 39_999))
    }

    /// Returns the refusal of a file's beginning whose header was read.
    private static func refusal(ofBeginning bytes: [UInt8], _ format: ImageFormat, _ guarding: HeaderGuard = HeaderGuard()) throws -> PictureFailure.Reason? {
        let header = try #require(Self.header(bytes, format))
        return bytes.withUnsafeBytes { raw in
            do throws(PictureFailure) {
                try guarding.check(header, in: raw)
                return nil
            } catch { return error.reason }
        }
    }

    @Test func `The beginning of a file is refused like the whole file`() throws {
        let large = Self.png(20000, 10)
        #expect(try Self.refusal(ofBeginning: Array(large.prefix(40)), .png) == Self.refusal(large))
        // A frame of lossless coding.
        var jpeg = try TestPictures.encoded(TestPictures.quarters(64, 48), .jpeg)
        jpeg[try #require(jpeg.firstRange(of: [0xff, 0xc0])).lowerBound + 1] = 0xc3
        #expect(try Self.refusal(ofBeginning: Array(jpeg.dropLast(100)), .jpeg) == .unsupportedFormat)
        #expect(Self.refusal(jpeg) == .unsupportedFormat)
        var closed = HeaderGuard()
        closed.enabled = [.jpeg]
        let png = try TestPictures.encoded(TestPictures.quarters(64, 48), .png)
        #expect(try Self.refusal(ofBeginning: png, .png, closed) == .unsupportedFormat)
        let most = PNGChunkWalk.maxAncillary
        let texts = Self.png(1, 1, chunk: ("zTXt", UInt32(most + 1)), data: most + 1)
        #expect(try Self.refusal(ofBeginning: texts, .png) == .limitExceeded(which: "ancillaryBytes", value: most + 1, limit: most))
        // A file that is cut off behind the first pixels is not refused.
        let cut = Array(png.prefix(try #require(png.firstRange(of: Array("IDAT".utf8))).upperBound + 4)) + [0, 0, 0xff, 0xff] + Array("zTXt".utf8)
        #expect(try Self.refusal(ofBeginning: cut, .png) == nil)
    }

    private static func deepTIFF(_ bands: Int, _ format: VipsBandFormat) throws -> [UInt8] {
        try VipsRuntime.start()
        let black = try VipsOperation("black").set("width", 100).set("height", 100).set("bands", bands).image()
        return try VipsOperation("tiffsave_buffer").set("in", VipsOperation("cast").set("in", black).set("format", Int(format.rawValue)).image())
            .set("compression", 2).bytes().copied()
    }

    @Test(arguments: [(3, VipsBandFormat.uint8, 4), (3, .uint16, 6), (4, .float, 16), (5, .double, 40), (1, .uint16, 4)])
    func `The memory for a TIFF is known before it is decoded`(bands: Int, format: VipsBandFormat, bytes: Int) throws {
        let file = try Self.deepTIFF(bands, format)
        #expect(Self.header(file, .tiff)?.bytesPerPixel == bytes)
        var limits = ImageLimits()
        limits.maxDecodedBytes = 10_000 * bytes
        #expect(Self.refusal(file, limits) == nil)
        limits.maxDecodedBytes -= 1
        #expect(Self.refusal(file, limits) == .limitExceeded(which: "maxDecodedBytes", value: 10_000 * bytes, limit: 10_000 * bytes - 1))
    }

    @Test func `A picture with too many bands is refused, and deep numbers count in full`() throws {
        func reason(_ file: [UInt8], _ format: ImageFormat, _ limits: ImageLimits) -> PictureFailure.Reason? {
            let error = #expect(throws: PictureFailure.self) {
                try file.withUnsafeBytes { _ = try PictureRun($0, format: format, limits: limits, clock: PictureClock(deadline: .now + .seconds(60))) }
            }
            return error?.reason
        }
        #expect(try reason(Self.deepTIFF(6, .uint8), .tiff, ImageLimits()) == .limitExceeded(which: "maxBands", value: 6, limit: 5))
        let deep = try VipsOperation("cast").set("in", VipsRuntime.solid(width: 100, height: 100, [9, 9, 9, 9])).set("format", 2).image()
        let tagged = try VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        var limits = ImageLimits()
        limits.maxDecodedBytes = 79_999
        let expected = PictureFailure.Reason.limitExceeded(which: "maxDecodedBytes", value: 80_000, limit: 79_999)
        #expect(try reason(TestPictures.encoded(tagged, .png), .png, limits) == expected)
    }

    @Test func `A GIF with a frame outside of its screen is judged by the frame`() {
        let gif: [UInt8] = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 0, 0x3b]
        #expect(Self.refusal(gif) == .limitExceeded(which: "maxSide", value: 65535, limit: 16384))
    }

    @Test func `A limit becomes an error of the protocol with its name, the value and the allowed value`() {
        let error = PictureFailure.limit("maxSide", 20000, 16384).tintypeError
        #expect(error.name == .limitExceeded && error.name.code == 1022)
        #expect(error.details["limit"] == "maxSide")
        #expect(error.details["value"] == 20000)
        #expect(error.details["allowed"] == 16384)
        #expect(!error.isRetryable)
    }
}
