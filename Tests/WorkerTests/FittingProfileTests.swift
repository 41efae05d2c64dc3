import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Profiles for other channels than their picture has. The expected numbers are those of the file, or come from the curves of the specifications.
/// Headless Chromium 156 shows the same, but refuses AVIFs in color with a gray profile.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct FittingProfileTests {
    /// Profiles of linear light, so that a number that goes through one changes: 128 becomes 188.
    fileprivate enum Kind: String, CaseIterable {
        case gray = "GRAY", rgb = "RGB ", lab = "Lab ", cmyk = "CMYK"

        func bytes() throws -> [UInt8] {
            let linear = CodedColors(primaries: 1, transfer: 8, matrix: 0, isFullRange: true)
            var bytes = try #require(WideProfile.of(linear, isGray: self == .gray))
            bytes.replaceSubrange(16..<20, with: Array(rawValue.utf8))
            return bytes
        }
    }

    fileprivate struct Source {
        let name: String
        let saver: String
        /// The numbers of the file, as if of 8 bits.
        let plain: [Double]
        var space = VipsColors.sRGB
        /// The profiles that describe such a picture, or that are read as if they did.
        let fitting: Set<Kind>
        /// The color after a profile that fits.
        let shown: [Double]
    }

    private static let color = [200.0, 100, 50], light = [229.0, 168, 122]
    private static let sources = [
        Source(name: "JPEG", saver: "jpegsave_buffer", plain: color, fitting: [.rgb], shown: light),
        Source(name: "gray JPEG", saver: "jpegsave_buffer", plain: [128], space: .gray, fitting: [.gray, .rgb], shown: [188, 188, 188]),
        Source(name: "WebP", saver: "webpsave_buffer", plain: color, fitting: [.rgb], shown: light),
        Source(name: "WebP with alpha", saver: "webpsave_buffer", plain: color + [128], fitting: [.rgb], shown: light + [128]),
        Source(name: "TIFF", saver: "tiffsave_buffer", plain: color, fitting: [.rgb], shown: light),
        Source(name: "TIFF with alpha", saver: "tiffsave_buffer", plain: color + [128], fitting: [.rgb], shown: light + [128]),
        Source(name: "TIFF of 16 bits", saver: "tiffsave_buffer", plain: color, space: .rgb16, fitting: [.rgb], shown: light),
        Source(name: "gray TIFF", saver: "tiffsave_buffer", plain: [128], space: .gray, fitting: [.gray, .rgb], shown: [188, 188, 188]),
        Source(
            name: "gray TIFF with alpha", saver: "tiffsave_buffer", plain: [128, 200], space: .gray, fitting: [.gray, .rgb], shown: [188, 188, 188, 200]),
        // libpng itself drops a profile for colors from a gray picture.
        Source(name: "gray PNG", saver: "pngsave_buffer", plain: [128], space: .gray, fitting: [.gray], shown: [188, 188, 188]),
        Source(name: "PNG", saver: "pngsave_buffer", plain: color, fitting: [.rgb], shown: light),
        Source(name: "AVIF", saver: "heifsave_buffer", plain: color, fitting: [.rgb], shown: light),
    ]

    private static func file(_ source: Source, _ profile: Kind?) throws -> [UInt8] {
        var image = try VipsRuntime.solid(width: 32, height: 32, source.plain, source.space == .rgb16 ? .sRGB : source.space)
        if source.space == .rgb16 {
            image = try VipsOperation("cast").set("in", VipsOperation("linear").set("in", image).set("a", [257.0, 257, 257]).set("b", [0.0, 0, 0]).image())
                .set("format", Int(VipsBandFormat.uint16.rawValue)).image()
            image = try VipsOperation("copy").set("in", image).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        }
        let bytes = try profile?.bytes() ?? []
        let isJPEG = source.saver == "jpegsave_buffer"
        let tagged = try image.withHeader { header in if !isJPEG, !bytes.isEmpty { header.set("icc-profile-data", bytes) } }
        var call = try VipsOperation(source.saver).set("in", tagged)
        if source.saver != "pngsave_buffer", source.saver != "tiffsave_buffer" { call = call.set("Q", 100) }
        if source.saver == "heifsave_buffer" { call = call.set("compression", 4).set("lossless", true).set("effort", 0).set("bitdepth", 8) }
        if source.saver == "webpsave_buffer" { call = call.set("lossless", true) }
        if isJPEG { call = call.set("subsample-mode", 2) }
        let file = try call.bytes().copied()
        guard isJPEG, !bytes.isEmpty else { return file }
        // The saver of libvips leaves out what does not fit, so the segment is put in here (ICC.1:2022, B.4).
        let head: [UInt8] = [0xff, 0xe2] + BigEndian.bytes(16 + bytes.count, 2)
        let segment: [UInt8] = head + Array("ICC_PROFILE\0".utf8) + [1, 1] + bytes
        return Array(file[..<2]) + segment + Array(file[2...])
    }

    private static func seen(_ file: [UInt8], _ output: String) throws -> VipsImage {
        try ColorStep.eightBit(TestPictures.decoded(TestPictures.made(file, PictureTests.rendition("", output))))
    }

    @Test(arguments: sources.indices, Kind.allCases) fileprivate func `A profile counts only for the channels that it describes`(
        index: Int, kind: Kind
    ) throws {
        try VipsRuntime.start()
        let source = Self.sources[index]
        let (file, plain) = (try Self.file(source, kind), source.plain)
        // Gray stays gray.
        let shownOnce = kind == .gray && plain.count < 3 ? Array(source.shown.dropFirst(2)) : source.shown
        let wanted = source.fitting.contains(kind) ? shownOnce : plain
        let png = try Self.seen(file, #"{"format":"png"}"#), shown = try png.pixel(9, 9)
        #expect(near(shown, wanted, within: 3), "\(source.name), \(kind): \(shown) for \(wanted)")
        // On white.
        let alpha = png.hasAlpha ? wanted[wanted.count - 1] / 255 : 1
        let jpeg = try Self.seen(file, #"{"format":"jpeg","quality":98,"subsampling":"4:4:4"}"#)
        let flat = (png.hasAlpha ? wanted.dropLast() : wanted[...]).map { $0 * alpha + 255 * (1 - alpha) }
        #expect(try near(jpeg.pixel(9, 9), flat, within: 4), "\(source.name), \(kind)")
        let kept = try Self.seen(file, #"{"format":"png","icc":"keep"}"#)
        let isKept = kind == .rgb && source.fitting.contains(.rgb)
        #expect(kept.has("icc-profile-data") == isKept, "\(source.name), \(kind)")
        let numbers = !isKept ? wanted : wanted.count - plain.count == 2 ? [plain[0], plain[0]] + plain : plain
        let own = try kept.pixel(9, 9)
        #expect(near(own, numbers, within: 3), "\(source.name), \(kind): \(own) for \(numbers)")
    }

    @Test func `Ink keeps its color and stays opaque whatever the profile is for`() throws {
        try VipsRuntime.start()
        let source = Source(name: "ink", saver: "jpegsave_buffer", plain: [0, 128, 255, 20], space: .cmyk, fitting: [], shown: [])
        let wanted = try Self.seen(Self.file(source, nil), #"{"format":"png"}"#).pixel(9, 9)
        #expect(wanted.count == 3)
        for kind in [Kind.gray, .rgb, .lab] {
            let image = try Self.seen(Self.file(source, kind), #"{"format":"png"}"#)
            #expect(try near(image.pixel(9, 9), wanted, within: 3), "\(kind)")
        }
    }

    /// A gray AVIF by Pillow 13.0, of one band and the number 128. Its gray profile has the exponent 1.
    private static let grayAVIF = bytes(
        """
        AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAj5tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAHmlsb2MAAAAARAAAAQAB
        AAAAAQAAAmIAAAAYAAAAKGlpbmYAAAAAAAEAAAAaaW5mZQIAAAAAAQAAYXYwMUNvbG9yAAAAAb1pcHJwAAABnWlwY28AAAAUaXNwZQAAAAAAAAAgAAAAIAAAAA5waXhpAAAAAAEIAAAA
        DGF2MUOBABwAAAABVGNvbHJwcm9mAAABSAAAAAACQAAAbW50ckdSQVlYWVogAAAAAAAAAAAAAAAAYWNzcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPbWAAEAAAAA0y0AAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEZGVzYwAAALQAAABgY3BydAAAARQAAAAQd3RwdAAAASQAAAAUa1RSQwAAATgAAAAQZGVzYwAAAAAA
        AAAFdGVzdAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAdGV4dAAAAABub25lAAAAAFhZ
        WiAAAAAAAAD21gABAAAAANMtY3VydgAAAAAAAAABAQAAAAAAABNjb2xybmNseAACAAIABoAAAAAYaXBtYQAAAAAAAAABAAEFAQKDBAUAAAAgbWRhdBIACggYET/2mBAQNTIKEQapAAHk
        AIsyMA==
        """)
    private static func bytes(_ text: String) -> [UInt8] { [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()) }

    @Test func `A gray AVIF has its gray profile applied`() throws {
        try VipsRuntime.start()
        for output in [#"{"format":"png"}"#, #"{"format":"png","icc":"keep"}"#] {
            let image = try Self.seen(Self.grayAVIF, output), shown = try image.pixel(9, 9)
            #expect(!image.has("icc-profile-data") && near(shown, [188], within: 2), "\(shown)")
        }
        // A picture in color and a gray one. Page 0 is the one that the file wants shown.
        let profile = try TestHEIFs.box("colr", Array("prof".utf8) + Kind.gray.bytes())
        let flat = try TestPictures.encoded(VipsRuntime.solid(width: 32, height: 32, Self.color + [128]), .png)
        let both = try TestPictures.made(flat, PictureTests.rendition("", #"{"format":"avif","quality":100,"subsampling":"4:4:4"}"#))
        for (primary, page, wanted) in [(1, 0, Self.color), (1, 1, [188, 188, 188]), (2, 0, [188, 188, 188]), (2, 1, Self.color)] {
            let file = try TestHEIFs.changed(both, adding: [profile], references: [], primary: primary) { _, now, new in now + new }
            let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":{"page":\#(page)},"output":{"format":"png"}}"#))
            let shown = try TestPictures.decoded(TestPictures.made(file, rendition)).pixel(9, 9)
            #expect(near(shown.count == 1 ? [shown[0], shown[0], shown[0]] : shown, wanted, within: 4), "\(shown)")
        }
    }
}
