import Foundation
import TestSupport
import Testing
import TintypeImages

@testable import Engine

/// HDR pictures from gain maps: the numbers are those of the formulas.
@Suite(.tags(.optimized), .timeLimit(.minutes(2))) struct GainMapApplyTests {
    private static let apply = #"{"format":"png","gainMap":"apply"}"#

    private static func made(_ base: VipsImage, _ map: VipsImage, _ packet: String, _ transform: String = "", _ output: String = apply) throws -> [UInt8] {
        let source = try TestGainMaps.file(TestGainMaps.jpeg(base), [TestGainMaps.said(packet, in: TestGainMaps.jpeg(map))])
        return try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    /// PQ of a luminance in cd/m² (SMPTE ST 2084), in 16 bits.
    private static func pq(_ luminance: Double) -> Double {
        let y = pow(luminance / 10000, 0.1593017578125)
        return 65535 * pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
    }

    /// The matrix from the light of primaries to XYZ, from their coordinates and the white D65.
    private static func columns(_ points: [(Double, Double)]) -> [[Double]] {
        let xyz = points.map { [$0.0 / $0.1, 1, (1 - $0.0 - $0.1) / $0.1] }
        let rows = (0..<3).map { row in xyz.map { $0[row] } }
        let scale = solved(rows, [0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290])
        return rows.map { zip($0, scale).map(*) }
    }

    /// Solves three equations by Cramer's rule.
    private static func solved(_ m: [[Double]], _ b: [Double]) -> [Double] {
        func determinant(_ m: [[Double]]) -> Double {
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
                + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        }
        return (0..<3).map { column in
            determinant(m.enumerated().map { row, values in values.enumerated().map { $0 == column ? b[row] : $1 } }) / determinant(m)
        }
    }

    private static let sRGB = columns([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)]), p3 = columns([(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)])
    private static let bt2020 = columns([(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)])

    private static func light(_ value: Double) -> Double { value <= 10 ? value / 255 / 12.92 : pow((value / 255 + 0.055) / 1.055, 2.4) }

    /// The HDR numbers for a pixel of the base and the stops of each color.
    private static func expected(_ base: [Double], _ stops: [Double], offset: Double = 1.0 / 64, _ primaries: [[Double]] = sRGB) -> [Double] {
        let grown = zip(base, stops).map { (light($0) + offset) * pow(2, $1) - offset }
        let xyz = primaries.map { zip($0, grown).map(*).reduce(0, +) }
        return solved(bt2020, xyz).map { pq(203 * max(0, $0)) }
    }

    @Test func `White without a gain is the reference white, and a gain of two stops is four times the light`() throws {
        let white = try VipsRuntime.solid(width: 64, height: 64, [255, 255, 255])
        let file = try Self.made(white, TestGainMaps.steps(32, 32), TestGainMaps.packet(TestGainMaps.plain))
        let image = try TestPictures.decoded(file)
        #expect(image.format == .uint16 && image.bands == 3 && (image.width, image.height) == (64, 64))
        // 203 cd/m² is 58 % of PQ (BT.2408).
        for (x, y, level) in [(8, 8, 0.0), (56, 8, 85), (8, 56, 170), (56, 56, 255)] {
            let right = Self.pq(203 * ((1 + 1.0 / 64) * pow(2, 2 * level / 255) - 1.0 / 64))
            #expect(try near(image.pixel(x, y), [right, right, right], within: 40), "\(level)")
        }
        #expect(try abs(image.pixel(8, 8)[0] / 65535 - 0.5807) < 0.001)
        let chunk = try #require(file.firstRange(of: Array("cICP".utf8)))
        #expect(file[chunk.upperBound..<chunk.upperBound + 4].elementsEqual([9, 16, 0, 1]) && chunk.lowerBound == 37)
        #expect(file.firstRange(of: Array("iCCP".utf8)) == nil && file.firstRange(of: Array("sRGB".utf8)) == nil)
        // The next reader sees HDR: this one, which shows it in SDR.
        let shown = try PictureTests.made(file, "")
        #expect(try shown.pixel(8, 8)[0] / 257 < 240 && shown.pixel(56, 56)[0] / 257 > 245)
    }

    @Test(arguments: [[200.0, 100, 50], [3, 90, 254], [120, 120, 120], [0, 0, 0]], [0.0, 140, 255]) func `Each color has its own numbers`(
        color: [Double], level: Double
    )
        throws
    {
        let base = try VipsRuntime.solid(width: 32, height: 32, color)
        let map = try VipsRuntime.solid(width: 32, height: 32, [level, 255 - level, 60])
        func list(_ name: String, _ items: [Double]) -> String {
            "<hdrgm:\(name)><rdf:Seq>\(items.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Seq></hdrgm:\(name)>"
        }
        let (least, most, gamma) = ([-0.5, 0, 0.25], [1.0, 2, 3], [1.0, 0.7, 2])
        let packet = TestGainMaps.packet(
            #"hdrgm:Version="1.0" hdrgm:HDRCapacityMax="3" hdrgm:OffsetSDR="0.02" hdrgm:OffsetHDR="0.02""#,
            list("GainMapMin", least) + list("GainMapMax", most) + list("Gamma", gamma))
        let seen = try TestPictures.decoded(Self.made(base, map, packet)).pixel(9, 9)
        // JPEG has changed both a little.
        let own = try TestPictures.decoded(TestGainMaps.jpeg(base)).pixel(9, 9), gains = try TestPictures.decoded(TestGainMaps.jpeg(map)).pixel(9, 9)
        let stops = (0..<3).map { channel in
            let share = pow(gains[channel] / 255, 1 / gamma[channel])
            return least[channel] * (1 - share) + most[channel] * share
        }
        #expect(near(seen, Self.expected(own, stops, offset: 0.02), within: 60), "\(seen) \(Self.expected(own, stops, offset: 0.02))")
    }

    @Test func `A base in Display P3 keeps its colors, and another profile is converted first`() throws {
        try VipsRuntime.start()
        let flat = try VipsRuntime.solid(width: 32, height: 32, [220, 30, 40])
        let map = try VipsRuntime.solid(width: 16, height: 16, [255], .gray)
        let profile = try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied()
        #expect(ICCProfile(profile).primaries == .displayP3)
        let base = try flat.withHeader { $0.set("icc-profile-data", profile) }
        let file = try Self.made(base, map, TestGainMaps.packet(TestGainMaps.plain))
        let own = try TestPictures.decoded(TestGainMaps.jpeg(base)).pixel(9, 9)
        let seen = try TestPictures.decoded(file).pixel(9, 9)
        #expect(near(seen, Self.expected(own, [2, 2, 2], Self.p3), within: 60), "\(seen) \(Self.expected(own, [2, 2, 2], Self.p3))")
        #expect(!near(seen, Self.expected(own, [2, 2, 2]), within: 600))
        #expect(file.firstRange(of: Array("iCCP".utf8)) == nil)
    }

    @Test func `The map lies where its base is after crops, scales and turns`() throws {
        let white = try VipsRuntime.solid(width: 400, height: 200, [255, 255, 255])
        let transform = #"{"op":"crop","x":200,"y":0,"width":200,"height":200},{"op":"resize","width":100},{"op":"rotate","angle":90}"#
        let image = try TestPictures.decoded(Self.made(white, TestGainMaps.steps(100, 50), TestGainMaps.packet(TestGainMaps.plain), transform))
        func right(_ level: Double) -> Double { Self.pq(203 * ((1 + 1.0 / 64) * pow(2, 2 * level / 255) - 1.0 / 64)) }
        #expect((image.width, image.height) == (100, 100))
        #expect(try near([image.pixel(20, 50)[0], image.pixel(80, 50)[0]], [right(255), right(85)], within: 200))
        #expect(try abs(image.pixel(44, 50)[0] - right(255)) < 200 && abs(image.pixel(56, 50)[0] - right(85)) < 200)
    }

    @Test func `Gray, color operations and options of the format go together with HDR`() throws {
        let gray = try VipsRuntime.solid(width: 64, height: 64, [188], .gray)
        let output = #"{"format":"png","gainMap":"apply","progressive":true,"icc":"keep","metadata":"all"}"#
        let file = try Self.made(gray, TestGainMaps.steps(32, 32), TestGainMaps.packet(TestGainMaps.plain), #"{"op":"modulate","brightness":1.2}"#, output)
        let image = try TestPictures.decoded(file)
        #expect(file[28] == 1 && image.bands == 3)
        let own = try TestPictures.decoded(TestPictures.made(TestGainMaps.jpeg(gray), PictureTests.rendition(#"{"op":"modulate","brightness":1.2}"#))).pixel(
            9, 9)
        #expect(try near(image.pixel(56, 56), Self.expected([own[0], own[0], own[0]], [2, 2, 2]), within: 60))
    }
}
