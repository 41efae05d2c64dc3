import Glibc
@testable import ImageHeads
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// PNGs read and written without libpng, compared with libpng.
@Suite(.tags(.optimized)) struct PNGTests {
    /// Returns a picture with slopes, edges and noise.
    private static func samples(_ width: Int, _ height: Int, _ channels: Int, seed: UInt64 = 7) -> [UInt8] {
        var dice = Dice(seed)
        return (0..<width * height * channels).map { index in
            let (x, y) = (index / channels % width, index / channels / width)
            let slope = x * 3 + y * 2 + (x > y ? 90 : 0) + index % channels * 40
            return UInt8(truncatingIfNeeded: slope + Int.random(in: 0...12, using: &dice))
        }
    }

    /// Filters by the specification's own text, sample by sample.
    private static func filtered(_ samples: [UInt8], _ pitch: Int, _ pixel: Int, _ filters: [UInt8]) -> [UInt8] {
        var rows: [UInt8] = []
        for (y, filter) in filters.enumerated() {
            rows.append(filter)
            for x in 0..<pitch {
                func at(_ x: Int, _ y: Int) -> Int { x < 0 || y < 0 ? 0 : Int(samples[y * pitch + x]) }
                let (a, b, c) = (at(x - pixel, y), at(x, y - 1), at(x - pixel, y - 1))
                let p = a + b - c
                let paeth = abs(p - a) <= abs(p - b) && abs(p - a) <= abs(p - c) ? a : abs(p - b) <= abs(p - c) ? b : c
                rows.append(UInt8(truncatingIfNeeded: at(x, y) - [0, a, b, (a + b) / 2, paeth][Int(filter)]))
            }
        }
        return rows
    }

    private static func file(_ width: Int, _ height: Int, _ channels: Int, rows: [UInt8]) -> [UInt8] {
        let header = PNGChunk.header(width: width, height: height, depth: 8, type: [0, 4, 2, 6][channels - 1])
        return PNGChunk.signature + header + PNGChunk.data(rows) + PNGChunk.whole("IEND", [])
    }

    /// Returns the pixels of our reader; nil if it leaves the file to libpng.
    private static func read(_ file: [UInt8], goesOn: (Double) -> Bool = { _ in true }) -> [UInt8]? {
        file.withUnsafeBytes { raw in
            guard let pixels = PNGPixels(raw) else { return nil }
            var samples = [UInt8](repeating: 0xaa, count: pixels.width * pixels.height * pixels.channels)
            return samples.withUnsafeMutableBytes { pixels.read(into: $0, goesOn: goesOn) } ? samples : nil
        }
    }

    private static func byLibpng(_ file: [UInt8]) throws -> [UInt8] {
        try VipsRuntime.start()
        return try file.withUnsafeBytes { try PictureLoader(source: $0, format: .png).header().samples() }
    }

    private static func written(_ samples: [UInt8], _ width: Int, _ height: Int, _ channels: Int, effort: Int = 6) throws -> [UInt8] {
        let file = PNGFile(width: width, height: height, channels: channels, density: (11811, 11811))
        let memory = try #require(samples.withUnsafeBytes { file.encode($0, effort: effort) })
        defer { free(memory.baseAddress) }
        return [UInt8](memory)
    }

    private static let sizes = [(1, 1), (2, 3), (3, 2), (5, 5), (17, 9), (64, 64), (101, 33)]

    @Test(arguments: 1...4, 0...5) func `Every filter is reversed at every width`(channels: Int, number: Int) throws {
        for (width, height) in Self.sizes {
            let samples = Self.samples(width, height, channels)
            // Number 5: one after the other.
            let filters = (0..<height).map { UInt8(number < 5 ? number : ($0 * 7 + 1) % 5) }
            let file = Self.file(width, height, channels, rows: Self.filtered(samples, width * channels, channels, filters))
            #expect(Self.read(file) == samples, "\(width)x\(height)")
            #expect(try Self.byLibpng(file) == samples)
        }
    }

    @Test(arguments: 1...4, [0, 1, 6, 9]) func `libpng reads the written pixels`(channels: Int, effort: Int) throws {
        for (width, height) in Self.sizes {
            let samples = Self.samples(width, height, channels)
            let file = try Self.written(samples, width, height, channels, effort: effort)
            #expect(try Self.byLibpng(file) == samples, "\(width)x\(height)")
            #expect(Self.read(file) == samples)
        }
    }

    @Test func `Photographs and drawings come out no larger than libpng's`() throws {
        let photo = try PlanarTests.waves(400, 300)
        let drawing = try TestPictures.quarters(400, 300)
        for (image, isPhoto) in [(photo, true), (drawing, false)] {
            let ours = try Self.written(image.samples(), image.width, image.height, image.bands)
            let theirs = try VipsOperation("pngsave_buffer").set("in", image).set("compression", 6).set("strip", true).bytes().count
            #expect(isPhoto ? ours.count * 10 < theirs * 9 : ours.count <= theirs + 64, "\(ours.count) for \(theirs)")
        }
    }

    @Test func `A faulty file is left to libpng`() throws {
        let samples = Self.samples(40, 30, 3)
        let rows = Self.filtered(samples, 120, 3, (0..<30).map { UInt8($0 % 5) })
        let good = Self.file(40, 30, 3, rows: rows)
        #expect(Self.read(good) == samples)
        let data = Array(good[41..<(good.count - 16)])
        var broken: [(String, [UInt8])] = [
            ("an end missing", Array(good.dropLast(12))), ("half", Array(good[..<(good.count / 2)])), ("nothing", []),
            ("a row too few", Self.file(40, 31, 3, rows: rows)), ("a row too many", Self.file(40, 29, 3, rows: rows)),
            ("no data", PNGChunk.signature + PNGChunk.header(width: 4, height: 4, depth: 8, type: 2) + PNGChunk.whole("IEND", [])),
            ("no width", Self.file(0, 30, 3, rows: rows)), ("a side that wraps", Self.file(1 << 31, 1 << 31, 3, rows: rows)),
            (
                "a color that is none",
                PNGChunk.signature + PNGChunk.header(width: 40, height: 30, depth: 8, type: 2) + PNGChunk.whole("tRNS", [0, 1, 0, 1, 0, 1]) + good[33...]
            ),
        ]
        var wrong = rows
        wrong[121] = 5
        broken.append(("a filter that there is not", Self.file(40, 30, 3, rows: wrong)))
        var flipped = good
        flipped[good.count / 2] ^= 1
        broken.append(("a bit", flipped))
        // Files that libpng refuses although the data are all there: data with another chunk between, an unknown critical chunk, distances beyond the
        // stated window.
        let parts = [Array(data[..<40]), Array(data[40...])].map { PNGChunk.whole("IDAT", $0) }
        for between in [PNGChunk.whole("tEXt", Array("Author\u{0}Ada".utf8)), PNGChunk.whole("QQQQ", [1])] {
            broken.append(("pieces", good[..<33] + parts[0] + between + parts[1] + PNGChunk.whole("IEND", [])))
        }
        broken.append(("a chunk to be known", good[..<33] + PNGChunk.whole("QQQQ", [1]) + good[33...]))
        for (what, file) in broken.suffix(3) { #expect(throws: (any Error).self, "\(what)") { try Self.byLibpng(Array(file)) } }
        var near = data
        (near[0], near[1]) = (0x08, 0x1d)
        broken.append(("a small window", good[..<33] + PNGChunk.whole("IDAT", near) + PNGChunk.whole("IEND", [])))
        for (what, file) in broken { #expect(Self.read(file) == nil, "\(what)") }
        // Other kinds: interlaced, sixteen bits, a palette.
        var palette = OutputOptions(quality: 95)
        palette.isPalette = true
        for options in [OutputOptions(isProgressive: true), palette] {
            let other = try TestPictures.encoded(TestPictures.quarters(40, 30), .png, options)
            #expect(Self.read(other) == nil)
        }
    }

    @Test func `A file cut anywhere, or with any byte changed, has the same outcome as with libpng`() throws {
        let samples = Self.samples(23, 11, 3)
        let good = Self.file(23, 11, 3, rows: Self.filtered(samples, 69, 3, (0..<11).map { UInt8($0 % 5) }))
        for at in good.indices {
            #expect(Self.read(Array(good[..<at])) == nil)
            var changed = good
            changed[at] ^= 0x41
            if let read = Self.read(changed) { #expect(try read == Self.byLibpng(changed), "byte \(at)") }
        }
    }

    @Test func `Data in many chunks are one stream`() throws {
        let samples = Self.samples(40, 30, 4)
        let whole = PNGChunk.data(Self.filtered(samples, 160, 4, [UInt8](repeating: 4, count: 30)))
        let data = Array(whole[8..<(whole.count - 4)])
        let parts = stride(from: 0, to: data.count, by: 100).flatMap { PNGChunk.whole("IDAT", Array(data[$0..<min(data.count, $0 + 100)])) }
        let file = PNGChunk.signature + PNGChunk.header(width: 40, height: 30, depth: 8, type: 6) + parts + PNGChunk.whole("IEND", [])
        #expect(Self.read(file) == samples)
        // No encoder writes that many.
        let empty = PNGChunk.whole("IDAT", [])
        let many = PNGChunk.signature + file[8..<33] + (0..<20_000).flatMap { _ in empty } + parts + PNGChunk.whole("IEND", [])
        #expect(Self.read(many) == nil)
    }

    @Test func `Reading stops when it is told to`() throws {
        let file = Self.file(8, 200, 3, rows: Self.filtered(Self.samples(8, 200, 3), 24, 3, [UInt8](repeating: 1, count: 200)))
        var looks: [Double] = []
        #expect(
            Self.read(file) {
                looks.append($0)
                return looks.count < 3
            } == nil)
        #expect(looks.count == 3 && looks == looks.sorted())
    }

    /// The same steps over pixels that were read whole, and over pixels that libpng reads line by line.
    @Test(
        arguments: [
            #"{"op":"resize","width":60}"#, #"{"op":"rotate","angle":90}"#,
            #"{"op":"crop","x":20,"y":10,"width":90,"height":80},{"op":"flip","vertical":true}"#, #"{"op":"blur","sigma":2}"#,
        ], 1...4) func `A rendition is the same on both paths`(transform: String, channels: Int) throws
    {
        let (width, height) = (160, 120)
        let plain = try Self.written(Self.samples(width, height, channels), width, height, channels)
        #expect(Self.read(plain) != nil)
        let rendition = try PlanarTests.rendition(transform, .png)
        let (ours, theirs) = try (
            TestPictures.decoded(TestPictures.made(plain, rendition)), TestPictures.decoded(TestPictures.made(plain, rendition, isLibpngUsed: true))
        )
        #expect(try ours.samples() == theirs.samples() && ours.bands == theirs.bands && ours.width == theirs.width)
        for image in [ours, theirs] { #expect(image.density?.across == 11811 && image.density?.down == 11811) }
    }

    @Test func `Several renditions of a source share its pixels`() throws {
        try VipsRuntime.start()
        let samples = Self.samples(160, 120, 3)
        let file = Self.file(160, 120, 3, rows: Self.filtered(samples, 480, 3, [UInt8](repeating: 2, count: 120)))
        let renditions = try [#"{"op":"resize","width":60}"#, #"{"op":"rotate","angle":180}"#, ""].map { try PlanarTests.rendition($0, .png) }
        let together = try file.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .png, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            return try renditions.map { try run.render($0).bytes.copied() }
        }
        let apart = try renditions.map { try TestPictures.made(file, $0) }
        #expect(together == apart)
    }

    @Test func `Kept metadata is written by libpng`() throws {
        let profile = try VipsOperation("copy").set("in", TestPictures.quarters(64, 64)).image().withHeader { $0.set("png-comment-0-Author", "Ada") }
        let source = try VipsOperation("pngsave_buffer").set("in", profile).bytes().copied()
        #expect(Self.read(source) != nil)
        var all = Rendition(output: OutputOptions(format: .png))
        all.output.metadata = .all
        let image = try TestPictures.decoded(TestPictures.made(source, all))
        #expect(image.text("png-comment-0-Author") == "Ada")
        let none = try TestPictures.decoded(TestPictures.made(source, Rendition(output: OutputOptions(format: .png))))
        #expect(!none.has("png-comment-0-Author"))
    }

    @Test(.needsCorpus) func `Every PNG of the corpus is read as libpng reads it`() throws {
        var count = 0
        for file in TestPictures.files("formats") + TestPictures.files("bench") where file.hasSuffix(".png") {
            let bytes = try TestPictures.bytes(file)
            guard let samples = Self.read(bytes) else { continue }
            count += 1
            #expect(try Self.byLibpng(bytes) == samples, "\(file)")
        }
        #expect(count > 0)
        print("PNGs read whole: \(count)")
    }
}
