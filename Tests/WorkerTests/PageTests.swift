@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// `decode.page`: files that hold several pictures.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct PageTests {
    private static let colors: [[Double]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]

    private func made(_ source: [UInt8], _ decode: String) throws -> VipsImage {
        try TestPictures.decoded(
            TestPictures.made(
                source, Rendition(canonical: JSON(parsing: #"{"transform":[{"op":"resize","width":10}],"decode":\#(decode),"output":{"format":"png"}}"#))))
    }

    @Test func `each page of a TIFF is a picture`() throws {
        let file = try TestPictures.animation(40, 30, Self.colors, delays: [], loop: 0, .tiff)
        for (page, color) in Self.colors.enumerated() {
            let image = try made(file, #"{"page":\#(page)}"#)
            #expect(image.width == 10 && image.height == 8)
            #expect(try near(image.pixel(5, 4), color))
        }
        #expect(try near(made(file, "{}").pixel(5, 4), Self.colors[0]))
        #expect {
            try made(file, #"{"page":3}"#)
        } throws: { error in (error as? PictureFailure)?.reason == .transformFailed && "\(error)".contains("3, counted from 0") }
    }

    @Test func `the page of an animation is its frame if one is wanted`() throws {
        let file = try TestPictures.animation(40, 30, Self.colors, delays: [100, 100, 100], loop: 0, .gif)
        #expect(try nearOpaque(made(file, #"{"frames":"first","page":2}"#).pixel(5, 4), Self.colors[2], within: 10))
        #expect(try nearOpaque(made(file, #"{"frames":"first"}"#).pixel(5, 4), Self.colors[0], within: 10))
    }

    @Test func `the page chooses the frame for a still format, and is ignored for an animated one`() throws {
        for format in [ImageFormat.gif, .webp] {
            let file = try TestPictures.animation(40, 30, Self.colors, delays: [100, 100, 100], loop: 0, format)
            for page in 1...2 { #expect(try nearOpaque(made(file, #"{"page":\#(page)}"#).pixel(5, 4), Self.colors[page], within: 10)) }
            // If all frames are wanted, the page does not matter.
            for page in [2, 9] {
                let moving = try TestPictures.made(file, Rendition(canonical: JSON(parsing: #"{"decode":{"page":\#(page)},"output":{"format":"gif"}}"#)))
                #expect(try TestPictures.decoded(moving).pages == 3)
            }
            // An animatable output ignores the page, even if only one frame is left.
            let one = #"{"decode":{"page":9},"transform":[{"op":"frames","pick":[1]}],"output":{"accept":["webp","png"]}}"#
            #expect(
                try nearOpaque(TestPictures.decoded(TestPictures.made(file, Rendition(canonical: JSON(parsing: one)))).pixel(5, 4), Self.colors[1], within: 10)
            )
            for text in [#"{"page":3}"#, #"{"page":3,"frames":"first"}"#] {
                let error = #expect(throws: PictureFailure.self) { try made(file, text) }
                #expect(error?.reason == .transformFailed && error?.message.contains("there is no page 3") == true)
            }
        }
    }

    @Test func `the page that is shown first is 0, the others follow in their order`() throws {
        var facts = ImageProperties(format: .heif, size: PictureSize(4, 4))
        (facts.frames, facts.primaryPage) = (5, 2)
        #expect(try (0..<5).map { try facts.number(of: $0) } == [2, 0, 1, 3, 4])
        #expect(throws: PictureFailure.self) { try facts.number(of: 5) }
        facts.primaryPage = 0
        #expect(try (0..<5).map { try facts.number(of: $0) } == Array(0..<5))
    }

    @Test func `the wanted page is described`() throws {
        for format in [ImageFormat.tiff, .gif] {
            let file = try TestPictures.animation(40, 30, Self.colors, delays: [100, 100, 100], loop: 0, format)
            for (page, color) in [(0, "#ff0000"), (1, "#00ff00"), (2, "#0000ff")] {
                let rendition = try Rendition(canonical: JSON(parsing: #"{"describe":["averageColor"],"decode":{"page":\#(page)}}"#))
                let told = try file.withUnsafeBytes { raw in
                    try PictureRun(raw, format: format, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60))).describe(rendition)
                }
                #expect(told["averageColor"] == .string(color), "\(format) \(page)")
            }
        }
    }

    @Test func `the protocol's own example is accepted`() throws {
        let decode: JSON = ["frames": "all", "page": 0, "failOn": "truncated", "speed": "balanced"]
        let request = try ImageRequest(["url": "http://a.test/x", "decode": decode])
        #expect(request.renditions.first?.decode == DecodeOptions())
    }
}
