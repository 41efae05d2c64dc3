import Glibc
import TintypeImages

extension Blur: PictureFilter {
    static var needsMemory: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let blurred = try AlphaWeight.around(image) { (image: VipsImage) throws(VipsError) in try blur(image) }
        guard saturation != 1 || tint != nil else { return blurred }
        var bands = try ColourBands(blurred, asRGB: tint.map { !$0.isGrey } ?? false)
        if saturation != 1, !bands.isGrey {
            bands = try ColourBands(bands.joined(ColourMatrix.saturation(saturation).apply(to: bands.colours)), asRGB: true)
        }
        guard let tint else { return try bands.joinedAgain() }
        let colours = try ColourBands(bands.joinedAgain(), asRGB: true)
        return try colours.joined(Tint.mixed(colours, tint, blend))
    }

    private func blur(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if let boxes {
            if boxes.side <= Self.mostExact { return try convolved(image, boxes.side, boxes.passes) }
            // So many boxes so wide are a Gaussian to the eye.
            return try gaussian(image, (Double(boxes.passes) * Double(boxes.side * boxes.side - 1) / 12).squareRoot())
        }
        return try sigma.map { sigma throws(VipsError) in try gaussian(image, sigma) } ?? image
    }

    /// The widest boxes that are worth their exactness.
    private static let mostExact = 15

    /// One pass after the other, as each repeats the edges of what the one before has made: all at once, as one convolution with the box convolved
    /// with itself, would repeat only the picture's own.
    private func convolved(_ image: VipsImage, _ side: Int, _ passes: Int) throws(VipsError) -> VipsImage {
        let box = try VipsImage.matrix([[Double](repeating: 1, count: side)], scale: Double(side))
        var done = image
        // 1 is float: whole numbers of 16 bits would overflow.
        for _ in 0..<passes { done = try VipsOperation("convsep").set("in", done).set("mask", box).set("precision", 1).image() }
        return try ColourBands.rounded(done, image.format)
    }

    /// Wide blurs are made on a smaller picture: nothing is left that it could not hold.
    private func gaussian(_ image: VipsImage, _ sigma: Double) throws(VipsError) -> VipsImage {
        let size = PictureSize(image.width, image.height)
        let factor = Self.shrink(size, sigma)
        if factor == 1 { return try smooth(image, sigma) }
        // Its edges are repeated before: those of the smaller one are as thick as `factor` pixels, and mixed with what lies beside them.
        let margin = Self.margin * factor
        let wide = PictureSize(size.width + 2 * margin, size.height + 2 * margin)
        let small = PictureSize(size.width / factor + 2 * Self.margin, size.height / factor + 2 * Self.margin)
        let held = try VipsOperation("embed").set("in", image).set("x", margin).set("y", margin).set("width", wide.width).set("height", wide.height)
            .set("extend", 1).image()
        let less = try ResizeStep(from: wide, to: small, kernel: .linear).scaled(held)
        let blurred = try ResizeStep(from: small, to: wide, kernel: .cubic).scaled(smooth(less, sigma / Double(factor)))
        return try CropStep.apply(PictureWindow(x: margin, y: margin, width: size.width, height: size.height), to: blurred)
    }

    /// Pixels of the smaller picture that are added on each side: the last is of nothing but the edge, which the convolution then repeats.
    private static let margin = 2

    /// By how much a picture is made smaller before it is blurred. Of a narrow one eight pixels are left: not to make it smaller at all would cost a
    /// hundred times as much.
    static func shrink(_ size: PictureSize, _ sigma: Double) -> Int { max(1, min(Int(sigma / 4), min(size.width, size.height) / 8)) }

    private func smooth(_ image: VipsImage, _ sigma: Double) throws(VipsError) -> VipsImage {
        let weights = Self.weights(sigma).map { Double($0) }
        let mask = try VipsImage.matrix([weights], scale: weights.reduce(0, +))
        // 0 is whole numbers, for which libvips has vectors.
        return try VipsOperation("convsep").set("in", image).set("mask", mask).set("precision", 0).image()
    }

    /// A Gaussian in whole numbers whose sum is a power of two and the largest of which is from 33 to 64: libvips makes its vectors of such without
    /// rounding, so that what is flat stays as bright as it is. Its own masks make it up to a twentieth darker or brighter.
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
        // A tint may have made three bands of one.
        let plain = blurred.bands == image.bands ? image : try ColourBands(image, asRGB: true).joinedAgain()
        func mixed(_ one: VipsImage, _ other: VipsImage) throws(VipsError) -> VipsImage {
            let some = try VipsOperation("ifthenelse").set("cond", layer).set("in1", one).set("in2", other).set("blend", true).image()
            return try VipsOperation("copy").set("in", some).set("interpretation", Int(plain.colours.rawValue)).image()
        }
        guard plain.hasAlpha else { return try ColourBands(mixed(blurred, plain)).joinedAgain() }
        // In floats: what is rounded before it is mixed has no colour left where it is hardly to be seen.
        let (one, other) = try (VipsOperation("premultiply").set("in", blurred).image(), VipsOperation("premultiply").set("in", plain).image())
        return try ColourBands.rounded(VipsOperation("unpremultiply").set("in", mixed(one, other)).image(), plain.format)
    }
}
