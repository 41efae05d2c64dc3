import Foundation
@testable import ImageHeads
import TintypeImages
import Testing
@testable import Engine

extension OperationTests {
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

    @Test func `A wide blur of a narrow picture also uses a smaller one`() {
        func shrink(_ width: Int, _ height: Int, _ sigma: Double) -> Int { Blur.shrink(PictureSize(width, height), sigma) }
        #expect(shrink(400, 12000, 200) == 50 && shrink(399, 12000, 200) == 49 && shrink(12000, 80, 200) == 10)
        #expect(shrink(4000, 3000, 3.9) == 1 && shrink(4000, 3000, 8) == 2)
        // Less than two times eight leaves nothing to average, and little to do.
        #expect(shrink(15, 12000, 200) == 1 && shrink(1, 1, 200) == 1)
    }

    @Test(arguments: [("{\"op\":\"border\",\"width\":4}", false), ("{\"op\":\"roundCorners\",\"radius\":0,\"border\":{\"width\":4,\"join\":\"round\"}}", true)])
    func `A border adds no transparency, unless it cuts corners`(step: String, isCut: Bool) throws {
        for (color, bands) in [([10.0, 20, 30], 3), ([77.0], 3), ([10.0, 20, 30, 128], 4)] {
            #expect(try PictureTests.made(Self.flat(color), step).bands == (isCut ? 4 : bands), "\(color)")
        }
    }

    @Test(arguments: everyStep, [ImageFormat.gif, .webp]) func `Every operation changes all frames and keeps their delays`(
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
    func `Frames are picked, reversed and sped up`(step: String, order: [Int], delays: [Int]) throws {
        let colors = [Self.red, Self.green, Self.blue]
        for format in [ImageFormat.gif, .webp] {
            let bytes = try TestPictures.animation(40, 20, colors, delays: [100, 200, 300], loop: 3, format)
            let made = try TestPictures.made(bytes, PictureTests.rendition(step, #"{"format":"\#(format.rawValue)","lossless":true}"#))
            let image = try TestPictures.decoded(made, frames: order.count)
            #expect(image.pages == order.count && image.ints("delay") == delays && image.int("loop") == 3)
            for (place, frame) in order.enumerated() { #expect(try nearOpaque(image.pixel(20, place * 20 + 10), colors[frame], within: 20), "frame \(place)") }
        }
    }

    @Test func `One frame is a still picture, and a missing frame is an error`() throws {
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
    func `No operation exceeds the limits`(step: String, limit: String) throws {
        let error = #expect(throws: PictureFailure.self) { try TestPictures.made(Self.quarters(), PictureTests.rendition(step)) }
        guard case .limitExceeded(let which, _, _)? = error?.reason else { throw TestProblem() }
        #expect(which == limit && error?.phase == .transform)
    }

    @Test(arguments: [#"{"op":"inset","left":200,"right":200}"#, #"{"op":"border","width":100}"#]) func `An empty result is an error, not an empty picture`(
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
