@testable import ImageHeads
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// Every operation on pictures of hardly any pixels, where no neighbors exist.
@Suite(.tags(.optimized), .timeLimit(.minutes(3)))
struct TinyPictureTests {
    private static let sizes = [PictureSize(1, 1), PictureSize(1, 7), PictureSize(7, 1), PictureSize(3, 2)]
    private static let colors: [[Double]] = [[90], [90, 130], [200, 100, 50], [200, 100, 50, 130]]

    private static let steps =
        OperationTests.everyStep + [
            "", #"{"op":"resize","width":1}"#, #"{"op":"resize","width":20,"enlarge":true}"#, #"{"op":"resize","height":9,"enlarge":true,"kernel":"nearest"}"#,
            #"{"op":"resize","width":9,"height":9,"fit":"contain"}"#,
            #"{"op":"resize","width":5,"height":5,"fit":"cover","enlarge":true,"gravity":"attention"}"#,
            #"{"op":"resize","width":2,"height":2,"fit":"fill","enlarge":true,"linear":true}"#, #"{"op":"crop","width":0.5,"height":0.5,"unit":"fraction"}"#,
            #"{"op":"flip","horizontal":true,"vertical":true}"#, #"{"op":"rotate","angle":90}"#, #"{"op":"rotate","angle":45,"expand":false}"#,
            #"{"op":"blur","radius":1}"#, #"{"op":"blur","radius":60}"#, #"{"op":"blur","sigma":250}"#, #"{"op":"sharpen","sigma":10,"amount":10}"#,
            #"{"op":"border","width":0.3}"#, #"{"op":"roundCorners","radius":3,"corners":["topLeft"],"border":{"width":0.2,"join":"bevel"}}"#,
            #"{"op":"mask","shape":"ellipse"}"#, #"{"op":"pixelate","size":16384}"#, #"{"op":"trim","color":"black"}"#, #"{"op":"modulate","gamma":3}"#,
            #"{"op":"tint","color":"red"}"#, #"{"op":"text","text":"x","size":4}"#, #"{"op":"animate","columns":1}"#, #"{"op":"frames","pick":[0,0]}"#,
        ]

    private static func source(_ size: PictureSize, _ color: [Double], isDeep: Bool) throws -> [UInt8] {
        try VipsRuntime.start()
        let space: VipsColors = color.count < 3 ? .gray : .sRGB
        let image = try VipsRuntime.solid(width: size.width, height: size.height, color, space)
        guard isDeep else { return try TestPictures.encoded(image, .png) }
        let wide = try VipsOperation("linear").set("in", image).set("a", [257]).set("b", [0]).image()
        let deep = try VipsOperation("cast").set("in", wide).set("format", Int(VipsBandFormat.uint16.rawValue)).image()
        let name: VipsColors = color.count < 3 ? .gray16 : .rgb16
        return try TestPictures.encoded(VipsOperation("copy").set("in", deep).set("interpretation", Int(name.rawValue)).image(), .png)
    }

    @Test(arguments: steps) func `Every operation changes the smallest pictures, or explains why not`(step: String) throws {
        for size in Self.sizes {
            for color in Self.colors {
                for isDeep in [false, true] {
                    let source = try Self.source(size, color, isDeep: isDeep)
                    let name = "\(size), \(color.count) bands\(isDeep ? ", deep" : "")"
                    do {
                        let image = try TestPictures.decoded(TestPictures.made(source, PictureTests.rendition(step)))
                        #expect(image.width > 0 && image.height > 0 && (image.format == .uint16) == (isDeep && !step.contains("animate")), "\(name)")
                        // A picture of one color keeps it under operations that only move and mix pixels.
                        if Self.mixes.contains(where: step.contains) {
                            let seen = try image.pixel(image.width / 2, image.height / 2).map { isDeep ? $0 / 257 : $0 }
                            let wanted = seen.count > 2 && color.count < 3 ? [color[0], color[0]] + color : color
                            #expect(near(seen, wanted, within: 2), "\(name): \(seen)")
                        }
                    } catch let failure as PictureFailure {
                        let isExplained = ["leaves nothing", "half the shorter", "lies outside", "there is no frame"].contains { failure.message.contains($0) }
                        #expect(failure.reason == .transformFailed && isExplained, "\(name): \(failure)")
                    }
                }
            }
        }
    }

    private static let mixes = [
        #""resize","width":1}"#, #""resize","width":20"#, #""nearest""#, #""linear":true}"#, "flip", "blur\",\"sigma", "blur\",\"radius", "sharpen", "pixelate",
    ]

    @Test(arguments: ImageFormat.encodable) func `Every format holds a single pixel`(format: ImageFormat) throws {
        for color in Self.colors {
            let source = try Self.source(PictureSize(1, 1), color, isDeep: false)
            let image = try PictureTests.made(source, "", #"{"format":"\#(format.rawValue)","quality":95}"#)
            #expect(PictureSize(image.width, image.height) == PictureSize(1, 1))
        }
    }
}
