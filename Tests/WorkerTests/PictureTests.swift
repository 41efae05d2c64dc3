import Glibc
@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Real pictures through the whole pipeline of one process: sizes, and colors at points.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct PictureTests {
    static let red = [255.0, 0, 0], green = [0.0, 255, 0], blue = [0.0, 0, 255], white = [255.0, 255, 255]

    static func rendition(_ transform: String, _ output: String = #"{"format":"png"}"#) throws -> Rendition {
        try Rendition(canonical: JSON(parsing: #"{"transform":[\#(transform)],"output":\#(output)}"#))
    }

    static func made(_ source: [UInt8], _ transform: String, _ output: String = #"{"format":"png"}"#) throws -> VipsImage {
        try TestPictures.decoded(TestPictures.made(source, rendition(transform, output)))
    }

    /// Returns the colors in the middle of the four quarters of an image: top left, top right, bottom left, bottom right.
    static func corners(_ image: VipsImage) throws -> [[Double]] {
        let (w, h) = (image.width, image.height)
        return try [(w / 4, h / 4), (3 * w / 4, h / 4), (w / 4, 3 * h / 4), (3 * w / 4, 3 * h / 4)].map { try image.pixel($0.0, $0.1) }
    }

    struct Expectation: Sendable, CustomTestStringConvertible {
        var transform: String
        var size: PictureSize
        var corners: [[Double]]
        var testDescription: String { transform }
        init(_ transform: String, _ width: Int, _ height: Int, _ corners: [[Double]]) {
            (self.transform, size, self.corners) = (transform, PictureSize(width, height), corners)
        }
    }

    // The source is 400 × 200: red, green above blue, white.
    static let cases: [Expectation] = [
        Expectation("", 400, 200, [red, green, blue, white]),
        Expectation(#"{"op":"resize","width":100}"#, 100, 50, [red, green, blue, white]),
        Expectation(#"{"op":"resize","width":800,"enlarge":true}"#, 800, 400, [red, green, blue, white]),
        Expectation(#"{"op":"resize","width":100,"height":100,"fit":"fill"}"#, 100, 100, [red, green, blue, white]),
        Expectation(#"{"op":"resize","width":100,"height":100,"fit":"cover"}"#, 100, 100, [red, green, blue, white]),
        Expectation(#"{"op":"resize","width":100,"height":100,"fit":"cover","gravity":"left"}"#, 100, 100, [red, red, blue, blue]),
        Expectation(#"{"op":"resize","width":100,"height":100,"fit":"cover","gravity":"topRight"}"#, 100, 100, [green, green, white, white]),
        Expectation(#"{"op":"resize","width":100,"height":100,"fit":"outside"}"#, 200, 100, [red, green, blue, white]),
        Expectation(#"{"op":"crop","x":0,"y":0,"width":200,"height":100}"#, 200, 100, [red, red, red, red]),
        Expectation(#"{"op":"crop","width":0.5,"height":0.5,"unit":"fraction","gravity":"bottomRight"}"#, 200, 100, [white, white, white, white]),
        Expectation(#"{"op":"flip","horizontal":true}"#, 400, 200, [green, red, white, blue]),
        Expectation(#"{"op":"flip","vertical":true}"#, 400, 200, [blue, white, red, green]),
        Expectation(#"{"op":"rotate","angle":90}"#, 200, 400, [blue, red, white, green]),
        Expectation(#"{"op":"rotate","angle":180}"#, 400, 200, [white, blue, green, red]),
        Expectation(#"{"op":"rotate","angle":270}"#, 200, 400, [green, white, red, blue]),
        Expectation(#"{"op":"rotate","angle":90},{"op":"crop","x":0,"y":0,"width":100,"height":200}"#, 100, 200, [blue, blue, blue, blue]),
        Expectation(#"{"op":"rotate","angle":90},{"op":"resize","width":50,"height":50,"fit":"cover","gravity":"top"}"#, 50, 50, [blue, red, blue, red]),
        Expectation(#"{"op":"flip","horizontal":true},{"op":"rotate","angle":90}"#, 200, 400, [white, green, blue, red]),
    ]

    @Test(arguments: cases, [ImageFormat.png, .jpeg, .webp]) func `Each operation moves each color to its place`(_ one: Expectation, source: ImageFormat)
        throws
    {
        let bytes = try TestPictures.encoded(TestPictures.quarters(400, 200), source)
        let image = try Self.made(bytes, one.transform)
        #expect(PictureSize(image.width, image.height) == one.size)
        for (seen, wanted) in zip(try Self.corners(image), one.corners) { #expect(near(seen, wanted, within: 20), "\(seen) is not \(wanted)") }
    }

    @Test(arguments: [
        (Gravity.center, 25), (.top, 0), (.bottom, 50), (.topLeft, 0), (.bottomRight, 50),
    ])
    func `contain puts the picture on its canvas`(gravity: Gravity, y: Int) throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(400, 200), .png)
        let image = try Self.made(bytes, #"{"op":"resize","width":100,"height":100,"fit":"contain","gravity":"\#(gravity.name)","background":"orange"}"#)
        #expect(PictureSize(image.width, image.height) == PictureSize(100, 100))
        #expect(try near(image.pixel(10, y + 10), Self.red))
        let outside = y == 0 ? 90 : 5
        #expect(try near(image.pixel(50, outside), [255, 165, 0]))
    }

    @Test func `contain is transparent if the output can be, otherwise white`() throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(400, 200), .jpeg)
        let resize = #"{"op":"resize","width":100,"height":100,"fit":"contain"}"#
        let png = try Self.made(bytes, resize)
        #expect(png.bands == 4)
        #expect(try png.pixel(50, 5)[3] == 0)
        #expect(try png.pixel(10, 35)[3] == 255)
        let jpeg = try Self.made(bytes, resize, #"{"format":"jpeg","quality":95}"#)
        #expect(jpeg.bands == 3)
        #expect(try near(jpeg.pixel(50, 5), Self.white))
        for (color, seen) in [("transparent", Self.white), ("#00000080", [127.0, 127, 127])] {
            let image = try Self.made(bytes, resize, #"{"format":"jpeg","quality":95,"background":"\#(color)"}"#)
            #expect(try near(image.pixel(50, 5), seen, within: 3))
        }
        let dark = try Self.made(bytes, resize, #"{"format":"jpeg","quality":95,"background":"black"}"#)
        #expect(try near(dark.pixel(50, 5), [0, 0, 0]))
    }

    @Test func `Transparent pixels do not bleed their color when resized`() throws {
        try VipsRuntime.start()
        // Opaque red beside fully transparent green.
        let parts = try [VipsRuntime.solid(width: 50, height: 100, [255, 0, 0, 255]), VipsRuntime.solid(width: 50, height: 100, [0, 255, 0, 0])]
        let bytes = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", parts).set("across", 2).image(), .png)
        let image = try Self.made(bytes, #"{"op":"resize","width":10}"#)
        for x in 0..<10 {
            let pixel = try image.pixel(x, 5)
            if pixel[3] > 20 { #expect(pixel[1] < 30, "green bled into \(x): \(pixel)") }
        }
        #expect(try image.pixel(1, 5)[3] == 255)
        #expect(try image.pixel(8, 5)[3] == 0)
    }

    @Test(arguments: ["fast", "balanced"]) func `Invisible pixels of a WebP are not scaled into visible ones`(speed: String) throws {
        try VipsRuntime.start()
        // Red stripes of eight pixels, and invisible green ones.
        let pair = try [VipsRuntime.solid(width: 8, height: 400, [255, 0, 0, 255]), VipsRuntime.solid(width: 8, height: 400, [0, 255, 0, 0])]
        let stripes = try VipsOperation("replicate").set("in", VipsOperation("arrayjoin").set("in", pair).set("across", 2).image()).set("across", 25)
            .set("down", 1).image()
        for isLossless in [true, false] {
            // A lossy encoder may clear invisible pixels. This one is told not to.
            let source = try VipsOperation("webpsave_buffer").set("in", stripes).set("Q", 90).set("lossless", isLossless).set("near-lossless", false)
                .set("alpha-q", 100).bytes().copied()
            let rendition = try Rendition(
                canonical: JSON(parsing: #"{"transform":[{"op":"resize","width":40}],"output":{"format":"png"},"decode":{"speed":"\#(speed)"}}"#))
            let image = try TestPictures.decoded(TestPictures.made(source, rendition))
            for x in 0..<40 {
                let pixel = try image.pixel(x, 20)
                if pixel[3] > 30 { #expect(pixel[1] < 40, "green at \(x): \(pixel)") }
            }
        }
    }

    @Test(arguments: ImageFormat.encodable) func `Every output format can be read back, with its size and its colors`(
        format: ImageFormat
    ) throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(200, 100), .png)
        let image = try Self.made(bytes, #"{"op":"resize","width":100}"#, #"{"format":"\#(format.rawValue)","quality":90}"#)
        #expect(PictureSize(image.width, image.height) == PictureSize(100, 50))
        for (seen, wanted) in zip(try Self.corners(image), [Self.red, Self.green, Self.blue, Self.white]) {
            #expect(nearOpaque(seen, wanted, within: 30), "\(seen) is not \(wanted)")
        }
    }

    @Test(arguments: 1...8) func `Photos come out upright whatever their EXIF says`(exif: Int) throws {
        // The file holds the picture as the camera held it: the inverse of what EXIF asks for.
        let upright = try TestPictures.quarters(200, 100)
        let lying = try TurnStep.apply(Orientation(exif: exif).inverse, to: upright)
        let tagged = try lying.withHeader { $0.set("orientation", exif) }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        let bytes = try options.jpeg(tagged)
        let image = try Self.made(bytes, #"{"op":"resize","width":100}"#)
        #expect(PictureSize(image.width, image.height) == PictureSize(100, 50))
        for (seen, wanted) in zip(try Self.corners(image), [Self.red, Self.green, Self.blue, Self.white]) {
            #expect(near(seen, wanted, within: 20), "\(seen) is not \(wanted)")
        }
    }

    @Test func `Nothing of a photo's metadata survives`() throws {
        let secret = "52 Festive Road"
        let tagged = try TestPictures.quarters(64, 64).withHeader { header in
            header.set("orientation", 6)
            header.set("exif-ifd0-Artist", secret)
        }
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        let source = try options.jpeg(tagged)
        #expect(String(decoding: source, as: UTF8.self).contains(secret))
        for format in ImageFormat.encodable {
            let bytes = try TestPictures.made(source, Self.rendition("", #"{"format":"\#(format.rawValue)"}"#))
            #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(format)")
            let image = try TestPictures.decoded(bytes)
            // libvips 8.14 writes an EXIF block of its own into every WebP; nothing of the source is in it.
            #expect(image.orientation == 1 && !image.has("xmp-data"), "\(format)")
            // libjxl describes the colors of every picture by a profile.
            #expect(format == .jxl || !image.has("icc-profile-data"), "\(format)")
        }
    }

    @Test func `Sixteen bits stay sixteen in PNG and become eight in JPEG`() throws {
        try VipsRuntime.start()
        let deep = try VipsOperation("cast").set("in", VipsRuntime.solid(width: 40, height: 20, [255, 128, 0])).set("format", 2).set("shift", true).image()
        let tagged = try VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        let bytes = try TestPictures.encoded(tagged, .png)
        let png = try Self.made(bytes, #"{"op":"resize","width":20}"#)
        #expect(png.format == .uint16)
        #expect(try near(png.pixel(5, 5).map { $0 / 257 }, [254, 128, 0], within: 3))
        for format in ["jpeg", "webp", "avif", "gif"] {
            let image = try Self.made(bytes, #"{"op":"resize","width":20}"#, #"{"format":"\#(format)","quality":95}"#)
            #expect(image.format == .uint8)
            #expect(try nearOpaque(image.pixel(5, 5), [254, 128, 0], within: 20), "\(format)")
        }
    }

    @Test(arguments: [VipsBandFormat.float, .uint32, .int32, .int16], [1, 2, 3, 4])
    func `Numbers of any format become the correct shades`(format: VipsBandFormat, bands: Int) throws {
        try VipsRuntime.start()
        let shades = [0.0, 51, 128, 255]
        let parts = try shades.map { shade in try VipsRuntime.solid(width: 8, height: 8, Array(repeating: shade, count: bands)) }
        let wide = try VipsOperation("cast").set("in", VipsOperation("arrayjoin").set("in", parts).set("across", 4).image())
            .set("format", Int(VipsBandFormat.double.rawValue)).image()
        let scaled = try VipsOperation("linear").set("in", wide).set("a", [format.white / 255]).set("b", [0]).image()
        let cast = try VipsOperation("cast").set("in", scaled).set("format", Int(format.rawValue)).image()
        let space: VipsColors = bands < 3 ? .gray : .sRGB
        let tagged = try VipsOperation("copy").set("in", cast).set("interpretation", Int(space.rawValue)).image()
        let image = try Self.made(VipsOperation("tiffsave_buffer").set("in", tagged).bytes().copied(), "")
        #expect(image.format == .uint8 && image.bands == bands)
        for (index, shade) in shades.enumerated() {
            let share = shade / 255
            // Fractions of three colors are light, for which sRGB has other numbers.
            let isLight = format == .float && bands >= 3
            let color = isLight ? 255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * pow(share, 1 / 2.4) - 0.055) : shade
            let wanted = (0..<bands).map { bands % 2 == 0 && $0 == bands - 1 ? shade : color }
            #expect(try near(image.pixel(4 + 8 * index, 4), wanted, within: 1), "\(shade)")
        }
    }

    // libvips reads a CIELAB TIFF as packed Lab.
    @Test(arguments: [true, false], ["", #"{"op":"resize","width":15}"#])
    func `A TIFF in Lab has its colors, and its profile is not used for sRGB`(hasProfile: Bool, transform: String) throws {
        try VipsRuntime.start()
        let packed = 16
        var lab = try VipsOperation("colourspace").set("in", VipsRuntime.solid(width: 60, height: 40, [180, 100, 60])).set("space", packed).image()
        if hasProfile {
            let profile = try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied()
            lab = try lab.withHeader { $0.set("icc-profile-data", profile) }
        }
        let image = try Self.made(VipsOperation("tiffsave_buffer").set("in", lab).bytes().copied(), transform)
        #expect(try image.bands == 3 && near(image.pixel(7, 5), [180, 100, 60], within: 3))
    }

    /// A flat TIFF of 8 bits in CIELAB is one color, by the formulas of CIE 1976 and sRGB. The numbers are L, of 255, a and b.
    @Test(
        arguments: [
            ([255, 0, 0], [255, 255, 255]), ([0, 0, 0], [0, 0, 0]), ([128, 0, 0], [119.4, 119.4, 119.4]), ([135, 80, 67], [253.9, 0, 0]),
            ([140, 20, 236], [149.9, 120.7, 166.2]), ([200, 246, 10], [182.5, 199, 175.2]), ([77, 30, 200], [48.3, 59.2, 160]),
        ] as [([UInt8], [Double])]) func `A flat TIFF in Lab stays flat`(numbers: [UInt8], wanted: [Double]) throws
    {
        try VipsRuntime.start()
        let samples = try VipsImage.of(Array(repeatElement(numbers + [0], count: 64).joined()) as [UInt8], width: 8, height: 8, bands: 4)
        // VIPS_CODING_LABQ and VIPS_INTERPRETATION_LABQ.
        let packed = try VipsOperation("copy").set("in", samples).set("coding", 2).set("interpretation", 16).image()
        let image = try Self.made(VipsOperation("tiffsave_buffer").set("in", packed).bytes().copied(), "")
        let shown = try [(0, 0), (1, 0), (0, 1), (5, 6)].map { try image.pixel($0.0, $0.1) }
        #expect(shown.allSatisfy { near($0, wanted, within: 1) }, "\(shown)")
    }

    @Test func `Sixteen bits with transparency keep it`() throws {
        try VipsRuntime.start()
        let deep = try VipsOperation("cast").set("in", VipsRuntime.solid(width: 40, height: 20, [255, 128, 0, 128])).set("format", 2).set("shift", true).image()
        let tagged = try VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image()
        let bytes = try TestPictures.encoded(tagged, .png)
        let webp = try Self.made(bytes, #"{"op":"resize","width":20}"#, #"{"format":"webp","lossless":true}"#)
        #expect(try near(webp.pixel(5, 5), [254, 128, 0, 128], within: 4))
        let png = try Self.made(bytes, #"{"op":"resize","width":20}"#)
        #expect(try near(png.pixel(5, 5).map { $0 / 257 }, [254, 128, 0, 128], within: 4))
    }

    @Test func `CMYK and gray are converted as people see them`() throws {
        try VipsRuntime.start()
        // No ink at all is white; black ink only is black.
        let ink = try VipsRuntime.solid(width: 40, height: 20, [0, 0, 0, 255], .cmyk)
        let black = try Self.made(TestPictures.encoded(ink, .jpeg), #"{"op":"resize","width":20}"#)
        #expect(black.bands == 3)
        #expect(try near(black.pixel(5, 5), [35, 31, 32], within: 40))
        let paper = try VipsRuntime.solid(width: 40, height: 20, [0, 0, 0, 0], .cmyk)
        #expect(try near(Self.made(TestPictures.encoded(paper, .jpeg), "").pixel(5, 5), Self.white))
        // Inks without a profile are those of a press. As complements of RGB they would be 0 and 255.
        for (inks, wanted) in [
            ([255.0, 0, 0, 0], [0.0, 157, 228]), ([0, 255, 0, 0], [235, 30, 132]), ([0, 0, 255, 0], [255, 238, 0]), ([255, 0, 255, 0], [0, 142, 65]),
        ] {
            for format in [ImageFormat.jpeg, .tiff] {
                let solid = try VipsRuntime.solid(width: 40, height: 20, inks, .cmyk)
                #expect(try near(Self.made(TestPictures.encoded(solid, format), "").pixel(5, 5), wanted, within: 12), "\(inks), \(format)")
            }
        }
        let gray = try VipsRuntime.solid(width: 40, height: 20, [100], .gray)
        for format in ImageFormat.encodable {
            let image = try Self.made(TestPictures.encoded(gray, .png), #"{"op":"resize","width":20}"#, #"{"format":"\#(format.rawValue)"}"#)
            #expect(try near([image.pixel(5, 5)[0]], [100], within: 4), "\(format)")
        }
        let canvas = try Self.made(TestPictures.encoded(gray, .png), #"{"op":"resize","width":20,"height":20,"fit":"contain","background":"red"}"#)
        #expect(try near(canvas.pixel(5, 2), Self.red))
        #expect(try near(canvas.pixel(5, 10), [100, 100, 100], within: 3))
    }

    @Test(arguments: [ImageFormat.gif, .webp], [ImageFormat.gif, .webp])
    func `Animations keep their frames, delays and loops`(source: ImageFormat, target: ImageFormat) throws {
        let colors = [Self.red, Self.green, Self.blue]
        let bytes = try TestPictures.animation(40, 20, colors, delays: [100, 200, 300], loop: 3, source)
        let made = try TestPictures.made(
            bytes,
            Self.rendition(
                #"{"op":"resize","width":20,"height":20,"fit":"contain","background":"white"},{"op":"rotate","angle":90}"#,
                #"{"format":"\#(target.rawValue)","lossless":true}"#))
        let image = try TestPictures.decoded(made, frames: 3)
        #expect(image.pages == 3 && image.pageHeight == 20 && image.width == 20)
        #expect(image.ints("delay") == [100, 200, 300])
        #expect(image.int("loop") == 3)
        for (index, color) in colors.enumerated() {
            #expect(try nearOpaque(image.pixel(10, index * 20 + 10), color), "frame \(index)")
            #expect(try nearOpaque(image.pixel(1, index * 20 + 10), Self.white), "canvas of frame \(index)")
        }
    }

    @Test func `A still format, and a request for it, gets the first frame of an animation`() throws {
        let bytes = try TestPictures.animation(40, 20, [Self.red, Self.green], delays: [100, 100], loop: 0, .gif)
        let png = try Self.made(bytes, #"{"op":"resize","height":40,"enlarge":true}"#)
        #expect(PictureSize(png.width, png.height) == PictureSize(80, 40))
        #expect(try nearOpaque(png.pixel(5, 5), Self.red))
        let first = try TestPictures.made(bytes, Rendition(canonical: JSON(parsing: #"{"output":{"format":"gif"},"decode":{"frames":"first"}}"#)))
        #expect(try TestPictures.decoded(first).pages == 1)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webp]) func `A truncated file is bad, not half a picture`(format: ImageFormat) throws {
        let noise = try VipsOperation("gaussnoise").set("width", 200).set("height", 200).set("mean", 128.0).set("sigma", 50.0).set("seed", 7).image()
        let bytes = try TestPictures.encoded(VipsOperation("cast").set("in", noise).set("format", 0).image(), format)
        let error = #expect(throws: PictureFailure.self) {
            try TestPictures.made(Array(bytes[..<(bytes.count * 2 / 3)]), Self.rendition(#"{"op":"resize","width":100}"#))
        }
        #expect(error?.reason == .badImageData)
        #expect(error?.phase == .decode)
    }

    @Test func `failOn none shows the present part of a truncated file`() throws {
        let noise = try VipsOperation("gaussnoise").set("width", 200).set("height", 200).set("mean", 128.0).set("sigma", 50.0).set("seed", 7).image()
        let bytes = try TestPictures.encoded(VipsOperation("cast").set("in", noise).set("format", 0).image(), .jpeg)
        let half = Array(bytes[..<(bytes.count * 2 / 3)])
        let made = try TestPictures.made(half, Rendition(canonical: JSON(parsing: #"{"decode":{"failOn":"none"},"output":{"format":"png"}}"#)))
        #expect(try TestPictures.decoded(made).height == 200)
    }

    @Test(arguments: [ImageFormat.png, .webp], [false, true]) func `failOn none shows a JPEG that is cut anywhere behind the head of a scan`(
        format: ImageFormat, planar: Bool
    ) throws {
        for isProgressive in [true, false] {
            let bytes = try TestPictures.encoded(PictureDamageTests.noise(), .jpeg, OutputOptions(isProgressive: isProgressive))
            let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":{"failOn":"none"},"output":{"format":"\#(format.rawValue)"}}"#))
            let scan = try #require(bytes.firstRange(of: [0xff, 0xda])).lowerBound + 14
            // Each byte of the segments between the scans, and some of the scans.
            var cuts = Array(stride(from: scan, to: bytes.count, by: 997))
            for marker: UInt8 in [0xc4, 0xda] {
                for at in scan..<bytes.count - 40 where bytes[at] == 0xff && bytes[at + 1] == marker { cuts += stride(from: at, to: at + 40, by: 3) }
            }
            for cut in cuts {
                let made = try TestPictures.made(Array(bytes[..<cut]), rendition, graphs: planar ? PlanarGraphs() : nil)
                #expect(try TestPictures.decoded(made).height == 150, "\(cut)")
            }
        }
    }

    @Test func `A clock that has run out stops the work, and says so`() throws {
        let bytes = try TestPictures.encoded(TestPictures.quarters(400, 200), .png)
        bytes.withUnsafeBytes { raw in
            let clock = PictureClock(deadline: .now - .seconds(1))
            let error = #expect(throws: PictureFailure.self) { try PictureRun(raw, format: .png, limits: ImageLimits(), clock: clock) }
            #expect(error?.reason == .timeout)
        }
    }
}

/// Files with metadata, which the pipeline itself never writes.
struct VipsOperationOptions {
    var keepsMetadata = false
    func jpeg(_ image: VipsImage) throws -> [UInt8] {
        var call = try VipsOperation("jpegsave_buffer").set("in", image).set("Q", 95).set("subsample-mode", 2)
        if !keepsMetadata { call = call.has("keep") ? call.set("keep", 0) : call.set("strip", true) }
        return try call.bytes().copied()
    }
}
