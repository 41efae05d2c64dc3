@testable import ImageHeads
import TestSupport
import Testing
import TintypeImages

@testable import Engine

/// The parsers of gain maps, and the geometry of a map beside its base.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct GainMapParserTests {
    private static func xmp(_ packet: String) -> GainMapNumbers? { Array(packet.utf8).withUnsafeBytes { GainMapNumbers(xmp: $0) } }
    private static func iso(_ bytes: [UInt8]) -> GainMapNumbers? { bytes.withUnsafeBytes { GainMapNumbers(iso: ByteReader(bytes: $0)) } }

    private static func numbers(
        minimum: [Double] = [0], maximum: [Double] = [2], gamma: [Double] = [1], sdr: [Double] = [1.0 / 64], hdr: [Double] = [1.0 / 64], from: Double = 0,
        to: Double = 2
    ) -> GainMapNumbers? {
        GainMapNumbers(minimum: minimum, maximum: maximum, gamma: gamma, offsetSDR: sdr, offsetHDR: hdr, capacityMin: from, capacityMax: to)
    }

    private static func list(_ name: String, _ items: [String]) -> String {
        "<hdrgm:\(name)>\n <rdf:Seq>\(items.map { "<rdf:li> \($0)\n</rdf:li>" }.joined())</rdf:Seq></hdrgm:\(name)>"
    }

    // MARK: XMP

    @Test func `Each spelling of the numbers is read`() throws {
        let plain = try #require(Self.numbers())
        #expect(Self.xmp(TestGainMaps.packet(TestGainMaps.plain)) == plain)
        #expect(Self.xmp(TestGainMaps.packet(TestGainMaps.plain).replacing("\"", with: "'")) == plain)
        #expect(Self.xmp(TestGainMaps.packet(TestGainMaps.plain).replacing("hdrgm", with: "g.1")) == plain)
        #expect(Self.xmp(TestGainMaps.packet(TestGainMaps.plain + #" hdrgm:BaseRenditionIsHDR = "False" other:Gamma="9" xhdrgm:Gamma="9""#)) == plain)
        let elements = ["Version": "1.0", "GainMapMax": "2.0", "HDRCapacityMax": " +2e0 "].map { "<hdrgm:\($0.key)>\($0.value)</hdrgm:\($0.key)>" }
        #expect(Self.xmp(TestGainMaps.packet("", elements.joined())) == plain)
        let three = Self.xmp(
            TestGainMaps.packet(
                #"hdrgm:Version="1.0" hdrgm:HDRCapacityMin=".5" hdrgm:HDRCapacityMax="3" hdrgm:OffsetSDR="0" hdrgm:OffsetHDR="0.25""#,
                Self.list("GainMapMin", ["-1", "0", ".5"]) + Self.list("GainMapMax", ["1", "2", "3"]) + Self.list("Gamma", ["1", "1.5", "2"])))
        #expect(
            three
                == Self.numbers(minimum: [-1, 0, 0.5], maximum: [1, 2, 3], gamma: [1, 1.5, 2], sdr: [0], hdr: [0.25], from: 0.5, to: 3))
    }

    @Test(arguments: [
        "", #"hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2""#, #"hdrgm:Version="2.0" hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2""#,
        #"hdrgm:Version="1.0" hdrgm:GainMapMax="2""#, #"hdrgm:Version="1.0" hdrgm:HDRCapacityMax="2""#,
        TestGainMaps.plain + #" hdrgm:BaseRenditionIsHDR="True""#, TestGainMaps.plain.replacing("2", with: "nan"),
        TestGainMaps.plain.replacing("\"2\"", with: "\"inf\""), TestGainMaps.plain.replacing("\"2\"", with: "\"1e309\""),
        TestGainMaps.plain.replacing("\"2\"", with: "\"99\""), TestGainMaps.plain.replacing("\"2\"", with: "\"2 2\""),
        TestGainMaps.plain + #" hdrgm:Gamma="0""#, TestGainMaps.plain + #" hdrgm:Gamma="-1""#, TestGainMaps.plain + #" hdrgm:Gamma="x""#,
        TestGainMaps.plain + #" hdrgm:GainMapMin="3""#, TestGainMaps.plain + #" hdrgm:HDRCapacityMin="2""#,
        TestGainMaps.plain + #" hdrgm:OffsetSDR="1e12""#, TestGainMaps.plain + #" hdrgm:OffsetSDR="1"#,
    ]) func `Numbers that no map can have are no numbers`(attributes: String) {
        #expect(Self.xmp(TestGainMaps.packet(attributes)) == nil)
    }

    @Test func `A list has three items, and a packet its namespace`() {
        func packet(_ items: [String]) -> String {
            TestGainMaps.packet(#"hdrgm:Version="1.0" hdrgm:HDRCapacityMax="2""#, Self.list("GainMapMax", items))
        }
        #expect(Self.xmp(packet(["2", "2", "2"])) == Self.numbers())
        for items in [[], ["2", "2"], ["2", "2", "2", "2"], ["2", "", "2"], [String(repeating: "1", count: 2000)]] {
            #expect(Self.xmp(packet(items)) == nil, "\(items.count)")
        }
        #expect(Self.xmp(TestGainMaps.packet(TestGainMaps.plain).replacing("xmlns:hdrgm", with: "xmlns-hdrgm")) == nil)
        #expect(Self.xmp(TestGainMaps.packet(TestGainMaps.plain).replacing("gain-map/1.0", with: "gain-map/2.0")) == nil)
    }

    // MARK: ISO 21496-1

    @Test func `What is written is read again, from XMP and from ISO`() throws {
        for numbers in [
            Self.numbers(), Self.numbers(minimum: [-1, 0, 0.5], maximum: [1, 2.25, 31], gamma: [0.5, 1.5, 64], sdr: [0], hdr: [-0.25], from: 0.125, to: 32),
        ] {
            let numbers = try #require(numbers)
            #expect(Self.xmp(numbers.xmp) == numbers && Self.iso(numbers.iso) == numbers)
            #expect(numbers.iso.count == (numbers.isUniform ? 5 + 16 + 40 : 5 + 16 + 120))
            for count in 0..<numbers.iso.count { #expect(Self.iso(Array(numbers.iso.prefix(count))) == nil, "\(count)") }
        }
    }

    @Test func `One denominator may serve all numbers, and none may be zero`() throws {
        func words(_ words: [Int32]) -> [UInt8] { words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } } }
        let shared = [0, 0, 0, 0, 0x48] + words([64, 0, 128, -64, 128, 64, 1, 1])
        #expect(Self.iso(shared) == Self.numbers(minimum: [-1]))
        #expect(Self.iso([0, 0, 0, 0, 0x48] + words([0, 0, 128, -64, 128, 64, 1, 1])) == nil)
        #expect(Self.iso([0, 1] + shared.dropFirst(2)) == nil, "a later version")
        #expect(Self.iso([0, 0, 0, 9] + shared.dropFirst(4)) == Self.numbers(minimum: [-1]), "a later writer")
        #expect(Self.iso([0, 0, 0, 0, 0x4c] + shared.dropFirst(5)) == nil, "backward")
    }

    // MARK: The index

    private static func place(_ file: [UInt8]) -> Range<Int>? { file.withUnsafeBytes { GainMapPlace(ByteReader(bytes: $0))?.bytes } }

    @Test(arguments: [true, false]) func `The map is the picture that says so`(isLittle: Bool) {
        let base: [UInt8] = [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 80, 0, 120, 1, 1, 0x11, 0, 0xff, 0xd9]
        let map = TestGainMaps.said(TestGainMaps.packet(TestGainMaps.plain), in: base)
        let block = Array("urn:iso:std:iso:ts:21496:-1\0".utf8) + (Self.numbers()?.iso ?? [])
        let iso = Array(base.prefix(2)) + TestGainMaps.segment(0xe2, block) + base.dropFirst(2)
        for map in [map, iso] {
            let file = TestGainMaps.file(base, [base, map], isLittle: isLittle)
            #expect(Self.place(file) == file.count - map.count..<file.count)
            #expect(Self.place(Array(file.dropLast())) == nil)
            #expect(Self.place(file + [0, 0]) == file.count - map.count..<file.count)
        }
        #expect(Self.place(base) == nil && Self.place(map) == nil && Self.place(TestGainMaps.file(base, [base])) == nil)
        let most = Int(UInt32.max)
        let right = TestGainMaps.file(base, [map]).count - map.count - TestGainMaps.indexStart
        #expect(Self.place(TestGainMaps.file(base, [map], isLittle: isLittle, size: map.count, offset: right)) != nil)
        for offset in [0, right - 1, right + 1, most] {
            #expect(Self.place(TestGainMaps.file(base, [map], isLittle: isLittle, offset: offset)) == nil, "\(offset)")
        }
        for size in [0, map.count + 1, most] {
            #expect(Self.place(TestGainMaps.file(base, [map], isLittle: isLittle, size: size)) == nil, "\(size)")
        }
    }

    // MARK: Geometry

    private static func plan(_ transform: String, orientation: Int = 1, windows: [PictureWindow] = []) throws -> GainMapPlan? {
        let rendition = try PictureTests.rendition(transform, #"{"format":"jpeg","gainMap":"keep"}"#)
        return GainMapPlan(try PicturePlanner.exact(PlanTests.facts(.jpeg, 400, 200, orientation: orientation), rendition, ImageLimits()), windows: windows)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let transform: String
        var orientation = 1
        var windows: [PictureWindow] = []
        /// Left, top, width, height in hundredths, and the size of a map of 100 × 50, turned.
        let part: [Int]
        let size: PictureSize
        var testDescription: String { transform }
    }

    private static let cases = [
        Case(transform: "", part: [0, 0, 100, 100], size: PictureSize(100, 50)),
        Case(transform: #"{"op":"crop","x":100,"y":50,"width":200,"height":100}"#, part: [25, 25, 50, 50], size: PictureSize(50, 25)),
        Case(transform: #"{"op":"resize","width":100}"#, part: [0, 0, 100, 100], size: PictureSize(25, 13)),
        Case(transform: #"{"op":"resize","width":800,"enlarge":true}"#, part: [0, 0, 100, 100], size: PictureSize(100, 50)),
        Case(transform: #"{"op":"resize","width":100,"height":100,"fit":"cover"}"#, part: [25, 0, 50, 100], size: PictureSize(25, 25)),
        Case(transform: #"{"op":"resize","width":100,"height":200,"fit":"fill"}"#, part: [0, 0, 100, 100], size: PictureSize(25, 50)),
        Case(
            transform: #"{"op":"crop","x":0,"y":0,"width":100,"height":200},{"op":"rotate","angle":90}"#, part: [0, 0, 100, 25],
            size: PictureSize(50, 25)),
        Case(
            transform: #"{"op":"rotate","angle":90},{"op":"crop","x":0,"y":0,"width":200,"height":100}"#, part: [0, 0, 100, 25],
            size: PictureSize(50, 25)),
        Case(
            transform: #"{"op":"crop","x":0,"y":0,"width":100,"height":200},{"op":"flip","horizontal":true}"#, part: [75, 0, 25, 100], size: PictureSize(25, 50)
        ),
        Case(transform: #"{"op":"crop","x":0,"y":0,"width":50,"height":100}"#, orientation: 6, part: [0, 0, 25, 25], size: PictureSize(13, 25)),
        Case(
            transform: #"{"op":"crop","width":100,"height":100,"gravity":"attention"},{"op":"resize","width":50}"#,
            windows: [PictureWindow(x: 200, y: 100, width: 100, height: 100)], part: [50, 50, 25, 50], size: PictureSize(13, 13)),
        Case(transform: #"{"op":"blur","sigma":2},{"op":"grayscale"}"#, part: [0, 0, 100, 100], size: PictureSize(100, 50)),
    ]

    @Test(arguments: cases) func `The map follows its base`(case: Case) throws {
        let plan = try #require(try Self.plan(`case`.transform, orientation: `case`.orientation, windows: `case`.windows))
        let part = [plan.left, plan.top, plan.width, plan.height].map { Int(($0 * 100).rounded()) }
        #expect(part == `case`.part && plan.size(ofTurned: plan.turn.applied(to: PictureSize(100, 50))) == `case`.size, "\(plan)")
    }

    @Test(arguments: [
        #"{"op":"pad","width":500}"#, #"{"op":"extend","left":1}"#, #"{"op":"rotate","angle":30}"#, #"{"op":"roundCorners","radius":9}"#,
        #"{"op":"text","text":"x"}"#, #"{"op":"resize","width":100,"height":100,"fit":"contain","background":"red"}"#,
        #"{"op":"crop","width":9,"height":9,"gravity":"attention"}"#,
    ]) func `Where the map cannot follow there is none`(transform: String) throws { #expect(try Self.plan(transform) == nil) }

    @Test(arguments: [
        ((100, 50), true), ((400, 200), true), ((1, 1), true), ((99, 50), true), ((133, 67), true), ((50, 100), false), ((100, 100), false),
        ((401, 200), false),
        ((0, 0), false), ((200, 97), false),
    ]) func `A map has the shape of its base, and no more pixels`(map: (Int, Int), fits: Bool) {
        #expect(GainMapPlan.fits(PictureSize(map.0, map.1), PictureSize(400, 200)) == fits)
    }

    @Test func `A huge map is shrunk while it is read`() {
        #expect(GainMap.load(PictureSize(4096, 4096)).shrink == 1 && GainMap.load(PictureSize(4100, 4100)).shrink == 2)
        #expect(GainMap.load(PictureSize(16384, 16384)).shrink == 4 && GainMap.load(PictureSize(65000, 65000)).shrink == 8)
    }

    /// The place in the result of the middle of a sample of the map, in pixels.
    private static func shown(_ line: GainMapLine, _ sample: Double) -> Double {
        ((sample + 0.5 - Double(line.kept.lowerBound)) / Double(line.box) - 0.5) * line.scale + line.shift
    }

    @Test(arguments: [(0.0, 1.0, 100, 100), (0.5, 0.5, 100, 25), (0.25, 0.5, 100, 50), (0.13, 0.77, 101, 33), (0.9, 0.1, 7, 40), (0, 1, 1, 9)])
    func `Each sample is shown where it belongs`(start: Double, length: Double, samples: Int, count: Int) {
        let line = GainMapLine(start: start, length: length, samples: samples, count: count)
        for sample in [0.0, Double(samples) / 2, Double(samples)] {
            let right = ((sample + 0.5) / Double(samples) - start) / length * Double(count) - 0.5
            #expect(abs(Self.shown(line, sample) - right) < 1e-5)
        }
        #expect(line.kept.lowerBound >= 0 && line.kept.upperBound <= samples && !line.kept.isEmpty)
        #expect(line.scale > 0.5 - 1e-9)
    }

    @Test func `A tiny part of a map of one sample is that sample`() {
        let line = GainMapLine(start: 0.25, length: 1e-9, samples: 1, count: 16_000)
        #expect(line.kept == 0..<1 && line.shift == 0)
    }
}
