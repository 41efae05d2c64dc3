import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// AVIFs and HEIFs whose transparency is multiplied into the colors, or is not turned like them. The expected places of the quarters are those that
/// Pillow 13.0 with libavif 1.4.2 shows for the same boxes, apart from crops, which it ignores.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)), .scoped) struct HEIFTransparencyTests {
    typealias Association = HEIFMeta.Association

    /// The quarters of an upright picture, from left to right and downward. Each has a color and its own transparency.
    private static let quarters = [[255.0, 0, 0, 255], [0, 255, 0, 192], [0, 0, 255, 128], [255, 255, 255, 64]]
    private static let size = PictureSize(24, 40)
    private static let formats = [
        #""format":"avif","quality":100"#, #""format":"avif","quality":100,"bitDepth":10"#,
        #""format":"avif","quality":100,"bitDepth":12,"subsampling":"4:4:4""#,
        #""format":"heif","quality":100"#,
    ]

    private static func picture(_ size: PictureSize = size, isPremultiplied: Bool = false) throws -> VipsImage {
        try VipsRuntime.start()
        let parts = try quarters.map { try VipsRuntime.solid(width: size.width / 2, height: size.height / 2, $0) }
        let image = try VipsOperation("arrayjoin").set("in", parts).set("across", 2).image()
        return isPremultiplied ? try ColorBands.rounded(VipsOperation("premultiply").set("in", image).image(), .uint8) : image
    }

    private static func file(_ output: String = formats[0], isPremultiplied: Bool = false) throws -> [UInt8] {
        let source = try TestPictures.encoded(picture(isPremultiplied: isPremultiplied), .png)
        return try TestPictures.made(source, PictureTests.rendition("", "{\(output)}"))
    }

    /// Returns the file with properties behind those of the colors alone.
    private static func transformed(_ file: [UInt8], _ properties: [[UInt8]]) throws -> [UInt8] {
        try TestHEIFs.changed(file, adding: properties) { isMask, now, new in isMask ? now : now + new }
    }

    private static func premultiplied(_ file: [UInt8]) throws -> [UInt8] {
        try TestHEIFs.changed(file, references: [("auxl", false), ("prem", true)])
    }

    private static func seen(_ file: [UInt8], _ output: String = #"{"format":"png"}"#, transform: String = "", failOn: DecodeOptions.FailOn = .truncated)
        throws -> (size: PictureSize, quarters: [[Double]])
    {
        var rendition = try PictureTests.rendition(transform, output)
        rendition.decode.failOn = failOn
        let image = try TestPictures.decoded(TestPictures.made(file, rendition))
        let (width, height, white) = (image.width, image.height, image.format == .uint16 ? 257.0 : 1)
        let pixels = try [(1, 1), (3, 1), (1, 3), (3, 3)].map { try image.pixel(width * $0.0 / 4, height * $0.1 / 4).map { $0 / white } }
        return (PictureSize(width, height), pixels)
    }

    /// Whether pixels are those of the quarters with these numbers. Multiplied colors are kept in steps of 255 / alpha.
    private static func isSeen(_ seen: [[Double]], _ wanted: [Int], isPremultiplied: Bool = false) -> Bool {
        for (seen, wanted) in zip(seen, wanted.map { quarters[$0] }) {
            let most = isPremultiplied ? 6 + 510 / wanted[3] : 4
            guard seen.count == 4, abs(seen[3] - wanted[3]) <= 3, near(Array(seen.prefix(3)), Array(wanted.prefix(3)), within: most) else { return false }
        }
        return true
    }

    /// Files for other tests.
    static func samples() throws -> [[UInt8]] {
        let file = try Self.file()
        return try [premultiplied(file), transformed(file, transformations.flatMap(\.boxes)), [UInt8](Data(base64Encoded: grid) ?? Data())]
    }

    private static let transformations: [(boxes: [[UInt8]], size: PictureSize, quarters: [Int])] = [
        ([TestHEIFs.turn], PictureSize(40, 24), [1, 3, 0, 2]), ([TestHEIFs.halfTurn], size, [3, 2, 1, 0]),
        ([TestHEIFs.turnBack], PictureSize(40, 24), [2, 0, 3, 1]), ([TestHEIFs.flip], size, [2, 3, 0, 1]), ([TestHEIFs.mirror], size, [1, 0, 3, 2]),
        ([TestHEIFs.crop(12, 40, of: size)], PictureSize(12, 40), [0, 0, 2, 2]),
        ([TestHEIFs.crop(24, 20, of: size), TestHEIFs.turn, TestHEIFs.flip], PictureSize(20, 24), [0, 0, 1, 1]),
    ]

    @Test(arguments: formats, transformations.indices)
    func `Transparency is turned, mirrored and cut with its colors`(output: String, index: Int) throws {
        let wanted = Self.transformations[index]
        // libheif 1.15 mirrors no more than 8 bits, and says so.
        guard !output.contains("bitDepth") || !wanted.boxes.contains(where: { [TestHEIFs.flip, TestHEIFs.mirror].contains($0) }) else { return }
        let file = try Self.transformed(Self.file(output), wanted.boxes)
        for result in [#"{"format":"png"}"#, #"{"format":"png","icc":"keep"}"#, #"{"format":"webp","lossless":true}"#] {
            let seen = try Self.seen(file, result)
            #expect(seen.size == wanted.size && Self.isSeen(seen.quarters, wanted.quarters), "\(seen)")
        }
        let white = try Self.seen(file, #"{"format":"jpeg","quality":98,"subsampling":"4:4:4"}"#)
        let over = wanted.quarters.map { number in
            let quarter = Self.quarters[number]
            return quarter.prefix(3).map { $0 * quarter[3] / 255 + 255 - quarter[3] }
        }
        #expect(zip(white.quarters, over).allSatisfy { near($0, Array($1), within: 6) }, "\(white)")
    }

    @Test(arguments: formats) func `Colors that are multiplied by their transparency are divided by it`(output: String) throws {
        let file = try Self.premultiplied(Self.file(output, isPremultiplied: true))
        for (file, quarters) in [(file, [0, 1, 2, 3]), (try Self.transformed(file, [TestHEIFs.turn]), [1, 3, 0, 2])] {
            for result in [#"{"format":"png"}"#, #"{"format":"webp","lossless":true}"#] {
                let seen = try Self.seen(file, result).quarters
                #expect(Self.isSeen(seen, quarters, isPremultiplied: true), "\(seen)")
            }
            let seen = try Self.seen(file, transform: #"{"op":"resize","width":20}"#).quarters
            #expect(Self.isSeen(seen, quarters, isPremultiplied: true), "\(seen)")
        }
        // Without such a reference, from the colors to their transparency, the colors are as they are.
        let plain = try Self.file(output)
        for references in [[("auxl", false)], [("auxl", false), ("prem", false)]] {
            #expect(try Self.isSeen(Self.seen(TestHEIFs.changed(plain, references: references)).quarters, [0, 1, 2, 3]))
        }
    }

    @Test(arguments: formats) func `Transformations may be listed before the size`(output: String) throws {
        for (alone, boxes) in [(false, [TestHEIFs.turn]), (true, [TestHEIFs.turn]), (false, [TestHEIFs.turn, TestHEIFs.halfTurn])] {
            let file = try TestHEIFs.changed(Self.file(output), adding: boxes) { isMask, now, new in isMask && alone ? now : new + now }
            let seen = try Self.seen(file)
            #expect(seen.size == PictureSize(40, 24) && Self.isSeen(seen.quarters, boxes.count == 1 ? [1, 3, 0, 2] : [2, 0, 3, 1]), "\(seen)")
        }
    }

    @Test func `Transformations of the transparency alone, or of both, are left as they are`() throws {
        let both = try TestHEIFs.changed(Self.file(), adding: [TestHEIFs.turn]) { _, now, new in now + new }
        let mask = try TestHEIFs.changed(Self.file(), adding: [TestHEIFs.halfTurn]) { isMask, now, new in isMask ? now + new : now }
        for file in [both, mask, try Self.file()] { #expect(file.withUnsafeBytes { HEIFMeta(ByteReader(bytes: $0))?.settled().isEmpty == true }) }
        #expect(try Self.isSeen(Self.seen(both).quarters, [1, 3, 0, 2]))
    }

    /// libheif leaves such transparency out, and says nothing.
    @Test(arguments: formats) func `Transparency of another size is an error, or none if damage is allowed`(output: String) throws {
        let file = try TestHEIFs.changed(Self.file(output), adding: [TestHEIFs.size(24, 38)]) { isMask, now, new in isMask ? now + new : now }
        let error = #expect(throws: PictureFailure.self) { try Self.seen(file) }
        #expect(error?.reason == .badImageData && error?.message.contains("another size") == true, "\(error?.message ?? "")")
        // More transformations than are repeated.
        let many = try Self.transformed(Self.file(output), Array(repeating: TestHEIFs.halfTurn, count: 18))
        #expect(throws: PictureFailure.self) { try Self.seen(many) }
        for file in [file, many] {
            let opaque = try Self.seen(file, failOn: .none).quarters
            #expect(zip(opaque, Self.quarters).allSatisfy { near($0, Array($1.prefix(3)), within: 4) }, "\(opaque)")
        }
    }

    /// As libavif lays it out: the pictures are behind the box, which cannot grow where it is.
    @Test(arguments: [false, true]) func `A file is changed wherever its boxes are, and whatever is behind them`(isOpen: Bool) throws {
        var file = try Self.file()
        let at = try #require(file.firstRange(of: Array("pixi".utf8))).lowerBound
        file.replaceSubrange(at..<at + 5, with: Array("irot".utf8) + [1])
        if isOpen {
            // The box of the pictures reaches to the end of the file.
            let pictures = try #require(file.firstRange(of: Array("mdat".utf8))).lowerBound
            file.replaceSubrange(pictures - 4..<pictures, with: [0, 0, 0, 0])
        } else {
            file += [0, 0, 0]
        }
        let seen = try Self.seen(file)
        #expect(seen.size == PictureSize(40, 24) && Self.isSeen(seen.quarters, [1, 3, 0, 2]), "\(seen)")
    }

    @Test func `Each page has its own transparency, and the first is the one that the file wants shown`() throws {
        // The transparency is a picture of its own here.
        let file = try TestHEIFs.changed(Self.file(), references: [], primary: 2)
        for (page, wanted) in [(0, Self.quarters.map { [$0[3], $0[3], $0[3]] }), (1, Self.quarters.map { Array($0.prefix(3)) })] {
            let text = #"{"decode":{"page":\#(page)},"output":{"format":"png"}}"#
            let image = try TestPictures.decoded(TestPictures.made(file, Rendition(canonical: JSON(parsing: text))))
            let seen = try [(6, 10), (18, 10), (6, 30), (18, 30)].map { try image.pixel($0.0, $0.1) }
            #expect(zip(seen, wanted).allSatisfy { near($0.count == 1 ? [$0[0], $0[0], $0[0]] : $0, $1, within: 4) }, "\(page): \(seen)")
        }
    }

    @Test func `A page without transparency is shown beside one that has it`() throws {
        let both = try VipsOperation("arrayjoin").set("in", [Self.picture(), Self.picture()]).set("across", 1).image().withHeader { header in
            for (name, value) in [("page-height", Self.size.height), ("n-pages", 2)] { header.set(name, value) }
        }
        let saved = try VipsOperation("heifsave_buffer").set("in", both).set("compression", 4).set("Q", 100).set("effort", 0).set("bitdepth", 8).bytes()
            .copied()
        let file = try TestHEIFs.changed(saved, references: [("auxl", false)])
        for (page, bands) in [(0, 4), (1, 3)] {
            let text = #"{"decode":{"page":\#(page)},"output":{"format":"png"}}"#
            let image = try TestPictures.decoded(TestPictures.made(file, Rendition(canonical: JSON(parsing: text))))
            let seen = try [(6, 10), (18, 10), (6, 30), (18, 30)].map { try image.pixel($0.0, $0.1) }
            #expect(zip(seen, Self.quarters).allSatisfy { near($0, Array($1.prefix(bands)), within: 4) }, "\(page): \(seen)")
        }
    }

    @Test func `The colors of a picture that is cut are read`() throws {
        let file = try Self.transformed(Self.file(), [TestHEIFs.crop(12, 40, of: Self.size)])
        #expect(file.withUnsafeBytes { CodedColors.alone(ByteReader(bytes: $0)) }?.primaries == AVIFFile.sRGB.primaries)
        #expect(file.withUnsafeBytes { ImageHeader.read($0, as: .avif) }.map { $0.width == 24 && $0.hasAlpha == nil } == true)
    }

    /// As libheif 1.15 writes them if libaom has no memory.
    @Test(arguments: formats.dropLast()) func `A file without coded pictures is recognized`(output: String) throws {
        let file = try Self.file(output)
        func isHollow(_ file: [UInt8]) -> Bool? { file.withUnsafeBytes { HEIFMeta(ByteReader(bytes: $0))?.isHollow } }
        #expect(isHollow(file) == false)
        // The box begins with its version, the lengths of its numbers, and the number of items. Each item ends with a length of four bytes.
        let at = try #require(file.firstRange(of: Array("iloc".utf8))).lowerBound
        let length = file[(at - 4)..<at].reduce(0) { $0 << 8 | Int($1) }
        var hollow = file
        hollow.replaceSubrange(at + length - 8..<at + length - 4, with: [0, 0, 0, 0])
        #expect(isHollow(hollow) == true)
    }

    /// Made by `avifenc --grid 2x1 --irot 1` of Debian 12, which repeats the turn for the cells. Pillow and Chromium turn the whole.
    @Test func `The cells of a grid are not turned on their own`() throws {
        let seen = try Self.seen([UInt8](#require(Data(base64Encoded: Self.grid))))
        #expect(seen.size == PictureSize(128, 128) && Self.isSeen(seen.quarters, [1, 3, 0, 2]), "\(seen)")
    }

    private static let grid =
        "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAKHbWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAABkaWxv"
        + "YwAAAABEAAAGAAEAAAABAAACrwAAAAgAAgAAAAEAAAL0AAAAMgADAAAAAQAAAyYAAAAyAAQAAAABAAACrwAAAAgABQAAAAEAAAK3AAAAHwAGAAAAAQAAAtYAAAAeAAAAqmlpbmYAAAAA"
        + "AAYAAAAaaW5mZQIAAAAAAQAAZ3JpZENvbG9yAAAAABppbmZlAgAAAQACAABhdjAxQ29sb3IAAAAAGmluZmUCAAABAAMAAGF2MDFDb2xvcgAAAAAaaW5mZQIAAAAABAAAZ3JpZEFscGhh"
        + "AAAAABppbmZlAgAAAQAFAABhdjAxQWxwaGEAAAAAGmluZmUCAAABAAYAAGF2MDFBbHBoYQAAAAA6aXJlZgAAAAAAAAAQZGltZwABAAIAAgADAAAAEGRpbWcABAACAAUABgAAAA5hdXhs"
        + "AAQAAQABAAAA/WlwcnAAAAC6aXBjbwAAABRpc3BlAAAAAAAAAIAAAACAAAAAEHBpeGkAAAAAAwgICAAAABNjb2xybmNseAABAA0ABoAAAAAJaXJvdAEAAAAUaXNwZQAAAAAAAABAAAAA"
        + "gAAAAAxhdjFDgSAAAAAAAA5waXhpAAAAAAEIAAAAOGF1eEMAAAAAdXJuOm1wZWc6bXBlZ0I6Y2ljcDpzeXN0ZW1zOmF1eGlsaWFyeTphbHBoYQAAAAAMYXYxQ4EAHAAAAAA7aXBtYQAA"
        + "AAAAAAAGAAEEAQIDhAACBQUChgOEAAMFBQKGA4QABAMBBwgABQQFB4kIAAYEBQeJCAAAALFtZGF0AAAAAQCAAIASAAoGGBW//sKgMhMQAAC0VANo/xpgWb+RNx9Fo+aAEgAKBhgVv/7C"
        + "oDISEAAAtFQDajKaAWb+RNx9Gq/aEgAKCTgVv/7CAhoNIDIjEyADDDDCALSD6iFKShuOIsOVgRwMVxaH9eRLbHKp957/NIASAAoJOBW//sICGg0gMiMTIAMMMMIAtINdFohBXNNuLocW"
        + "c4/ZACBds2Dyf/AfmdvRgA=="
}
