import Shared
import Testing

@testable import Worker

/// `decode.page`: files that hold several pictures.
@Suite(.timeLimit(.minutes(1))) struct PageTests {
    private static let colours: [[Double]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]

    private func made(_ source: [UInt8], _ decode: String) throws -> VipsImage {
        try TestPictures.decoded(
            TestPictures.made(
                source, Rendition(canonical: JSON(parsing: #"{"transform":[{"op":"resize","width":10}],"decode":\#(decode),"output":{"format":"png"}}"#))))
    }

    @Test func `each page of a TIFF is a picture`() throws {
        let file = try TestPictures.animation(40, 30, Self.colours, delays: [], loop: 0, .tiff)
        for (page, colour) in Self.colours.enumerated() {
            let image = try made(file, #"{"page":\#(page)}"#)
            #expect(image.width == 10 && image.height == 8)
            #expect(try near(image.pixel(5, 4), colour))
        }
        #expect(try near(made(file, "{}").pixel(5, 4), Self.colours[0]))
        #expect {
            try made(file, #"{"page":3}"#)
        } throws: { error in (error as? PictureFailure)?.reason == .transformFailed && "\(error)".contains("3, counted from 0") }
    }

    @Test func `of an animation it is the frame where one is wanted`() throws {
        let file = try TestPictures.animation(40, 30, Self.colours, delays: [100, 100, 100], loop: 0, .gif)
        #expect(try near(made(file, #"{"frames":"first","page":2}"#).pixel(5, 4), Self.colours[2], within: 10))
        #expect(try near(made(file, #"{"frames":"first"}"#).pixel(5, 4), Self.colours[0], within: 10))
    }

    @Test func `the protocol's own example is taken`() throws {
        let decode: JSON = ["frames": "all", "page": 0, "failOn": "truncated", "speed": "balanced"]
        let request = try ImageRequest(["url": "http://a.test/x", "decode": decode])
        #expect(request.renditions.first?.decode.page == 0)
    }
}
