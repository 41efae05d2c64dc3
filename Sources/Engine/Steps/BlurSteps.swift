import Glibc
import TintypeImages

extension Blur: PictureFilter {
    static var needsMemory: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let blurred = try AlphaWeight.around(image) { (image: VipsImage) throws(VipsError) in try blur(image) }
        guard saturation != 1 || tint != nil else { return blurred }
        var bands = try ColorBands(blurred, asRGB: tint.map { !$0.isGray } ?? false)
        if saturation != 1, !bands.isGray {
            bands = try ColorBands(bands.joined(ColorMatrix.saturation(saturation).apply(to: bands.colors)), asRGB: true)
        }
        guard let tint else { return try bands.joinedAgain() }
        let colors = try ColorBands(bands.joinedAgain(), asRGB: true)
        return try colors.joined(Tint.mixed(colors, tint, blend))
    }

    private func blur(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if let boxes {
            if boxes.side <= Self.maxExact { return try convolved(image, boxes.side, boxes.passes) }
            // With this number and width, boxes look like a Gaussian.
            return try gaussian(image, (Double(boxes.passes) * Double(boxes.side * boxes.side - 1) / 12).squareRoot())
        }
        return try sigma.map { sigma throws(VipsError) in try gaussian(image, sigma) } ?? image
    }

    /// The widest boxes that are computed exactly.
    private static let maxExact = 15

    /// Runs one pass after the other, because each pass repeats the edges of its own input. A single convolution with the box convolved with itself
    /// would repeat only the edges of the original picture.
    private func convolved(_ image: VipsImage, _ side: Int, _ passes: Int) throws(VipsError) -> VipsImage {
        let box = try VipsImage.matrix([[Double](repeating: 1, count: side)], scale: Double(side))
        var done = image
        // 1 is float: whole numbers of 16 bits would overflow.
        for _ in 0..<passes { done = try VipsOperation("convsep").set("in", done).set("mask", box).set("precision", 1).image() }
        return try ColorBands.rounded(done, image.format)
    }

    /// Blurs a picture. A wide blur is made on a smaller picture, which can hold everything that such a blur leaves.
    private func gaussian(_ image: VipsImage, _ sigma: Double) throws(VipsError) -> VipsImage {
        let size = image.size
        let factor = Self.shrink(size, sigma)
        if factor == 1 { return try smooth(image, sigma) }
        // The edges are repeated before shrinking. Those of the smaller picture stand for `factor` pixels, and are mixed with their neighbors.
        let margin = Self.margin * factor
        let wide = PictureSize(size.width + 2 * margin, size.height + 2 * margin)
        let small = PictureSize(size.width / factor + 2 * Self.margin, size.height / factor + 2 * Self.margin)
        let held = try VipsOperation("embed").set("in", image).set("x", margin).set("y", margin).set("width", wide.width).set("height", wide.height)
            .set("extend", 1).image()
        let less = try ResizeStep(from: wide, to: small, kernel: .linear).scaled(held)
        let blurred = try ResizeStep(from: small, to: wide, kernel: .cubic).scaled(smooth(less, sigma / Double(factor)))
        return try CropStep.apply(PictureWindow(x: margin, y: margin, width: size.width, height: size.height), to: blurred)
    }

    /// The pixels that are added to each side of the smaller picture. The last one is only edge, which the convolution then repeats.
    private static let margin = 2

    /// Returns the factor by which a picture is shrunk before it is blurred. A narrow picture keeps eight pixels. Without shrinking, the blur would cost a
    /// hundred times as much.
    static func shrink(_ size: PictureSize, _ sigma: Double) -> Int { max(1, min(Int(sigma / 4), min(size.width, size.height) / 8)) }

    private func smooth(_ image: VipsImage, _ sigma: Double) throws(VipsError) -> VipsImage {
        let weights = Self.weights(sigma).map { Double($0) }
        let mask = try VipsImage.matrix([weights], scale: weights.reduce(0, +))
        // Precision 0 is integer, for which libvips has vector code.
        return try VipsOperation("convsep").set("in", image).set("mask", mask).set("precision", 0).image()
    }

    /// Returns a Gaussian of integers. The sum is a power of two, and the largest number is from 33 to 64. The vector code of libvips
    /// does not round such masks, so flat areas keep their brightness. Its own masks change the brightness by up to a twentieth.
    static func weights(_ sigma: Double) -> [Int] {
        let reach = max(1, Int(sigma * (-2 * log(0.02)).squareRoot()))
        let exact = (0...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = exact[0] + 2 * exact.dropFirst().reduce(0, +)
        var total = Int(exp2(log2(64 * sum).rounded(.down)))
        while true {
            var half = exact.map { Int(($0 / sum * Double(total)).rounded()) }
            half[0] = total - 2 * half.dropFirst().reduce(0, +)
            if half[0] <= 64 { return half.dropFirst().reversed() + half }
            total /= 2
        }
    }
}

extension Blur: LayerFilter {
    var fitting: LayerFitting { .coverage }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage {
        let blurred = try apply(to: image)
        // A tint may have turned one band into three.
        let plain = blurred.bands == image.bands ? image : try ColorBands(image, asRGB: true).joinedAgain()
        func mixed(_ one: VipsImage, _ other: VipsImage) throws(VipsError) -> VipsImage {
            try VipsOperation("ifthenelse").set("cond", layer).set("in1", one).set("in2", other).set("blend", true).image().tagged(plain.colors)
        }
        guard plain.hasAlpha else { return try ColorBands(mixed(blurred, plain)).joinedAgain() }
        // In floats: rounding before mixing would lose the color of nearly transparent pixels.
        return try ColorBands.rounded(mixed(blurred.premultiplied(), plain.premultiplied()).unpremultiplied(), plain.format)
    }
}

extension Sharpen: PictureFilter {
    static var needsMemory: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    /// Sharpens the colors by themselves. For colors weighted by alpha every soft edge would be an edge, and its color would move.
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(image)
        guard let alpha = bands.alpha else { return try bands.joined(sharpened(bands.colors)) }
        let seen = try counted(bands, alpha)
        return try bands.joined(bands.colors.plus(sharpened(seen).minus(seen)))
    }

    private func sharpened(_ colors: VipsImage) throws(VipsError) -> VipsImage {
        try VipsOperation("sharpen").set("in", colors).set("sigma", sigma).set("m1", amount).set("m2", 2 * amount).image()
    }

    /// Returns the colors as they count for the pixels beside them. A pixel counts as far as it is as opaque as its surroundings. The mean of the
    /// surroundings makes up the rest, because colors of nearly transparent pixels are hidden or rough.
    private func counted(_ bands: ColorBands, _ alpha: VipsImage) throws(VipsError) -> VipsImage {
        let count = bands.colors.bands
        // The reach of the sharpening, so that every pixel that a visible one looks at has a mean.
        let around = try VipsOperation("gaussblur").set("in", bands.weighted()).set("sigma", sigma).set("min-ampl", 0.1).set("precision", 1).image()
        let ratio = try alpha.divided(by: around.band(count))
        let share = try VipsOperation("linear").set("in", ratio).set("a", [255]).set("b", [0.5]).set("uchar", true).image()
        let mean = try bands.whole(around.unpremultiplied(bands.most).band(0, count: count))
        let mixed = try VipsOperation("ifthenelse").set("cond", share).set("in1", bands.colors).set("in2", mean).set("blend", true).image()
        return try mixed.tagged(bands.colors.colors)
    }
}

extension Pixelate: PictureFilter {
    static var dependsOnPlace: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let (width, height) = (min(size, image.width), min(size, image.height))
        return try AlphaWeight.around(image) { (image: VipsImage) throws(VipsError) in
            let small = try VipsOperation("shrink").set("in", image).set("hshrink", Double(width)).set("vshrink", Double(height)).set("ceil", true).image()
            let large = try VipsOperation("zoom").set("input", small).set("xfac", width).set("yfac", height).image()
            return try CropStep.apply(PictureWindow(x: 0, y: 0, width: image.width, height: image.height), to: large)
        }
    }
}
