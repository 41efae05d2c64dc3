import Glibc
import TintypeImages
import TestSupport
import Testing

@testable import ImageHeads
@testable import Engine

/// The quality that is searched by likeness: the measure, the search, and real encoders.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)), .scoped)
struct LikenessTests {
    // MARK: The measure

    /// Returns the SSIM by the paper's formulas, window by window.
    private static func slowly(_ a: [UInt8], _ b: [UInt8], _ size: PictureSize) -> Double {
        let (across, down) = (min(8, size.width), min(8, size.height))
        var (sum, count) = (0.0, 0.0)
        for top in 0...(size.height - down) {
            for left in 0...(size.width - across) {
                var (own, other): ([Double], [Double]) = ([], [])
                for y in top..<top + down {
                    for x in left..<left + across {
                        own.append(Double(a[y * size.width + x]))
                        other.append(Double(b[y * size.width + x]))
                    }
                }
                let number = Double(own.count)
                let (first, second) = (own.reduce(0, +) / number, other.reduce(0, +) / number)
                var (spread, shared) = (0.0, 0.0)
                for (one, two) in zip(own, other) {
                    spread += (one - first) * (one - first) / number
                    spread += (two - second) * (two - second) / number
                    shared += (one - first) * (two - second) / number
                }
                let (near, deep) = (2.55 * 2.55, 7.65 * 7.65)
                let over: Double = (2 * first * second + near) * (2 * shared + deep)
                let under: Double = (first * first + second * second + near) * (spread + deep)
                sum += over / under
                count += 1
            }
        }
        return sum / count
    }

    private static func noise(_ count: Int, _ seed: UInt64, spread: Int, around: [UInt8]? = nil) -> [UInt8] {
        var state = seed
        return (0..<count).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let value = Int(state >> 33) % (2 * spread + 1) - spread
            return UInt8(min(max(Int(around?[index] ?? 128) + value, 0), 255))
        }
    }

    @Test(arguments: [PictureSize(40, 30), PictureSize(8, 8), PictureSize(9, 8), PictureSize(3, 50), PictureSize(1, 1), PictureSize(17, 2)])
    func `The likeness is the mean over windows of eight by eight pixels`(size: PictureSize) throws {
        let picture = Self.noise(size.width * size.height, 1, spread: 127)
        for (seed, spread) in [(2, 0), (3, 5), (4, 40), (5, 127)] as [(UInt64, Int)] {
            let other = Self.noise(picture.count, seed, spread: spread, around: picture)
            let likeness = try #require(Brightness(size, picture).likeness(to: Brightness(size, other)))
            #expect(abs(likeness - Self.slowly(picture, other, size)) < 1e-5)
            if spread == 0 { #expect(likeness > 0.999_999) }
        }
        // The extremes of the sums.
        let (white, black) = ([UInt8](repeating: 255, count: picture.count), [UInt8](repeating: 0, count: picture.count))
        #expect(try #require(Brightness(size, white).likeness(to: Brightness(size, white))) > 0.999_999)
        #expect(try #require(Brightness(size, white).likeness(to: Brightness(size, black))) < 0.001)
        #expect(Brightness(size, white).likeness(to: Brightness(PictureSize(size.width + 1, 1), [UInt8](repeating: 0, count: size.width + 1))) == nil)
    }

    @Test(
        arguments: [
            (1, [200], [200]), (2, [200, 128], [100]), (3, [255, 0, 0], [77]), (3, [0, 255, 0], [149]), (3, [0, 0, 255], [29]), (3, [255, 255, 255], [255]),
            (4, [255, 255, 255, 0], [0]), (4, [90, 90, 90, 255], [90]),
        ] as [(Int, [UInt8], [UInt8])])
    func `Brightness is that of the visible color`(bands: Int, pixel: [UInt8], wanted: [UInt8]) throws {
        let size = PictureSize(1, 1)
        let read = try #require(pixel.withUnsafeBytes { Brightness(size, $0, bands: bands, bytes: 1) })
        #expect(try #require(read.likeness(to: Brightness(size, wanted))) > 0.999_999)
        let deep = pixel.flatMap { [UInt8(7), $0] }
        let same = try #require(deep.withUnsafeBytes { Brightness(size, $0, bands: bands, bytes: 2) })
        #expect(try #require(same.likeness(to: Brightness(size, wanted))) > 0.999_999)
        #expect(pixel.withUnsafeBytes { Brightness(PictureSize(2, 1), $0, bands: bands, bytes: 1) } == nil)
    }

    // MARK: The search

    struct Case: Sendable {
        var wanted = 0.98
        var usual = 80
        /// The likeness at a quality.
        var curve: @Sendable (Int) -> Double
        var quality: Int
        /// How far from it the found one may lie, on the side of higher qualities.
        var more = 2
    }

    static let cases: [Case] = [
        // Half of what is missing goes with every 14 qualities.
        Case(curve: { 1 - 0.03 * exp(-0.05 * Double($0 - 80)) }, quality: 89), Case(curve: { 1 - 0.01 * exp(-0.05 * Double($0 - 80)) }, quality: 67),
        Case(usual: 50, curve: { 1 - 0.03 * exp(-0.07 * Double($0 - 50)) }, quality: 56),
        Case(curve: { 1 - 0.02 * exp(-0.05 * Double($0 - 80)) }, quality: 80), Case(curve: { 1 - 0.1 * exp(-0.03 * Double($0 - 30)) }, quality: 84),
        Case(wanted: 0.999, curve: { 1 - 0.03 * exp(-0.17 * Double($0 - 80)) }, quality: 100),
        Case(wanted: 0.8, curve: { 1 - 0.02 * exp(-0.04 * Double($0 - 80)) }, quality: 23, more: 4),
        // Always, and never.
        Case(curve: { _ in 1 }, quality: 1), Case(curve: { _ in 0.5 }, quality: 100),
        // Evenly, as many photos do above 80: the logarithm is misled.
        Case(curve: { min(0.959 + 0.0021 * Double($0 - 80), 1) }, quality: 90),
        // In one step.
        Case(curve: { $0 < 60 ? 0.9 : 0.999 }, quality: 60, more: 10),
    ]

    @Test(arguments: cases.indices) func `The search finds the lowest quality that is alike enough`(index: Int) throws {
        let one = Self.cases[index]
        var tried: [Int] = []
        let made = try LikenessSearch<Int>(wanted: one.wanted, usual: one.usual).find { quality throws(PictureFailure) in
            tried.append(quality)
            return (quality, one.curve(quality))
        }
        let found = try #require(made)
        #expect(tried.first == one.usual && tried.count <= LikenessSearch<Int>.maxTries && Set(tried).count == tried.count, "\(tried)")
        #expect(tried.allSatisfy { (1...100).contains($0) } && found.file == found.quality && found.likeness == one.curve(found.quality))
        #expect((one.quality...one.quality + one.more).contains(found.quality), "\(found.quality) of \(tried)")
        let enough = tried.filter { one.curve($0) >= one.wanted }
        #expect(found.quality == enough.min() ?? tried.max())
    }

    @Test func `A search finds nothing when a likeness cannot be found out`() throws {
        #expect(try LikenessSearch<Int>(wanted: 0.98, usual: 80).find { quality in quality > 80 ? nil : (quality, 0.5) } == nil)
    }

    @Test func `A search ends when the time is up`() {
        var count = 0
        let error = #expect(throws: PictureFailure.self) {
            try LikenessSearch<Int>(wanted: 0.98, usual: 80).find { quality throws(PictureFailure) in
                count += 1
                if count == 2 { throw PictureFailure(.cancelled, .encode, "") }
                return (quality, 0.5)
            }
        }
        #expect(error?.reason == .cancelled && count == 2)
    }

    // MARK: Real encoders

    private static func numbers(_ image: VipsImage) throws -> (PictureSize, [UInt8]) {
        let size = PictureSize(image.width, image.height)
        return (
            size,
            try image.computed().withSamples { samples in
                (0..<size.width * size.height).map { index in
                    let at = index * image.bands
                    let (red, green, blue) = (Int(samples[at]), Int(samples[at + 1]), Int(samples[at + 2]))
                    let sum: Int = 77 * red + 150 * green + 29 * blue + 128
                    return UInt8(sum >> 8)
                }
            }
        )
    }

    private static func drawings() throws -> (smooth: VipsImage, noisy: VipsImage) {
        let smooth = try PlanarTests.waves(240, 180)
        let samples = try smooth.computed().withSamples { [UInt8]($0) }
        let noisy = try VipsImage.of(noise(samples.count, 9, spread: 25, around: samples), width: 240, height: 180, bands: 3)
        return (smooth, try VipsOperation("copy").set("in", noisy).set("interpretation", Int(VipsColors.sRGB.rawValue)).image())
    }

    private static func made(_ source: [UInt8], _ output: String, graphs: PlanarGraphs? = nil) throws -> (bytes: [UInt8], quality: Int?) {
        try source.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .png, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)), graphs: graphs)
            let picture = try run.render(PictureTests.rendition("", output))
            return (picture.bytes.copied(), picture.quality)
        }
    }

    @Test(arguments: ["jpeg", "webp", "avif"], [0.93, 0.98]) func `A smooth picture gets a lower quality than a noisy one, and both are alike enough`(
        format: String, likeness: Double
    ) throws {
        let drawings = try Self.drawings()
        var qualities: [Int] = []
        for image in [drawings.smooth, drawings.noisy] {
            let source = try TestPictures.encoded(image, .png)
            let found = try Self.made(source, #"{"format":"\#(format)","quality":"auto","likeness":\#(likeness)}"#)
            let quality = try #require(found.quality)
            qualities.append(quality)
            let (size, wanted) = try Self.numbers(image)
            let (shown, seen) = try Self.numbers(TestPictures.decoded(found.bytes))
            #expect(shown == size)
            let measured = Self.slowly(wanted, seen, size)
            #expect(measured >= likeness - 0.005 || quality == 100, "\(measured) at \(quality)")
            // The file is that of the named quality.
            #expect(try Self.made(source, #"{"format":"\#(format)","quality":\#(quality)}"#).bytes == found.bytes)
        }
        #expect(qualities[0] < qualities[1], "\(qualities)")
    }

    @Test(arguments: ["jpeg", "webp"]) func `A limit of bytes counts more than the likeness`(format: String) throws {
        let source = try TestPictures.encoded(Self.drawings().noisy, .png)
        let alike = try Self.made(source, #"{"format":"\#(format)","quality":"auto"}"#)
        let most = alike.bytes.count * 2 / 3
        let limited = try Self.made(source, #"{"format":"\#(format)","quality":"auto","maxBytes":\#(most)}"#)
        #expect(limited.bytes.count <= most)
        #expect(try #require(limited.quality) < #require(alike.quality))
        let roomy = try Self.made(source, #"{"format":"\#(format)","quality":"auto","maxBytes":\#(alike.bytes.count)}"#)
        #expect(roomy.bytes == alike.bytes && roomy.quality == alike.quality)
        #expect(throws: PictureFailure.self) { try Self.made(source, #"{"format":"\#(format)","quality":"auto","maxBytes":100}"#) }
    }

    @Test func `Transparent and gray pictures, and those of more bits, are compared too`() throws {
        let image = try Self.drawings().smooth
        let clear = try VipsOperation("bandjoin_const").set("in", image).set("c", [100]).image()
        let gray = try PlanarTests.waves(120, 90, bands: 1)
        for (picture, output) in [
            (clear, #"{"format":"webp","quality":"auto","likeness":0.9}"#), (gray, #"{"format":"jpeg","quality":"auto","likeness":0.9}"#),
            (clear, #"{"format":"jpeg","quality":"auto","likeness":0.9}"#), (image, #"{"format":"jpeg","quality":"auto","likeness":0.9,"icc":"keep"}"#),
            (gray, #"{"format":"avif","quality":"auto","likeness":0.9}"#),
        ] {
            let made = try Self.made(TestPictures.encoded(picture, .png), output)
            #expect(try #require(made.quality) < 80, "\(output)")
        }
    }

    @Test(
        arguments: [
            (#"{"format":"png","quality":"auto"}"#, nil), (#"{"format":"webp","lossless":true,"quality":"auto"}"#, nil),
            (#"{"format":"heif","quality":"auto"}"#, 50),
        ] as [(String, Int?)])
    func `Other formats have their default quality`(output: String, quality: Int?) throws {
        #expect(try Self.made(TestPictures.encoded(Self.drawings().smooth, .png), output).quality == quality)
    }

    @Test func `An animation has the default quality`() throws {
        let moving = try TestPictures.animation(32, 32, [[255, 0, 0], [0, 255, 0]], delays: [100, 100], loop: 0, .gif)
        try moving.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .gif, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            let picture = try run.render(PictureTests.rendition("", #"{"format":"webp","quality":"auto"}"#))
            #expect(picture.quality == 80 && picture.frames == 2)
        }
    }

    @Test func `A picture whose quality is searched does not take the planar path`() throws {
        let facts = PlanarPlanTests.facts()
        #expect(try PlanarPlanTests.plan(facts, #"{"transform":[],"output":{"format":"jpeg","quality":"auto"}}"#) == nil)
        #expect(try PlanarPlanTests.plan(facts, #"{"transform":[],"output":{"format":"jpeg","likeness":0.9}}"#) != nil)
    }
}
