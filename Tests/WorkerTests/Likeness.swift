import Glibc

@testable import Engine

/// The similarity of two pictures of one size.
struct Likeness: CustomStringConvertible {
    /// The signal-to-noise ratio over all bands, in decibels; 99 for equal pictures.
    let psnr: Double
    /// The structural similarity of brightness: Wang's, over Gaussian windows of 1.5 pixels. 1 for equal pictures.
    let ssim: Double

    init(_ a: VipsImage, _ b: VipsImage) throws {
        let difference = try VipsOperation("subtract").set("left", a).set("right", b).image()
        let stats = try VipsOperation("stats").set("in", difference).image()
        let squares = try stats.pixel(3, 0)[0] / Double(a.width * a.height * a.bands)
        psnr = squares == 0 ? 99 : min(99, 10 * log10(255 * 255 / squares))
        ssim = try Self.ssim(Self.brightness(a), Self.brightness(b))
    }

    var description: String { "PSNR \((psnr * 100).rounded() / 100) dB, SSIM \((ssim * 10000).rounded() / 10000)" }

    private static func brightness(_ image: VipsImage) throws -> VipsImage {
        let gray = try VipsOperation("colourspace").set("in", image).set("space", Int(VipsColors.gray.rawValue)).image()
        return try VipsOperation("cast").set("in", gray).set("format", Int(VipsBandFormat.float.rawValue)).image().computed()
    }

    private static func ssim(_ a: VipsImage, _ b: VipsImage) throws -> Double {
        func pair(_ name: String, _ a: VipsImage, _ b: VipsImage) throws -> VipsImage {
            try VipsOperation(name).set("left", a).set("right", b).image()
        }
        func blurred(_ image: VipsImage) throws -> VipsImage {
            try VipsOperation("gaussblur").set("in", image).set("sigma", 1.5).set("precision", 1).image().computed()
        }
        func linear(_ image: VipsImage, _ factor: Double, _ offset: Double) throws -> VipsImage {
            try VipsOperation("linear").set("in", image).set("a", [factor]).set("b", [offset]).image()
        }
        let (meanA, meanB) = try (blurred(a), blurred(b))
        let (squareA, squareB, product) = try (pair("multiply", meanA, meanA), pair("multiply", meanB, meanB), pair("multiply", meanA, meanB))
        let spreadA = try pair("subtract", blurred(pair("multiply", a, a)), squareA)
        let spreadB = try pair("subtract", blurred(pair("multiply", b, b)), squareB)
        let common = try pair("subtract", blurred(pair("multiply", a, b)), product)
        let (first, second) = (6.5025, 58.5225)
        let over = try pair("multiply", linear(product, 2, first), linear(common, 2, second))
        let under = try pair("multiply", linear(pair("add", squareA, squareB), 1, first), linear(pair("add", spreadA, spreadB), 1, second))
        return try VipsOperation("stats").set("in", pair("divide", over, under)).image().pixel(4, 0)[0]
    }
}
