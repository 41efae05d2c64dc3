@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Bitmaps of X: texts in C.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .scoped)
struct XBMTests {
    private static func text(_ width: Int, _ height: Int, _ numbers: String, _ type: String = "unsigned char") -> String {
        "#define a_width \(width)\n#define a_height \(height)\nstatic \(type) a_bits[] = {\n\(numbers)};\n"
    }

    /// Each text with its rows: `#` is black.
    static let samples: [(String, [String])] = [
        (text(10, 2, "0x05, 0x00, 0xff, 0x02"), ["#.#.......", "########.#"]), (text(3, 1, "0XfF,", "char"), ["###"]),
        // X10: words of 16 bits, and rows of whole words.
        (text(9, 2, "0x0101, 0x8000", "short"), ["#.......#", "........."]), (text(17, 1, "0x8001,0x0001", "short"), ["#..............##"]),
        (
            "/* by hand: #define a_width 9 **/\n#define b_height 2 /* rows */\n#define b_width 4\n#define b_x_hot -1\n#define b_y_hot 0\n"
                + "static const unsigned char b_bits[2] = { /* { */ 1,\n\n/**/0x8 } ;", ["#...", "...#"]
        ),
        ("#define width 1\r\n#define height 1\r\nstatic char bits[]={1,2,3}", ["#"]),
        (text(2, 1, "0x1000000000000000002"), [".."]),
    ]

    private static func made(_ text: String, _ decode: String = "{}") throws -> VipsImage {
        try TestPictures.decoded(
            TestPictures.made(Array(text.utf8), Rendition(canonical: JSON(parsing: #"{"decode":\#(decode),"output":{"format":"png"}}"#))))
    }

    @Test(arguments: samples.indices) func `Set bits are black, and the others white`(index: Int) throws {
        let (text, rows) = Self.samples[index]
        let header = try #require(GuardTests.header(Array(text.utf8), .xbm))
        #expect(header.width == rows[0].count && header.height == rows.count && header.isComplete && header.format.contentType == "image/x-xbitmap")
        let image = try Self.made(text)
        #expect(image.width == header.width && image.height == header.height && image.bands == 1)
        #expect(try image.samples() == rows.joined().utf8.map { $0 == UInt8(ascii: "#") ? 0 : 255 })
    }

    @Test(arguments: [
        "#define a_width 4\nstatic char a_bits[] = {1}", "#define a_width 0\n#define a_height 4\nstatic char a_bits[] = {1}",
        "#define a_width x\n#define a_height 4\nstatic char a_bits[] = {1}", "#define a_width 4\n#define a_height 4\nstatic char a_data[] = {1}",
        "#define a_width 4\n#define a_height 4\n", "#define a_width 4\n#define a_height", "#define", "#", "#!/bin/sh", "/* XPM */\nstatic char *a[] = {", "/*",
        "/*" + String(repeating: " ", count: 1 << 16) + "*/" + text(1, 1, "1"),
    ]) func `Other texts are none`(text: String) {
        #expect(ImageSniff.of(Array(text.utf8)) == nil && GuardTests.refusal(Array(text.utf8)) == .badImageData)
    }

    @Test func `Claims are checked before anything is decoded`() {
        func refusal(_ width: String, _ height: String) -> PictureFailure.Reason? {
            GuardTests.refusal(Array("#define a_width \(width)\n#define a_height \(height)\nstatic char a_bits[] = {0".utf8))
        }
        #expect(refusal("20000", "1") == .limitExceeded(which: "maxSide", value: 20000, limit: 16384))
        #expect(refusal("10000", "0x2710") == .limitExceeded(which: "maxPixels", value: 100_000_000, limit: 50_000_000))
        #expect(refusal("99999999999999999999", "99999999999999999999") == .limitExceeded(which: "maxSide", value: 1 << 40, limit: 16384))
    }

    @Test(arguments: ["1, 0", "1, 0, 0 0x", "1, 0, 1, -1", "1, 0, 1, y"]) func `Missing numbers are damage`(numbers: String) throws {
        #expect(throws: PictureFailure.self) { try Self.made(Self.text(9, 2, numbers)) }
        let samples = try Self.made(Self.text(9, 2, numbers), #"{"failOn":"none"}"#).samples()
        #expect(samples.count == 18 && samples[0] == 0 && samples[17] == 255)
    }

    @Test func `Wherever it is cut or changed, it ends`() {
        for (text, _) in Self.samples {
            let file = Array(text.utf8)
            for length in 0..<file.count { _ = try? TestPictures.made(Array(file[..<length]), PictureTests.rendition("")) }
            for at in file.indices {
                for value in Array("{/*9 ".utf8) {
                    var hostile = file
                    hostile[at] = value
                    _ = try? TestPictures.made(hostile, PictureTests.rendition(""))
                }
            }
        }
    }

    @Test(.enabled(if: AnimatedPNGWriteTests.python != nil, "the Python of TINTYPE_CLIENTS has no Pillow"))
    func `Pillow sees the same pixels`() throws {
        try ICNSTests.compare("a.xbm", nil, ["37", "11"])
        try ICNSTests.compare("a.xbm", nil, ["64", "200"])
    }
}
