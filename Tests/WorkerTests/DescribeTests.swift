import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Descriptions of pictures, compared with those of other programs for the same pixels.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct DescribeTests {
    /// Rasters that any language can generate equally.
    enum Pattern: Sendable {
        case waves, glass, slope, flat
        func pixel(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [Int] {
            switch self {
            case .waves: [(x * 7 + y * 13) % 256, (x * x + y * 3) % 256, 255 - x * y % 256, 255]
            case .glass: [(x * 7 + y * 13) % 256, (x * x + y * 3) % 256, 255 - x * y % 256, (x * 11 + y * 5) % 256]
            case .slope: [x * 255 / (width - 1), y * 255 / (height - 1), 128, 255]
            case .flat: [200, 100, 50, 255]
            }
        }
    }

    private static func raster(_ pattern: Pattern, _ width: Int, _ height: Int) -> PixelRaster {
        let samples = (0..<height).flatMap { y in (0..<width).flatMap { x in pattern.pixel(x, y, width, height).map { UInt8($0) } } }
        return PixelRaster(width: width, height: height, samples: samples)
    }

    // PyPI blurhash-python 1.2.2, which wraps the reference encoder in C.
    @Test(arguments: [
        (Pattern.waves, 40, 30, "LPHLGbm#Dwr6s1aSV|n,R[Si6xa]"), (.slope, 32, 32, "L$Het82swxX8l}WDjte;gJfjfQfj"),
        (.slope, 64, 20, "L$HVFn2Y$5SgqRWWjtazgJfjfQfj"), (.flat, 5, 5, "LbM|T9}XfQ}X}XxFfQxFfQfQfQfQ"),
    ]) func `BlurHash is that of the reference encoder`(pattern: Pattern, width: Int, height: Int, text: String) {
        #expect(BlurHash(of: Self.raster(pattern, width, height)).text == text)
    }

    // PyPI thumbhash-python 1.0.1, a port of the reference in JavaScript.
    @Test(arguments: [
        (Pattern.waves, 40, 30, "IBcGLYZJdqiLdnaKUKhRawFR86lq"), (.glass, 30, 40, "YReCFAQYeto191lLJxAl/FycSEgId3V3Bw=="),
        (.slope, 32, 32, "3wcKPxqAh4dwiIiIiHiIiIh3CAiHgI8H"), (.slope, 64, 20, "3/cJOpqAh4dweIiIgHAI+Hg="),
    ]) func `ThumbHash is that of the reference`(pattern: Pattern, width: Int, height: Int, text: String) {
        #expect(Base64.text(of: ThumbHash(of: Self.raster(pattern, width, height)).bytes) == text)
    }

    @Test func `The perceptual hash is that of imagehash, and stays near it when the picture is scaled`() {
        // PyPI ImageHash 4.3.2.
        let hash = PerceptualHash(of: Self.raster(.waves, 32, 32))
        #expect(hash.text == "860c95b66b652dda")
        func hills(_ side: Int) -> PerceptualHash {
            var samples: [UInt8] = []
            for y in 0..<side {
                for x in 0..<side {
                    let (u, v) = (Double(x) / Double(side), Double(y) / Double(side))
                    let level = UInt8(128 + 60 * sin(9 * u + 2 * v) + 60 * cos(5 * u * v + 7 * v))
                    samples += [level, level, level, 255]
                }
            }
            return PerceptualHash(of: PixelRaster(width: side, height: side, samples: samples))
        }
        #expect((hills(96).bits ^ hills(41).bits).nonzeroBitCount <= 4)
        #expect((hills(96).bits ^ hash.bits).nonzeroBitCount > 16, "another picture is far away")
        #expect(PerceptualHash(of: Self.raster(.flat, 1, 1)).text.count == 16)
    }

    @Test func `Color summaries count only visible pixels`() {
        // Three parts red, one part blue, and invisible green.
        var samples: [UInt8] = []
        for index in 0..<80 { samples += index < 48 ? [250, 10, 10, 255] : index < 64 ? [10, 10, 250, 255] : [0, 255, 0, 0] }
        let colors = ColorSummary(of: PixelRaster(width: 8, height: 10, samples: samples))
        #expect(colors.dominant?.text == "#fa0a0a")
        #expect(colors.average?.text == "#be0a46")
        let palette = colors.palette(6)
        #expect(palette.map(\.color.text) == ["#fa0a0a", "#0a0afa"] && palette.map(\.share) == [0.75, 0.25])
        let nothing = ColorSummary(of: PixelRaster(width: 1, height: 1, samples: [1, 2, 3, 0]))
        #expect(nothing.average == nil && nothing.dominant == nil && nothing.palette(6).isEmpty)
        let many = ColorSummary(of: Self.raster(.waves, 40, 30)).palette(6)
        #expect(many.count == 6 && abs(many.reduce(0) { $0 + $1.share } - 1) < 1e-9)
        #expect(zip(many, many.dropFirst()).allSatisfy { $0.share >= $1.share })
    }

    // MARK: EXIF

    /// Returns a block with a directory of these entries and one for the camera: tag, type, count, and four bytes or a value elsewhere.
    private static func block(_ picture: [(Int, Int, Int, [UInt8])], _ camera: [(Int, Int, Int, [UInt8])], little: Bool = true) -> [UInt8] {
        func word(_ value: Int, _ length: Int) -> [UInt8] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return little ? bytes : bytes.reversed()
        }
        let first = 8
        let second = first + 2 + 12 * (picture.count + 1) + 4
        var spare = second + 2 + 12 * camera.count + 4
        var rest: [UInt8] = []
        func entry(_ one: (Int, Int, Int, [UInt8])) -> [UInt8] {
            var value = one.3
            if value.count > 4 {
                rest += value
                value = word(spare, 4)
                spare += one.3.count
            }
            return word(one.0, 2) + word(one.1, 2) + word(one.2, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        var bytes = Array((little ? "II" : "MM").utf8) + word(42, 2) + word(first, 4)
        bytes += word(picture.count + 1, 2) + picture.flatMap(entry) + entry((0x8769, 4, 1, word(second, 4))) + word(0, 4)
        bytes += word(camera.count, 2) + camera.flatMap(entry) + word(0, 4)
        return bytes + rest
    }

    private static func text(_ tag: Int, _ text: String) -> (Int, Int, Int, [UInt8]) { (tag, 2, text.utf8.count + 1, Array(text.utf8) + [0]) }

    private static func summary(_ bytes: [UInt8]) -> JSON? {
        bytes.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0).map { .object(EXIFSummary($0).json) } }
    }

    @Test(arguments: [true, false]) func `EXIF describes camera, exposure and time in numbers`(little: Bool) {
        func words(_ values: [Int], _ length: Int) -> [UInt8] {
            values.flatMap { value in
                let bytes = (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
                return little ? bytes : bytes.reversed()
            }
        }
        let bytes = Self.block(
            [
                Self.text(0x010f, "  Bowler Hats "), Self.text(0x0110, "Mk I"), (0x0112, 3, 1, words([6], 2)), Self.text(0x013b, "Mr Benn"),
                (0x8825, 4, 1, words([8], 4)),
            ],
            [
                (0x829a, 5, 1, words([1, 250], 4)), (0x829d, 5, 1, words([28, 10], 4)), (0x8827, 3, 1, words([400], 2)),
                Self.text(0x9003, "2026:01:02 03:04:05"), Self.text(0x9011, "+02:00"), (0x920a, 5, 1, words([355, 10], 4)), (0xa405, 3, 1, words([53], 2)),
            ], little: little)
        let expected: JSON = [
            "orientation": 6, "make": "Bowler Hats", "model": "Mk I", "takenAt": "2026-01-02T03:04:05+02:00", "exposureTime": 0.004, "fNumber": 2.8,
            "iso": 400, "focalLength": 35.5, "focalLength35mm": 53,
        ]
        #expect(Self.summary(bytes) == expected)
        #expect(Self.summary(Array("Exif\0\0".utf8) + bytes) == expected)
        for length in bytes.indices { _ = Self.summary(Array(bytes[..<length])) }
        for at in bytes.indices {
            for value in [0, 0x7f, 0x80, 0xff] as [UInt8] {
                var hostile = bytes
                hostile[at] = value
                _ = Self.summary(hostile)
            }
        }
    }

    @Test func `Invalid numbers, times and texts are left out, and texts are short`() {
        let bytes = Self.block(
            [Self.text(0x010f, "a\u{1}b" + String(repeating: "x", count: 500)), Self.text(0x0110, "   "), (0x0112, 3, 1, [9, 0])],
            [
                (0x829a, 5, 1, [1, 0, 0, 0, 0, 0, 0, 0]), Self.text(0x9003, "0000:00:00 00:00:00"), (0x8827, 2, 1, [0x34, 0, 0, 0]),
                (0x8769, 4, 1, [8, 0, 0, 0]),
            ])
        let json = Self.summary(bytes)
        #expect(json?.object?.members.map(\.key) == ["make"])
        #expect(json?["make"]?.string == "ab" + String(repeating: "x", count: 125))
        #expect(EXIFSummary.time("2026:13:01 00:00:00", offset: nil) == nil && EXIFSummary.time("2026:12:01 00:00:00", offset: "Z") == "2026-12-01T00:00:00")
    }

    // MARK: Pictures

    private static func told(_ source: [UInt8], _ names: [String] = PictureTrait.named.map(\.rawValue)) throws -> JSON {
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        return try told(source, asked: #"{"describe":[\#(list)]}"#)
    }

    static func told(_ source: [UInt8], asked: String) throws -> JSON {
        try VipsRuntime.start()
        let rendition = try Rendition(canonical: JSON(parsing: asked))
        return try source.withUnsafeBytes { raw in
            let format = try HeaderGuard().check(raw)
            let run = try PictureRun(raw, format: format, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            return .object(try run.describe(rendition))
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .heif, .gif, .tiff]) func `Every format is described`(format: ImageFormat) throws {
        let json = try Self.told(TestPictures.encoded(TestPictures.quarters(400, 200), format))
        #expect(json["blurhash"]?.string?.utf8.count == 28 && json["phash"]?.string?.utf8.count == 16)
        #expect(json["thumbhash"]?.string?.isEmpty == false && json["palette"]?.array?.isEmpty == false)
        let average = try #require(Color(json["averageColor"]))
        #expect(near([Double(average.red), Double(average.green), Double(average.blue)], [128, 128, 128], within: 14))
        #expect(json["exif"]?.object != nil)
    }

    @Test func `A picture is described as a viewer shows it`() throws {
        let upright = try TestPictures.quarters(300, 200)
        let lying = try TurnStep.apply(Orientation(exif: 6).inverse, to: upright).withHeader { header in
            header.set("orientation", 6)
            header.set("exif-ifd0-Make", "Bowler Hats")
        }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        let turned = try Self.told(options.jpeg(lying))
        let plain = try Self.told(options.jpeg(upright))
        #expect(turned["exif"]?["make"] == "Bowler Hats" && turned["exif"]?["orientation"] == 6)
        #expect(turned["blurhash"]?.string?.prefix(6) == plain["blurhash"]?.string?.prefix(6))
        #expect(turned["thumbhash"]?.string?.utf8.count == plain["thumbhash"]?.string?.utf8.count)
        #expect(try Self.told(options.jpeg(upright), ["phash"]).object?.members.map(\.key) == ["phash"])
    }

    @Test func `Gray, deep, transparent and tiny pictures are described`() throws {
        try VipsRuntime.start()
        let gray = try Self.told(TestPictures.encoded(VipsRuntime.solid(width: 30, height: 20, [100], .gray), .png))
        #expect(gray["dominantColor"] == "#646464" && gray["averageColor"] == "#646464")
        let clear = try Self.told(TestPictures.encoded(VipsRuntime.solid(width: 30, height: 20, [1, 2, 3, 0]), .png))
        #expect(clear["dominantColor"] == .null && clear["palette"] == [])
        let dot = try Self.told(TestPictures.encoded(VipsRuntime.solid(width: 1, height: 1, [9, 8, 7]), .png))
        #expect(dot["averageColor"] == "#090807")
        let deep = try VipsOperation("cast").set("in", VipsRuntime.solid(width: 40, height: 20, [255, 128, 0])).set("format", 2).set("shift", true).image()
        let tagged = try VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        #expect(try Self.told(TestPictures.encoded(tagged, .png))["averageColor"] == "#ff8000")
    }

    // MARK: Colors of pixels

    @Test func `the colors of pixels are listed row by row, with null outside`() throws {
        try VipsRuntime.start()
        // Red, green; blue, half-transparent white.
        let bands: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 128]]
        let small = try VipsImage.of(bands.flatMap { $0 }, width: 2, height: 2, bands: 4)
        let source = try TestPictures.encoded(VipsOperation("copy").set("in", small).set("interpretation", Int(VipsColors.sRGB.rawValue)).image(), .png)
        let json = try Self.told(
            source,
            asked: #"{"samples":{"points":[[0,0],[1,1],[2,0],[0,1000000]],"rects":[{"x":0,"y":0,"width":2,"height":2},{"x":1,"y":1,"width":2,"height":1}]}}"#)
        #expect(json["colors"]?["points"] == ["#ff0000", "#ffffff80", .null, .null])
        #expect(json["colors"]?["rects"] == [["#ff0000", "#00ff00", "#0000ff", "#ffffff80"], ["#ffffff80", .null]])
        #expect(json.object?.members.map(\.key) == ["colors"])
        let none = try Self.told(source, asked: #"{"samples":{"points":[[5,5]]}}"#)
        #expect(none["colors"]?["points"] == [.null])
    }

    @Test func `pixels are those of the first frame, upright, at its own size`() throws {
        let upright = try TestPictures.quarters(3000, 2000)
        let lying = try TurnStep.apply(Orientation(exif: 6).inverse, to: upright).withHeader { $0.set("orientation", 6) }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        let asked = #"{"samples":{"points":[[10,10],[2990,10],[10,1990],[2990,1990],[3000,10],[2999,1999]]}}"#
        let (turned, plain) = (try Self.told(options.jpeg(lying), asked: asked), try Self.told(options.jpeg(upright), asked: asked))
        let pairs = zip(turned["colors"]?["points"]?.array ?? [], plain["colors"]?["points"]?.array ?? []).map { (Color($0), Color($1)) }
        #expect(pairs.count == 6 && pairs[4].0 == nil && pairs[5].0 != nil)
        #expect(Set(pairs.prefix(4).compactMap { $0.0?.text.prefix(3) }).count > 1)
        for (one, other) in pairs {
            #expect(abs(Int(one?.red ?? 0) - Int(other?.red ?? 0)) < 8 && abs(Int(one?.blue ?? 0) - Int(other?.blue ?? 0)) < 8)
        }
    }
}
