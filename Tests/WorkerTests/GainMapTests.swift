import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// Gain maps of JPEGs: dropped, kept, applied.
@Suite(.tags(.optimized), .timeLimit(.minutes(2))) struct GainMapTests {
    private static func made(_ source: [UInt8], _ transform: String = "", _ output: String, graphs: PlanarGraphs? = nil) throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output), graphs: graphs)
    }

    private static let keep = #"{"format":"jpeg","gainMap":"keep"}"#, drop = #"{"format":"jpeg"}"#
    private static let apply = #"{"format":"png","gainMap":"apply"}"#
    private static let moves = #"{"op":"crop","x":200,"y":40,"width":200,"height":160},{"op":"resize","width":100},{"op":"rotate","angle":90}"#

    // MARK: Dropped

    @Test(arguments: [false, true]) func `Without a request the result is that of the base alone`(isPlanar: Bool) throws {
        let graphs = isPlanar ? PlanarGraphs() : nil
        let base = try TestGainMaps.jpeg(TestPictures.quarters(400, 200))
        let source = try TestGainMaps.picture()
        for output in [Self.drop, #"{"format":"jpeg","gainMap":"apply"}"#, #"{"format":"png","gainMap":"keep"}"#, #"{"format":"webp","gainMap":"keep"}"#] {
            #expect(try Self.made(source, Self.moves, output, graphs: graphs) == Self.made(base, Self.moves, output, graphs: graphs), "\(output)")
        }
        #expect(try Self.made(base, Self.moves, Self.keep, graphs: graphs) == Self.made(base, Self.moves, Self.drop, graphs: graphs))
        #expect(try Self.made(base, "", Self.apply) == Self.made(base, "", #"{"format":"png"}"#))
    }

    @Test func `The option is in the key where the format uses it`() throws {
        func canonical(_ output: String) throws -> String { try PictureTests.rendition("", output).canonical.text }
        #expect(try canonical(Self.keep) != canonical(Self.drop) && canonical(Self.apply) != canonical(#"{"format":"png"}"#))
        #expect(try canonical(#"{"format":"jpeg","gainMap":"drop"}"#) == canonical(Self.drop))
        #expect(try canonical(#"{"format":"jpeg","gainMap":"apply"}"#) == canonical(Self.drop))
        #expect(try canonical(#"{"format":"png","gainMap":"apply","palette":true}"#) == canonical(#"{"format":"png","palette":true}"#))
        for format in ["webp", "avif", "gif"] {
            #expect(try canonical(#"{"format":"\#(format)","gainMap":"keep"}"#) == canonical(#"{"format":"\#(format)"}"#))
        }
        #expect(try canonical(#"{"gainMap":"keep"}"#) != canonical("{}") && canonical(#"{"gainMap":"keep"}"#) != canonical(#"{"gainMap":"apply"}"#))
    }

    // MARK: Kept

    @Test(arguments: [false, true]) func `A kept map lies where its base is`(isPlanar: Bool) throws {
        let graphs = isPlanar ? PlanarGraphs() : nil
        let file = try Self.made(TestGainMaps.picture(), Self.moves, Self.keep, graphs: graphs)
        let (map, numbers) = try #require(try TestGainMaps.map(of: file))
        let base = try TestPictures.decoded(file)
        #expect((base.width, base.height, map.width, map.height, map.bands) == (80, 100, 20, 25, 1))
        #expect(try near(base.pixel(20, 50), [255, 255, 255]) && near(base.pixel(70, 50), [0, 255, 0]))
        #expect(try near(map.pixel(4, 12), [255], within: 4) && near(map.pixel(17, 12), [85], within: 4))
        // The edge is in the middle, between two samples of the smaller map.
        #expect(try near(map.pixel(12, 12), [170], within: 12) && near(map.pixel(10, 12), [255], within: 12) && near(map.pixel(14, 12), [85], within: 12))
        #expect(numbers.maximum == [2, 2, 2] && numbers.capacityMax == 2)
    }

    @Test func `Every orientation turns the map as its base`() throws {
        for orientation in 1...8 {
            var source = try TestGainMaps.picture()
            source.insert(
                contentsOf: TestGainMaps.segment(0xe1, Self.exif([EXIFTag(number: 0x112, type: 3, count: 1, value: [UInt8(orientation), 0])])), at: 2)
            // The index counts from its own place, so a segment before it changes nothing.
            let file = try Self.made(source, "", Self.keep)
            let base = try PictureTests.corners(TestPictures.decoded(file)), map = try #require(try TestGainMaps.map(of: file)).image
            let levels = [[255.0, 0, 0]: 0.0, [0, 255, 0]: 85, [0, 0, 255]: 170, [255, 255, 255]: 255]
            for (color, seen) in try zip(base, PictureTests.corners(map)) {
                let level = try #require(levels.first { near($0.key, color) }).value
                #expect(near(seen, [level], within: 4), "\(orientation)")
            }
        }
    }

    @Test func `A smart crop takes the map along, and steps after it too`() throws {
        let (width, height) = (400, 200)
        let gray = try VipsRuntime.solid(width: width, height: height, [128, 128, 128])
        let spot = try VipsOperation("insert").set("main", gray).set("sub", TestPictures.quarters(80, 80)).set("x", 280).set("y", 60).image()
        let level = try VipsOperation("insert").set("main", VipsRuntime.solid(width: 100, height: 50, [0], .gray))
            .set("sub", VipsRuntime.solid(width: 20, height: 20, [255], .gray)).set("x", 70).set("y", 15).image()
        let source = try TestGainMaps.file(
            TestGainMaps.jpeg(spot), [TestGainMaps.said(TestGainMaps.packet(TestGainMaps.plain), in: TestGainMaps.jpeg(level))])
        let file = try Self.made(source, #"{"op":"crop","width":120,"height":120,"gravity":"attention"},{"op":"flip","horizontal":true}"#, Self.keep)
        let base = try TestPictures.decoded(file), map = try #require(try TestGainMaps.map(of: file)).image
        #expect((base.width, map.width, map.height) == (120, 30, 30))
        for x in stride(from: 8, to: 120, by: 8) {
            for y in stride(from: 8, to: 120, by: 8) {
                let (color, seen) = try (base.pixel(x, y), map.pixel(x / 4, y / 4)[0])
                // At the edges of the spot the colors run, and the map is in between.
                if near(color, [128, 128, 128], within: 3) { #expect(seen < 200, "\(x) \(y)") }
                if !near(color, [128, 128, 128], within: 100) { #expect(seen > 15, "\(x) \(y)") }
            }
        }
    }

    @Test func `The file is one that others read, with or without metadata`() throws {
        var source = try TestGainMaps.said(TestGainMaps.packet(#"xmlns:dc="d" dc:title="Secret" hdrgm:Version="1.0""#), in: TestGainMaps.picture())
        source.insert(contentsOf: TestGainMaps.segment(0xe1, Self.exif([EXIFTag(number: 0x10f, type: 2, count: 6, value: Array("Maker\0".utf8))])), at: 2)
        for (metadata, hasMaker) in [("none", false), ("all", true)] {
            let output = #"{"format":"jpeg","gainMap":"keep","metadata":"\#(metadata)","thumbnail":32}"#
            let file = try Self.made(source, #"{"op":"resize","width":200}"#, output)
            #expect((file.firstRange(of: Array("Maker".utf8)) != nil) == hasMaker && file.firstRange(of: Array("Secret".utf8)) == nil)
            let place = try #require(file.withUnsafeBytes { GainMapPlace(ByteReader(bytes: $0))?.bytes })
            #expect(place.upperBound == file.count)
            let first = String(decoding: file[..<place.lowerBound], as: UTF8.self)
            #expect(first.contains(#"Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="\#(place.count)""#))
            let (before, behind) = (Array(file[..<place.lowerBound]), Array(file[place]))
            func count(_ words: String, _ bytes: [UInt8]) -> Int { bytes.ranges(of: Array(words.utf8)).count }
            #expect(count("http://ns.adobe.com/xap/1.0/\0", before) == 1 && count("http://ns.adobe.com/xap/1.0/\0", behind) == 1)
            #expect(count("urn:iso:std:iso:ts:21496:-1\0", before) == 1 && count("urn:iso:std:iso:ts:21496:-1\0", behind) == 1)
            #expect(before.suffix(2) == [0xff, 0xd9] && behind.suffix(2) == [0xff, 0xd9])
            // A second pass finds what the first one wrote.
            let again = try Self.made(file, "", #"{"format":"jpeg","gainMap":"keep"}"#)
            #expect(try #require(try TestGainMaps.map(of: again)).numbers == TestGainMaps.map(of: source)?.numbers)
        }
    }

    private static func exif(_ tags: [EXIFTag]) -> [UInt8] { TagWriter(isLittle: true).block(tags) }

    @Test func `A limit of bytes counts the map too`() throws {
        let source = try TestGainMaps.picture()
        let whole = try Self.made(source, "", Self.keep).count
        let limited = try Self.made(source, "", #"{"format":"jpeg","gainMap":"keep","maxBytes":\#(whole - 200)}"#)
        #expect(try limited.count <= whole - 200 && TestGainMaps.map(of: limited) != nil)
    }

    // MARK: Broken

    @Test func `A bad map is no map, and its base is fine`() throws {
        let base = try TestGainMaps.jpeg(TestPictures.quarters(400, 200))
        let good = try TestGainMaps.jpeg(TestGainMaps.steps(100, 50))
        func said(_ jpeg: [UInt8], _ attributes: String = TestGainMaps.plain) -> [UInt8] { TestGainMaps.said(TestGainMaps.packet(attributes), in: jpeg) }
        let size = try #require(good.firstRange(of: [0xff, 0xc0, 0, 11, 8])).upperBound
        var huge = good
        huge.replaceSubrange(size..<size + 4, with: [0xff, 0xff, 0xff, 0xff])
        let cmyk = try VipsOperation("copy").set("in", VipsRuntime.solid(width: 100, height: 50, [1, 2, 3, 4]))
            .set("interpretation", Int(VipsColors.cmyk.rawValue)).image()
        let inks = try VipsOperation("jpegsave_buffer").set("in", cmyk).set("Q", 90).bytes().copied()
        let sources: [String: [UInt8]] = [
            "outside": TestGainMaps.file(base, [said(good)], offset: 1_000_000), "itself": TestGainMaps.file(base, [said(good)], offset: 0),
            "no picture": TestGainMaps.file(base, [[UInt8](repeating: 7, count: 900)]), "huge": TestGainMaps.file(base, [said(huge)]),
            "cut": TestGainMaps.file(base, [Array(said(good).prefix(said(good).count - good.count / 2))]),
            "another shape": TestGainMaps.file(base, [said(try TestGainMaps.jpeg(TestGainMaps.steps(50, 100)))]), "inks": TestGainMaps.file(base, [said(inks)]),
            "no number": TestGainMaps.file(base, [said(good, TestGainMaps.plain + #" hdrgm:Gamma="nan""#)]),
            "huge number": TestGainMaps.file(base, [said(good, TestGainMaps.plain + #" hdrgm:OffsetHDR="1e300""#)]),
            "HDR base": TestGainMaps.file(base, [said(good, TestGainMaps.plain + #" hdrgm:BaseRenditionIsHDR="True""#)]),
        ]
        let plain = try (Self.made(base, Self.moves, Self.drop), Self.made(base, Self.moves, #"{"format":"png"}"#))
        for (name, source) in sources {
            #expect(try Self.made(source, Self.moves, Self.keep) == plain.0, "\(name)")
            #expect(try Self.made(source, Self.moves, Self.apply) == plain.1, "\(name)")
        }
        #expect(try Self.made(TestGainMaps.file(base, [said(good)]), Self.moves, Self.keep) != plain.0)
    }

    @Test(arguments: [
        #"{"op":"pad","width":500,"color":"red"}"#, #"{"op":"rotate","angle":30}"#, #"{"op":"roundCorners","radius":20}"#, #"{"op":"text","text":"HDR"}"#,
    ]) func `Where the map does not fit any more the result is SDR`(transform: String) throws {
        let base = try TestGainMaps.jpeg(TestPictures.quarters(400, 200))
        let source = try TestGainMaps.picture()
        #expect(try Self.made(source, transform, Self.keep) == Self.made(base, transform, Self.drop))
        #expect(try Self.made(source, transform, Self.apply) == Self.made(base, transform, #"{"format":"png"}"#))
    }

    @Test func `A description says whether there is a usable map`() throws {
        func told(_ source: [UInt8]) throws -> JSON? {
            try source.withUnsafeBytes { raw in
                let run = try PictureRun(
                    raw, format: try HeaderGuard().check(raw), limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(20)))
                return try run.describe(Rendition(canonical: ["describe": ["gainMap"]]))["gainMap"]
            }
        }
        #expect(try told(TestGainMaps.picture()) == true && told(TestGainMaps.jpeg(TestPictures.quarters(400, 200))) == false)
    }
}
