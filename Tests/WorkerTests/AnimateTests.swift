import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Animations that are made from several pictures, or from the frames in one.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
struct AnimateTests {
    private static let red = [255.0, 0, 0], green = [0.0, 255, 0], blue = [0.0, 0, 255], white = [255.0, 255, 255]
    private static let urls = (0..<3).map { "http://a.test/\($0)" }

    /// - Parameter pictures: the pictures behind the URLs that replace URLS.
    private func made(_ source: [UInt8], _ transform: String, _ pictures: [[UInt8]] = [], _ output: String = #"{"format":"webp","lossless":true}"#) throws
        -> [UInt8]
    {
        let list = "[" + Self.urls.prefix(pictures.count).map { "\"\($0)\"" }.joined(separator: ",") + "]"
        return try TestPictures.made(source, PictureTests.rendition(transform.replacing("URLS", with: list), output), layers: pictures)
    }

    /// The animation as libvips reads it from a file: frames, their delays, the number of plays, and the size of one frame.
    private struct Moving: Equatable {
        var frames: Int
        var delays: [Int]?
        var loop: Int?
        var size: PictureSize
    }

    private func moving(_ bytes: [UInt8], _ frames: Int) throws -> (VipsImage, Moving) {
        let image = try TestPictures.decoded(bytes, frames: frames)
        return (image, Moving(frames: image.pages, delays: image.ints("delay"), loop: image.int("loop"), size: PictureSize(image.width, image.pageHeight)))
    }

    // MARK: Several pictures

    @Test(arguments: ["webp", "gif"]) func `the source is the first frame, the others follow with their delays`(format: String) throws {
        let others = try [OperationTests.flat(Self.green), OperationTests.flat(Self.blue)]
        let bytes = try made(
            OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS,"delay":[100,250,40],"loop":3}"#, others, #"{"format":"\#(format)","lossless":true}"#)
        let (image, facts) = try moving(bytes, 3)
        #expect(facts == Moving(frames: 3, delays: [100, 250, 40], loop: 3, size: PictureSize(40, 20)))
        for (index, color) in [Self.red, Self.green, Self.blue].enumerated() {
            #expect(try nearOpaque(image.pixel(20, index * 20 + 10), color, within: 4), "\(index)")
        }
        let usual = try made(OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS}"#, others, #"{"format":"\#(format)"}"#)
        #expect(try moving(usual, 3).1 == Moving(frames: 3, delays: [100, 100, 100], loop: 0, size: PictureSize(40, 20)))
    }

    @Test(arguments: [true, false]) func `a canvas that no frame covers is transparent, although all frames are opaque`(isLossless: Bool) throws {
        let tall = try OperationTests.flat(Self.blue, 20, 20)
        let bytes = try made(
            OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS}"#, [tall], #"{"format":"webp","lossless":\#(isLossless)}"#)
        let at = try #require(bytes.firstRange(of: Array("ANIM".utf8))).lowerBound
        // Whether alpha is used, and the color of the canvas.
        #expect(bytes[20] & 16 == 16 && bytes[(at + 8)..<(at + 12)].allSatisfy { $0 == 0 })
        #expect(try moving(bytes, 2).0.pixel(2, 30) == [0, 0, 0, 0])
    }

    struct Fitting: Sendable, CustomTestStringConvertible {
        var members: String
        /// The second frame at its left edge and in its middle.
        var edge: [Double]
        var middle: [Double]
        var testDescription: String { members }
    }

    // A picture of 40 × 40, left half green, right half blue, in one of 40 × 20.
    static let fittings = [
        Fitting(members: "", edge: [0, 0, 0, 0], middle: [0, 255, 0, 255]),
        Fitting(members: #","background":"yellow""#, edge: [255, 255, 0], middle: [0, 255, 0]),
        Fitting(members: #","fit":"cover""#, edge: [0, 255, 0], middle: [0, 255, 0]),
        Fitting(members: #","fit":"fill""#, edge: [0, 255, 0], middle: [0, 255, 0]),
    ]

    @Test(arguments: fittings) func `another picture is fitted to the size of the first`(_ one: Fitting) throws {
        for side in [4, 40, 200] {
            let halves = try [Self.green, Self.blue].map { try VipsRuntime.solid(width: side / 2, height: side, $0) }
            let other = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", halves).set("across", 2).image(), .png)
            let bytes = try made(OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS\#(one.members)}"#, [other])
            let (image, facts) = try moving(bytes, 2)
            #expect(facts.size == PictureSize(40, 20))
            let edge = try image.pixel(1, 30), middle = try image.pixel(14, 30)
            let isClear = one.edge.count == 4 && edge.count == 4 && edge[3] == 0
            #expect(isClear || one.edge.count == 3 && near(edge, one.edge, within: 4), "\(side): \(edge)")
            #expect(near(middle, one.middle, within: 4), "\(side): \(middle)")
            #expect(try nearOpaque(image.pixel(20, 10), Self.red, within: 4))
        }
    }

    @Test func `pictures of all kinds combine: gray, transparent, deep, animated, turned`() throws {
        try VipsRuntime.start()
        let lying = try TurnStep.apply(Orientation(exif: 6).inverse, to: TestPictures.quarters(40, 20)).withHeader { $0.set("orientation", 6) }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        let deep = try VipsOperation("linear").set("in", VipsRuntime.solid(width: 40, height: 20, Self.blue)).set("a", [257]).set("b", [0]).image()
        let whole = try VipsOperation("cast").set("in", deep).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        let tagged = try VipsOperation("copy").set("in", whole).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        let pictures = try [
            options.jpeg(lying), TestPictures.encoded(tagged, .png),
            TestPictures.animation(40, 20, [Self.green, Self.red], delays: [50, 70], loop: 0, .gif),
        ]
        for source in try [OperationTests.flat([77]), OperationTests.flat(Self.white + [128]), TestPictures.encoded(tagged, .png)] {
            let (image, facts) = try moving(made(source, #"{"op":"animate","urls":URLS}"#, pictures), 4)
            #expect(facts.frames == 4 && facts.size == PictureSize(40, 20))
            #expect(try nearOpaque(image.pixel(5, 22), Self.red, within: 20) && nearOpaque(image.pixel(35, 38), Self.white, within: 20))
            #expect(try nearOpaque(image.pixel(20, 50), Self.blue, within: 4) && nearOpaque(image.pixel(20, 70), Self.green, within: 4))
        }
    }

    @Test func `earlier steps change the first picture, later steps every frame`() throws {
        let others = try [OperationTests.flat(Self.green), OperationTests.flat(Self.blue)]
        let steps =
            #"{"op":"resize","width":20},{"op":"animate","urls":URLS},{"op":"invert"},{"op":"extend","left":4,"color":"black"},{"op":"rotate","angle":90}"#
        let (image, facts) = try moving(made(OperationTests.flat(Self.red), steps, others), 3)
        #expect(facts.size == PictureSize(10, 24) && facts.frames == 3)
        for (index, color) in [[0.0, 255, 255], [255.0, 0, 255], [255.0, 255, 0]].enumerated() {
            #expect(
                try nearOpaque(image.pixel(5, index * 24 + 15), color, within: 4) && nearOpaque(image.pixel(5, index * 24 + 1), [0, 0, 0], within: 4),
                "\(index)")
        }
        // New frames can be chosen among. The source's frames are chosen before.
        let source = try TestPictures.animation(40, 20, [Self.white, Self.red], delays: [50, 70], loop: 9, .gif)
        let chosen =
            #"{"op":"frames","pick":[1]},{"op":"animate","urls":URLS,"delay":[100,200,300],"loop":2},{"op":"frames","reverse":true,"first":2,"speed":2}"#
        let (some, times) = try moving(made(source, chosen, others), 2)
        #expect(times == Moving(frames: 2, delays: [100, 50], loop: 2, size: PictureSize(40, 20)))
        #expect(try near(some.pixel(5, 5), Self.green, within: 4) && near(some.pixel(5, 25), Self.red, within: 4))
    }

    @Test func `a still format gets the first frame, and without a format an animated one is chosen`() throws {
        let others = try [OperationTests.flat(Self.green), OperationTests.flat(Self.blue)]
        for format in ["png", "jpeg"] {
            let still = try made(OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS}"#, others, #"{"format":"\#(format)"}"#)
            #expect(try near(TestPictures.decoded(still).pixel(20, 10), Self.red, within: 4))
        }
        for output in [#"{}"#, #"{"format":"auto","accept":"image/webp,image/png"}"#] {
            let bytes = try made(OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS}"#, others, output)
            #expect(ImageSniff.of(bytes) == .image(.webp), "\(output)")
            #expect(try moving(bytes, 3).1.frames == 3)
        }
    }

    // MARK: A sheet

    /// Six cells of 30 × 20: red, green, blue / white, black, yellow.
    private func sheet(_ format: ImageFormat = .png) throws -> [UInt8] {
        try VipsRuntime.start()
        let cells = try [Self.red, Self.green, Self.blue, Self.white, [0, 0, 0], [255, 255, 0]].map { try VipsRuntime.solid(width: 30, height: 20, $0) }
        return try TestPictures.encoded(VipsOperation("arrayjoin").set("in", cells).set("across", 3).image(), format)
    }

    @Test func `a sheet is cut row by row`() throws {
        for (format, within) in [(ImageFormat.png, 4.0), (.jpeg, 20)] {
            let bytes = try made(sheet(format), #"{"op":"animate","columns":3,"rows":2,"count":5,"delay":80,"loop":1},{"op":"resize","width":15}"#)
            let (image, facts) = try moving(bytes, 5)
            #expect(facts == Moving(frames: 5, delays: [80, 80, 80, 80, 80], loop: 1, size: PictureSize(15, 10)))
            for (index, color) in [Self.red, Self.green, Self.blue, Self.white, [0, 0, 0]].enumerated() {
                #expect(try near(image.pixel(7, index * 10 + 5), color, within: within), "\(format) \(index)")
            }
        }
        let row = try moving(made(sheet(), #"{"op":"crop","x":0,"y":20,"width":90,"height":20},{"op":"animate","columns":3}"#), 3)
        #expect(row.1.size == PictureSize(30, 20) && row.1.frames == 3)
        #expect(try near(row.0.pixel(15, 50), [255, 255, 0], within: 4))
        // Columns that do not divide the width leave a remainder at the right and below.
        let uneven = try moving(made(sheet(), #"{"op":"animate","columns":4,"rows":1}"#), 4)
        #expect(uneven.1.size == PictureSize(22, 40))
        let still = try made(sheet(), #"{"op":"animate","columns":3,"rows":2}"#, [], #"{"format":"png"}"#)
        #expect(try TestPictures.decoded(still).width == 30)
        let trimmed = try moving(made(sheet(), #"{"op":"animate","columns":3,"rows":2},{"op":"extend","top":5,"color":"orange"},{"op":"trim"}"#), 6)
        #expect(trimmed.1.size.height == 20)
    }

    // MARK: Limits and failures

    @Test func `limits count all frames, and too many are an error`() throws {
        var limits = ImageLimits()
        limits.maxFrames = 5
        let rendition = try PictureTests.rendition(#"{"op":"animate","columns":3,"rows":2}"#, #"{"format":"webp"}"#)
        func which(_ limits: ImageLimits, _ source: [UInt8], _ rendition: Rendition) throws -> String {
            let error = try #require(throws: PictureFailure.self) { _ = try TestPictures.made(source, rendition, limits: limits) }
            guard case .limitExceeded(let which, _, _) = error.reason else { throw TestProblem() }
            return which
        }
        #expect(try which(limits, sheet(), rendition) == "maxFrames")
        limits = ImageLimits()
        limits.maxPixels = 6000
        let larger = try PictureTests.rendition(#"{"op":"animate","columns":3,"rows":2},{"op":"extend","left":100}"#, #"{"format":"webp"}"#)
        #expect(try which(limits, sheet(), larger) == "maxPixels")
        #expect(try moving(TestPictures.made(sheet(), rendition, limits: limits), 6).1.frames == 6)
    }

    @Test func `faults of another picture, and empty results, are named`() throws {
        let broken = try #require(throws: PictureFailure.self) {
            _ = try made(OperationTests.flat(Self.red), #"{"op":"animate","urls":URLS}"#, [Array("no picture".utf8)])
        }
        #expect(broken.reason == .transformFailed && broken.phase == .transform && broken.message.hasPrefix("other picture 1 of 1: "))
        let none = try #require(throws: PictureFailure.self) { _ = try made(OperationTests.flat(Self.red), #"{"op":"animate","columns":41}"#) }
        #expect(none.reason == .transformFailed && none.message.contains("leaves nothing"))
        let missing = try #require(throws: PictureFailure.self) { _ = try made(sheet(), #"{"op":"animate","columns":3},{"op":"frames","pick":[3]}"#) }
        #expect(missing.message.contains("frame 3"))
    }

    // MARK: In a worker

    @Test @Loop func `its pictures are fetched once each, up to the limit`() async throws {
        let h = try await WorkerHarness()
        let urls = (0..<Animate.maxPictures).map { JSON.string(h.url("/picture.png?size=\(20 + $0 % 20)x20")) }
        let receipt = try await h.submit([
            "url": .string(h.url("/picture.png?size=64x48")), "transform": [["op": "animate", "urls": .array(urls), "delay": 50]],
            "output": ["format": "webp"],
        ])
        try await h.runOne()
        let made = try await h.result(receipt)["renditions"]?[0]
        #expect(made?["frames"]?.int == Animate.maxPictures + 1 && made?["width"] == 64 && made?["format"] == "webp", "\(made?.text ?? "")")
        #expect(try await h.counts()["total"]?.int == 21)
        let lacking = try await h.submit([
            "url": .string(h.url("/picture.png?size=64x48")), "transform": [["op": "animate", "urls": [.string(h.url("/status/404"))]]],
        ])
        try await h.runOne()
        #expect(try await h.failure(lacking).name == .transformFailed)
    }
}
