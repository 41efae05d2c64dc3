import Foundation
@testable import ImageHeads
import PNG
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Icons of Apple: packed channels, masks, files inside, and elements that lie.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .scoped)
struct ICNSTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let side: Int
        let elements: [(kind: String, bytes: [UInt8])]
        var isOpaque = false
        /// Whether Pillow knows the kind.
        var isKnown = true
        var file: [UInt8] { TestBitmaps.apple(elements) }
    }

    /// Red with no run, green with nothing else, blue with short ones, and alpha by rows.
    private static func channels(_ side: Int) -> [[UInt8]] {
        let pixels = 0..<side * side
        func channel(_ value: (Int) -> Int) -> [UInt8] { pixels.map { UInt8(truncatingIfNeeded: value($0)) } }
        return [channel { $0 * 7 }, channel { _ in 200 }, channel { $0 / 5 * 3 }, channel { $0 / side }]
    }

    private static func colors(_ side: Int) -> [UInt8] { channels(side).prefix(3).flatMap(TestBitmaps.packed) }

    private static func argb(_ side: Int) -> [UInt8] {
        let channels = channels(side)
        return Array("ARGB".utf8) + [3, 0, 1, 2].flatMap { TestBitmaps.packed(channels[$0]) }
    }

    static let samples: [Sample] = [
        Sample(testDescription: "16", side: 16, elements: [("TOC ", [1, 2, 3]), ("s8mk", channels(16)[3]), ("is32", colors(16))]),
        Sample(testDescription: "32", side: 32, elements: [("il32", colors(32)), ("l8mk", channels(32)[3])]),
        Sample(testDescription: "48", side: 48, elements: [("ih32", colors(48)), ("h8mk", channels(48)[3])]),
        Sample(testDescription: "128", side: 128, elements: [("it32", [0, 0, 0, 0] + colors(128)), ("t8mk", channels(128)[3])]),
        Sample(testDescription: "no mask", side: 32, elements: [("il32", colors(32)), ("s8mk", channels(16)[3])], isOpaque: true),
        Sample(testDescription: "a mask that ends early", side: 16, elements: [("is32", colors(16)), ("s8mk", [1])], isOpaque: true, isKnown: false),
        Sample(
            testDescription: "not packed", side: 16, elements: [("is32", (0..<768).map { channels(16)[$0 % 3][$0 / 3] }), ("s8mk", channels(16)[3])]),
        Sample(testDescription: "a newer name", side: 16, elements: [("icp4", colors(16)), ("s8mk", channels(16)[3])], isKnown: false),
        Sample(testDescription: "alpha first, 16", side: 16, elements: [("ic04", argb(16))], isKnown: false),
        Sample(testDescription: "alpha first, 18", side: 18, elements: [("icsb", argb(18))], isKnown: false),
        Sample(testDescription: "alpha first, 36", side: 36, elements: [("ic05", argb(32)), ("icsB", argb(36))], isKnown: false),
    ]

    private static func made(_ bytes: [UInt8], _ decode: String = "{}") throws -> VipsImage {
        try TestPictures.decoded(TestPictures.made(bytes, Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"output":{"format":"png"}}"#))))
    }

    @Test(arguments: samples) func `Each kind has its pixels where they belong`(sample: Sample) throws {
        let image = try Self.made(sample.file)
        let channels = Self.channels(sample.side)
        #expect(image.width == sample.side && image.height == sample.side)
        #expect(try image.samples() == (0..<4 * sample.side * sample.side).map { sample.isOpaque && $0 % 4 == 3 ? 255 : channels[$0 % 4][$0 / 4] })
    }

    /// 256 = 130 + 126 samples of each color: a code is 125 more than the length of its run.
    @Test func `Codes count as the format says`() throws {
        let image = try Self.made(TestBitmaps.apple([("is32", [255, 200, 251, 200, 255, 100, 251, 100, 255, 50, 251, 50])]))
        #expect(try image.pixel(0, 0) == [200, 100, 50, 255] && image.pixel(15, 15) == [200, 100, 50, 255])
    }

    @Test func `The largest picture is shown, and the others are later pages`() throws {
        let png = PlainPicture.png(Color(red: 1, green: 2, blue: 3), width: 40, height: 40)
        let elements = [("is32", Self.colors(16)), ("ic07", try #require(CodecSamples.bytes(.jp2))), ("what", png), ("ic04", Self.argb(16))]
        let file = TestBitmaps.apple(elements)
        let header = try #require(GuardTests.header(file, .icns))
        #expect(header.width == 64 && header.height == 64 && header.frames == 4 && header.format.contentType == "image/x-icns")
        let sizes = try (0...3).map { try Self.made(file, #"{"page":\#($0)}"#).width }
        #expect(sizes == [64, 16, 40, 16])
        #expect(try near(Self.made(file).pixel(9, 9), [200, 100, 50], within: 2) && Self.made(file, #"{"page":2}"#).pixel(9, 9).prefix(3) == [1, 2, 3])
        #expect(throws: PictureFailure.self) { try Self.made(file, #"{"page":4}"#) }
        // The one with alpha is first of two equally large ones.
        #expect(try Self.made(TestBitmaps.apple([elements[0], elements[3]])).pixel(3, 5)[3] == 5)
    }

    @Test func `Claims are checked before anything is decoded`() {
        let huge = PNGChunk.signature + PNGChunk.header(width: 0xffff_ffff, height: 0xffff_ffff, depth: 8, type: 6)
        let small = ("is32", Self.colors(16))
        #expect(GuardTests.refusal(TestBitmaps.apple([small, ("ic04", huge)])) == .limitExceeded(which: "maxSide", value: 0xffff_ffff, limit: 16384))
        let siz = NewerFormatTests.siz(20000, 10)
        #expect(GuardTests.refusal(TestBitmaps.apple([("ic10", siz), small])) == .limitExceeded(which: "maxSide", value: 20000, limit: 16384))
        // Kinds of old systems alone, nothing, and an alpha that is not announced.
        for elements in [[("ICN#", [UInt8](repeating: 0, count: 256))], [], [("ic04", Self.colors(16))], [("it32", [0, 0, 0, 0])]] {
            #expect(GuardTests.refusal(TestBitmaps.apple(elements)) == .badImageData, "\(elements)")
        }
        #expect(GuardTests.header(TestBitmaps.apple([(String, [UInt8])](repeating: small, count: 300)), .icns)?.frames == 256)
    }

    @Test func `Elements that are too short end the list, and those beyond the file end with it`() throws {
        for (length, pictures) in [(0, nil), (7, nil), (8, 1), (0xffff_ffff, 1)] as [(Int, Int?)] {
            var file = TestBitmaps.apple([("name", []), ("is32", Self.colors(16))])
            file.replaceSubrange(12..<16, with: BigEndian.bytes(length))
            #expect(GuardTests.header(file, .icns)?.frames == (length == 8 ? pictures : nil), "\(length)")
            file = TestBitmaps.apple([("is32", Self.colors(16))])
            file.replaceSubrange(12..<16, with: BigEndian.bytes(length))
            #expect(GuardTests.header(file, .icns)?.frames == (length == 8 ? nil : pictures), "\(length)")
        }
    }

    @Test func `Codes that end early or lead beyond their channel are damage`() throws {
        let sound = Self.colors(16)
        for codes in [Array(sound.dropLast()), Array(sound.dropLast(3)), [255, 1, 255, 1] + sound] {
            let file = TestBitmaps.apple([("is32", codes)])
            #expect(throws: PictureFailure.self) { try Self.made(file) }
            #expect(try Self.made(file, #"{"failOn":"none"}"#).pixel(1, 15)[3] == 255)
        }
    }

    @Test func `Wherever it is cut or changed, it ends`() throws {
        let png = PlainPicture.png(Color(red: 1, green: 2, blue: 3), width: 3, height: 3)
        let file = TestBitmaps.apple([("is32", [255, 200, 251, 200, 255, 100, 251, 100, 255, 50, 251, 50]), ("ic11", png), ("s8mk", [1])])
        TestPictures.makeDamaged(file)
    }

    /// Writes a file if a size is given, and prints what it sees in the file.
    private static let script = """
        import hashlib, json, sys
        from PIL import Image, ImageOps
        path, size = sys.argv[1], [int(number) for number in sys.argv[2:]]
        if size:
            round, flat = Image.radial_gradient("L"), Image.linear_gradient("L")
            picture = Image.merge("RGBA", [round, flat, flat.rotate(90), round.rotate(180)]).resize(size)
            (picture.convert("L").convert("1") if path.endswith(".xbm") else picture).save(path)
        picture = Image.open(path)
        picture.load()
        # Pillow shows a set bit white.
        picture = ImageOps.invert(picture.convert("L")) if path.endswith(".xbm") else picture.convert("RGBA")
        print(json.dumps({"size": picture.size, "digest": hashlib.sha256(picture.tobytes()).hexdigest()}))
        """

    /// Compares all samples with those of Pillow, which writes the file if it is not given.
    static func compare(_ name: String, _ file: [UInt8]?, _ size: [String] = []) throws {
        let folder = try TemporaryFolder("icon")
        let path = folder.path + "/" + name
        if let file { try Data(file).write(to: URL(fileURLWithPath: path)) }
        let seen = try JSON(parsing: [UInt8](AnimatedPNGWriteTests.run(#require(AnimatedPNGWriteTests.python), ["-c", script, path] + size)))
        let image = try made([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        #expect(try seen["size"]?.array?.compactMap(\.int) == [image.width, image.height] && seen["digest"]?.string == Digest.sha256Hex(image.samples()))
    }

    @Test(.enabled(if: AnimatedPNGWriteTests.python != nil, "the Python of TINTYPE_CLIENTS has no Pillow"), arguments: samples.filter(\.isKnown))
    func `Pillow sees the same pixels`(sample: Sample) throws { try Self.compare("a.icns", sample.file) }

    @Test(.enabled(if: AnimatedPNGWriteTests.python != nil, "the Python of TINTYPE_CLIENTS has no Pillow"))
    func `An icon that Pillow wrote opens`() throws { try Self.compare("a.icns", nil, ["90", "90"]) }
}
