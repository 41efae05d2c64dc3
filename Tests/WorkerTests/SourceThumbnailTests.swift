import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

@testable import Engine

/// Thumbnails in files that take the place of their pictures (`decode.thumbnail`).
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct SourceThumbnailTests {
    private static let blue = [0.0, 0, 255], red = [255.0, 0, 0]

    private static func rendition(_ transform: String = "", _ output: String = #"{"format":"png"}"#, more: String = "") throws -> Rendition {
        try Rendition(canonical: JSON(parsing: #"{"transform":[\#(transform)],"output":\#(output),"decode":{"thumbnail":true\#(more)}}"#))
    }

    private static func flat(_ width: Int, _ height: Int, _ color: [Double], _ format: ImageFormat = .jpeg) throws -> [UInt8] {
        try VipsRuntime.start()
        return try TestPictures.encoded(VipsRuntime.solid(width: width, height: height, color), format)
    }

    /// A red JPEG of 400 × 200 with a thumbnail.
    private static func jpeg(_ thumbnail: [UInt8], block: [UInt8]? = nil) throws -> [UInt8] {
        var source = try flat(400, 200, red)
        if let block { source.insert(contentsOf: [0xff, 0xe1, 0, UInt8(block.count + 2)] + block, at: 2) }
        return try #require(source.withUnsafeBytes { EmbeddedThumbnail.put(thumbnail, into: $0) })
    }

    private static func near(_ a: [Double], _ b: [Double]) -> Bool { zip(a, b).allSatisfy { abs($0 - $1) <= 6 } }

    @Test(arguments: [false, true]) func `The thumbnail of a JPEG is the picture where the request asks for it`(isPlanar: Bool) throws {
        let source = try Self.jpeg(Self.flat(80, 40, Self.blue))
        let graphs = isPlanar ? PlanarGraphs() : nil
        for (transform, width, height) in [("", 80, 40), (#"{"op":"resize","width":20}"#, 20, 10), (#"{"op":"crop","width":30,"height":30}"#, 30, 30)] {
            let image = try TestPictures.decoded(TestPictures.made(source, Self.rendition(transform, #"{"format":"webp"}"#), graphs: graphs))
            #expect(try image.width == width && image.height == height && Self.near(image.pixel(5, 5), Self.blue), "\(transform)")
        }
        let whole = try TestPictures.decoded(TestPictures.made(source, PictureTests.rendition(""), graphs: graphs))
        #expect(try whole.width == 400 && Self.near(whole.pixel(5, 5), Self.red))
        let without = try TestPictures.decoded(TestPictures.made(Self.flat(400, 200, Self.red), Self.rendition(), graphs: graphs))
        #expect(try without.width == 400 && Self.near(without.pixel(5, 5), Self.red))
        // A result by the picture's own format, and the facts of the source.
        let same = try TestPictures.made(source, Self.rendition("", "{}"), graphs: graphs)
        #expect(try same.withUnsafeBytes { try HeaderGuard().check($0) } == .jpeg && TestPictures.decoded(same).width == 80)
    }

    @Test func `The thumbnail is turned as the picture is, and the file keeps its owner`() throws {
        let block = TagWriter(isLittle: true).block([
            EXIFTag(number: 0x0112, type: 3, count: 1, value: [6, 0]), EXIFTag(number: 0x8298, type: 2, count: 6, value: Array("Owner\0".utf8)),
        ])
        let source = try Self.jpeg(TestPictures.encoded(TestPictures.quarters(80, 40), .jpeg), block: block)
        let made = try TestPictures.made(source, Self.rendition("", #"{"format":"jpeg","metadata":"copyright"}"#))
        let image = try TestPictures.decoded(made)
        #expect(image.width == 40 && image.height == 80 && image.orientation == 1)
        // A quarter clockwise: the lower left corner is now the upper left one.
        let corners = try PictureTests.corners(image)
        #expect(Self.near(corners[0], Self.blue) && Self.near(corners[1], Self.red), "\(corners)")
        #expect(made.firstRange(of: Array("Owner".utf8)) != nil)
    }

    @Test func `Facts about the source stay those of the picture`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg(Self.flat(80, 40, Self.blue))
        try source.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .jpeg, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(20)))
            #expect(try run.render(Self.rendition()).size == PictureSize(80, 40))
            #expect(run.facts.size == PictureSize(400, 200) && run.timings.encode > .zero)
            // The picture itself is still there for the next result.
            #expect(try run.render(PictureTests.rendition("")).size == PictureSize(400, 200))
        }
    }

    @Test func `Colors and hashes are those of the thumbnail where the request asks for it, other traits those of the file`() throws {
        let block = TagWriter(isLittle: true).block([EXIFTag(number: 0x010f, type: 2, count: 6, value: Array("Maker\0".utf8))])
        let source = try Self.jpeg(Self.flat(80, 40, Self.blue), block: block)
        func told(_ decode: String, _ source: [UInt8]) throws -> JSONObject {
            let asked = #"{"describe":["exif","averageColor","dominantColor"],"samples":{"points":[[5,5],[300,150]]},"decode":\#(decode)}"#
            return try source.withUnsafeBytes { raw in
                let run = try PictureRun(raw, format: .jpeg, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(20)))
                defer { #expect(run.timings.decode > .zero) }
                return try run.describe(Rendition(canonical: JSON(parsing: asked)))
            }
        }
        func near(_ json: JSON?, _ color: [Double]) throws -> Bool {
            let found = try #require(Color(json))
            return Self.near([Double(found.red), Double(found.green), Double(found.blue)], color)
        }
        for (decode, file, color, isInside) in try [
            (#"{"thumbnail":true}"#, source, Self.blue, false), ("{}", source, Self.red, true),
            (#"{"thumbnail":true}"#, Self.flat(400, 200, Self.red), Self.red, true),
        ] {
            let json = try told(decode, file)
            #expect(try near(json["averageColor"], color) && near(json["dominantColor"], color), "\(json)")
            let points = json["colors"]?["points"]
            #expect(try near(points?[0], color) && (points?[1] != .null) == isInside, "\(json)")
            #expect(json["exif"]?["make"] == (file == source ? "Maker" : nil))
        }
    }

    // MARK: Hostile JPEGs

    /// Changes the size in the frame header of a JPEG.
    private static func sized(_ file: [UInt8], _ width: Int, _ height: Int) throws -> [UInt8] {
        var changed = file
        let at = try #require(file.firstRange(of: [0xff, 0xc0])).lowerBound
        for (offset, value) in [(5, height), (7, width)] { (changed[at + offset], changed[at + offset + 1]) = (UInt8(value >> 8), UInt8(value & 255)) }
        return changed
    }

    @Test func `A thumbnail beyond the limits is refused as a picture would be`() throws {
        let small = try Self.flat(80, 40, Self.blue)
        for (thumbnail, which) in try [
            (Self.sized(small, 65535, 40), "maxSide"), (Self.sized(small, 16000, 16000), "maxPixels"),
        ] {
            let error = try #require(throws: PictureFailure.self) { try TestPictures.made(Self.jpeg(thumbnail), Self.rendition()) }
            guard case .limitExceeded(let name, _, _) = error.reason else {
                Issue.record("\(which): \(error)")
                continue
            }
            #expect(name == which)
            #expect(try TestPictures.decoded(TestPictures.made(Self.jpeg(thumbnail), PictureTests.rendition(""))).width == 400)
        }
        var limits = ImageLimits()
        limits.maxPixels = 400 * 200
        let error = try #require(throws: PictureFailure.self) {
            try TestPictures.made(Self.jpeg(Self.flat(400, 201, Self.blue)), Self.rendition(), limits: limits)
        }
        #expect(error.message.contains("maxPixels"), "\(error)")
        let asked = try #require(throws: PictureFailure.self) { try TestPictures.made(Self.jpeg(small), Self.rendition(more: #","maxPixels":3199"#)) }
        #expect(asked.message.contains("decode.maxPixels"), "\(asked)")
    }

    /// A red JPEG of 400 × 200 whose thumbnail of 160 × 160 ends too early.
    private static func broken() throws -> [UInt8] {
        try VipsRuntime.start()
        let noise = try VipsOperation("gaussnoise").set("width", 160).set("height", 160).set("mean", 128.0).set("sigma", 90.0).set("seed", 7).image()
        let gray = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        return try jpeg(Array(TestPictures.encoded(gray, .jpeg).prefix(3000)))
    }

    @Test func `What is no thumbnail leaves the picture, and a broken one is an error`() throws {
        for no in [Array("no picture at all".utf8), [0xff, 0xd8], try Self.flat(80, 40, Self.blue, .png), [0]] {
            let image = try TestPictures.decoded(TestPictures.made(Self.jpeg(no), Self.rendition()))
            #expect(try image.width == 400 && Self.near(image.pixel(5, 5), Self.red))
        }
        let broken = try Self.broken()
        let error = try #require(throws: PictureFailure.self) { try TestPictures.made(broken, Self.rendition()) }
        #expect(error.reason == .badImageData, "\(error)")
        #expect(try TestPictures.decoded(TestPictures.made(broken, Self.rendition(more: #","failOn":"none""#))).width == 160)
    }

    @Test @Loop func `A broken thumbnail condemns no picture`() async throws {
        let folder = try TemporaryFolder("thumbnails")
        try Data(Self.broken()).write(to: URL(fileURLWithPath: folder.path + "/a.jpg"))
        let h = try await WorkerHarness(root: folder.path)
        func run(_ decode: JSON, isProbe: Bool = false) async throws -> String {
            var request: JSONObject = ["url": .string(h.url("/a.jpg")), "decode": decode]
            if isProbe { request["describe"] = ["averageColor"] } else { request["transform"] = [["op": "resize", "width": 8]] }
            let receipt = try await h.submit(.object(request), isProbe: isProbe)
            try await h.runOne()
            return receipt
        }
        for isProbe in [false, true] {
            #expect(try await h.failure(run(["thumbnail": true], isProbe: isProbe)).name == .badImageData)
            #expect(try await h.queue.blacklist(limit: 10).items.isEmpty)
        }
        let plain = try await h.result(run([:]))
        #expect(plain["from"] == "sources" && plain["source"]?["width"] == 400, "the cached source is not spoiled: \(plain)")
        #expect(try await h.counts()["total"] == 1)
    }

    @Test func `No byte of the block leads outside of the file or to a larger picture`() throws {
        var limits = ImageLimits()
        limits.maxPixels = 400 * 200
        let source = try Self.jpeg(Self.flat(80, 40, Self.blue))
        let place = try #require(source.withUnsafeBytes { EXIFThumbnail($0) })
        #expect(source.withUnsafeBytes { EXIFThumbnail($0)?.header.width } == 80)
        // The block up to the thumbnail, and the header of the thumbnail.
        for at in place.block.lowerBound..<place.picture.lowerBound + 24 {
            for value in [0, 1, 0x7f, 0xff] as [UInt8] {
                var changed = source
                changed[at] = value
                guard let made = try? TestPictures.made(changed, Self.rendition(), limits: limits) else { continue }
                let image = try TestPictures.decoded(made)
                #expect(image.width * image.height <= limits.maxPixels)
            }
        }
        for length in stride(from: place.block.lowerBound, to: place.block.upperBound, by: 7) {
            _ = try? TestPictures.made(Array(source.prefix(length)), Self.rendition(), limits: limits)
        }
    }

    // MARK: AVIF

    /// An AVIF of two coded pictures, the second of which is the thumbnail of the first.
    /// - Parameter stated: the size that the file states for the thumbnail.
    private static func avif(_ picture: [UInt8], _ thumbnail: [UInt8], stated: PictureSize? = nil) throws -> [UInt8] {
        func big(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (length - 1 - $0)) & 0xff) } }
        func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
            big(8 + content.reduce(0) { $0 + $1.count }, 4) + Array(name.utf8) + content.flatMap { $0 }
        }
        let none = big(0, 4)
        var (coded, properties) = ([[UInt8]](), [[UInt8]]())
        for (file, stated) in [(picture, nil), (thumbnail, stated)] {
            let found: (coded: [UInt8], configuration: [UInt8], width: Int, height: Int)? = file.withUnsafeBytes { raw in
                guard let meta = HEIFMeta(ByteReader(bytes: raw)), let coded = meta.coded, let place = meta.place(of: "av1C") else { return nil }
                return (Array(raw[coded]), Array(raw[place]), meta.width, meta.height)
            }
            let one = try #require(found)
            coded.append(one.coded)
            properties += [
                box("ispe", none, big(stated?.width ?? one.width, 4), big(stated?.height ?? one.height, 4)), box("pixi", none, [3, 8, 8, 8]),
                box("av1C", one.configuration),
            ]
        }
        func front(_ at: Int) -> [UInt8] {
            func place(_ item: Int, _ at: Int, _ count: Int) -> [UInt8] { big(item, 2) + big(0, 2) + big(1, 2) + big(at, 4) + big(count, 4) }
            let items = (1...2).map { box("infe", big(2 << 24, 4), big($0, 2), big(0, 2), Array("av01".utf8), [0]) }
            let places = place(1, at, coded[0].count) + place(2, at + coded[0].count, coded[1].count)
            return box("ftyp", Array("avif".utf8), none, Array("avifmif1miaf".utf8))
                + box(
                    "meta", none, box("hdlr", none, none, Array("pict".utf8), [UInt8](repeating: 0, count: 13)), box("pitm", none, big(1, 2)),
                    box("iloc", none, [0x44, 0], big(2, 2), places), box("iinf", none, big(2, 2), items[0], items[1]),
                    box("iref", none, box("thmb", big(2, 2), big(1, 2), big(1, 2))),
                    box(
                        "iprp", box("ipco", properties.flatMap { $0 }),
                        box("ipma", none, big(2, 4), big(1, 2), [3, 1, 2, 0x83], big(2, 2), [3, 4, 5, 0x86])))
        }
        return front(front(0).count + 8) + box("mdat", coded[0], coded[1])
    }

    @Test(arguments: [false, true]) func `The thumbnail of an AVIF is the picture where the request asks for it`(isPlanar: Bool) throws {
        let (red, blue) = try (Self.flat(400, 200, Self.red, .avif), Self.flat(80, 40, Self.blue, .avif))
        let graphs = isPlanar ? PlanarGraphs() : nil
        let source = try Self.avif(red, blue)
        for (transform, width, height) in [("", 80, 40), (#"{"op":"resize","width":20}"#, 20, 10)] {
            let image = try TestPictures.decoded(TestPictures.made(source, Self.rendition(transform, #"{"format":"webp"}"#), graphs: graphs))
            #expect(try image.width == width && image.height == height && Self.near(image.pixel(5, 5), Self.blue), "\(transform)")
        }
        for (file, rendition) in try [(source, PictureTests.rendition("")), (red, Self.rendition())] {
            let image = try TestPictures.decoded(TestPictures.made(file, rendition, graphs: graphs))
            #expect(try image.width == 400 && image.height == 200 && Self.near(image.pixel(5, 5), Self.red))
        }
    }

    @Test func `An AVIF whose thumbnail states or is another size stays within the limits`() throws {
        var limits = ImageLimits()
        limits.maxPixels = 400 * 200
        let (red, blue) = try (Self.flat(400, 200, Self.red, .avif), Self.flat(80, 40, Self.blue, .avif))
        for stated in [PictureSize(20000, 20000), PictureSize(400, 201), PictureSize(0, 0), PictureSize(40, 20)] {
            guard let made = try? TestPictures.made(Self.avif(red, blue, stated: stated), Self.rendition(), limits: limits) else { continue }
            #expect(stated == PictureSize(40, 20), "\(stated)")
            let image = try TestPictures.decoded(made)
            #expect(image.width * image.height <= 80 * 40)
        }
        // The coded thumbnail is larger than the file says, and than the limits allow.
        let large = try Self.avif(red, Self.flat(800, 600, Self.blue, .avif), stated: PictureSize(80, 40))
        if let made = try? TestPictures.made(large, Self.rendition(), limits: limits) {
            let image = try TestPictures.decoded(made)
            #expect(image.width * image.height <= limits.maxPixels)
        }
    }
}
