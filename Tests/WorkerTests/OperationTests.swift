import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Testing

@testable import Worker

/// What each operation makes of pictures whose colours are known.
@Suite(.timeLimit(.minutes(2)))
struct OperationTests {
    /// A picture of one colour, as PNG.
    static func flat(_ colour: [Double], _ width: Int = 40, _ height: Int = 20) throws -> [UInt8] {
        try VipsRuntime.start()
        return try TestPictures.encoded(VipsRuntime.solid(width: width, height: height, colour, colour.count < 3 ? .grey : .sRGB), .png)
    }

    static func quarters(_ width: Int = 400, _ height: Int = 200) throws -> [UInt8] {
        try TestPictures.encoded(TestPictures.quarters(width, height), .png)
    }

    // MARK: Colours

    struct ColourCase: Sendable, CustomTestStringConvertible {
        var transform: String
        var from: [Double]
        var to: [Double]
        var testDescription: String { "\(transform) of \(from)" }
        init(_ transform: String, _ from: [Double], _ to: [Double]) { (self.transform, self.from, self.to) = (transform, from, to) }
    }

    static let colours: [ColourCase] = [
        ColourCase(#"{"op":"grayscale"}"#, [255, 0, 0], [54]), ColourCase(#"{"op":"grayscale"}"#, [0, 255, 0], [182]),
        ColourCase(#"{"op":"grayscale"}"#, [0, 0, 255, 128], [18, 128]), ColourCase(#"{"op":"grayscale"}"#, [77], [77]),
        ColourCase(#"{"op":"invert"}"#, [255, 100, 0], [0, 155, 255]), ColourCase(#"{"op":"invert"}"#, [255, 100, 0, 40], [0, 155, 255, 40]),
        ColourCase(#"{"op":"sepia"}"#, [100, 100, 100], [135, 120, 94]), ColourCase(#"{"op":"sepia","amount":0.5}"#, [100, 100, 100], [118, 110, 97]),
        ColourCase(#"{"op":"sepia"}"#, [100], [135, 120, 94]),
        ColourCase(#"{"op":"modulate","brightness":0.5}"#, [200, 100, 50], [100, 50, 25]),
        ColourCase(#"{"op":"modulate","brightness":2}"#, [200, 100, 50, 60], [255, 200, 100, 60]),
        ColourCase(#"{"op":"modulate","contrast":2}"#, [200, 128, 50], [255, 128, 0]),
        ColourCase(#"{"op":"modulate","contrast":0}"#, [200, 128, 50], [128, 128, 128]),
        ColourCase(#"{"op":"modulate","saturation":0}"#, [255, 0, 0], [54, 54, 54]),
        // YYWebImage's matrix for 1.8: 0.2126 − 0.2126 · 1.8 … of a colour that is not cut.
        ColourCase(#"{"op":"modulate","saturation":1.8}"#, [150, 120, 100], [170, 116, 80]),
        ColourCase(#"{"op":"modulate","saturation":-1}"#, [150, 120, 100], [100, 130, 150]),
        ColourCase(#"{"op":"modulate","hue":120}"#, [100, 100, 100], [100, 100, 100]),
        ColourCase(#"{"op":"modulate","hue":180}"#, [100, 50, 50], [21, 71, 71]),
        ColourCase(#"{"op":"modulate","gamma":2}"#, [64, 0, 255], [128, 0, 255]),
        ColourCase(#"{"op":"modulate","brightness":0.5,"hue":90}"#, [77], [39]),
        ColourCase(##"{"op":"tint","color":"#102030"}"##, [200, 100, 50], [16, 32, 48]),
        ColourCase(##"{"op":"tint","color":"#102030"}"##, [200, 100, 50, 99], [16, 32, 48, 99]),
        ColourCase(##"{"op":"tint","color":"#10203080"}"##, [200, 100, 50], [16, 32, 48, 128]),
        ColourCase(##"{"op":"tint","color":"#ff000080","blend":"normal"}"##, [0, 100, 200], [128, 50, 100]),
        ColourCase(##"{"op":"tint","color":"#808080","blend":"multiply"}"##, [200, 100, 50, 10], [100, 50, 25, 10]),
        ColourCase(##"{"op":"tint","color":"#808080","blend":"screen"}"##, [200, 100, 50], [228, 178, 153]),
        ColourCase(##"{"op":"tint","color":"red","blend":"darken"}"##, [200, 100, 50], [200, 0, 0]),
        ColourCase(##"{"op":"tint","color":"red","blend":"difference"}"##, [200, 100, 50], [55, 100, 50]),
        ColourCase(#"{"op":"tint","color":"red"}"#, [77], [255, 0, 0]),
        ColourCase(##"{"op":"duotone","shadow":"navy","highlight":"#ff8000"}"##, [0, 0, 0], [0, 0, 128]),
        ColourCase(##"{"op":"duotone","shadow":"navy","highlight":"#ff8000"}"##, [255, 255, 255, 7], [255, 128, 0, 7]),
        ColourCase(#"{"op":"duotone","shadow":"black","highlight":"red"}"#, [128], [128, 0, 0]),
        ColourCase(#"{"op":"background","color":"red"}"#, [0, 0, 255, 128], [127, 0, 128]),
        ColourCase(#"{"op":"background"}"#, [9, 9, 9, 0], [255, 255, 255]),
        ColourCase(##"{"op":"background","color":"#ff000080"}"##, [0, 0, 255, 0], [255, 0, 0, 128]),
        ColourCase(#"{"op":"background","color":"red"}"#, [1, 2, 3], [1, 2, 3]), ColourCase(#"{"op":"background","color":"red"}"#, [0, 0], [255, 0, 0]),
        // What is flat stays as it is under all that mixes neighbours.
        ColourCase(#"{"op":"sharpen","sigma":2}"#, [200, 100, 50], [200, 100, 50]), ColourCase(#"{"op":"sharpen"}"#, [200, 100, 50, 99], [200, 100, 50, 99]),
        ColourCase(#"{"op":"sharpen"}"#, [77], [77]), ColourCase(#"{"op":"blur","sigma":3}"#, [200, 100, 50], [200, 100, 50]),
        ColourCase(#"{"op":"blur","sigma":40}"#, [200, 100, 50], [200, 100, 50]),
        ColourCase(#"{"op":"blur","radius":4}"#, [200, 100, 50, 99], [200, 100, 50, 99]),
        ColourCase(#"{"op":"pixelate","size":7}"#, [200, 100, 50, 99], [200, 100, 50, 99]),
        ColourCase(#"{"op":"resize","width":9,"linear":true}"#, [200, 100, 50], [200, 100, 50]),
        ColourCase(#"{"op":"resize","width":9,"linear":true}"#, [200, 100, 50, 99], [200, 100, 50, 99]),
        // YYWebImage's looks: saturation 1.8 of grey is grey, then white 0.84 at 0.36 and so on over it.
        ColourCase(#"{"op":"blur","preset":"soft"}"#, [100, 100, 100], [141, 141, 141]),
        ColourCase(#"{"op":"blur","preset":"light"}"#, [100, 100, 100], [147, 147, 147]),
        ColourCase(#"{"op":"blur","preset":"extraLight"}"#, [100, 100, 100], [221, 221, 221]),
        ColourCase(#"{"op":"blur","preset":"dark"}"#, [100, 100, 100], [47, 47, 47]),
        ColourCase(#"{"op":"blur","preset":"soft","radius":5}"#, [150, 120, 100], [186, 151, 128]),
        ColourCase(#"{"op":"blur","preset":"dark"}"#, [100], [47, 47, 47]),
    ]

    @Test(arguments: colours) func `A colour becomes the one that the rule says`(_ one: ColourCase) throws {
        let image = try PictureTests.made(Self.flat(one.from), one.transform)
        let seen = try image.pixel(image.width / 2, image.height / 2)
        let wanted = image.bands == 3 && one.to.count == 1 ? [one.to[0], one.to[0], one.to[0]] : one.to
        #expect(seen.count == wanted.count && near(seen, wanted, within: 1.5), "\(seen) is not \(wanted)")
    }

    @Test(arguments: colours) func `Sixteen bits come to the same colours`(_ one: ColourCase) throws {
        try VipsRuntime.start()
        let image = try VipsRuntime.solid(width: 40, height: 20, one.from)
        let deep = try VipsOperation("linear").set("in", image).set("a", [257]).set("b", [0]).image()
        let whole = try VipsOperation("cast").set("in", deep).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        let space: VipsColours = one.from.count < 3 ? .grey16 : .rgb16
        let tagged = try VipsOperation("copy").set("in", whole).set("interpretation", Int(space.rawValue)).image()
        let result = try PictureTests.made(TestPictures.encoded(tagged, .png), one.transform)
        #expect(result.format == .uint16)
        let seen = try result.pixel(result.width / 2, result.height / 2).map { $0 / 257 }
        let wanted = result.bands == 3 && one.to.count == 1 ? [one.to[0], one.to[0], one.to[0]] : one.to
        #expect(seen.count == wanted.count && near(seen, wanted, within: 1.5), "\(seen) is not \(wanted)")
    }

    // MARK: Sizes and places

    static let red = PictureTests.red, green = PictureTests.green, blue = PictureTests.blue, white = PictureTests.white

    struct PlaceCase: Sendable, CustomTestStringConvertible {
        var transform: String
        var size: PictureSize
        var points: [(x: Int, y: Int, colour: [Double])]
        var testDescription: String { transform }
        init(_ transform: String, _ width: Int, _ height: Int, _ points: (Int, Int, [Double])...) {
            (self.transform, size) = (transform, PictureSize(width, height))
            self.points = points.map { (x: $0.0, y: $0.1, colour: $0.2) }
        }
    }

    static let clear = [0.0, 0, 0, 0]
    static let opaque = [255.0, 0, 0, 255]

    // The source is 400 × 200: red, green above blue, white.
    static let places: [PlaceCase] = [
        PlaceCase(
            #"{"op":"extend","top":10,"left":20,"right":5,"bottom":1,"color":"black"}"#, 425, 211, (19, 100, [0, 0, 0]), (20, 10, red), (419, 209, white),
            (420, 209, [0, 0, 0])),
        PlaceCase(#"{"op":"extend","left":10}"#, 410, 200, (5, 5, clear), (15, 5, opaque)),
        PlaceCase(#"{"op":"inset","top":100,"left":200}"#, 200, 100, (0, 0, white), (199, 99, white)),
        PlaceCase(#"{"op":"inset","left":-10,"right":300,"color":"black"}"#, 110, 200, (9, 5, [0, 0, 0]), (10, 5, red), (109, 5, red)),
        PlaceCase(#"{"op":"rotate","angle":90},{"op":"extend","top":10,"color":"black"}"#, 200, 410, (5, 5, [0, 0, 0]), (5, 12, blue), (195, 12, red)),
        PlaceCase(#"{"op":"pad","width":500,"height":100,"color":"black"}"#, 500, 200, (49, 0, [0, 0, 0]), (50, 0, red), (450, 0, [0, 0, 0])),
        PlaceCase(#"{"op":"pad","aspect":1,"gravity":"bottom","color":"black"}"#, 400, 400, (0, 199, [0, 0, 0]), (0, 200, red)),
        PlaceCase(#"{"op":"pad","aspect":4,"gravity":"left","color":"black"}"#, 800, 200, (0, 0, red), (400, 0, [0, 0, 0])),
        PlaceCase(
            #"{"op":"rotate","angle":90},{"op":"pad","aspect":1,"gravity":"left","color":"black"}"#, 400, 400, (0, 0, blue), (199, 0, red), (201, 0, [0, 0, 0])),
        PlaceCase(#"{"op":"border","width":10}"#, 400, 200, (9, 100, [0, 0, 0]), (390, 100, [0, 0, 0]), (10, 50, red), (200, 190, [0, 0, 0])),
        PlaceCase(##"{"op":"border","width":10,"color":"#0000ff80"}"##, 400, 200, (5, 50, [127, 0, 128]), (50, 50, red)),
        PlaceCase(
            #"{"op":"roundCorners","radius":50}"#, 400, 200, (0, 0, clear), (13, 13, clear), (15, 15, [255, 0, 0]), (50, 0, [255, 0, 0]), (399, 199, clear),
            (200, 0, [0, 255, 0, 255])),
        PlaceCase(
            #"{"op":"roundCorners","radius":50,"corners":["topLeft"]}"#, 400, 200, (0, 0, clear), (399, 0, [0, 255, 0, 255]), (399, 199, [255, 255, 255, 255])),
        PlaceCase(#"{"op":"roundCorners","radius":9999}"#, 400, 200, (0, 0, clear), (28, 28, clear), (31, 31, opaque), (0, 100, [0, 0, 255])),
        PlaceCase(
            #"{"op":"roundCorners","radius":50,"border":{"width":10}}"#, 400, 200, (0, 0, clear), (5, 100, [0, 0, 0, 255]), (10, 80, opaque),
            (17, 17, [0, 0, 0, 255])),
        PlaceCase(#"{"op":"roundCorners","radius":0,"border":{"width":10,"join":"round"}}"#, 400, 200, (5, 100, [0, 0, 0])),
        PlaceCase(
            #"{"op":"roundCorners","radius":9,"corners":["topLeft"],"border":{"width":20,"join":"bevel"}}"#, 400, 200, (399, 0, [0, 0, 0, 0]),
            (392, 5, [0, 0, 0, 255])),
        PlaceCase(#"{"op":"rotate","angle":90},{"op":"roundCorners","radius":50,"corners":["topLeft"]}"#, 200, 400, (0, 0, clear), (199, 0, opaque)),
        PlaceCase(#"{"op":"mask","shape":"circle"}"#, 400, 200, (99, 100, clear), (102, 90, opaque), (200, 100, [255, 255, 255, 255]), (301, 100, clear)),
        PlaceCase(
            #"{"op":"mask","shape":"ellipse"}"#, 400, 200, (0, 0, clear), (2, 98, opaque), (200, 1, [0, 255, 0, 255]), (57, 28, clear), (60, 31, opaque)),
        PlaceCase(#"{"op":"pixelate","size":100}"#, 400, 200, (99, 99, red), (200, 99, green), (399, 100, white)),
        PlaceCase(#"{"op":"pixelate","size":9999}"#, 400, 200, (0, 0, [128, 128, 128]), (399, 199, [128, 128, 128])),
        PlaceCase(
            #"{"op":"rotate","angle":90,"expand":false}"#, 400, 200, (99, 100, clear), (100, 0, [0, 0, 255, 255]), (299, 0, opaque),
            (299, 199, [0, 255, 0, 255])),
        PlaceCase(#"{"op":"rotate","angle":45}"#, 425, 425, (0, 0, clear), (212, 5, clear), (150, 100, opaque), (300, 200, [0, 255, 0, 255])),
        PlaceCase(#"{"op":"rotate","angle":45,"background":"black"}"#, 425, 425, (0, 0, [0, 0, 0]), (150, 100, red), (100, 200, blue)),
        PlaceCase(#"{"op":"rotate","angle":-45,"expand":false,"background":"black"}"#, 400, 200, (0, 0, [0, 0, 0]), (120, 100, red), (200, 20, green)),
        PlaceCase(#"{"op":"resize","width":50,"dpr":2}"#, 100, 50, (25, 10, red)),
        PlaceCase(
            #"{"op":"resize","width":100,"height":300,"fit":"none","background":"black"}"#, 100, 300, (0, 49, [0, 0, 0]), (0, 50, red), (99, 249, white)),
        PlaceCase(#"{"op":"resize","width":100,"fit":"none","gravity":"left"}"#, 100, 200, (99, 0, red)),
        PlaceCase(#"{"op":"resize","width":100,"height":100,"fit":"cover","gravity":{"x":0.25,"y":0.5}}"#, 100, 100, (98, 10, red), (1, 90, blue)),
        PlaceCase(#"{"op":"resize","width":100,"height":100,"fit":"cover","gravity":{"x":1,"y":1}}"#, 100, 100, (1, 10, green)),
        PlaceCase(#"{"op":"crop","width":100,"height":100,"gravity":{"x":0.25,"y":0.25}}"#, 100, 100, (0, 0, red), (99, 99, red)),
        PlaceCase(#"{"op":"resize","width":40,"kernel":"nearest"}"#, 40, 20, (19, 9, red), (20, 9, green)),
        PlaceCase(#"{"op":"extend","left":30,"top":40,"color":"orange"},{"op":"trim"}"#, 400, 200, (0, 0, red), (399, 199, white)),
        PlaceCase(#"{"op":"extend","left":30,"top":40},{"op":"trim"}"#, 400, 200, (0, 0, opaque)),
        PlaceCase(#"{"op":"extend","left":30,"top":40,"color":"orange"},{"op":"trim","margin":10}"#, 410, 210, (9, 9, [255, 165, 0]), (10, 10, red)),
        PlaceCase(#"{"op":"trim","color":"white"}"#, 400, 200, (0, 0, red)),
        PlaceCase(#"{"op":"crop","x":0,"y":0,"width":2,"height":9},{"op":"trim","margin":5}"#, 2, 9, (0, 0, red)),
        PlaceCase(#"{"op":"crop","x":0,"y":0,"width":50,"height":50},{"op":"trim"}"#, 50, 50, (0, 0, red)),
        PlaceCase(
            #"{"op":"extend","left":30,"color":"orange"},{"op":"rotate","angle":90},{"op":"trim"},{"op":"resize","width":20}"#, 20, 40, (2, 2, blue),
            (17, 37, green)),
        PlaceCase(#"{"op":"autorotate","enabled":false},{"op":"trim"},{"op":"flip","horizontal":true}"#, 400, 200, (0, 0, green)),
    ]

    @Test(arguments: places) func `An operation puts each colour in its place`(_ one: PlaceCase) throws {
        let image = try PictureTests.made(Self.quarters(), one.transform)
        #expect(PictureSize(image.width, image.height) == one.size)
        for point in one.points where point.x < image.width && point.y < image.height {
            let seen = try image.pixel(point.x, point.y)
            // Of what is invisible only that counts.
            let isFine = point.colour == Self.clear ? seen.count == 4 && seen[3] < 8 : nearOpaque(seen, point.colour, within: 4)
            #expect(isFine, "\(point.x), \(point.y): \(seen) is not \(point.colour)")
        }
    }

    struct TrimCase: Sendable, CustomTestStringConvertible {
        var size: PictureSize
        var content: PictureWindow
        var testDescription: String { "\(content) in \(size)" }
    }

    static let trims = [
        TrimCase(size: PictureSize(40, 20), content: PictureWindow(x: 7, y: 3, width: 1, height: 1)),
        TrimCase(size: PictureSize(40, 20), content: PictureWindow(x: 39, y: 19, width: 1, height: 1)),
        TrimCase(size: PictureSize(40, 20), content: PictureWindow(x: 5, y: 0, width: 1, height: 20)),
        TrimCase(size: PictureSize(40, 20), content: PictureWindow(x: 0, y: 9, width: 40, height: 1)),
        TrimCase(size: PictureSize(40, 20), content: PictureWindow(x: 3, y: 4, width: 2, height: 5)),
        TrimCase(size: PictureSize(40, 1), content: PictureWindow(x: 10, y: 0, width: 3, height: 1)),
        TrimCase(size: PictureSize(2, 30), content: PictureWindow(x: 1, y: 10, width: 1, height: 9)),
        TrimCase(size: PictureSize(2, 2), content: PictureWindow(x: 1, y: 1, width: 1, height: 1)),
    ]

    @Test(arguments: trims, [[255.0, 255, 255], [255, 255, 255, 255], [9, 9, 9, 0], [200], [0, 255]])
    func `Trim keeps all that is there, however thin`(_ one: TrimCase, background: [Double]) throws {
        try VipsRuntime.start()
        var content = [120.0, 30, 200]
        if background.count < 3 { content = [90] }
        if background.count % 2 == 0 { content.append(255) }
        let space: VipsColours = background.count < 3 ? .grey : .sRGB
        let image = try VipsOperation("insert").set("main", VipsRuntime.solid(width: one.size.width, height: one.size.height, background, space))
            .set("sub", VipsRuntime.solid(width: one.content.width, height: one.content.height, content, space)).set("x", one.content.x).set("y", one.content.y)
            .image()
        for format in [ImageFormat.png, .webp] {
            let source = try TestPictures.encoded(image, format, OutputOptions(isLossless: true))
            let trimmed = try PictureTests.made(source, #"{"op":"trim"}"#)
            #expect(PictureSize(trimmed.width, trimmed.height) == one.content.size, "\(format)")
            #expect(try near([trimmed.pixel(0, 0)[0]], [content[0]]))
        }
    }

    /// Three frames with content in different places, on white. Its halves differ: later libvips writes frames that do not as one.
    private static func wandering() throws -> [UInt8] {
        try VipsRuntime.start()
        let white = try VipsRuntime.solid(width: 60, height: 40, [255, 255, 255])
        let halves = try [[200, 0, 0], [0, 0, 200]].map { try VipsRuntime.solid(width: 5, height: 6, $0) }
        let dot = try VipsOperation("arrayjoin").set("in", halves).set("across", 2).image()
        let frames = try [(5, 5), (30, 20), (40, 30)].map {
            try VipsOperation("insert").set("main", white).set("sub", dot).set("x", $0.0).set("y", $0.1).image()
        }
        let strip = try VipsOperation("arrayjoin").set("in", frames).set("across", 1).image().withHeader { header in
            header.set("page-height", 40)
            header.set("n-pages", 3)
            header.set("delay", [100, 100, 100])
        }
        return try TestPictures.encoded(strip, .gif)
    }

    @Test(arguments: [
        (#"{"op":"trim"}"#, "gif", 45, 31, 3), (#"{"op":"trim"},{"op":"frames","pick":[1]}"#, "gif", 10, 6, 1),
        (#"{"op":"frames","pick":[1]},{"op":"trim"}"#, "gif", 10, 6, 1), (#"{"op":"trim"},{"op":"frames","pick":[2]}"#, "png", 10, 6, 1),
        (#"{"op":"trim"},{"op":"frames","pick":[1,2]}"#, "gif", 20, 16, 2), (#"{"op":"trim"}"#, "png", 10, 6, 1),
        (#"{"op":"trim"},{"op":"animate","columns":2}"#, "gif", 5, 6, 2),
        (#"{"op":"frames","pick":[2]},{"op":"trim"},{"op":"animate","columns":2},{"op":"frames","pick":[1]}"#, "gif", 5, 6, 1),
    ]) func `Trim looks at the frames that there will be`(steps: String, format: String, width: Int, height: Int, count: Int) throws {
        let made = try TestPictures.made(Self.wandering(), PictureTests.rendition(steps, #"{"format":"\#(format)"}"#))
        let image = try TestPictures.decoded(made, frames: count)
        #expect(PictureSize(image.width, count > 1 ? image.pageHeight : image.height) == PictureSize(width, height))
        #expect(image.pages == count)
    }

    // SDWebImage (SD-K03) and YYImage (YY-I02): less than 0.011 s is not believed.
    @Test(arguments: [ImageFormat.gif, .webp]) func `Times that no viewer believes are written as they are seen`(format: ImageFormat) throws {
        let bytes = try TestPictures.animation(40, 20, [Self.red, Self.green, Self.blue], delays: [0, 10, 20], loop: 0, format)
        let wanted = [100, 100, 20]
        for target in [ImageFormat.gif, .webp] {
            let made = try TestPictures.made(bytes, PictureTests.rendition("", #"{"format":"\#(target.rawValue)","lossless":true}"#))
            #expect(try TestPictures.decoded(made, frames: 3).ints("delay") == wanted, "\(format) to \(target)")
        }
        let plan = try PicturePlanner.plan(PlanTests.facts(.gif, 9, 9, frames: 3), Rendition(), ImageLimits())
        #expect(plan.delays(of: []) == [100, 100, 100] && plan.delays(of: [31, 5]) == [31, 100, 100])
    }

    @Test func `Trim does not take a photo's specks for content`() throws {
        let inner = try TestPictures.quarters(60, 40)
        let framed = try VipsOperation("embed").set("in", inner).set("x", 23).set("y", 13).set("width", 120).set("height", 90).set("extend", 5)
            .set("background", [255.0, 255, 255]).image()
        for quality in [60, 95] {
            let source = try TestPictures.encoded(framed, .jpeg, OutputOptions(quality: quality))
            let image = try PictureTests.made(source, #"{"op":"trim","threshold":20}"#)
            // White on white is trimmed; of the rest, what half the colour leaves beside it.
            #expect(abs(image.width - 60) <= 10 && abs(image.height - 40) <= 10, "\(image.width)x\(image.height)")
        }
    }

    @Test func `A photo that lies is changed as it is seen`() throws {
        let upright = try TestPictures.quarters(200, 100)
        let tagged = try TurnStep.apply(Orientation(exif: 6).inverse, to: upright).withHeader { $0.set("orientation", 6) }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        let bytes = try options.jpeg(tagged)
        let image = try PictureTests.made(
            bytes, #"{"op":"grayscale"},{"op":"extend","top":20,"color":"red"},{"op":"roundCorners","radius":10,"corners":["bottomRight"]}"#)
        #expect(PictureSize(image.width, image.height) == PictureSize(200, 120))
        #expect(try near(image.pixel(5, 5), [255, 0, 0, 255], within: 20))
        #expect(try near(image.pixel(5, 30), [54, 54, 54, 255], within: 20))
        #expect(try image.pixel(199, 119)[3] == 0 && image.pixel(0, 119)[3] == 255)
    }

    @Test func `A turn by nearly a quarter agrees with the quarter turn`() throws {
        let bytes = try Self.quarters(200, 200)
        let exact = try PictureTests.made(bytes, #"{"op":"rotate","angle":90}"#)
        let turned = try PictureTests.made(bytes, #"{"op":"rotate","angle":89.9999,"expand":false}"#)
        for (x, y) in [(3, 3), (196, 196), (99, 99), (100, 99), (99, 100), (100, 100)] {
            #expect(try nearOpaque(turned.pixel(x, y), exact.pixel(x, y), within: 4), "\(x), \(y)")
        }
        #expect(Turn(45).box(of: PictureSize(100, 100)) == PictureSize(142, 142))
        #expect(Turn(90).box(of: PictureSize(400, 200)) == PictureSize(200, 400))
        #expect(Turn(180).box(of: PictureSize(400, 200)) == PictureSize(400, 200))
    }

    // MARK: Rules of the seeds

    @Test(arguments: [(0.4, 3, 1), (1, 3, 2), (2, 3, 3), (5, 5, 3), (10, 9, 3), (20, 19, 3), (40, 37, 3), (60, 57, 3)])
    func `A radius means the boxes of YYWebImage`(radius: Double, side: Int, passes: Int) throws {
        guard case .blur(let blur) = try TestPictures.steps(#"[{"op":"blur","radius":\#(radius)}]"#)[0] else { throw TestProblem() }
        #expect(blur.boxes?.side == side && blur.boxes?.passes == passes)
    }

    @Test func `A point is blurred into the boxes' own shape`() throws {
        try VipsRuntime.start()
        let dark = try VipsRuntime.solid(width: 41, height: 41, [0, 0, 0])
        let dot = try VipsRuntime.solid(width: 9, height: 9, [255, 255, 255])
        let image = try VipsOperation("insert").set("main", dark).set("sub", dot).set("x", 16).set("y", 16).image()
        let result = try PictureTests.made(TestPictures.encoded(image, .png), #"{"op":"blur","radius":2}"#)
        // Three boxes of three: 1 3 6 7 6 3 1 of 27, along each axis.
        for (x, share) in [(20, 27.0), (17, 23.0), (16, 17.0), (15, 10.0), (14, 4.0), (13, 1.0), (12, 0.0)] {
            #expect(try near([result.pixel(x, 20)[0]], [255 * share / 27], within: 1.5), "\(x)")
        }
    }

    @Test(arguments: [3.0, 30]) func `A blurred edge is as soft as its sigma says`(sigma: Double) throws {
        try VipsRuntime.start()
        let halves = try [VipsRuntime.solid(width: 200, height: 60, [0, 0, 0]), VipsRuntime.solid(width: 200, height: 60, [255, 255, 255])]
        let bytes = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", halves).set("across", 2).image(), .png)
        let image = try PictureTests.made(bytes, #"{"op":"blur","sigma":\#(sigma)}"#)
        // One sigma from the edge a Gaussian has 16 % and 84 %.
        #expect(try near([image.pixel(200 - Int(sigma), 30)[0]], [0.1587 * 255], within: 14))
        #expect(try near([image.pixel(200 + Int(sigma), 30)[0]], [0.8413 * 255], within: 14))
    }

    /// YYWebImage's own: three boxes one after the other, each repeating the edge of what the one before has made.
    private static func boxed(_ samples: [UInt8], _ width: Int, _ height: Int, side: Int, passes: Int) -> [Double] {
        var values = samples.map { Double($0) }
        func pass(_ count: Int, _ length: Int, _ at: (Int, Int) -> Int) {
            for line in 0..<count {
                let old = (0..<length).map { values[at(line, $0)] }
                var sum = (-side / 2...side / 2).reduce(0) { $0 + old[min(max($1, 0), length - 1)] }
                for place in 0..<length {
                    values[at(line, place)] = sum / Double(side)
                    sum += old[min(place + side / 2 + 1, length - 1)] - old[max(place - side / 2, 0)]
                }
            }
        }
        for _ in 0..<passes {
            pass(height, width) { $0 * width + $1 }
            pass(width, height) { $1 * width + $0 }
        }
        return values
    }

    @Test(arguments: [2.0, 5, 15]) func `Each pass of a box repeats the edges anew`(radius: Double) throws {
        guard case .blur(let blur) = try TestPictures.steps(#"[{"op":"blur","radius":\#(radius)}]"#)[0], let boxes = blur.boxes else { throw TestProblem() }
        try VipsRuntime.start()
        let (width, height) = (50, 40)
        let framed = (0..<width * height).map { UInt8([0, width - 1].contains($0 % width) || [0, height - 1].contains($0 / width) ? 0 : 255) }
        let bytes = try TestPictures.encoded(VipsImage.of(framed, width: width, height: height, bands: 1), .png)
        let seen = try PictureTests.made(bytes, #"{"op":"blur","radius":\#(radius)}"#).samples()
        let wanted = Self.boxed(framed, width, height, side: boxes.side, passes: boxes.passes)
        #expect(boxes.side <= 15 && zip(seen, wanted).allSatisfy { abs(Double($0) - $1) <= 1 })
    }

    @Test(arguments: [(20.0, 19), (40, 37), (60, 57)]) func `A wide radius is as soft as its three boxes`(radius: Double, side: Int) throws {
        let (width, height) = (320, 240)
        let waves = try PlanarTests.waves(width, height, bands: 1)
        let wanted = try Self.boxed(waves.samples(), width, height, side: side, passes: 3)
        let image = try PictureTests.made(TestPictures.encoded(waves, .png), #"{"op":"blur","radius":\#(radius)}"#)
        let seen = try image.samples()
        let squares = zip(seen, wanted).reduce(0) { $0 + ($1.1 - Double($1.0)) * ($1.1 - Double($1.0)) } / Double(width * height)
        let psnr = 10 * log10(255 * 255 / squares)
        #expect(psnr > 40, "\(psnr) dB")
    }

    @Test func `Sharpening swings over at an edge, the more the stronger, and leaves what is flat`() throws {
        try VipsRuntime.start()
        for bands in [1, 3] {
            let halves = try [100.0, 150].map { try VipsRuntime.solid(width: 30, height: 20, Array(repeating: $0, count: bands), bands == 1 ? .grey : .sRGB) }
            let bytes = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", halves).set("across", 2).image(), .png)
            var swings: [Double] = []
            for amount in [0.0, 0.2, 0.5, 1, 1.2] {
                let image = try PictureTests.made(bytes, #"{"op":"sharpen","sigma":1,"amount":\#(amount)}"#)
                let row = try (0..<60).map { try image.pixel($0, 10)[0] }
                #expect(row[5] == 100 && row[54] == 150)
                swings.append(min(100 - (row.min() ?? 0), (row.max() ?? 0) - 150))
            }
            #expect(swings[0] == 0 && zip(swings, swings.dropFirst()).allSatisfy { $0 < $1 }, "\(swings)")
        }
    }

    @Test(arguments: [(3, 12, 6), (2, 8, 4), (1, 4, 2)]) func `Enlarged to the nearest, every pixel becomes a block`(factor: Int, width: Int, height: Int)
        throws
    {
        let quarters = try TestPictures.quarters(4, 2)
        let image = try PictureTests.made(
            TestPictures.encoded(quarters, .png), #"{"op":"resize","width":\#(width),"height":\#(height),"kernel":"nearest","enlarge":true}"#)
        for y in 0..<height {
            for x in 0..<width { #expect(try image.pixel(x, y) == quarters.pixel(x / factor, y / factor), "\(x), \(y)") }
        }
        let odd = try PictureTests.made(TestPictures.encoded(quarters, .png), #"{"op":"resize","width":11,"kernel":"nearest","enlarge":true}"#)
        let colours = [Self.red, Self.green, Self.blue, Self.white]
        for y in 0..<odd.height {
            for x in 0..<11 {
                let pixel = try odd.pixel(x, y)
                #expect(colours.contains(pixel) && (pixel == Self.red) == (x < 6 && y < odd.height / 2), "\(x), \(y): \(pixel)")
            }
        }
    }

    @Test func `What is invisible does not bleed into what is not`() throws {
        try VipsRuntime.start()
        let parts = try [VipsRuntime.solid(width: 50, height: 100, [255, 0, 0, 255]), VipsRuntime.solid(width: 50, height: 100, [0, 255, 0, 0])]
        let bytes = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", parts).set("across", 2).image(), .png)
        for step in [
            #"{"op":"blur","sigma":4}"#, #"{"op":"blur","radius":6}"#, #"{"op":"pixelate","size":33}"#, #"{"op":"rotate","angle":10}"#,
            #"{"op":"resize","width":30,"linear":true}"#,
        ] {
            let image = try PictureTests.made(bytes, step)
            for x in 0..<image.width {
                let pixel = try image.pixel(x, image.height / 2)
                if pixel[3] > 30 { #expect(pixel[1] < 40, "\(step): green bled into \(x): \(pixel)") }
            }
        }
    }

    @Test func `In linear light black and white make the grey that the eye sees`() throws {
        try VipsRuntime.start()
        let rows = try [VipsRuntime.solid(width: 64, height: 1, [0, 0, 0]), VipsRuntime.solid(width: 64, height: 1, [255, 255, 255])]
        let pair = try VipsOperation("arrayjoin").set("in", rows).set("across", 1).image()
        let bytes = try TestPictures.encoded(VipsOperation("replicate").set("in", pair).set("across", 1).set("down", 32).image(), .png)
        #expect(try near(PictureTests.made(bytes, #"{"op":"resize","width":8}"#).pixel(4, 4), [128, 128, 128], within: 3))
        #expect(try near(PictureTests.made(bytes, #"{"op":"resize","width":8,"linear":true}"#).pixel(4, 4), [188, 188, 188], within: 3))
    }

    @Test(arguments: ["attention", "entropy"]) func `What is interesting is kept`(gravity: String) throws {
        try VipsRuntime.start()
        let plain = try VipsRuntime.solid(width: 400, height: 100, [128, 128, 128])
        let noise = try VipsOperation("gaussnoise").set("width", 80).set("height", 80).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let bands = try VipsOperation("bandjoin").set("in", [noise, noise, noise]).image()
        let busy = try VipsOperation("linear").set("in", bands).set("a", [1, 0.5, 0.2]).set("b", [60, 0, 0]).set("uchar", true).image()
        let image = try VipsOperation("insert").set("main", plain).set("sub", busy).set("x", 310).set("y", 10).image()
        let bytes = try TestPictures.encoded(image, .png)
        for step in [
            #"{"op":"resize","width":100,"height":100,"fit":"cover","gravity":"\#(gravity)"}"#,
            #"{"op":"crop","width":100,"height":100,"gravity":"\#(gravity)"}"#,
            #"{"op":"rotate","angle":90},{"op":"crop","width":100,"height":100,"gravity":"\#(gravity)"}"#,
        ] {
            let result = try PictureTests.made(bytes, step)
            #expect(PictureSize(result.width, result.height) == PictureSize(100, 100))
            let (one, other) = try (result.pixel(50, 50), result.pixel(52, 47))
            #expect(!near(one, [128, 128, 128], within: 2) || !near(other, [128, 128, 128], within: 2), "\(step)")
        }
    }

    // MARK: Animations

    static let everyStep = [
        #"{"op":"background","color":"red"}"#, #"{"op":"grayscale"}"#, #"{"op":"sharpen","sigma":1.5}"#, #"{"op":"blur","sigma":2}"#,
        #"{"op":"blur","preset":"dark"}"#,
        #"{"op":"modulate","brightness":0.9,"hue":40}"#, #"{"op":"trim"}"#, #"{"op":"extend","left":3}"#, #"{"op":"inset","left":3}"#,
        #"{"op":"pad","aspect":1}"#,
        #"{"op":"border","width":2}"#, #"{"op":"roundCorners","radius":5}"#, #"{"op":"mask","shape":"circle"}"#, #"{"op":"invert"}"#, #"{"op":"sepia"}"#,
        #"{"op":"tint","color":"teal","blend":"screen"}"#, #"{"op":"duotone"}"#, #"{"op":"pixelate","size":4}"#, #"{"op":"rotate","angle":30}"#,
        #"{"op":"rotate","angle":90,"expand":false}"#, #"{"op":"resize","width":20,"kernel":"cubic","linear":true}"#,
        #"{"op":"crop","width":20,"height":10,"gravity":"attention"}"#,
        #"{"op":"resize","width":10,"height":10,"fit":"cover","gravity":"entropy"}"#,
    ]

    @Test func `A wide blur of a narrow picture is made on a smaller one too`() {
        func shrink(_ width: Int, _ height: Int, _ sigma: Double) -> Int { Blur.shrink(PictureSize(width, height), sigma) }
        #expect(shrink(400, 12000, 200) == 50 && shrink(399, 12000, 200) == 49 && shrink(12000, 80, 200) == 10)
        #expect(shrink(4000, 3000, 3.9) == 1 && shrink(4000, 3000, 8) == 2)
        // Less than two times eight leaves nothing to average, and little to do.
        #expect(shrink(15, 12000, 200) == 1 && shrink(1, 1, 200) == 1)
    }

    @Test(arguments: [("{\"op\":\"border\",\"width\":4}", false), ("{\"op\":\"roundCorners\",\"radius\":0,\"border\":{\"width\":4,\"join\":\"round\"}}", true)])
    func `A border makes nothing see-through that was not, unless it cuts corners`(step: String, isCut: Bool) throws {
        for (colour, bands) in [([10.0, 20, 30], 3), ([77.0], 3), ([10.0, 20, 30, 128], 4)] {
            #expect(try PictureTests.made(Self.flat(colour), step).bands == (isCut ? 4 : bands), "\(colour)")
        }
    }

    @Test(arguments: everyStep, [ImageFormat.gif, .webp]) func `Every operation goes through all frames and keeps their times`(
        step: String, format: ImageFormat
    ) throws {
        let bytes = try TestPictures.animation(40, 20, [Self.red, Self.green, Self.blue], delays: [100, 200, 300], loop: 3, format)
        let made = try TestPictures.made(bytes, PictureTests.rendition(step, #"{"format":"\#(format.rawValue)","lossless":true}"#))
        let image = try TestPictures.decoded(made, frames: 3)
        #expect(image.pages == 3)
        #expect(image.ints("delay") == [100, 200, 300])
        #expect(image.int("loop") == 3)
        #expect(image.height == 3 * image.pageHeight)
    }

    @Test(arguments: [
        (#"{"op":"frames","pick":[2,0,2]}"#, [2, 0, 2], [300, 100, 300]), (#"{"op":"frames","first":2}"#, [0, 1], [100, 200]),
        (#"{"op":"frames","reverse":true}"#, [2, 1, 0], [300, 200, 100]), (#"{"op":"frames","speed":2}"#, [0, 1, 2], [50, 100, 150]),
        (#"{"op":"frames","speed":100}"#, [0, 1, 2], [20, 20, 20]), (#"{"op":"frames","first":2,"reverse":true,"speed":0.5}"#, [1, 0], [400, 200]),
        (#"{"op":"frames","pick":[1,2]},{"op":"frames","reverse":true}"#, [2, 1], [300, 200]),
    ])
    func `Frames are picked, turned round and hurried`(step: String, order: [Int], delays: [Int]) throws {
        let colours = [Self.red, Self.green, Self.blue]
        for format in [ImageFormat.gif, .webp] {
            let bytes = try TestPictures.animation(40, 20, colours, delays: [100, 200, 300], loop: 3, format)
            let made = try TestPictures.made(bytes, PictureTests.rendition(step, #"{"format":"\#(format.rawValue)","lossless":true}"#))
            let image = try TestPictures.decoded(made, frames: order.count)
            #expect(image.pages == order.count && image.ints("delay") == delays && image.int("loop") == 3)
            for (place, frame) in order.enumerated() { #expect(try nearOpaque(image.pixel(20, place * 20 + 10), colours[frame], within: 20), "frame \(place)") }
        }
    }

    @Test func `One frame is a still, and a frame that is not there is an error`() throws {
        let bytes = try TestPictures.animation(40, 20, [Self.red, Self.green, Self.blue], delays: [100, 200, 300], loop: 3, .gif)
        let still = try TestPictures.made(bytes, PictureTests.rendition(#"{"op":"frames","pick":[1]}"#))
        #expect(try nearOpaque(TestPictures.decoded(still).pixel(5, 5), Self.green))
        let gif = try TestPictures.made(bytes, PictureTests.rendition(#"{"op":"frames","pick":[2]}"#, #"{"format":"gif"}"#))
        #expect(try TestPictures.decoded(gif).pages == 1)
        #expect(try nearOpaque(TestPictures.decoded(gif).pixel(5, 5), Self.blue))
        let error = #expect(throws: PictureFailure.self) { try TestPictures.made(bytes, PictureTests.rendition(#"{"op":"frames","pick":[3]}"#)) }
        #expect(error?.reason == .transformFailed && error?.message.contains("frame 3") == true)
    }

    // MARK: Limits and failures

    @Test(arguments: [
        (#"{"op":"extend","left":16384}"#, "maxSide"), (#"{"op":"pad","width":16000,"height":16000}"#, "maxPixels"), (#"{"op":"pad","aspect":100}"#, "maxSide"),
        (#"{"op":"resize","width":12000,"height":12000,"fit":"none"}"#, "maxPixels"),
    ])
    func `No operation makes more than the limits allow`(step: String, limit: String) throws {
        let error = #expect(throws: PictureFailure.self) { try TestPictures.made(Self.quarters(), PictureTests.rendition(step)) }
        guard case .limitExceeded(let which, _, _)? = error?.reason else { throw TestProblem() }
        #expect(which == limit && error?.phase == .transform)
    }

    @Test(arguments: [#"{"op":"inset","left":200,"right":200}"#, #"{"op":"border","width":100}"#]) func `What leaves nothing is an error, not an empty picture`(
        step: String
    ) throws {
        let error = #expect(throws: PictureFailure.self) { try TestPictures.made(Self.quarters(), PictureTests.rendition(step)) }
        #expect(error?.reason == .transformFailed && error?.phase == .transform)
    }

    @Test func `A canvas before a resize is not mistaken for the picture`() throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(800, 400), .jpeg)
        let image = try PictureTests.made(bytes, #"{"op":"resize","width":800,"height":800,"fit":"contain","background":"black"},{"op":"resize","width":100}"#)
        #expect(try near(image.pixel(5, 20), [0, 0, 0], within: 20) && near(image.pixel(5, 30), Self.red, within: 20))
        let blurred = try PictureTests.made(bytes, #"{"op":"blur","sigma":20},{"op":"resize","width":100}"#)
        #expect(try near([blurred.pixel(47, 10)[1]], [38], within: 16))
    }
}
