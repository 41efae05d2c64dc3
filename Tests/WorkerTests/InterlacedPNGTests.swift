import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The received part of an interlaced PNG, as a small complete file.
@Suite(.tags(.optimized)) struct InterlacedPNGTests {
    private func shown(_ file: [UInt8], _ share: Double, width: Int) throws -> VipsImage? {
        let part = file[..<Int(Double(file.count) * share)]
        guard let whole = part.withUnsafeBytes({ InterlacedPNG.shown($0, width: width) }) else { return nil }
        return try TestPictures.decoded(whole)
    }

    @Test(arguments: [(40, 40, 30), (100, 160, 120), (2000, 320, 240)])
    func `A complete file looks like the decoded picture at that size`(width: Int, across: Int, down: Int) throws {
        let file = try TestPictures.encoded(TestPictures.quarters(320, 240), .png, OutputOptions(isProgressive: true))
        let image = try #require(try shown(file, 1, width: width))
        #expect("\(image.width)x\(image.height)" == "\(across)x\(down)")
        let points = [(0.25, 0.25, [255.0, 0, 0]), (0.75, 0.25, [0, 255, 0]), (0.25, 0.75, [0, 0, 255]), (0.75, 0.75, [255, 255, 255])]
        for (x, y, color) in points {
            let found = try image.pixel(Int(Double(across) * x), Int(Double(down) * y))
            #expect(near(found, color))
        }
    }

    @Test(arguments: [0.05, 0.2, 0.5, 0.9]) func `Each part shows the whole picture, finer every time`(share: Double) throws {
        let file = try TestPictures.noise(.png, progressive: true)
        let image = try #require(try shown(file, share, width: 1000))
        #expect(image.width == 320 && image.height == 240)
        let whole = try TestPictures.decoded(file)
        // Every eighth pixel came first.
        let (found, expected) = (try image.pixel(8, 8), try whole.pixel(8, 8))
        #expect(found == expected)
        // The last row is like its neighbors until it is there.
        let bottom = try (0..<30).map { try image.pixel(319 - $0 * 8, 239)[0] }
        #expect(bottom.contains { $0 != 0 })
    }

    @Test func `Other files, and beginnings without a row, are not shown`() throws {
        let plain = try TestPictures.noise(.png)
        let none = try shown(plain, 0.5, width: 10)
        #expect(none == nil)
        let file = try TestPictures.noise(.png, progressive: true)
        for count in [0, 8, 20, 33, 45] { #expect(file[..<count].withUnsafeBytes { InterlacedPNG.shown($0, width: 10) } == nil) }
        // Broken data are shown as far as they go.
        var broken = file
        for index in (file.count / 2)..<(file.count / 2 + 50) { broken[index] = 0xff }
        let some = try shown(broken, 1, width: 1000)
        #expect(some != nil)
    }

    @Test func `Pixels smaller than a byte, and more than three colors, are decoded correctly`() throws {
        let masked = try TestPictures.quarters(64, 64, alpha: true)
        let alpha = try TestPictures.encoded(masked, .png, OutputOptions(isProgressive: true))
        let image = try #require(try shown(alpha, 1, width: 1000))
        let green = try image.pixel(48, 16)
        #expect(image.bands == 4 && near(green, [0, 255, 0, 255]))
        let black = try VipsOperation("black").set("width", 20).set("height", 20).image()
        let half = try VipsOperation("linear").set("in", black).set("a", [1]).set("b", [255]).set("uchar", true).image()
        let gray = try VipsOperation("arrayjoin").set("in", [black, half]).set("across", 2).image()
        let bits = try VipsOperation("pngsave_buffer").set("in", gray).set("interlace", true).set("bitdepth", 1).bytes().copied()
        let small = try #require(try shown(bits, 1, width: 1000))
        let (dark, bright) = (try small.pixel(5, 5)[0], try small.pixel(30, 5)[0])
        #expect(dark == 0 && bright == 255)
    }
}
