@testable import ImageHeads
@testable import PNG
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The colors of PNGs by their chunks. The expected numbers are what headless Chromium 156 draws, or the formulas of the specifications where it says so.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct PNGColorTests {
    private static let color: [UInt8] = [200, 100, 50]
    private static let p3 = [31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000], sRGB = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]
    private static let adobe = [31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000], wide = [34570, 35850, 73470, 26530, 11520, 82640, 15660, 1770]

    private static func gamma(_ number: Int) -> [UInt8] { PNGChunk.whole("gAMA", BigEndian.bytes(number)) }
    private static func chromaticities(_ numbers: [Int]) -> [UInt8] { PNGChunk.whole("cHRM", numbers.flatMap { BigEndian.bytes($0) }) }
    private static func codes(_ numbers: UInt8...) -> [UInt8] { PNGChunk.whole("cICP", numbers) }
    private static let intent = PNGChunk.whole("sRGB", [0])

    /// Returns a flat PNG of 8 × 8 pixels.
    /// - Parameters:
    ///   - front: the chunks in front of the pixels.
    ///   - type: the color type.
    ///   - pixel: the bytes of one pixel.
    private static func png(_ front: [UInt8], type: UInt8 = 2, depth: Int = 8, pixel: [UInt8] = color) -> [UInt8] {
        let row: [UInt8] = [0] + repeatElement(pixel, count: type == 3 ? depth : 8).joined()
        return PNGChunk.signature + PNGChunk.header(width: 8, height: 8, depth: depth, type: type) + front
            + PNGChunk.data(Array(repeatElement(row, count: 8).joined())) + PNGChunk.whole("IEND", [])
    }

    private static func seen(_ file: [UInt8], _ decode: String = "{}", _ output: String = #"{"format":"png"}"#) throws -> VipsImage {
        let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"output":\#(output)}"#))
        return try ColorStep.eightBit(TestPictures.decoded(TestPictures.made(file, rendition)))
    }

    /// Returns the color of each frame of a PNG that has its picture twice, after a rendition.
    private static func moving(_ file: [UInt8]) throws -> [[Double]] {
        let frame = TestFrames.Frame(color: [], window: PNGWindow(x: 0, y: 0, width: 8, height: 8))
        let start = try #require(file.firstRange(of: Array("IDAT".utf8))).lowerBound - 4, end = file.count - 12
        let first: [UInt8] = file[..<start] + TestFrames.announcement(2) + TestFrames.control(0, frame) + file[start..<end]
        let second: [UInt8] = TestFrames.control(1, frame) + PNGChunk.whole("fdAT", BigEndian.bytes(2) + file[(start + 8)..<(end - 4)])
        let whole = first + second + PNGChunk.whole("IEND", [])
        #expect(whole.withUnsafeBytes { ImageHeader.read($0, as: .png) }?.frames == 2)
        return try [#"{"frames":"first"}"#, #"{"frames":"first","page":1}"#].map { try seen(whole, $0).pixel(3, 3) }
    }

    @Test(
        arguments: [
            (gamma(100000), [229, 168, 122]), (gamma(55556), [210, 119, 65]), (gamma(45455), [200, 100, 50]), (gamma(45000), [200, 100, 50]),
            (gamma(44000), [200, 100, 50]), (gamma(47000), [200, 100, 50]), (gamma(42000), [197, 92, 39]),
            (gamma(45455) + chromaticities(p3), [216, 93, 24]), (gamma(100000) + chromaticities(p3), [240, 165, 114]),
            (gamma(45470) + chromaticities(adobe), [227, 100, 42]), (gamma(45455) + chromaticities(wide), [250, 58, 33]),
            (gamma(100000) + chromaticities(sRGB), [229, 168, 122]),
            // Primaries alone, an exponent of nothing, and colors that no screen has.
            (chromaticities(p3), [200, 100, 50]), (gamma(0), [200, 100, 50]), (gamma(100000) + chromaticities([Int](repeating: 0, count: 8)), [200, 100, 50]),
            // A chunk of another length.
            (PNGChunk.whole("gAMA", [0, 1, 0x86]), [200, 100, 50]),
            // The first of several counts, in any order.
            (gamma(100000) + intent, [200, 100, 50]), (intent + gamma(100000), [200, 100, 50]), (gamma(100000) + codes(1, 13, 0, 1), [200, 100, 50]),
            (codes(12, 13, 0, 0) + gamma(100000), [229, 168, 122]), (codes(2, 2, 0, 1) + gamma(100000), [229, 168, 122]),
            (codes(1, 4, 0, 1), [201, 100, 46]), (codes(1, 5, 0, 1), [189, 76, 26]), (codes(1, 7, 0, 1), [206, 115, 68]), (codes(1, 8, 0, 1), [229, 168, 122]),
            (codes(1, 17, 0, 1), [200, 87, 34]), (codes(4, 13, 0, 1), [232, 93, 30]), (codes(5, 13, 0, 1), [203, 100, 51]),
            (codes(6, 13, 0, 1), [196, 102, 49]),
            (codes(7, 13, 0, 1), [196, 102, 49]), (codes(8, 13, 0, 1), [222, 92, 32]), (codes(9, 13, 0, 1), [241, 76, 29]),
            (codes(10, 13, 0, 1), [255, 0, 61]),
            (codes(11, 13, 0, 1), [211, 93, 32]), (codes(12, 13, 0, 1), [215, 93, 31]), (codes(22, 13, 0, 1), [202, 102, 49]),
            // Reserved, and logarithms.
            (codes(3, 13, 0, 1), [200, 100, 50]), (codes(23, 13, 0, 1), [200, 100, 50]), (codes(1, 3, 0, 1), [200, 100, 50]),
            (codes(1, 9, 0, 1), [200, 100, 50]),
            // Curves of television: ours is that of sRGB, Chromium's is its own.
            (codes(1, 1, 0, 1), [200, 100, 50]), (codes(1, 14, 0, 1), [200, 100, 50]),
        ] as [([UInt8], [Double])]) func `Colors follow the chunk that counts first`(front: [UInt8], wanted: [Double]) throws
    {
        try VipsRuntime.start()
        let shown = try Self.seen(Self.png(front)).pixel(3, 3)
        #expect(near(shown, wanted, within: 2), "\(shown) for \(wanted)")
        let kept = try Self.seen(Self.png(front), "{}", #"{"format":"png","icc":"keep"}"#)
        #expect(try near(kept.pixel(3, 3), [200, 100, 50], within: 0) && kept.has("icc-profile-data") == (wanted != [200, 100, 50]))
    }

    /// The exponent 1, and what Chromium makes of the numbers.
    @Test(
        arguments: [
            (0, 8, [128], [188]), (0, 16, [128, 128], [188]), (4, 8, [128, 200], [188, 200]), (2, 16, [200, 200, 100, 100, 50, 50], [229, 168, 122]),
            (6, 8, [200, 100, 50, 200], [229, 168, 122, 200]), (3, 8, [0], [229, 168, 122]),
        ] as [(UInt8, Int, [UInt8], [Double])]) func `An exponent counts for every kind of pixel, still and moving`(
            type: UInt8, depth: Int, pixel: [UInt8], wanted: [Double]
        ) throws
    {
        try VipsRuntime.start()
        let palette = type == 3 ? PNGChunk.whole("PLTE", Self.color) : []
        let all = wanted.count < 3 ? [wanted[0], wanted[0]] + wanted : wanted
        for front in [Self.gamma(100000), Self.codes(1, 8, 0, 1)] {
            let file = Self.png(front + palette, type: type, depth: depth, pixel: pixel)
            for output in [#"{"format":"png"}"#, #"{"format":"webp","lossless":true}"#] {
                let shown = try Self.seen(file, "{}", output).pixel(3, 3)
                // A gray result has one band.
                #expect(near(shown, all, within: 2) || near(shown, wanted, within: 2), "\(shown) for \(wanted)")
            }
            let frames = try Self.moving(file)
            #expect(frames.allSatisfy { near($0, all, within: 2) || near($0, wanted, within: 2) }, "\(frames) for \(wanted)")
        }
    }

    /// The darkest numbers, by the formula of sRGB. LittleCMS alone shows them up to 12 of 255 too dark.
    @Test(arguments: [0, 2, 4, 6] as [UInt8], [8, 16]) func `Shadows of linear pictures are as bright as the formula says`(type: UInt8, depth: Int) throws {
        try VipsRuntime.start()
        let wide = [Self.chromaticities(Self.p3), []]
        for (front, number) in wide.flatMap({ primaries in [1, 2, 3, 5, 9, 14].map { (Self.gamma(100000) + primaries, $0) } }) {
            let light = depth == 8 ? Double(number) / 255 : Double(number * 256) / 65535
            let value = (SRGBCurve.code(of: light) * 255).rounded()
            let one: [UInt8] = depth == 8 ? [UInt8(number)] : [UInt8(number), 0]
            let opaque = [UInt8](repeating: 255, count: type > 2 ? depth / 8 : 0)
            let pixel = [UInt8](repeatElement(one, count: type & 2 == 0 ? 1 : 3).joined()) + opaque
            for output in [#"{"format":"png"}"#, #"{"format":"png","icc":"keep"}"#] where type & 2 == 0 || !output.contains("keep") {
                let shown = try Self.seen(Self.png(front, type: type, depth: depth, pixel: pixel), "{}", output).pixel(3, 3)
                #expect(shown.prefix(type & 2 == 0 ? 1 : 3).allSatisfy { abs($0 - value) <= 1 }, "\(shown) for \(value) of \(number)")
            }
        }
    }

    /// High dynamic range in gray keeps its one band, which frames have too.
    @Test func `A moving gray PNG of high dynamic range is shown`() throws {
        try VipsRuntime.start()
        let frames = try Self.moving(Self.png(Self.codes(9, 16, 0, 1), type: 0, pixel: [120]))
        #expect(frames.allSatisfy { near($0, [ToneMapTests.shown([120, 120, 120], .pq)[0]], within: 2) }, "\(frames)")
    }

    // MARK: Slips that libpng punishes

    /// A profile that swaps red and green, so that nobody can overlook it, with the exponent 2.2.
    private static func swapping() throws -> [UInt8] {
        var bytes = try #require(WideProfile.of(CodedColors(primaries: 1, transfer: 4, matrix: 0, isFullRange: true)))
        let (red, green) = (try #require(bytes.firstRange(of: Array("rXYZ".utf8))), try #require(bytes.firstRange(of: Array("gXYZ".utf8))))
        (bytes[red.lowerBound], bytes[green.lowerBound]) = (bytes[green.lowerBound], bytes[red.lowerBound])
        return bytes
    }

    @Test(arguments: [0, 1, 2, 3]) func `A profile counts whatever stands in front of it`(failOn: Int) throws {
        try VipsRuntime.start()
        let profile = try Self.swapping()
        let flat = try VipsRuntime.solid(width: 8, height: 8, [200, 100, 50]).withHeader { $0.set("icc-profile-data", profile) }
        let plain = try VipsOperation("pngsave_buffer").set("in", flat).bytes().copied()
        let chunk = try #require(plain.firstRange(of: Array("iCCP".utf8))).lowerBound - 4
        let decode = #"{"failOn":"\#(DecodeOptions.FailOn.allCases[failOn])"}"#
        #expect(try near(Self.seen(plain, decode).pixel(3, 3), [100, 201, 46], within: 2))
        for front in [Self.gamma(45455) + Self.intent, Self.intent + Self.intent] {
            let file = Array(plain[..<chunk] + front + plain[chunk...])
            #expect(try near(Self.seen(file, decode).pixel(3, 3), [100, 201, 46], within: 2))
        }
    }

    @Test(arguments: [1, 2, 4, 8], [0, 1, 2, 3]) func `Alpha of more colors than there are counts for those that there are`(depth: Int, failOn: Int) throws {
        try VipsRuntime.start()
        let palette = PNGChunk.whole("PLTE", Self.color + [9, 9, 9])
        let decode = #"{"failOn":"\#(DecodeOptions.FailOn.allCases[failOn])"}"#
        for count in [1, 2, 3, 300] {
            let alpha = PNGChunk.whole("tRNS", [128] + [UInt8](repeating: 255, count: count - 1))
            let file = Self.png(palette + alpha, type: 3, depth: depth, pixel: [0])
            #expect(try near(Self.seen(file, decode).pixel(3, 3), [200, 100, 50, 128], within: 0), "\(count)")
            // Alpha of no color is none.
            let empty = Self.png(palette + PNGChunk.whole("tRNS", []), type: 3, depth: depth, pixel: [0])
            #expect(try near(Self.seen(empty, decode).pixel(3, 3), [200, 100, 50], within: 0))
            // Chromium too ignores what is in front of its palette.
            let early = try Self.seen(Self.png(alpha + palette, type: 3, depth: depth, pixel: [0]), decode)
            #expect(try near(early.pixel(3, 3), [200, 100, 50], within: 0), "\(count)")
        }
    }
}
