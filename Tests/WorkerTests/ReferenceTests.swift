import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// Operations compared with the same ones computed by definition, without libvips.
@Suite(.tags(.optimized), .timeLimit(.minutes(3)))
struct ReferenceTests {
    private static let source = ReferencePicture.test(160, 120)

    private func likeness(_ transform: String, _ wanted: ReferencePicture, layers: [[UInt8]] = [], inset: Int = 0) throws -> Likeness {
        try VipsRuntime.start()
        let bytes = try TestPictures.made(TestPictures.encoded(Self.source.image(), .png), PictureTests.rendition(transform), layers: layers)
        let (made, right) = try (TestPictures.decoded(bytes), wanted.image())
        try #require(made.width == right.width && made.height == right.height && made.bands == right.bands)
        let window = PictureWindow(x: inset, y: inset, width: made.width - 2 * inset, height: made.height - 2 * inset)
        return try Likeness(CropStep.apply(window, to: made), CropStep.apply(window, to: right))
    }

    struct Scaling: Sendable, CustomTestStringConvertible {
        var kernel: String
        var reach: Double
        var weight: @Sendable (Double) -> Double
        var testDescription: String { kernel }
    }

    static let kernels = [
        Scaling(kernel: "linear", reach: 1) { ReferencePicture.triangle($0) }, Scaling(kernel: "cubic", reach: 2) { ReferencePicture.cubic(0, 0.5)($0) },
        Scaling(kernel: "mitchell", reach: 2) { ReferencePicture.cubic(1 / 3, 1 / 3)($0) },
        Scaling(kernel: "lanczos2", reach: 2) { ReferencePicture.lanczos(2)($0) }, Scaling(kernel: "lanczos3", reach: 3) { ReferencePicture.lanczos(3)($0) },
    ]

    @Test(arguments: kernels, [[120, 90], [97, 73], [80, 60], [50, 38], [16, 12]]) func `pixels are weighted by their kernel`(
        _ one: Scaling, _ size: [Int]
    ) throws {
        let wanted = Self.source.resized(size[0], size[1], one.weight, reach: one.reach)
        let found = try likeness(#"{"op":"resize","width":\#(size[0]),"height":\#(size[1]),"fit":"fill","kernel":"\#(one.kernel)"}"#, wanted)
        #expect(found.psnr > 40, "\(found)")
    }

    @Test(arguments: [("linear", 0), ("cubic", 1)]) func `enlarged pixels are interpolated`(kernel: String, index: Int) throws {
        let wanted = Self.source.resized(400, 300, Self.kernels[index].weight, reach: Self.kernels[index].reach)
        let found = try likeness(#"{"op":"resize","width":400,"enlarge":true,"kernel":"\#(kernel)"}"#, wanted, inset: 6)
        #expect(found.psnr > 50, "\(found)")
    }

    @Test(arguments: [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 1.9, 2.5, 3, 3.9, 5, 6.7, 7.9, 9, 20, 60]) func `a flat area is as bright after a blur`(
        sigma: Double
    ) throws {
        for color in [[255.0, 200, 40], [127, 128, 1]] {
            let image = try PictureTests.made(OperationTests.flat(color, 100, 80), #"{"op":"blur","sigma":\#(sigma)}"#)
            let seen = try image.pixel(50, 40)
            #expect(near(seen, color, within: 1), "\(seen)")
        }
        let weights = Blur.weights(sigma)
        #expect(weights == weights.reversed() && weights.allSatisfy { (0...64).contains($0) } && weights.reduce(0, +).nonzeroBitCount == 1)
    }

    @Test(arguments: [0.5, 1, 2.5, 3.9, 8, 15]) func `a blur is a Gaussian`(sigma: Double) throws {
        let found = try likeness(#"{"op":"blur","sigma":\#(sigma)}"#, Self.source.blurred(sigma))
        #expect(found.psnr > 38, "\(found)")
    }

    @Test(arguments: [7.9, 8, 20, 40]) func `a blur repeats the edges alone, however wide`(sigma: Double) throws {
        let framed = ReferencePicture(80, 60) { x, y in Array(repeating: x == 0 || y == 0 || x == 79 || y == 59 ? 0 : 255, count: 3) }
        let wanted = framed.blurred(sigma)
        try VipsRuntime.start()
        let made = try PictureTests.made(TestPictures.encoded(framed.image(), .png), #"{"op":"blur","sigma":\#(sigma)}"#)
        try #require(made.width == 80 && made.height == 60)
        for (x, y) in [(0, 0), (40, 0), (79, 59), (0, 30), (3, 3), (79, 20), (10, 59), (20, 15), (40, 30)] {
            #expect(try near(made.pixel(x, y), wanted[x, y], within: 8), "\(x), \(y)")
        }
    }

    @Test(arguments: [1, 10, 33.3, 45, 89, 135, 200, -7.5]) func `a turn takes each pixel from its old place`(angle: Double) throws {
        let found = try likeness(#"{"op":"rotate","angle":\#(angle),"expand":false,"background":"black"}"#, Self.source.turned(angle))
        #expect(found.psnr > 33, "\(found)")
    }

    @Test(arguments: Blend.allCases, [1, 0.4]) func `a layer mixes by its blend, its transparency and its opacity`(blend: Blend, opacity: Double) throws {
        let layer = ReferencePicture(60, 50) { x, y in [Double(x * 4), Double(y * 5), Double((x + y) * 2), Double(min(255, x * y / 8))].map { min(255, $0) } }
        let wanted = Self.source.under(layer, x: 70, y: 40, opacity: opacity) { blend.mix($0, $1) }
        try VipsRuntime.start()
        let bytes = try TestPictures.encoded(layer.image(), .png)
        let step = #"{"op":"composite","url":"http://a.test/","x":70,"y":40,"blend":"\#(blend.rawValue)","opacity":\#(opacity)}"#
        let found = try likeness(step, wanted, layers: [bytes])
        #expect(found.psnr > 55, "\(found)")
    }

    @Test(arguments: Blend.allCases) func `on a transparent picture a layer keeps its own color as far as nothing is below`(blend: Blend) throws {
        let (below, above) = ([90.0, 180, 240], [200.0, 100, 50])
        let bytes = try OperationTests.flat(below + [102])
        let step = #"{"op":"composite","url":"http://a.test/","blend":"\#(blend.rawValue)"}"#
        let made = try TestPictures.made(bytes, PictureTests.rendition(step), layers: [OperationTests.flat(above + [153], 40, 20)])
        // Alpha 0.4 and 0.6: together 0.76.
        let blended = blend.mix(below.map { $0 / 255 }, above.map { $0 / 255 })
        let wanted = zip(zip(below, above), blended).map { pair, both in
            let (b, a) = pair
            let mixed = 0.6 * a + 0.4 * 255 * both
            return (0.6 * mixed + 0.4 * 0.4 * b) / 0.76
        }
        let seen = try TestPictures.decoded(made).pixel(20, 10)
        #expect(near(seen, wanted + [193.8], within: 2), "\(seen) is not \(wanted)")
    }
}
