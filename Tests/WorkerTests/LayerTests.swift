import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Operations that need another picture.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
struct LayerTests {
    private static let url = "http://a.test/layer"

    private func made(_ source: [UInt8], _ transform: String, _ layers: [UInt8]..., format: String = "png") throws -> VipsImage {
        let text = #"{"transform":[\#(transform.replacing("URL", with: Self.url))],"output":{"format":"\#(format)"}}"#
        return try TestPictures.decoded(TestPictures.made(source, Rendition(canonical: JSON(parsing: text)), layers: layers))
    }

    private func near(_ a: [Double], _ b: [Double]) -> Bool { a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= 1.5 } }

    private static let red = [255.0, 0, 0], blue = [0.0, 0, 255]

    // MARK: Composite

    @Test(arguments: Blend.allCases, [[200.0, 100, 50], [30.0, 220, 128]])
    func `every blend mode matches its formula`(blend: Blend, color: [Double]) throws {
        let below = [90.0, 180, 240]
        let image = try made(
            OperationTests.flat(below), #"{"op":"composite","url":"URL","blend":"\#(blend.rawValue)"}"#, OperationTests.flat(color, 40, 20))
        let wanted = blend.mix(below.map { $0 / 255 }, color.map { $0 / 255 }).map { $0 * 255 }
        let seen = try image.pixel(20, 10)
        #expect(near(seen, wanted), "\(seen) is not \(wanted)")
    }

    struct Place: Sendable, CustomTestStringConvertible {
        var parameters: String
        /// Points that are covered, and points that are not.
        var on: [[Int]]
        var off: [[Int]]
        var testDescription: String { parameters }
    }

    // A layer of 10 × 6 on a picture of 40 × 20.
    static let places = [
        Place(parameters: "", on: [[15, 7], [24, 12]], off: [[14, 7], [25, 12], [15, 6], [15, 13]]),
        Place(parameters: #","gravity":"bottomRight""#, on: [[30, 14], [39, 19]], off: [[29, 14], [30, 13]]),
        Place(parameters: #","gravity":"left""#, on: [[0, 7], [9, 12]], off: [[10, 7]]),
        Place(parameters: #","gravity":{"x":0,"y":1}"#, on: [[0, 14], [9, 19]], off: [[10, 19]]),
        Place(parameters: #","gravity":{"x":0.75,"y":0.5}"#, on: [[25, 7], [34, 12]], off: [[24, 7], [35, 12]]),
        Place(parameters: #","x":3"#, on: [[3, 0], [12, 5]], off: [[2, 0], [13, 0], [3, 6]]),
        Place(parameters: #","x":-4,"y":18"#, on: [[0, 18], [5, 19]], off: [[6, 19], [0, 17]]),
        Place(parameters: #","x":100"#, on: [], off: [[39, 0]]),
        Place(parameters: #","scale":0.5"#, on: [[11, 5], [27, 14]], off: [[10, 5], [28, 14], [12, 4]]),
    ]

    @Test(arguments: places) func `a layer lies at its place and nowhere else`(_ place: Place) throws {
        let image = try made(
            OperationTests.flat(Self.red), #"{"op":"composite","url":"URL"\#(place.parameters)}"#, OperationTests.flat(Self.blue, 10, 6))
        #expect(image.width == 40 && image.height == 20 && image.bands == 3)
        for point in place.on { #expect(near(try image.pixel(point[0], point[1]), Self.blue), "\(point)") }
        for point in place.off { #expect(near(try image.pixel(point[0], point[1]), Self.red), "\(point)") }
    }

    @Test func `tiles cover everything, one of them at its place`() throws {
        // Left half blue, right half white: 8 × 4.
        try VipsRuntime.start()
        let sides = try [Self.blue, [255, 255, 255]].map { try VipsRuntime.solid(width: 4, height: 4, $0) }
        let layer = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", sides).set("across", 2).image(), .png)
        let image = try made(OperationTests.flat(Self.red), #"{"op":"composite","url":"URL","tile":true,"x":2,"y":3}"#, layer)
        for (x, isBlue) in [(0, false), (1, false), (2, true), (5, true), (6, false), (10, true), (38, false), (37, true)] {
            for y in [0, 2, 3, 19] { #expect(near(try image.pixel(x, y), isBlue ? Self.blue : [255, 255, 255]), "\(x), \(y)") }
        }
    }

    struct Gap: Sendable, CustomTestStringConvertible {
        var tile: String
        /// The columns and rows that the tiles cover, with one tile at 2, 3.
        var columns: [ClosedRange<Int>]
        var rows: [ClosedRange<Int>]
        var testDescription: String { tile }
    }

    // Tiles of 8 × 4 on a picture of 40 × 20.
    static let gaps = [
        Gap(tile: "true", columns: [0...39], rows: [0...19]),
        Gap(tile: #"{"gapX":3}"#, columns: [2...9, 13...20, 24...31, 35...39], rows: [0...19]),
        Gap(tile: #"{"gapY":2}"#, columns: [0...39], rows: [0...0, 3...6, 9...12, 15...18]),
        Gap(tile: #"{"gapX":0.1,"gapY":0.25}"#, columns: [2...9, 14...21, 26...33, 38...39], rows: [3...6, 12...15]),
        Gap(tile: #"{"gapX":16384,"gapY":16384}"#, columns: [2...9], rows: [3...6]),
    ]

    @Test(arguments: gaps) func `gaps between tiles show the picture below, and one tile lies at its place`(_ gap: Gap) throws {
        for (blend, color, alpha) in [("normal", Self.blue, nil), ("screen", [255, 0, 255], nil), ("normal", Self.blue, 128.0)] {
            let step = #"{"op":"composite","url":"URL","x":2,"y":3,"blend":"\#(blend)","tile":\#(gap.tile)}"#
            let image = try made(OperationTests.flat(Self.red + (alpha.map { [$0] } ?? [])), step, OperationTests.flat(Self.blue, 8, 4))
            #expect(image.width == 40 && image.height == 20)
            var wrong: [String] = []
            for y in 0..<20 {
                for x in 0..<40 {
                    let isCovered = gap.columns.contains { $0.contains(x) } && gap.rows.contains { $0.contains(y) }
                    let wanted = isCovered ? color + (alpha == nil ? [] : [255]) : Self.red + (alpha.map { [$0] } ?? [])
                    if try !near(image.pixel(x, y), wanted) { wrong.append("\(x), \(y)") }
                }
            }
            #expect(wrong.first == nil, "\(blend)")
        }
    }

    @Test func `opacity and transparency of both count`() throws {
        let half = try made(OperationTests.flat(Self.red), #"{"op":"composite","url":"URL","opacity":0.5}"#, OperationTests.flat(Self.blue, 40, 20))
        #expect(near(try half.pixel(5, 5), [127.5, 0, 127.5]))
        let thin = try made(OperationTests.flat(Self.red), #"{"op":"composite","url":"URL"}"#, OperationTests.flat(Self.blue + [51], 40, 20))
        #expect(near(try thin.pixel(5, 5), [204, 0, 51]))
        // On a transparent picture: alpha 0.5 over 0.5 is 0.75, a third of it the lower one.
        let both = try made(OperationTests.flat(Self.red + [128]), #"{"op":"composite","url":"URL"}"#, OperationTests.flat(Self.blue + [128], 40, 20))
        #expect(near(try both.pixel(5, 5), [85, 0, 170, 192]))
    }

    @Test func `gray pictures become colored, sixteen bits stay`() throws {
        let gray = try made(OperationTests.flat([77]), #"{"op":"composite","url":"URL","x":0}"#, OperationTests.flat(Self.blue, 4, 4))
        #expect(near(try gray.pixel(1, 1), Self.blue))
        #expect(near(try gray.pixel(30, 10), [77, 77, 77]))
        let wide = try VipsOperation("linear").set("in", VipsRuntime.solid(width: 40, height: 20, Self.red)).set("a", [257]).set("b", [0]).image()
        let deep = try VipsOperation("cast").set("in", wide).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        let tagged = try VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        let image = try made(
            TestPictures.encoded(tagged, .png), #"{"op":"composite","url":"URL","x":0,"opacity":0.5}"#, OperationTests.flat([0, 0, 200], 4, 4))
        let (outside, inside) = (try image.pixel(30, 10).map { $0 / 257 }, try image.pixel(1, 1).map { $0 / 257 })
        #expect(image.format == .uint16 && near(outside, Self.red) && near(inside, [127.5, 0, 100]), "\(inside)")
    }

    @Test func `every frame of an animation gets the layer, after the turn`() throws {
        let moving = try TestPictures.animation(40, 20, [Self.red, [0, 255, 0]], delays: [50, 70], loop: 0, .gif)
        let text = #"{"transform":[{"op":"composite","url":"\#(Self.url)","x":0}],"output":{"format":"webp","lossless":true}}"#
        let bytes = try TestPictures.made(moving, Rendition(canonical: JSON(parsing: text)), layers: [OperationTests.flat(Self.blue, 4, 4)])
        let image = try TestPictures.decoded(bytes, frames: 2)
        #expect(image.pages == 2 && image.ints("delay") == [50, 70])
        for (y, color) in [(1, Self.blue), (10, Self.red), (21, Self.blue), (30, [0, 255, 0])] {
            let seen = try image.pixel(1, y)
            #expect(near(Array(seen.prefix(3)), color), "\(y)")
        }
        let turned = try made(
            OperationTests.quarters(), #"{"op":"rotate","angle":90},{"op":"composite","url":"URL","gravity":"topLeft"}"#, OperationTests.flat([9, 9, 9], 10, 6))
        #expect(near(try turned.pixel(9, 5), [9, 9, 9]))
        #expect(near(try turned.pixel(10, 0), Self.blue))
    }

    /// Otherwise the layer would be shrunk again for each tile, and for each frame.
    @Test(arguments: [(#""tile":true,"blend":"multiply""#, 1, 2), (#""tile":true"#, 3, 4), (#""blend":"screen""#, 3, 4)])
    func `A layer is scaled only once`(parameters: String, frames: Int, computations: Int) throws {
        let colors = (0..<frames).map { [Double($0) * 50, 100, 200] }
        let format: ImageFormat = frames == 1 ? .png : .gif
        let bytes =
            try frames == 1
            ? OperationTests.flat(Self.red) : TestPictures.animation(40, 20, colors, delays: colors.map { _ in 50 }, loop: 0, .gif)
        let text = #"{"transform":[{"op":"composite","url":"URL","scale":0.2,\#(parameters)}],"output":{"format":"webp"}}"#
        let rendition = try Rendition(canonical: JSON(parsing: text.replacing("URL", with: Self.url)))
        let layer = try OperationTests.flat(Self.blue, 90, 60)
        try bytes.withUnsafeBytes { raw in
            try layer.withUnsafeBytes { layer in
                let run = try PictureRun(raw, format: format, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(120)))
                _ = try run.render(rendition, layers: [layer])
                #expect(run.computations == computations)
            }
        }
    }

    /// Two steps with the same need share one fitted layer. Layers without room are computed when pixels are needed.
    @Test(arguments: [([0, 0], 2), ([0, 1], 2), ([0, 1, 0], 2)]) func `Layers as large as the picture are not all kept in memory`(
        steps: [Int], computations: Int
    )
        throws
    {
        let texts = steps.map { #"{"op":"composite","url":"http://a.test/\#($0)","scale":1}"# }
        let rendition = try Rendition(canonical: JSON(parsing: #"{"transform":[\#(texts.joined(separator: ","))],"output":{"format":"png"}}"#))
        let source = try OperationTests.flat(Self.red, 3500, 3500)
        let layers = try [Self.blue + [128], [0, 255, 0, 128]].map { try OperationTests.flat($0, 70, 70) }
        try source.withUnsafeBytes { raw in
            try layers[0].withUnsafeBytes { first in
                try layers[1].withUnsafeBytes { second in
                    let run = try PictureRun(raw, format: .png, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(120)))
                    let picture = try run.render(rendition, layers: Array([first, second].prefix(Set(steps).count)))
                    // The first of them, and the result.
                    #expect(run.computations == computations)
                    let wanted: [Double] = steps == [0, 0] ? [63, 0, 192] : steps == [0, 1] ? [63, 128, 64] : [31, 64, 160]
                    let seen = try TestPictures.decoded(picture.bytes.copied()).pixel(1700, 1700)
                    #expect(near(seen, wanted), "\(seen)")
                }
            }
        }
    }

    // MARK: Colors

    private static func wide(_ color: [Double], _ width: Int = 40, _ height: Int = 20, bits: Int = 8) throws -> [UInt8] {
        try VipsRuntime.start()
        let profile = try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied()
        let flat = try VipsRuntime.solid(width: width, height: height, color)
        return try VipsOperation("pngsave_buffer").set("in", flat.withHeader { $0.set("icc-profile-data", profile) }).bytes().copied()
    }

    private static let red8 = [255.0, 0, 0]

    @Test(arguments: [
        #"{"op":"composite","url":"URL"}"#, #"{"op":"composite","url":"URL","scale":1}"#, #"{"op":"animate","urls":["URL"]},{"op":"frames","pick":[1]}"#,
    ])
    func `A layer is converted to the color space that the picture keeps`(transform: String) throws {
        func made(_ source: [UInt8], _ layer: [UInt8], _ icc: String) throws -> [Double] {
            let text = #"{"transform":[\#(transform.replacing("URL", with: Self.url))],"output":{"format":"png","icc":"\#(icc)"}}"#
            let image = try TestPictures.decoded(TestPictures.made(source, Rendition(canonical: JSON(parsing: text)), layers: [layer]))
            #expect(image.has("icc-profile-data") == (icc == "keep"))
            return Array(try image.pixel(20, 10).prefix(3))
        }
        let base = try Self.wide([10, 200, 60])
        // Both have one color space, so nothing is lost.
        #expect(try made(base, Self.wide([255, 0, 0]), "keep") == [255, 0, 0])
        #expect(try made(base, Self.wide([200, 100, 50]), "keep") == [200, 100, 50])
        // The red of sRGB is less than that of Display P3, and gray is gray in both.
        #expect(try near(made(base, OperationTests.flat(Self.red8), "keep"), [234, 51, 35]))
        #expect(try near(made(base, OperationTests.flat([128]), "keep"), [128, 128, 128]))
        #expect(try near(made(base, OperationTests.flat(Self.red8 + [255]), "keep"), [234, 51, 35]))
        #expect(try near(made(base, OperationTests.flat(Self.red8), "srgb"), Self.red8))
    }

    /// The bars of a frame have the requested color, as those of the picture do. The picture has the color in its own color space.
    @Test(arguments: ["keep", "srgb"]) func `The canvas of a frame has the same color as that of the picture`(icc: String) throws {
        let steps = #"{"op":"resize","width":20,"height":20,"fit":"contain","background":"red"},{"op":"animate","urls":["URL"],"background":"red"}"#
        let text = #"{"transform":[\#(steps.replacing("URL", with: Self.url))],"output":{"format":"webp","lossless":true,"icc":"\#(icc)"}}"#
        for layer in try [OperationTests.flat(Self.blue), OperationTests.flat([90]), Self.wide([10, 60, 200])] {
            let bytes = try TestPictures.made(Self.wide([10, 200, 60]), Rendition(canonical: JSON(parsing: text)), layers: [layer])
            let image = try TestPictures.decoded(bytes, frames: 2)
            #expect(image.has("icc-profile-data") == (icc == "keep") && image.height == 40)
            for y in [1, 18, 22, 38] { #expect(try Array(image.pixel(10, y).prefix(3)) == Self.red8, "\(y)") }
            let inside = try image.pixel(10, 30)
            #expect(!near(Array(inside.prefix(3)), Self.red8))
        }
        let lying = try Self.lying(Self.blue)
        let bytes = try TestPictures.made(Self.wide([10, 200, 60]), Rendition(canonical: JSON(parsing: text)), layers: [lying])
        let image = try TestPictures.decoded(bytes, frames: 2)
        let (beside, middle, top) = try (image.pixel(1, 30), image.pixel(10, 30), image.pixel(10, 21))
        #expect(Array(beside.prefix(3)) == Self.red8 && middle[0] < 100 && top[0] < 100)
    }

    /// Returns a JPEG of 40 × 20 that is shown upright.
    private static func lying(_ color: [Double]) throws -> [UInt8] {
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        return try options.jpeg(VipsRuntime.solid(width: 40, height: 20, color).withHeader { $0.set("orientation", 6) })
    }

    @Test func `Other pictures together take no more memory than one may`() throws {
        var limits = ImageLimits()
        limits.maxDecodedBytes = 80_000
        func made(_ urls: [Int], animates: Bool = false) throws {
            let steps =
                animates
                ? [#"{"op":"animate","urls":[\#(urls.map { "\"http://a.test/\($0)\"" }.joined(separator: ","))]}"#]
                : urls.map { #"{"op":"composite","url":"http://a.test/\#($0)","scale":0.5}"# }
            let rendition = try Rendition(canonical: JSON(parsing: #"{"transform":[\#(steps.joined(separator: ","))],"output":{"format":"webp"}}"#))
            let layers = try rendition.layers.map { _ in try OperationTests.flat(Self.blue, 100, 100) }
            _ = try TestPictures.made(OperationTests.flat(Self.red), rendition, limits: limits, layers: layers)
        }
        try made([0, 1, 0, 1, 0])
        // Frames are made small and freed one by one.
        try made([0, 1, 2, 3], animates: true)
        let error = #expect(throws: PictureFailure.self) { try made([0, 1, 2]) }
        #expect(error?.reason == .transformFailed && error?.phase == .transform)
        #expect(
            error?.message == "other picture 3 of 3: with the pictures of other steps it takes 90000 bytes, over the limit maxDecodedBytes of 80000")
    }

    // MARK: Masks

    @Test func `a mask keeps its bright or, with transparency, its opaque parts`() throws {
        try VipsRuntime.start()
        let grays = try [0.0, 128, 255].map { try VipsRuntime.solid(width: 10, height: 10, [$0], .gray) }
        let ramp = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", grays).set("across", 3).image(), .png)
        let image = try made(OperationTests.flat(Self.red, 60, 20), #"{"op":"mask","url":"URL"}"#, ramp)
        for (x, alpha) in [(5, 0.0), (30, 128), (55, 255)] { #expect(near(try image.pixel(x, 5), Self.red + [alpha]), "\(x)") }
        let clear = try made(OperationTests.flat(Self.red, 60, 20), #"{"op":"mask","url":"URL"}"#, OperationTests.flat([0, 0, 0, 200], 5, 5))
        #expect(near(try clear.pixel(30, 10), Self.red + [200]))
        let colored = try made(OperationTests.flat(Self.red), #"{"op":"mask","url":"URL"}"#, OperationTests.flat([0, 255, 0]))
        #expect(near(try colored.pixel(5, 5), Self.red + [182]))
    }

    @Test func `invisible pixels do not change the color where a mask blends a blur`() throws {
        try VipsRuntime.start()
        let parts = try [VipsRuntime.solid(width: 50, height: 40, [255, 0, 0, 255]), VipsRuntime.solid(width: 50, height: 40, [0, 255, 0, 0])]
        let source = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", parts).set("across", 2).image(), .png)
        let image = try made(source, #"{"op":"blur","sigma":6,"mask":"URL"}"#, OperationTests.flat([128]))
        for x in 40..<66 {
            let pixel = try image.pixel(x, 20)
            if pixel[3] > 6 { #expect(pixel[0] > 200 && pixel[1] < 40, "\(x): \(pixel)") }
        }
        #expect(try image.pixel(20, 20) == [255, 0, 0, 255])
    }

    @Test func `a blur appears where its mask is bright`() throws {
        try VipsRuntime.start()
        let grays = try [0.0, 255].map { try VipsRuntime.solid(width: 200, height: 200, [$0], .gray) }
        let halves = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", grays).set("across", 2).image(), .png)
        let image = try made(OperationTests.quarters(), #"{"op":"blur","sigma":10,"tint":"black","mask":"URL"}"#, halves)
        #expect(near(try image.pixel(100, 99), Self.red))
        #expect(near(try image.pixel(100, 100), Self.blue))
        #expect(near(try image.pixel(300, 50), [0, 0, 0]))
    }

    // MARK: Mistakes

    @Test func `a broken layer does not count as a broken source`() throws {
        for bytes in [Array("no picture".utf8), Array(try OperationTests.flat(Self.blue).prefix(60))] {
            let failure = try #require(throws: PictureFailure.self) {
                _ = try made(OperationTests.flat(Self.red), #"{"op":"composite","url":"URL"}"#, bytes)
            }
            #expect(failure.reason == .transformFailed && failure.phase == .transform && failure.message.hasPrefix("other picture 1 of 1: "))
        }
        var limits = ImageLimits()
        limits.maxPixels = 900
        let text = #"{"transform":[{"op":"composite","url":"\#(Self.url)"}],"output":{"format":"png"}}"#
        let failure = try #require(throws: PictureFailure.self) {
            _ = try TestPictures.made(
                OperationTests.flat(Self.red), Rendition(canonical: JSON(parsing: text)), limits: limits, layers: [OperationTests.flat(Self.blue, 40, 30)])
        }
        #expect(failure.reason == .transformFailed && failure.message.hasSuffix("1200 is over the limit of 900"), "\(failure)")
    }

    // MARK: In a worker

    @Loop private func request(_ h: WorkerHarness, _ path: String, _ layers: String...) -> JSON {
        let steps = layers.map { JSON.object(["op": "composite", "url": .string($0), "x": 0]) }
        return ["url": .string(h.url(path)), "transform": .array(steps), "output": ["format": "png"]]
    }

    @Test @Loop func `layers are fetched like sources, once for all renditions, and kept`() async throws {
        let h = try await WorkerHarness()
        let layer = h.url("/picture.png?size=10x10")
        let steps: JSON = [["op": "composite", "url": .string(layer), "x": 0]]
        let both: JSON = [
            "url": .string(h.url("/picture.png?size=64x48")),
            "renditions": [
                ["name": "a", "transform": steps, "output": ["format": "png"]], ["name": "b", "transform": steps, "output": ["format": "webp"]],
            ],
        ]
        let first = try await h.submit(both)
        try await h.runOne()
        #expect(try await h.result(first)["renditions"]?.array?.count == 2)
        #expect(try await h.counts()["total"]?.int == 2)
        let second = try await h.submit(request(h, "/picture.png?size=64x49", layer, layer))
        try await h.runOne()
        #expect(try await h.result(second)["renditions"]?[0]?["width"] == 64)
        #expect(try await h.counts()["total"]?.int == 3)
    }

    @Test @Loop func `a result is fresh no longer than its pictures`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(
            request(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=5000", h.url("/picture.png?size=9x9&with=Cache-Control:+max-age=60"))
        )
        try await h.runOne()
        let left = try #require(try await h.result(receipt)["renditions"]?[0]?["expiresAt"]?.double) - WallClock.now
        #expect(left > 0 && left <= 60)
    }

    @Test @Loop func `a layer is tried again after a transient failure`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(request(h, "/picture.png?size=64x48", h.url("/status/503?times=1&n=1")))
        try await h.runOne()
        #expect(try await h.result(receipt)["attempts"] == 1)
    }

    @Test @Loop func `a layer's host that sends Retry-After is throttled in all queues`() async throws {
        let h = try await WorkerHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        _ = try await bulk.configure(QueueChange())
        let layer = h.origin.base.replacingOccurrences(of: "127.0.0.1", with: "localhost") + "/status/429?retry=60"
        let receipt = try await h.submit(request(h, "/picture.png?size=64x48", layer))
        try await h.runOne()
        #expect(try await h.failure(receipt).details["cause"] == "httpStatus")
        #expect(try await h.counts()["counts"]?["/status/429?retry=60"] == 1)
        for queue in [h.queue, bulk] { #expect(try await queue.info()?.heldHosts.keys.sorted() == ["localhost"]) }
    }

    @Test @Loop func `a changed layer is noticed, even if the source has not changed`() async throws {
        let h = try await WorkerHarness()
        var sums: [String] = []
        for _ in 0..<2 {
            var use = CacheUse()
            use.mode = .revalidate
            let layer = h.url("/picture.png?size=9x9&after=1&with=Cache-Control:+no-cache")
            let receipt = try await h.submit(request(h, "/picture.png?size=64x48", layer), cache: use) { $0.readResults = false }
            try await h.runOne()
            sums.append(try #require(try await h.result(receipt)["renditions"]?[0]?["sha256"]?.string))
        }
        #expect(sums[0] != sums[1])
    }

    @Test @Loop func `a missing layer fails only its rendition, and does not blame the source`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(request(h, "/picture.png?size=64x48", h.url("/status/404?k=s3cret")))
        try await h.runOne()
        let error = try await h.failure(receipt)
        #expect(error.name == .transformFailed && error.details["cause"] == "httpStatus" && !"\(error.json)".contains("s3cret"), "\(error.json)")
        let denied = try await h.submit(request(h, "/picture.png?size=64x48", "http://10.1.2.3/x.png"))
        try await h.runOne()
        #expect(try await h.failure(denied).details["cause"] == "denied")
        let fine = try await h.submit(["url": .string(h.url("/picture.png?size=64x48"))])
        try await h.runOne()
        #expect(try await h.result(fine)["state"] == "succeeded")
    }
}
