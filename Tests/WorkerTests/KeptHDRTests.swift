import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// HDR pictures that stay HDR: the file states the curve, and its numbers are those of the source.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct KeptHDRTests {
    /// The 10-bit numbers of eight areas of 32 × 32 pixels, four beside each other.
    private static let codes: [[Double]] = [
        [0, 0, 0], [200, 300, 400], [512, 512, 512], [700, 400, 600], [1023, 1023, 1023], [900, 880, 850], [64, 800, 100], [940, 64, 64],
    ]

    /// The areas by avifenc 0.11.1: `-d 10 -y 444 --cicp 9/16/9 --min 0 --max 0 -s 8`.
    private static let pq =
        Data(
            base64Encoded: """
                AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABE
                AAABAAEAAAABAAABGgAAAhwAAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAIAAAABAAAAAEHBpeGkAAAAAAwoKCgAA
                AAxhdjFDgSBAAAAAABNjb2xybmNseAAJABAACYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAiRtZGF0EgAKCTgZf/7GEiATIDKMBBAAAMMuJvVTmQxb/29OOwpoo/P/B8Q43WEhJOJgQsJ5+WW4
                ubCSDJKaL9rKwvpg7mE/BkM1se7bYL0JBAz3S+rQreB86Ny6zS8UzK4vQJ+aBNcK6UB+2V79lrUvHDyjcfiwaARTk+xwStxqN92SA9mw9cM0CFHrYndYzusgabcxjQ404G666NV5aRyV/kA06aPq
                gupU+HufmnHVInNhuVQjjVTWkko7PREp1fU61/MwRYUXXQFdcmonpPSBE7dl2z0RQCzLLE6KynIKUmppxpT6xcMA8KagkHXwpt3VThYKXmz1CwxX3XybhQPqymIaKp/eRx5ocVA5IEVCX911HyTi
                U23NEOQVYy8REIEtjLRjmYwgV1NuZcmhS56aQIU6FXbfzqbs6QsC7JJ0iJxRKo9quws3X6P1YBJioRBvsC8rlS8CtN5Ie+ummBIgDzcilFi4p0ZFaGb319lNx3CcV22jZVK4WIazhczrK63sdhU5
                OuZ6/qQkxjhvc1gvfjIcWHp2I3Ql+PFV6hHSLAQ9JokNEy/mr1FJ/l77G59f6dXx9RhgkToCnmpBO7d6a8bSOFABdQJB3HED33VRUh+7iRN8xRo8/8ZgEZD1A0xj5zWVLKtBP2Tkgb6a3S/f0QMO
                CKTma9IAzecjNHLwUDllGHZnuNhexKWKmUJ3o4TwoF3Q5f+5fei0TnvGQ+b+
                """.replacing("\n", with: "")
        ).map { [UInt8]($0) } ?? []

    /// The areas as HEVC of 10 bits in a HEIF, by pillow-heif 1.8.1 (x265 4.3): quality 100, 4:4:4, CICP 9/16/9, full range.
    private static let hevc =
        Data(
            base64Encoded: """
                AAAAHGZ0eXBoZWl4AAAAAG1pZjFoZWl4bWlhZgAAAVZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAABegABAAAAAAAAAH4AAAAjaWlu
                ZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA1mlwcnAAAAC3aXBjbwAAAHhodmNDAQQIAAAAnDgAAAAAHvAA/P/6+gAADwNgAAEAF0ABDAH//wQIAAADAJw4AAADAAAe
                ugJAYQABACtCAQEECAAAAwCcOAAAAwAAHpACBAgmy3UklNc3CRAJBAAAAwBkAAADAAQgYgABAAhEAcFyhgwCJAAAABNjb2xybmNseAAJABAACYAAAAAUaXNwZQAAAAAAAACAAAAAQAAAABBwaXhpAAAA
                AAMKCgoAAAAXaXBtYQAAAAAAAAABAAEEgQIDBAAAAIZtZGF0AAAAeigBrwa4Y+KbSf+1wJSgNv1FaP0HvNT//0c++nq/+d2aG3FD9893/8cLb7jo3OhmY+4JA/9hTC+egiT9gOYRmaATnjokMBFe4YfE
                5jX/JiGIsOxygwc0EO88rP1bSsfMh18af83GX/9FHl/8bJGLwb/bQQ/8AUz/cQl4
                """.replacing("\n", with: "")
        ).map { [UInt8]($0) } ?? []

    private static func avif(_ transfer: UInt8) throws -> [UInt8] { try with(transfer, pq) }

    /// The same numbers by another curve, which the `colr` box states. In an AVIF the sequence header does too.
    private static func with(_ transfer: UInt8, _ file: [UInt8]) throws -> [UInt8] {
        var bytes = file
        bytes[try #require(bytes.firstRange(of: Array("colrnclx".utf8))).upperBound + 3] = transfer
        return bytes
    }

    /// The same areas as a PNG of 16 bits with cICP.
    private static func png(_ transfer: UInt8) throws -> [UInt8] {
        try VipsRuntime.start()
        let parts = try codes.map { code in
            let black = try VipsOperation("black").set("width", 32).set("height", 32).set("bands", 3).image()
            let filled = try VipsOperation("linear").set("in", black).set("a", [1]).set("b", code.map { ($0 * 65535 / 1023).rounded() }).image()
            return try VipsOperation("cast").set("in", filled).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        }
        let image = try VipsOperation("arrayjoin").set("in", parts).set("across", 4).image()
        let whole = try VipsOperation("copy").set("in", image).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        let bytes = try HDRComposition.stated(
            CodedColors(primaries: 9, transfer: Int(transfer), matrix: 9, isFullRange: true), in: VipsOperation("pngsave_buffer").set("in", whole).bytes())
        return bytes.copied()
    }

    private static func made(_ source: [UInt8], _ output: String, _ transform: String = "") throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    /// The code points in the box or chunk and, in an AVIF, those of the sequence header.
    private static func stated(_ file: [UInt8]) throws -> [[Int]] {
        if let chunk = file.firstRange(of: Array("cICP".utf8)) { return [file[chunk.upperBound..<chunk.upperBound + 4].map(Int.init)] }
        guard let box = file.firstRange(of: Array("colrnclx".utf8)) else { return [] }
        let coded = try file.withUnsafeBytes { raw in
            let reader = ByteReader(bytes: raw)
            let units = try #require(HEIFMeta(reader)?.coded)
            return try #require(AV1Sequence.colors(reader, in: units))
        }
        let at = box.upperBound
        return [
            [Int(file[at + 1]), Int(file[at + 3]), Int(file[at + 5]), Int(file[at + 6] >> 7)],
            [coded.primaries, coded.transfer, coded.matrix, coded.isFullRange ? 1 : 0],
        ]
    }

    @Test(arguments: [16, 18] as [UInt8], ["avif", "png"]) func `The curve and the numbers stay`(transfer: UInt8, format: String) throws {
        for source in [try Self.avif(transfer), try Self.png(transfer), try Self.with(transfer, Self.hevc)] {
            let file = try Self.made(source, #"{"format":"\#(format)","quality":95,"subsampling":"4:4:4","hdr":"keep"}"#)
            let wanted = format == "png" ? [[9, Int(transfer), 0, 1]] : [[9, Int(transfer), 9, 1], [9, Int(transfer), 9, 1]]
            #expect(try Self.stated(file) == wanted)
            // libheif and libpng read the numbers; nothing is mapped here.
            let image = try TestPictures.decoded(file)
            #expect(image.format == .uint16 && (image.width, image.height) == (128, 64))
            for (index, code) in Self.codes.enumerated() {
                let seen = try image.pixel(32 * (index % 4) + 16, 32 * (index / 4) + 16).map { $0 * 1023 / (format == "png" ? 65535 : 65472) }
                #expect(near(seen, code, within: format == "png" ? 3 : 6), "\(index): \(seen)")
            }
        }
    }

    @Test func `The next reader shows the kept picture as it shows the source`() throws {
        for source in [try Self.avif(16), try Self.png(16), try Self.avif(18), Self.hevc] {
            let kept = try Self.made(source, #"{"format":"avif","quality":95,"subsampling":"4:4:4","hdr":"keep"}"#)
            let (first, second) = try (
                TestPictures.decoded(Self.made(source, #"{"format":"png"}"#)), TestPictures.decoded(Self.made(kept, #"{"format":"png"}"#))
            )
            #expect(first.format == .uint8 || first.format == .uint16)
            for x in [16, 48, 80, 112] {
                for y in [16, 48] { #expect(try near(first.pixel(x, y), second.pixel(x, y), within: first.format == .uint8 ? 3 : 800)) }
            }
        }
    }

    @Test func `Geometry keeps flat numbers, and a size is that of the request`() throws {
        let transform = #"{"op":"crop","x":32,"y":0,"width":32,"height":32},{"op":"resize","width":8}"#
        let image = try TestPictures.decoded(Self.made(Self.avif(16), #"{"format":"png","hdr":"keep"}"#, transform))
        #expect((image.width, image.height) == (8, 8))
        #expect(try near(image.pixel(4, 4).map { $0 * 1023 / 65535 }, Self.codes[1], within: 3))
        for operation in [#"{"op":"sharpen"}"#, #"{"op":"blur","sigma":2}"#, #"{"op":"pixelate","size":4}"#] {
            let image = try TestPictures.decoded(Self.made(Self.avif(16), #"{"format":"png","hdr":"keep"}"#, operation))
            for (index, code) in Self.codes.enumerated() {
                let seen = try image.pixel(32 * (index % 4) + 16, 32 * (index / 4) + 16).map { $0 * 1023 / 65535 }
                #expect(near(seen, code, within: 3), "\(operation), \(index): \(seen)")
            }
        }
    }

    @Test func `Without the option, in another format and from SDR the result is SDR`() throws {
        for output in [#"{"format":"avif"}"#, #"{"format":"png"}"#] { #expect(try Self.stated(Self.made(Self.avif(16), output)).allSatisfy { $0[1] == 13 }) }
        #expect(try TestPictures.decoded(Self.made(Self.avif(16), #"{"format":"jpeg","hdr":"keep"}"#)).format == .uint8)
        let plain = try TestPictures.encoded(TestPictures.quarters(16, 16), .png)
        #expect(try Self.stated(Self.made(plain, #"{"format":"avif","hdr":"keep"}"#)).allSatisfy { $0[1] == 13 })
        #expect(try Self.made(plain, #"{"format":"avif","hdr":"keep"}"#) == Self.made(plain, #"{"format":"avif"}"#))
    }

    @Test(arguments: [
        #"{"op":"tint","color":"red"}"#, #"{"op":"pad","width":200,"height":200}"#, #"{"op":"text","text":"a"}"#,
        #"{"op":"rotate","angle":5,"background":"red"}"#,
    ]) func `Operations with colors of sRGB are refused by name`(operation: String) throws {
        let error = #expect(throws: TintypeError.self) { try PictureTests.rendition(operation, #"{"format":"avif","hdr":"keep"}"#) }
        #expect(error?.name == .invalidParams && error?.message.contains("transform[0]") == true)
        _ = try PictureTests.rendition(operation, #"{"format":"jpeg","hdr":"keep"}"#)
    }

    @Test func `An AVIF of HDR takes neither loss-free planes nor metadata, and PNG does`() throws {
        for options in [#""lossless":true"#, #""metadata":"all""#] {
            #expect(throws: PictureFailure.self) { try Self.made(Self.avif(16), #"{"format":"avif","hdr":"keep",\#(options)}"#) }
        }
        #expect(try Self.stated(Self.made(Self.avif(16), #"{"format":"png","hdr":"keep","metadata":"all"}"#)) == [[9, 16, 0, 1]])
    }

    @Test func `The description names the curve`() throws {
        let plain = try TestPictures.encoded(TestPictures.quarters(16, 16), .png)
        for (source, curve) in try [(Self.avif(16), "pq"), (Self.hevc, "pq"), (Self.png(18), "hlg"), (plain, nil)] as [([UInt8], String?)] {
            #expect(try DescribeTests.told(source, asked: #"{"describe":["hdr"]}"#)["hdr"]?.string == curve)
        }
    }
}
