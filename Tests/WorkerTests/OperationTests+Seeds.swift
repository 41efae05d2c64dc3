import Foundation
import TintypeImages
import Testing
@testable import Engine

extension OperationTests {
    // MARK: Rules of the seeds

    @Test(arguments: [(0.4, 3, 1), (1, 3, 2), (2, 3, 3), (5, 5, 3), (10, 9, 3), (20, 19, 3), (40, 37, 3), (60, 57, 3)])
    func `A radius means the boxes of YYWebImage`(radius: Double, side: Int, passes: Int) throws {
        guard let blur = try TestPictures.steps(#"[{"op":"blur","radius":\#(radius)}]"#)[0].as(Blur.self) else { throw TestProblem() }
        #expect(blur.boxes?.side == side && blur.boxes?.passes == passes)
    }

    @Test func `A blurred point has the shape of the boxes`() throws {
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
        // At one sigma from the edge a Gaussian has 16 % and 84 %.
        #expect(try near([image.pixel(200 - Int(sigma), 30)[0]], [0.1587 * 255], within: 14))
        #expect(try near([image.pixel(200 + Int(sigma), 30)[0]], [0.8413 * 255], within: 14))
    }

    /// YYWebImage's own blur: three boxes one after the other, each repeating the edge of its input.
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

    @Test(arguments: [2.0, 5, 15]) func `Each pass of a box repeats the edges again`(radius: Double) throws {
        guard let blur = try TestPictures.steps(#"[{"op":"blur","radius":\#(radius)}]"#)[0].as(Blur.self), let boxes = blur.boxes else { throw TestProblem() }
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

    @Test func `Sharpening overshoots at edges by its strength, and leaves flat areas`() throws {
        try VipsRuntime.start()
        for bands in [1, 3] {
            let halves = try [100.0, 150].map { try VipsRuntime.solid(width: 30, height: 20, Array(repeating: $0, count: bands), bands == 1 ? .gray : .sRGB) }
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

    /// A disc of one color whose edge fades over `softness` pixels, on invisible pixels of another color.
    private static func disc(_ color: [Double], _ softness: Double, hidden: Double, deep: Bool) throws -> [UInt8] {
        let side = 48
        let samples = (0..<side * side).flatMap { place in
            let (x, y) = (Double(place % side) - 23.5, Double(place / side) - 23.5)
            let alpha = min(max((16 - (x * x + y * y).squareRoot()) / softness * 255 + 127, 0), 255).rounded()
            return (color.map { alpha == 0 ? hidden : $0 } + [alpha]).map { UInt16($0) * (deep ? 257 : 1) }
        }
        let bands = color.count + 1
        let image =
            try deep
            ? VipsImage.of(samples, width: side, height: side, bands: bands) : VipsImage.of(samples.map { UInt8($0) }, width: side, height: side, bands: bands)
        let space: VipsColors = bands < 3 ? (deep ? .gray16 : .gray) : deep ? .rgb16 : .sRGB
        return try TestPictures.encoded(VipsOperation("copy").set("in", image).set("interpretation", Int(space.rawValue)).image(), .png)
    }

    @Test(arguments: [[255], [128], [255, 0, 0], [200, 30, 90], [0, 160, 255]], [1.0, 4, 12])
    func `Sharpening keeps the color of an edge that fades, and its alpha`(color: [Double], softness: Double) throws {
        try VipsRuntime.start()
        for (hidden, deep) in [(0.0, false), (255, false), (0, true), (90, true)] {
            let disc = try Self.disc(color, softness, hidden: hidden, deep: deep)
            let before = try TestPictures.decoded(disc)
            for (sigma, amount) in [(0.5, 1.0), (1, 1), (2, 3), (10, 10)] {
                let image = try PictureTests.made(disc, #"{"op":"sharpen","sigma":\#(sigma),"amount":\#(amount)}"#)
                let unit = deep ? 257.0 : 1
                var off = 0.0
                for x in 0..<48 {
                    let (seen, own) = try (image.pixel(x, 24), before.pixel(x, 24))
                    #expect(seen.last == own.last)
                    if own.last != 0 { off = max(off, zip(seen, color).map { abs($0 / unit - $1) }.max() ?? 255) }
                }
                #expect(off <= 8, "sigma \(sigma), amount \(amount), hidden \(hidden), deep \(deep): \(off)")
            }
        }
    }

    @Test func `A picture of one alpha is sharpened as an opaque one`() throws {
        let waves = try PlanarTests.waves(60, 40, bands: 3)
        let veiled = try VipsOperation("bandjoin_const").set("in", waves).set("c", [100.0]).image()
        let step = #"{"op":"sharpen","sigma":1.5,"amount":2}"#
        let opaque = try PictureTests.made(TestPictures.encoded(waves, .png), step)
        let other = try ColorBands(PictureTests.made(TestPictures.encoded(veiled, .png), step))
        #expect(try other.colors.samples() == opaque.samples() && other.alpha?.pixel(9, 9) == [100])
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
        let colors = [Self.red, Self.green, Self.blue, Self.white]
        for y in 0..<odd.height {
            for x in 0..<11 {
                let pixel = try odd.pixel(x, y)
                #expect(colors.contains(pixel) && (pixel == Self.red) == (x < 6 && y < odd.height / 2), "\(x), \(y): \(pixel)")
            }
        }
    }

    @Test func `Invisible pixels do not bleed into visible ones`() throws {
        try VipsRuntime.start()
        let parts = try [VipsRuntime.solid(width: 50, height: 100, [255, 0, 0, 255]), VipsRuntime.solid(width: 50, height: 100, [0, 255, 0, 0])]
        let bytes = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", parts).set("across", 2).image(), .png)
        for step in [
            #"{"op":"blur","sigma":4}"#, #"{"op":"blur","radius":6}"#, #"{"op":"pixelate","size":33}"#, #"{"op":"rotate","angle":10}"#,
            #"{"op":"resize","width":30,"linear":true}"#, #"{"op":"sharpen","sigma":3,"amount":4}"#,
        ] {
            let image = try PictureTests.made(bytes, step)
            for x in 0..<image.width {
                let pixel = try image.pixel(x, image.height / 2)
                if pixel[3] > 30 { #expect(pixel[1] < 40, "\(step): green bled into \(x): \(pixel)") }
            }
        }
    }

    @Test func `In linear light black and white make the gray that the eye sees`() throws {
        try VipsRuntime.start()
        let rows = try [VipsRuntime.solid(width: 64, height: 1, [0, 0, 0]), VipsRuntime.solid(width: 64, height: 1, [255, 255, 255])]
        let pair = try VipsOperation("arrayjoin").set("in", rows).set("across", 1).image()
        let bytes = try TestPictures.encoded(VipsOperation("replicate").set("in", pair).set("across", 1).set("down", 32).image(), .png)
        #expect(try near(PictureTests.made(bytes, #"{"op":"resize","width":8}"#).pixel(4, 4), [128, 128, 128], within: 3))
        #expect(try near(PictureTests.made(bytes, #"{"op":"resize","width":8,"linear":true}"#).pixel(4, 4), [188, 188, 188], within: 3))
    }

    @Test(arguments: ["attention", "entropy"]) func `The interesting part is kept`(gravity: String) throws {
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
}
