import Foundation
@testable import ImageHeads
import PNG
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// Colors of AVIFs without a profile, which state the meaning of their numbers by code points.
@Suite(
    .tags(.optimized), .timeLimit(.minutes(1)),
    .enabled(if: TestPictures.hasCodedColors, "the installed libheif writes no color numbers, which these tests change"))
struct CodedColorTests {
    private static let color = [200.0, 100, 50]
    private static let bt2020 = WideProfile.of(CodedColors(primaries: 9, transfer: 14, matrix: 0, isFullRange: true)) ?? []

    /// Returns a flat picture with the code points of other primaries and another curve.
    private static func avif(_ primaries: UInt8, _ transfer: UInt8) throws -> [UInt8] {
        try VipsRuntime.start()
        var bytes = try TestPictures.encoded(VipsRuntime.solid(width: 64, height: 48, color), .avif)
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("colrnclx".utf8)) }) + 8
        (bytes[at + 1], bytes[at + 3]) = (primaries, transfer)
        return bytes
    }

    /// The same if only the coded picture states them.
    private static func stream(_ primaries: Int, _ transfer: Int) throws -> [UInt8] {
        try VipsRuntime.start()
        let bytes = try AVIFPlanarTests.avif(VipsRuntime.solid(width: 64, height: 48, color))
        return try AVIFPlanarTests.streamed(bytes, primaries: primaries, transfer: transfer)
    }

    private static func seen(_ bytes: [UInt8], _ output: String, _ graphs: PlanarGraphs?) throws -> [Double] {
        let rendition = try PictureTests.rendition(#"{"op":"resize","width":32}"#, output)
        return try TestPictures.decoded(TestPictures.made(bytes, rendition, graphs: graphs)).pixel(16, 12)
    }

    @Test(arguments: [#"{"format":"jpeg","quality":95}"#, #"{"format":"webp","quality":95}"#, #"{"format":"png"}"#])
    func `Wide colors are converted correctly on both paths`(output: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", VipsRuntime.solid(width: 1, height: 1, Self.color)).set("input-profile", "p3")
            .set("output-profile", "srgb").set("intent", 1).image().pixel(0, 0)
        #expect(!near(wide, Self.color))
        for graphs in [nil, PlanarGraphs()] {
            #expect(try near(Self.seen(Self.avif(12, 13), output, graphs), wide, within: 5))
            #expect(try near(Self.seen(Self.stream(12, 13), output, graphs), wide, within: 5))
            #expect(try near(Self.seen(Self.stream(1, 13), output, graphs), Self.color, within: 5))
            // sRGB's own, and unspecified ones.
            for (primaries, transfer) in [(1, 13), (2, 2), (1, 1), (1, 6)] as [(UInt8, UInt8)] {
                #expect(try near(Self.seen(Self.avif(primaries, transfer), output, graphs), Self.color, within: 5), "\(primaries), \(transfer)")
            }
        }
    }

    /// Computes by the specifications alone: to light, from the primaries of BT.2020 to those of sRGB (BT.2087), and back.
    private static func fromBT2020(_ color: [Double]) -> [Double] {
        let light = color.map { $0 / 255 <= 0.04045 ? $0 / 255 / 12.92 : pow(($0 / 255 + 0.055) / 1.055, 2.4) }
        let rows = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
        return rows.map { row in
            let mixed = min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
            return 255 * (mixed <= 0.0031308 ? mixed * 12.92 : 1.055 * pow(mixed, 1 / 2.4) - 0.055)
        }
    }

    @Test(arguments: [#"{"format":"jpeg","quality":95}"#, #"{"format":"webp","quality":95}"#, #"{"format":"png"}"#])
    func `Colors of BT.2020 are converted correctly on both paths`(output: String) throws {
        let meant = Self.fromBT2020(Self.color)
        #expect(!near(meant, Self.color, within: 20))
        for graphs in [nil, PlanarGraphs()] {
            for transfer in [1, 2, 6, 13, 14, 15] {
                #expect(try near(Self.seen(Self.avif(9, UInt8(transfer)), output, graphs), meant, within: 5), "\(transfer)")
                #expect(try near(Self.seen(Self.stream(9, transfer), output, graphs), meant, within: 5), "\(transfer)")
            }
        }
    }

    @Test func `The profile of BT.2020 is valid, and stays with a picture that keeps its colors`() throws {
        let rendition = try PictureTests.rendition("", #"{"format":"png","icc":"keep"}"#)
        let image = try TestPictures.decoded(TestPictures.made(Self.avif(9, 14), rendition))
        #expect(try near(image.pixel(5, 5), Self.color, within: 5))
        let profile = try #require(image.bytes("icc-profile-data"))
        #expect(profile == Self.bt2020 && ICCProfile(profile).description == "BT.2020" && !ICCProfile(profile).isSRGB)
        // If libvips refused the profile, colors would stay as they are, so white and gray prove nothing.
        for color in [[255, 255, 255], [128, 128, 128], [180, 120, 90], [90, 140, 170], [0, 0, 0]] as [[Double]] {
            let flat = try VipsRuntime.solid(width: 1, height: 1, color).withHeader { $0.set("icc-profile-data", Self.bt2020) }
            let seen = try VipsOperation("icc_transform").set("in", flat).set("output-profile", "srgb").set("embedded", true).set("intent", 1).image().pixel(
                0, 0)
            #expect(near(seen, Self.fromBT2020(color), within: 1.5), "\(color): \(seen)")
        }
    }

    @Test func `Planes are used as they are only if their colors are sRGB`() throws {
        func isTaken(_ primaries: UInt8, _ transfer: UInt8) throws -> Bool {
            try Self.avif(primaries, transfer).withUnsafeBytes { AVIFCoding(ByteReader(bytes: $0)) } != nil
        }
        #expect(try isTaken(1, 13) && isTaken(2, 2) && isTaken(1, 1) && isTaken(1, 6))
        #expect(try !isTaken(12, 13) && !isTaken(9, 16) && !isTaken(1, 16) && !isTaken(9, 1) && !isTaken(1, 8))
    }

    @Test func `A wide picture may keep its colors, with a profile`() throws {
        let rendition = try PictureTests.rendition("", #"{"format":"png","icc":"keep"}"#)
        let image = try TestPictures.decoded(TestPictures.made(Self.avif(12, 13), rendition))
        #expect(try near(image.pixel(5, 5), Self.color, within: 5))
        #expect(image.bytes("icc-profile-data").map { !ICCProfile($0).isSRGB } == true)
    }

    @Test(arguments: [(16, ToneMap.pq), (18, ToneMap.hlg)])
    func `High dynamic range is tone-mapped, by both ways`(transfer: Int, map: ToneMap) throws {
        let meant = ToneMapTests.shown(Self.color, map)
        #expect(!near(meant, Self.color, within: 20))
        for output in [#"{"format":"jpeg","quality":95}"#, #"{"format":"png"}"#] {
            for graphs in [nil, PlanarGraphs()] {
                for bytes in [try Self.avif(9, UInt8(transfer)), try Self.stream(9, transfer)] {
                    let seen = try Self.seen(bytes, output, graphs)
                    #expect(near(seen, meant, within: 10), "\(seen) for \(meant)")
                }
            }
        }
    }

    @Test func `A profile beside PQ numbers takes precedence`() throws {
        let flat = try VipsRuntime.solid(width: 64, height: 48, Self.color).withHeader { $0.set("icc-profile-data", Self.bt2020) }
        let wide = try VipsOperation("heifsave_buffer").set("in", flat).set("compression", 4).bytes().copied()
        // Everything except the color box, which holds the profile.
        let bare = try AVIFPlanarTests.streamed(wide, primaries: 9, transfer: 16)
        let coded = try #require(wide.firstRange(of: Array("mdat".utf8))).upperBound
        let profiled = wide[..<coded] + bare[coded...]
        let output = #"{"format":"png"}"#
        #expect(try near(Self.seen(Array(profiled), output, nil), Self.fromBT2020(Self.color), within: 5))
        #expect(try near(Self.seen(bare, output, nil), ToneMapTests.shown(Self.color, .pq), within: 10))
    }
}

/// Colors of PNGs that are given as numbers, whatever profile the file has.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct CodedPNGTests {
    private static let color = [200.0, 100, 50]

    private static func png(_ numbers: [UInt8], profile: String? = nil, color: [Double] = color) throws -> [UInt8] {
        try VipsRuntime.start()
        var flat = try VipsRuntime.solid(width: 40, height: 20, color, color.count < 3 ? .gray : .sRGB)
        if let profile {
            let bytes = try VipsOperation("profile_load").set("name", profile).bytes("profile").copied()
            flat = try flat.withHeader { $0.set("icc-profile-data", bytes) }
        }
        let plain = try VipsOperation("pngsave_buffer").set("in", flat).bytes().copied()
        let front = PNGChunk.signature.count + 25
        return plain[..<front] + PNGChunk.whole("cICP", numbers) + plain[front...]
    }

    @Test(arguments: ["", #"{"op":"resize","width":20}"#]) func `Numeric colors take precedence over the profile`(transform: String) throws {
        func seen(_ source: [UInt8], _ icc: String = "srgb") throws -> [Double] {
            let image = try TestPictures.decoded(TestPictures.made(source, PictureTests.rendition(transform, #"{"format":"png","icc":"\#(icc)"}"#)))
            return try image.pixel(5, 5)
        }
        let wide = try VipsOperation("icc_transform").set("in", VipsRuntime.solid(width: 1, height: 1, Self.color)).set("input-profile", "p3")
            .set("output-profile", "srgb").set("intent", 1).image().pixel(0, 0)
        #expect(!near(wide, Self.color))
        #expect(try near(seen(Self.png([12, 13, 0, 1])), wide, within: 2) && near(seen(Self.png([12, 13, 0, 1]), "keep"), Self.color, within: 0))
        #expect(try near(seen(Self.png([1, 13, 0, 1], profile: "p3")), Self.color, within: 0))
        // No RGB, not the full range, or cut short: the numbers are ignored.
        for numbers in [[12, 13, 1, 1], [12, 13, 0, 0], [9, 16, 1, 1], [12, 13]] as [[UInt8]] {
            #expect(try near(seen(Self.png(numbers)), Self.color, within: 0) && near(seen(Self.png(numbers, profile: "p3")), wide, within: 2), "\(numbers)")
        }
    }

    @Test(arguments: [(16, ToneMap.pq), (18, ToneMap.hlg)])
    func `High dynamic range is tone-mapped, whatever profile the file has`(transfer: Int, map: ToneMap) throws {
        func seen(_ bytes: [UInt8], _ icc: String = "srgb") throws -> [Double] {
            try TestPictures.decoded(TestPictures.made(bytes, PictureTests.rendition("", #"{"format":"png","icc":"\#(icc)"}"#))).pixel(5, 5)
        }
        let bytes = try Self.png([9, UInt8(transfer), 0, 1], profile: "p3")
        #expect(try near(seen(bytes), ToneMapTests.shown(Self.color, map), within: 3))
        #expect(try near(seen(bytes, "keep"), Self.color, within: 0))
        let gray = try Self.png([9, UInt8(transfer), 0, 1], color: [120])
        #expect(try near(seen(gray), [ToneMapTests.shown([120, 120, 120], map)[0]], within: 2))
        let narrow = try Self.png([9, UInt8(transfer), 0, 0], profile: "p3")
        let error = #expect(throws: PictureFailure.self) { try HeaderGuard().check(narrow) }
        #expect(error?.reason == .unsupportedFormat && error?.message.contains("narrow high dynamic range") == true, "\(error?.message ?? "")")
    }
}
