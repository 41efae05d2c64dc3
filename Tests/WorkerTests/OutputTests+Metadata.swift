import TintypeImages
import Testing
@testable import Engine

extension OutputTests {
    // MARK: Metadata of a file

    /// Returns a JPEG with a maker, rights and a place in its EXIF, lying on its side.
    static func told() throws -> [UInt8] {
        let tagged = try TestPictures.quarters(64, 32).withHeader { header in
            header.set("orientation", 6)
            header.set("exif-ifd0-Copyright", "Copyright 52 Festive Road")
            header.set("exif-ifd0-Artist", "Mr Benn")
            header.set("exif-ifd0-Make", "Bowler Hats")
            header.set("exif-ifd3-GPSLatitude", "51/1 28/1 40/1")
        }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        return try options.jpeg(tagged)
    }

    @Test(arguments: ["jpeg", "webp", "avif", "heif", "png", "tiff", "gif"]) func `A result keeps the requested metadata of its source`(format: String) throws {
        let source = try Self.told()
        func file(_ options: String) throws -> String {
            try String(decoding: Self.made(source, #"{"format":"\#(format)"\#(options)}"#), as: UTF8.self)
        }
        for options in ["", #","metadata":"none""#] {
            let bare = try file(options)
            #expect(!bare.contains("Festive") && !bare.contains("Bowler") && !bare.contains("Benn"))
            #expect(!bare.contains("Exif") && !bare.contains("EXIF"), "no empty block either")
        }
        guard ["jpeg", "webp", "avif", "heif", "png"].contains(format) else { return }
        var rights = try file(#","metadata":"copyright""#)
        if format == "png" {
            let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
            // The order is the library's.
            let comments = image.fields.filter { $0.hasPrefix("png-comment-") }.sorted { $0.suffix(6) < $1.suffix(6) }
            #expect(comments.map { image.text($0) } == ["Mr Benn", "Copyright 52 Festive Road"], "\(comments)")
            rights += image.fields.compactMap { image.text($0) }.joined()
        }
        #expect(rights.contains("Copyright 52 Festive Road") && rights.contains("Mr Benn") && !rights.contains("Bowler"))
        let all = try Self.made(source, #"{"format":"\#(format)","metadata":"all"}"#)
        #expect(["Festive", "Bowler"].allSatisfy(String(decoding: all, as: UTF8.self).contains))
        let image = try TestPictures.decoded(all)
        #expect(image.orientation == 1 && image.width == 32, "it is upright and states no rotation")
        if ["jpeg", "webp"].contains(format) { #expect(image.text("exif-ifd3-GPSLatitude") != nil) }
    }

    @Test(arguments: ["none", "all"]) func `A kept profile brings no metadata into a TIFF`(metadata: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", TestPictures.quarters(64, 32)).set("output-profile", "p3").image().withHeader { header in
            header.set("image-description", "52 Festive Road")
            header.set("exif-ifd0-Artist", "Mr Benn")
            header.set("xmp-data", Array("<x>Bowler</x>".utf8))
        }
        let source = try VipsOperation("tiffsave_buffer").set("in", wide).bytes().copied()
        #expect(String(decoding: source, as: UTF8.self).contains("Festive"))
        for format in ["tiff", "original"] {
            let made = try Self.made(source, #"{"format":"\#(format)","icc":"keep","metadata":"\#(metadata)"}"#)
            #expect(try ImageSniff.of(made) == .image(.tiff) && TestPictures.decoded(made).has("icc-profile-data"))
            let text = String(decoding: made, as: UTF8.self)
            for secret in ["Festive", "Benn", "Bowler"] { #expect(!text.contains(secret), "\(secret)") }
        }
    }

    @Test func `A picture that is not turned keeps its orientation`() throws {
        let made = try Self.made(Self.told(), #"{"format":"jpeg","metadata":"all"}"#, #"{"op":"autorotate","enabled":false}"#)
        let image = try TestPictures.decoded(made)
        #expect(image.orientation == 6 && image.width == 64)
    }

    @Test(arguments: ["jpeg", "png", "webp", "avif", "tiff"]) func `Colors are converted to sRGB, or keep their profile`(format: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", VipsRuntime.solid(width: 32, height: 32, [230, 60, 40])).set("output-profile", "p3").image()
        let stored = try wide.pixel(5, 5)
        #expect(!near(stored, [230, 60, 40], within: 8), "the numbers differ: \(stored)")
        let source = try VipsOperation("pngsave_buffer").set("in", wide).bytes().copied()
        let profile = try #require(wide.bytes("icc-profile-data"))
        let usual = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","quality":95}"#))
        #expect(!usual.has("icc-profile-data"))
        #expect(try near(usual.pixel(5, 5), [230, 60, 40], within: 6))
        let resize = #"{"op":"resize","width":16}"#
        let kept = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","quality":95,"icc":"keep"}"#, resize))
        #expect(kept.bytes("icc-profile-data") == profile)
        #expect(try near(kept.pixel(5, 5), stored, within: 6))
    }

    /// Returns a gray profile, version 2, with one exponent: as small as a color engine accepts.
    private static func grayProfile() -> [UInt8] {
        func big(_ value: Int, _ length: Int = 4) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (length - 1 - $0)) & 0xff) } }
        let white = big(0xf6d6) + big(0x10000) + big(0xd32d)
        let tags: [(String, [UInt8])] = [
            ("desc", Array("desc".utf8) + big(0) + big(5) + Array("Gray\0".utf8) + [UInt8](repeating: 0, count: 78)),
            ("wtpt", Array("XYZ ".utf8) + big(0) + white), ("kTRC", Array("curv".utf8) + big(0) + big(1) + big(0x0100, 2) + [0, 0]),
            ("cprt", Array("text".utf8) + big(0) + Array("none\0".utf8) + [0, 0, 0]),
        ]
        var (table, body) = (big(tags.count), [UInt8]())
        for (name, bytes) in tags {
            table += Array(name.utf8) + big(128 + 4 + 12 * tags.count + body.count) + big(bytes.count)
            body += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        var head = big(128 + table.count + body.count) + Array("none".utf8) + big(0x0210_0000) + Array("mntrGRAYXYZ ".utf8) + big(0, 12)
        head += Array("acsp".utf8) + big(0, 28) + white + big(0, 48)
        return head + table + body
    }

    @Test(
        arguments: [
            "", #"{"op":"tint","color":"red","blend":"multiply"}"#, #"{"op":"extend","left":4,"color":"red"}"#, #"{"op":"invert"}"#,
            #"{"op":"text","text":"x","color":"red"}"#,
        ], ["jpeg", "webp", "avif", "png", "tiff"]) func `Colors get no gray profile`(step: String, format: String) throws
    {
        let gray = try VipsRuntime.solid(width: 40, height: 40, [100], .gray).withHeader { $0.set("icc-profile-data", Self.grayProfile()) }
        for source in [
            try VipsOperation("jpegsave_buffer").set("in", gray).bytes().copied(), try VipsOperation("pngsave_buffer").set("in", gray).bytes().copied(),
        ] {
            let plain = try Self.made(source, #"{"format":"\#(format)","quality":95}"#, step)
            let kept = try Self.made(source, #"{"format":"\#(format)","quality":95,"icc":"keep"}"#, step)
            let (one, other) = try (TestPictures.decoded(plain), TestPictures.decoded(kept))
            #expect(!other.has("icc-profile-data"))
            #expect(try one.bands == other.bands && near(one.pixel(30, 5), other.pixel(30, 5), within: 2))
            // With an exponent of one the numbers are light, so sRGB has another number for it.
            if step.isEmpty { #expect(try other.pixel(30, 5)[0] > 150) }
        }
    }

    @Test(arguments: ["jpeg", "webp", "avif", "png", "tiff"]) func `A single band gets no color profile`(format: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", VipsRuntime.solid(width: 32, height: 32, [230, 60, 40])).set("output-profile", "p3").image()
        let profile = try #require(wide.bytes("icc-profile-data"))
        let source = try VipsOperation("pngsave_buffer").set("in", wide).bytes().copied()
        for steps in [#"{"op":"grayscale"}"#, #"{"op":"mask","shape":"circle"},{"op":"grayscale"}"#] {
            let image = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","quality":95,"icc":"keep"}"#, steps))
            #expect(image.bytes("icc-profile-data") == profile)
            try #require(image.bands >= 3)
            let pixel = try image.pixel(16, 16)
            #expect(near([pixel[0], pixel[0]], [pixel[1], pixel[2]], within: 3))
        }
    }

    @Test func `Pictures that are neither RGB nor gray become sRGB even if profiles are kept`() throws {
        let ink = try VipsRuntime.solid(width: 40, height: 20, [0, 255, 255, 0], .cmyk)
        let image = try TestPictures.decoded(Self.made(TestPictures.encoded(ink, .jpeg), #"{"format":"jpeg","icc":"keep"}"#))
        #expect(image.bands == 3 && !image.has("icc-profile-data"))
        let red = try image.pixel(5, 5)
        #expect(red[0] > 200 && red[1] < 80 && red[2] < 80)
    }
}
