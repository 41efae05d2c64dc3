import Foundation
import TestSupport
import Testing

@testable import Engine

/// Colors of real files at points, compared with another program: Pillow 10.4 with Little CMS, relative colorimetric.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct ColorReferenceTests {
    struct Point: Sendable, CustomTestStringConvertible {
        let file: String, x: Int, y: Int, color: [Double]
        init(_ file: String, _ x: Int, _ y: Int, _ color: [Double]) { (self.file, self.x, self.y, self.color) = (file, x, y, color) }
        var testDescription: String { "\(file) at \(x), \(y)" }
    }
    static let points = [
        // Wide gamuts with their profiles: a red outside sRGB is cut to its edge.
        Point("sharp-p3.png", 0, 0, [255, 0, 0]), Point("sharp-prophoto.png", 0, 0, [117, 160, 210]),
        // A photo with a profile of its scanner, and a gray one with a profile for gray.
        Point("vips-sample.jpg", 87, 309, [70, 73, 117]), Point("vips-sample.jpg", 34, 132, [182, 160, 124]),
        Point("sharp-concert.jpg", 200, 80, [96, 96, 96]), Point("sharp-concert.jpg", 360, 32, [16, 16, 16]),
        // Sixteen bits, gray, gray with alpha, a palette.
        Point("imgproxy-png-16-bpp.png", 540, 72, [230, 30, 25]), Point("imgproxy-png-16-bpp.png", 300, 72, [127, 30, 127]),
        Point("imgproxy-tiff-16-bpp.tiff", 36, 30, [45, 50, 26]), Point("imgproxy-tiff-8-bpp-grayscale.tiff", 138, 101, [167, 167, 167]),
        Point("sharp-grey-8bit-alpha.png", 280, 90, [233, 233, 233]), Point("vips-indexed.png", 87, 309, [68, 78, 121]),
    ]

    @Test(.needsCorpus, arguments: points)
    func `Colors match those of another program`(_ point: Point) throws {
        let made = try TestPictures.made(TestPictures.bytes("formats/" + point.file), PictureTests.rendition("", #"{"format":"png"}"#))
        let image = try ColorStep.eightBit(TestPictures.decoded(made))
        let seen = try image.pixel(point.x, point.y)
        let color = image.bands < 3 ? [seen[0], seen[0], seen[0]] : Array(seen[..<3])
        #expect(near(color, point.color, within: 4), "\(seen)")
    }

    @Test(arguments: ["jpeg", "tiff"]) func `CMYK with a profile is converted back to its original colors`(kind: String) throws {
        try VipsRuntime.start()
        for color in [[200, 60, 50], [40, 90, 160], [128, 128, 128], [250, 250, 250]] as [[Double]] {
            let plain = try VipsRuntime.solid(width: 32, height: 32, color)
            let ink = try VipsOperation("icc_transform").set("in", plain).set("output-profile", "cmyk").set("input-profile", "srgb").set("intent", 1).image()
            #expect(ink.bands == 4 && ink.has("icc-profile-data"))
            let file =
                kind == "jpeg"
                ? try VipsOperation("jpegsave_buffer").set("in", ink).set("Q", 98).set("subsample-mode", 2).bytes().copied()
                : try VipsOperation("tiffsave_buffer").set("in", ink).bytes().copied()
            for icc in ["srgb", "keep"] {
                let made = try TestPictures.made(file, PictureTests.rendition(#"{"op":"resize","width":16}"#, #"{"format":"png","icc":"\#(icc)"}"#))
                let image = try TestPictures.decoded(made)
                let seen = try image.pixel(5, 5)
                #expect(image.bands == 3 && near(seen, color, within: 14), "\(seen) of \(color)")
            }
        }
    }
}
