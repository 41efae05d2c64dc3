import Foundation
import Shared
import Testing

@testable import Worker

/// What a file says beside its picture, byte by byte.
@Suite(.timeLimit(.minutes(2)))
struct CarriedHeaderTests {
    private static func made(_ source: [UInt8], _ output: String, _ transform: String = "") throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    /// The names of a WebP's chunks.
    private static func chunks(_ file: [UInt8]) -> [String] {
        var (names, at): ([String], Int) = ([], 12)
        while at + 8 <= file.count {
            names.append(String(decoding: file[at..<at + 4], as: UTF8.self))
            let length = file[at + 4..<at + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            at += 8 + length + length % 2
        }
        #expect(at == file.count && file[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } == file.count - 8, "its lengths are right")
        return names
    }

    @Test func `A WebP has no chunk that its picture does not need`() throws {
        let opaque = try OperationTests.quarters(40, 20)
        let clear = try TestPictures.encoded(TestPictures.quarters(40, 20, alpha: true), .png)
        let moving = try TestPictures.animation(40, 20, [PictureTests.red, PictureTests.blue], delays: [100, 100], loop: 0, .gif)
        let seethrough = #"{"op":"mask","shape":"circle"}"#
        #expect(try Self.chunks(Self.made(opaque, #"{"format":"webp"}"#)) == ["VP8 "])
        #expect(try Self.chunks(Self.made(opaque, #"{"format":"webp","lossless":true}"#)) == ["VP8L"])
        #expect(try Self.chunks(Self.made(clear, #"{"format":"webp","lossless":true}"#, seethrough)) == ["VP8L"])
        #expect(try Self.chunks(Self.made(clear, #"{"format":"webp"}"#, seethrough)) == ["VP8X", "ALPH", "VP8 "])
        let animation = try Self.made(moving, #"{"format":"webp"}"#)
        #expect(try Self.chunks(animation) == ["VP8X", "ANIM", "ANMF", "ANMF"] && TestPictures.decoded(animation, frames: 2).ints("delay") == [100, 100])
        for file in try [Self.made(opaque, #"{"format":"webp"}"#), Self.made(clear, #"{"format":"webp","lossless":true}"#, seethrough), animation] {
            #expect(try TestPictures.decoded(file).width == 40)
        }
    }

    @Test(arguments: ["jpeg", "webp"]) func `A profile that is kept brings no EXIF along`(format: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", TestPictures.quarters(64, 32)).set("output-profile", "p3").image()
        let source = try VipsOperation("pngsave_buffer").set("in", wide).bytes().copied()
        let made = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","icc":"keep"}"#))
        #expect(made.has("icc-profile-data") && !made.has("exif-data") && made.width == 64)
    }

    /// A JPEG with an EXIF block of exactly these texts, the zeros behind them counted.
    private static func jpeg(_ texts: [(tag: Int, text: [UInt8])]) throws -> [UInt8] {
        func big(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (length - 1 - $0)) & 0xff) } }
        var (entries, values): ([UInt8], [UInt8]) = (big(texts.count, 2), [])
        for (tag, text) in texts {
            entries += big(tag, 2) + big(2, 2) + big(text.count, 4)
            if text.count <= 4 {
                entries += text + [UInt8](repeating: 0, count: 4 - text.count)
            } else {
                entries += big(8 + 2 + 12 * texts.count + 4 + values.count, 4)
                values += text
            }
        }
        let block = Array("Exif\0\0MM\0*".utf8) + big(8, 4) + entries + big(0, 4) + values
        let bare = try TestPictures.encoded(TestPictures.quarters(64, 32), .jpeg)
        return Array(bare[..<2]) + [0xff, 0xe1] + big(block.count + 2, 2) + block + bare[2...]
    }

    @Test(
        arguments: ["jpeg", "webp", "avif", "heif"], ["Jane Doe", "(c) Jane Doe, 2020 (all rights)", "© Zoë Müller", "A photographer\0An editor", "Me", "abc"])
    func `Rights come out in the bytes they were written in`(format: String, text: String) throws {
        try VipsRuntime.start()
        let bytes = Array(text.utf8) + [0]
        let source = try Self.jpeg([(0x010f, Array("Bowler Hats\0".utf8)), (0x013b, bytes), (0x8298, bytes)])
        let made = try Self.made(source, #"{"format":"\#(format)","metadata":"copyright"}"#)
        let block = try #require(TestPictures.decoded(made).bytes("exif-data"))
        let (artist, owner, maker) = block.withUnsafeBytes { raw in
            let block = EXIFBlock(ByteReader(bytes: raw), at: 0)
            return (block?.bytes(0x013b, most: 1000), block?.bytes(0x8298, most: 1000), block?.bytes(0x010f, most: 1000))
        }
        #expect(artist == bytes && owner == bytes && maker == nil, "\(String(decoding: owner ?? [], as: UTF8.self))")
    }

    @Test func `A PNG names both who made a picture and who changed it`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg([(0x8298, Array("(c) A, B (C)\0D\0".utf8))])
        let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
        #expect(image.fields.filter { $0.hasPrefix("png-comment-") }.map { image.text($0) } == ["(c) A, B (C); D"])
    }

    @Test func `A space for a photographer who is not named is no name`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg([(0x8298, Array(" \0An editor\0".utf8))])
        let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
        #expect(image.fields.filter { $0.hasPrefix("png-comment-") }.map { image.text($0) } == ["An editor"])
    }

    @Test func `Of rights that are longer than there is room for, the beginning is carried`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg([(0x8298, [UInt8](repeating: 0x61, count: 20_000) + [0])])
        let block = try #require(TestPictures.decoded(Self.made(source, #"{"format":"jpeg","metadata":"copyright"}"#)).bytes("exif-data"))
        #expect(block.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0)?.bytes(0x8298, most: 30_000)?.count } == 16 << 10 + 1)
    }

    /// How a TIFF lies is said by a tag of its own, and by no EXIF.
    @Test(arguments: ["jpeg", "webp"], [true, false]) func `A TIFF that lies on its side says so where it is carried on`(format: String, hasMore: Bool) throws {
        let lying = try TestPictures.quarters(64, 32).withHeader { header in
            header.set("orientation", 6)
            if hasMore { header.set("xmp-data", Array("<x:xmpmeta/>".utf8)) }
        }
        let source = try VipsOperation("tiffsave_buffer").set("in", lying).bytes().copied()
        try #require(TestPictures.decoded(source).orientation == 6)
        let made = try Self.made(source, #"{"format":"\#(format)","metadata":"all"}"#, #"{"op":"autorotate","enabled":false}"#)
        #expect(try TestPictures.decoded(made).orientation == 6)
    }

    /// A grey TIFF of 8 × 8 pixels with a name and an owner, which lies on its side.
    private static func tiff(artist: String, owner: String) -> [UInt8] {
        func little(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * $0) & 0xff) } }
        let texts = [artist, owner].map { Array($0.utf8) + [0] }
        let tags: [(Int, Int, Int, Int)] = [
            (256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (274, 3, 1, 6), (277, 3, 1, 1), (278, 3, 1, 8),
            (279, 4, 1, 64),
            (315, 2, texts[0].count, 72), (33432, 2, texts[1].count, 72 + texts[0].count),
        ]
        let directory = little(tags.count, 2) + tags.flatMap { little($0.0, 2) + little($0.1, 2) + little($0.2, 4) + little($0.3, 4) } + little(0, 4)
        let values = [UInt8](repeating: 90, count: 64) + texts[0] + texts[1]
        return Array("II*\0".utf8) + little(8 + values.count, 4) + values + directory
    }

    @Test(arguments: ["copyright", "all"]) func `Who made a TIFF and who owns it is carried on`(metadata: String) throws {
        try VipsRuntime.start()
        let (artist, owner) = ("Zoë Müller", "(c) 2020, all rights")
        let source = Self.tiff(artist: artist, owner: owner)
        for format in ["jpeg", "webp", "avif"] {
            let made = try Self.made(source, #"{"format":"\#(format)","metadata":"\#(metadata)"}"#)
            let block = try #require(TestPictures.decoded(made).bytes("exif-data"))
            let seen = block.withUnsafeBytes { raw in
                EXIFBlock(ByteReader(bytes: raw), at: 0).map { block in [0x013b, 0x8298].map { block.bytes($0, most: 1000) } }
            }
            #expect(seen == [Array(artist.utf8) + [0], Array(owner.utf8) + [0]], "\(format)")
            let lying = try Self.made(source, #"{"format":"\#(format)","metadata":"all"}"#, #"{"op":"autorotate","enabled":false}"#)
            #expect(try format == "avif" || TestPictures.decoded(lying).orientation == 6, "\(format)")
        }
        let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
        #expect(Set(image.fields.filter { $0.hasPrefix("png-comment-") }.compactMap { image.text($0) }) == [artist, owner])
        #expect(try !TestPictures.decoded(Self.made(source, #"{"format":"jpeg"}"#)).has("exif-data"))
    }

    @Test func `EXIF that says nothing of rights, or nonsense, leaves nothing behind`() throws {
        try VipsRuntime.start()
        for texts in [[(0x010f, Array("Bowler Hats\0".utf8))], [(0x8298, Array("   \0".utf8))], [(0x8298, [])]] {
            let made = try TestPictures.decoded(Self.made(Self.jpeg(texts), #"{"format":"jpeg","metadata":"copyright"}"#))
            #expect(!made.has("exif-ifd0-Make") && !made.has("exif-ifd0-Copyright"))
        }
    }

    /// A profile of scanners and cameras often has tables for the perceptual intent alone, as that of XYB JPEGs has.
    @Test(.needsCorpus) func `A profile that knows the perceptual intent only counts`() throws {
        let bytes = try TestPictures.bytes("formats/vips-sample-xyb.jpg")
        let seen = try TestPictures.decoded(Self.made(bytes, #"{"format":"png"}"#))
        let same = try TestPictures.decoded(Self.made(TestPictures.bytes("formats/vips-sample.jpg"), #"{"format":"png"}"#))
        func means(_ image: VipsImage) throws -> [Double] {
            let (samples, bands) = (try image.samples(), image.bands)
            return (0..<3).map { band in
                Double(stride(from: band, to: samples.count, by: bands).reduce(0) { $0 + Int(samples[$1]) }) / Double(samples.count / bands)
            }
        }
        let (mean, wanted) = try (means(seen), means(same))
        #expect(zip(mean, wanted).allSatisfy { abs($0 - $1) < 6 }, "\(mean) is not \(wanted)")
    }
}
