@testable import ImageHeads
import PNG
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Icons: the picture that is shown, masks, and directories with wrong sizes.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .scoped)
struct ICOTests {
    private static let small = TestBitmaps.entry(4, [0, 0, 255, 255])
    private static let large = TestBitmaps.entry(8, [255, 0, 0, 255])

    private static func header(_ bytes: [UInt8]) -> ImageHeader? { bytes.withUnsafeBytes { ImageHeader.read($0, as: .ico) } }

    private static func made(_ bytes: [UInt8], _ decode: String = "{}") throws -> VipsImage {
        try TestPictures.decoded(TestPictures.made(bytes, Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"output":{"format":"png"}}"#))))
    }

    @Test func `The largest picture is shown, whatever the directory says, and the others are later pages`() throws {
        let file = TestBitmaps.icon([(200, Self.small), (1, Self.large)])
        #expect(Self.header(file)?.width == 8 && Self.header(file)?.frames == 2)
        let shown = try Self.made(file)
        #expect(try shown.width == 8 && shown.pixel(0, 0) == [0, 0, 255, 255])
        let other = try Self.made(file, #"{"page":1}"#)
        #expect(try other.width == 4 && other.pixel(0, 0) == [255, 0, 0, 255])
        #expect(throws: PictureFailure.self) { try Self.made(file, #"{"page":2}"#) }
        // The same if the largest comes first.
        let turned = TestBitmaps.icon([(8, Self.large), (4, Self.small)])
        #expect(try Self.made(turned).width == 8 && Self.made(turned, #"{"page":1}"#).width == 4)
    }

    @Test func `A picture of an icon may be a PNG`() throws {
        let png = try TestPictures.encoded(TestPictures.quarters(16, 16, alpha: true), .png)
        let file = TestBitmaps.icon([(4, Self.small), (16, png)])
        let image = try Self.made(file)
        #expect(try image.width == 16 && image.pixel(2, 2) == [255, 0, 0, 255] && Self.made(file, #"{"page":1}"#).width == 4)
    }

    @Test func `A mask hides pixels if the bitmap has no alpha`() throws {
        let blue: [UInt8] = [255, 0, 0, 0]
        let masked = try Self.made(TestBitmaps.icon([(4, TestBitmaps.entry(4, blue, hidden: [1, 3]))]))
        #expect(try (0..<4).map { try masked.pixel($0, 2)[3] } == [255, 0, 255, 0])
        let half = try Self.made(TestBitmaps.icon([(4, TestBitmaps.entry(4, [255, 0, 0, 128], hidden: [1]))]))
        #expect(try half.pixel(1, 1) == [0, 0, 255, 128], "its alpha is used")
        // 1 bit, white on black, with a mask of rows of bits behind.
        let rows: [UInt8] = [0x40, 0, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]
        let entry = TestBitmaps.header(2, 4, bits: 1) + TestBitmaps.palette([[0, 0, 0], [255, 255, 255]]) + rows
        let tiny = try Self.made(TestBitmaps.icon([(2, entry)]))
        #expect(try tiny.pixel(0, 0) == [255, 255, 255, 255] && tiny.pixel(1, 1) == [255, 255, 255, 255] && tiny.pixel(0, 1)[3] == 0)
    }

    @Test func `A missing mask hides nothing, and missing rows are damage`() throws {
        let entry = TestBitmaps.entry(4, [255, 0, 0, 0], hidden: [0])
        #expect(try Self.made(TestBitmaps.icon([(4, Array(entry.dropLast(16)))])).pixel(0, 0)[3] == 255)
        #expect(throws: PictureFailure.self) { try Self.made(TestBitmaps.icon([(4, Array(entry.dropLast(20)))])) }
    }

    @Test func `Claims are checked before anything is decoded`() {
        let wide = TestBitmaps.header(20000, 2, bits: 1) + TestBitmaps.palette([[0, 0, 0], [255, 255, 255]])
        #expect(GuardTests.refusal(TestBitmaps.icon([(4, Self.small), (4, wide)])) == .limitExceeded(which: "maxSide", value: 20000, limit: 16384))
        let huge = PNGChunk.signature + PNGChunk.header(width: 0xffff_ffff, height: 0xffff_ffff, depth: 8, type: 6)
        #expect(GuardTests.refusal(TestBitmaps.icon([(4, Self.small), (4, huge)])) == .limitExceeded(which: "maxSide", value: 0xffff_ffff, limit: 16384))
        #expect(GuardTests.refusal(TestBitmaps.icon([])) == .badImageData && GuardTests.refusal([0, 0, 1, 0, 255, 255]) == .badImageData)
        var lost = TestBitmaps.icon([(4, Self.small)])
        for at in 18..<22 { lost[at] = 0xff }
        #expect(GuardTests.refusal(lost) == .badImageData)
    }

    @Test func `A PNG whose chunks claim too much is not opened`() throws {
        var png = PlainPicture.png(Color(red: 1, green: 2, blue: 3), width: 4, height: 4)
        // A palette longer than the file.
        png[33] = 0x7f
        #expect(throws: PictureFailure.self) { try Self.made(TestBitmaps.icon([(4, png)])) }
    }

    @Test func `Wherever it is cut or changed, it ends`() throws {
        let file = TestBitmaps.icon([(4, Self.small), (3, PlainPicture.png(Color(red: 1, green: 2, blue: 3), width: 3, height: 3))])
        TestPictures.makeDamaged(file)
    }

    @Test(.needsCorpus, arguments: ["imgproxy-ico-multi-png", "imgproxy-ico-single-bmp"]) func `Real ones open`(name: String) throws {
        let file = try TestPictures.bytes("formats/\(name).ico")
        let image = try Self.made(file)
        #expect(image.width == Self.header(file)?.width && image.height == Self.header(file)?.height)
    }
}
