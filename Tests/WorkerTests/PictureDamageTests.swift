@testable import ImageHeads
import PNG
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The sentences about cut and damaged files, each with the decoder's own text behind it.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct PictureDamageTests {
    /// Returns 200 × 150 pixels that hardly any encoder can shorten.
    static func noise() throws -> VipsImage {
        try VipsRuntime.start()
        let bands = try (1...3).map { band in
            try VipsOperation("gaussnoise").set("width", 200).set("height", 150).set("mean", 128.0).set("sigma", 50.0).set("seed", band).image()
        }
        let cast = try VipsOperation("cast").set("in", VipsOperation("bandjoin").set("in", bands).image()).set("format", 0).image()
        return try VipsOperation("copy").set("in", cast).set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
    }

    static let formats: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif, .tiff, .heif, .jxl, .bmp, .ico, .icns, .xbm, .jp2]

    private static func file(_ format: ImageFormat) throws -> [UInt8] {
        switch format {
        case .bmp: TestBitmaps.file(TestBitmaps.header(40, 30, bits: 24), behind: [], [UInt8](repeating: 90, count: 120 * 30))
        case .ico: try TestBitmaps.icon([(200, TestPictures.encoded(noise(), .png))])
        case .icns: try TestBitmaps.apple([("ic07", TestPictures.encoded(noise(), .png))])
        case .xbm: Array(("#define a_width 200\n#define a_height 150\nstatic char a_bits[] = {" + String(repeating: "0x5a,", count: 3750) + "};").utf8)
        case .jp2: try #require(CodecSamples.bytes(.jp2))
        default: try TestPictures.encoded(noise(), format)
        }
    }

    private static func failure(_ bytes: [UInt8]) -> PictureFailure? {
        do {
            _ = try TestPictures.made(bytes, PictureTests.rendition(#"{"op":"resize","width":50}"#))
            return nil
        } catch { return error as? PictureFailure }
    }

    @Test(arguments: formats, [0.1, 0.6, 0.95]) func `A cut file says that it ends early, and where`(format: ImageFormat, part: Double) throws {
        let bytes = try Self.file(format)
        // The sample of JPEG 2000 is mostly header, and a file without a size is refused before.
        if format == .jp2, part < 0.5 { return }
        let cut = Int(Double(bytes.count) * part)
        let message = try #require(Self.failure(Array(bytes[..<cut]))).message
        let name = format.name
        if format == .jxl {
            // libjxl has one text for all, and a bare codestream states no length.
            #expect(message == "the JPEG XL is damaged: its compressed data are wrong or end early (compute: jxlload_buffer: error JxlDecoderProcessInput)")
            return
        }
        #expect(message.hasPrefix("the \(name) ends early, after ") && message.hasSuffix(")"), "\(message)")
        // A JPEG, a GIF and an XBM do not say how long they are.
        #expect(message.contains(" of at least ") == ![.jpeg, .gif, .xbm].contains(format), "\(message)")
        #expect(message.contains(" bytes") || message.contains(" kB"))
        #expect(Self.failure(bytes) == nil)
    }

    @Test(arguments: formats) func `No decoder speaks alone about a damaged file`(format: ImageFormat) throws {
        let bytes = try Self.file(format)
        var dice = Dice(49)
        for round in 0..<60 {
            var broken = bytes
            let start = Int.random(in: 8..<(round % 2 == 0 ? min(300, bytes.count) : bytes.count), using: &dice)
            for at in start..<min(bytes.count, start + [1, 4, 16][round % 3]) { broken[at] = UInt8.random(in: 0...255, using: &dice) }
            guard let failure = Self.failure(broken), failure.reason == .badImageData else { continue }
            #expect(failure.message.hasPrefix("the ") || failure.message.hasPrefix("a chunk ") || failure.message.hasPrefix("there is "), "\(failure.message)")
        }
    }

    @Test func `Lengths are as short as they can be told apart`() {
        func sentence(_ there: Int, _ stated: Int) -> String {
            let head = PNGChunk.signature + PNGChunk.header(width: 9, height: 9, depth: 8, type: 6) + BigEndian.bytes(stated - 45) + Array("IDAT".utf8)
            let file = head + [UInt8](repeating: 0, count: there - head.count)
            return file.withUnsafeBytes { PictureFailure.damage("vipspng: libpng read error", .png, $0).message }
        }
        let text = " (vipspng: libpng read error)"
        #expect(sentence(180_200, 412_000) == "the PNG ends early, after 180 of at least 412 kB" + text)
        #expect(sentence(411_500, 412_000) == "the PNG ends early, after 411500 of at least 412000 bytes" + text)
        #expect(sentence(20_000_000, 41_000_000) == "the PNG ends early, after 20 of at least 41 MB" + text)
        #expect(sentence(500, 41_000_000) == "the PNG ends early, after 500 of at least 41000000 bytes" + text)
        #expect(sentence(900, 0xffff_ffff).hasPrefix("the PNG ends early, after 900 of at least 4294967"))
        for format in Self.formats + [.svg, .pdf, .psd, .raw] {
            for bytes in [[], [0], Array("BM".utf8) + [UInt8](repeating: 255, count: 60)] as [[UInt8]] {
                #expect(bytes.withUnsafeBytes { PictureFailure.damage("?", format, $0).message }.hasPrefix("the \(format.name) "))
            }
        }
    }

    /// Returns a TIFF of 4 × 4 pixels of three bytes, with other tags. All numbers are shorts.
    private static func tiff(_ changes: [Int: [Int]]) -> [UInt8] {
        func little(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let tags = [256: [4], 257: [4], 258: [8, 8, 8], 259: [1], 262: [2], 273: [8], 277: [3], 278: [4], 279: [48]].merging(changes) { $1 }
        var (entries, behind): ([UInt8], [UInt8]) = ([], [])
        for (tag, values) in tags.sorted(by: { $0.key < $1.key }) {
            let stored = values.flatMap { little($0, 2) }
            let isHere = stored.count <= 4
            entries += little(tag, 2) + little(3, 2) + little(values.count, 4)
            entries += isHere ? stored + [UInt8](repeating: 0, count: 4 - stored.count) : little(8 + 48 + 6 + 12 * tags.count + behind.count, 4)
            if !isHere { behind += stored }
        }
        return Array("II*\0".utf8) + little(56, 4) + [UInt8](repeating: 90, count: 48) + little(tags.count, 2) + entries + little(0, 4) + behind
    }

    /// Such a file is not damaged: another decoder may show it.
    @Test(
        arguments: [
            ([262: [6], 530: [2, 2]], "its colors have fewer samples than its brightness, outside of a JPEG"),
            ([262: [6], 530: [2, 1]], "its colors have fewer samples than its brightness, outside of a JPEG"),
            ([259: [60000]], "its compression is none of those that are read here"),
            ([258: [5, 5, 5]], "its numbers have an unusual meaning or number of bits"),
            ([258: [24, 24, 24]], "its numbers have an unusual meaning or number of bits"),
            ([258: [3], 262: [3], 277: [1], 320: [Int](repeating: 0, count: 24)], "its palette has an unusual number of bits"),
        ] as [([Int: [Int]], String)]) func `A TIFF of a kind that is not read is told from a damaged one`(changes: [Int: [Int]], kind: String) throws
    {
        #expect(Self.failure(Self.tiff([:])) == nil)
        let failure = try #require(Self.failure(Self.tiff(changes)))
        #expect(failure.reason == .unsupportedFormat && failure.message.hasPrefix("the TIFF cannot be opened here: \(kind) ("), "\(failure)")
    }

    /// Texts of libvips 8.14 with the libraries of Debian 12, for files that were really damaged.
    @Test(arguments: [
        (ImageFormat.jpeg, "compute: VipsJpeg: Premature end of input file", "the JPEG ends early, after 9 bytes"),
        (.jpeg, "jpegload_buffer: VipsJpeg: Bogus Huffman table definition", "the JPEG is damaged: a table of its codes is wrong"),
        (.jpeg, "jpegload_buffer: VipsJpeg: Huffman table 0x01 was not defined", "the JPEG is damaged: a table of its codes is missing"),
        (.jpeg, "jpegload_buffer: VipsJpeg: Bogus marker length", "the JPEG is damaged: a segment has an impossible length"),
        (.jpeg, "jpegload_buffer: VipsJpeg: Invalid component ID 3 in SOS", "the JPEG is damaged: a scan names a component that does not exist"),
        (
            .jpeg, "compute: VipsJpeg: Corrupt JPEG data: premature end of data segment; VipsJpeg: Unsupported marker type 0xad",
            "the JPEG is damaged: its compressed data are wrong"
        ),
        (.webp, "compute: webp2vips: unable to read pixels", "the WebP is damaged: its compressed data are wrong"),
        (.webp, "webpload_buffer: webp: unable to parse image", "the WebP is damaged: its chunks are wrong"),
        (.avif, "heifload_buffer: source: bad seek to 267; heif: Invalid input: No 'meta' box (2.104)", "the AVIF is damaged: a box that it needs is missing"),
        (.heif, "heifload_buffer: source: bad seek to 10192; heif: Invalid input: Not a 'pict' handler (2.114)", "the HEIF is damaged: its boxes are wrong"),
        (
            .jp2, "jp2kload_buffer: jp2kload_buffer: Stream error while reading JP2 Header box: no 'ihdr' box.",
            "the JPEG 2000 is damaged: a box of its header is wrong"
        ),
        (
            .jp2,
            "compute: jp2kload_buffer: Tile part length size inconsistent with stream length; jp2kload_buffer: Failed to decode the codestream in the JP2 file",
            "the JPEG 2000 ends early, after 9 bytes"
        ),
        (.tiff, "compute: TIFFFillStrip: Read error at scanline 0; got 1074 bytes, expected 7800; tiff2vips: read error", "the TIFF ends early, after 9 bytes"),
        (
            .tiff, "tiffload_buffer: TIFFFetchNormalTag: Incompatible type for \"RowsPerStrip\"; vips__tiff_openin_source: unable to open source for input",
            "the TIFF is damaged: a field of its directory is wrong"
        ),
        (.tiff, "compute: ZIPDecode: Decoding error at scanline 0; tiff2vips: read error", "the TIFF is damaged: its compressed data are wrong"),
        (.tiff, "compute: source input: Using code not yet in table; tiff2vips: read error", "the TIFF is damaged: its compressed data are wrong"),
        (.tiff, "compute: JPEGLib: Quantization table 0x00 was not defined; tiff2vips: read error", "the TIFF is damaged: a quantization table is missing"),
        (
            .tiff, "tiffload_buffer: TIFFReadEncodedStrip: LERC compression support is not configured; tiff2vips: read error",
            "the TIFF cannot be opened here: its compression is none of those that are read here"
        ),
        (.svg, "svgload_buffer: something new", "the SVG cannot be decoded"),
    ]) func `A decoder's text becomes a sentence with that text behind it`(format: ImageFormat, text: String, sentence: String) {
        let file = [UInt8](repeating: 0, count: 9)
        #expect(file.withUnsafeBytes { PictureFailure.damage(text, format, $0).message } == "\(sentence) (\(text))")
    }
}
