import TintypeImages

/// A small picture as numbers: sRGB with alpha, 8 bits each, rows from top to bottom. A pure value.
struct PixelRaster: Sendable, Hashable {
    let width: Int
    let height: Int
    /// Four numbers for each pixel: red, green, blue, alpha.
    let samples: [UInt8]

    /// - Precondition: both sides are at least 1, and there are four samples for each pixel.
    init(width: Int, height: Int, samples: [UInt8]) {
        precondition(width > 0 && height > 0 && samples.count == 4 * width * height, "a raster of \(width)x\(height) with \(samples.count) samples")
        (self.width, self.height, self.samples) = (width, height, samples)
    }

    var count: Int { width * height }

    /// Color and alpha of a pixel by its index, 0…255.
    subscript(_ index: Int) -> (red: Double, green: Double, blue: Double, alpha: Double) {
        let at = 4 * index
        return (Double(samples[at]), Double(samples[at + 1]), Double(samples[at + 2]), Double(samples[at + 3]))
    }

    func color(_ index: Int) -> Color {
        let at = 4 * index
        return Color(red: samples[at], green: samples[at + 1], blue: samples[at + 2], alpha: samples[at + 3])
    }

    /// The raster on white, without transparency.
    var onWhite: PixelRaster {
        var flat = samples
        for at in stride(from: 0, to: flat.count, by: 4) where flat[at + 3] < 255 {
            let alpha = Double(flat[at + 3]) / 255
            for band in 0..<3 { flat[at + band] = UInt8((Double(flat[at + band]) * alpha + 255 * (1 - alpha)).rounded()) }
            flat[at + 3] = 255
        }
        return PixelRaster(width: width, height: height, samples: flat)
    }
}

extension PixelRaster {
    /// Takes the pixels of a picture in sRGB or gray.
    init(_ picture: VipsImage) throws(VipsError) {
        var image = try ColorStep.eightBit(picture)
        if image.bands < 3 { image = try image.converted(to: .sRGB) }
        if image.bands == 3 { image = try VipsOperation("bandjoin_const").set("in", image).set("c", [255.0]).image() }
        if image.bands > 4 { image = try image.band(0, count: 4) }
        try self.init(width: image.width, height: image.height, samples: image.samples())
    }
}
