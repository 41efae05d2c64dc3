package import TintypeImages

/// A scaling to an exact size, with colors weighted by transparency.
package struct ResizeStep: Sendable, Hashable {
    package var from: PictureSize
    package var to: PictureSize
    /// The source pixels for one pixel of the result. This is not `from/to` if the decoder rounded `from` up.
    package var shrinkHorizontal: Double
    package var shrinkVertical: Double
    package var kernel: Resize.Kernel
    /// Whether light is averaged instead of the numbers that encode it.
    package var isLinear: Bool

    package init(from: PictureSize, to: PictureSize, kernel: Resize.Kernel = .lanczos3, isLinear: Bool = false) {
        self.kernel = kernel
        self.isLinear = isLinear
        self.from = from
        self.to = to
        shrinkHorizontal = Double(from.width) / Double(to.width)
        shrinkVertical = Double(from.height) / Double(to.height)
    }

    /// Returns the step for a picture that was decoded at 1/shrink. Its last row and column may stand for less than `shrink` pixels.
    func after(shrink: Int) -> ResizeStep {
        var step = self
        step.from = PictureSize((from.width + shrink - 1) / shrink, (from.height + shrink - 1) / shrink)
        step.shrinkHorizontal = step.from.width == to.width ? 1 : shrinkHorizontal / Double(shrink)
        step.shrinkVertical = step.from.height == to.height ? 1 : shrinkVertical / Double(shrink)
        return step
    }

    var isNothing: Bool { from == to }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        if kernel == .nearest { return try scaled(image) }
        if isLinear { return try LinearLight.around(image, scaled) }
        return kernel == .linear ? try AlphaWeight.around(image, scaled) : try AlphaWeight.aroundOvershoots(image, scaled)
    }

    /// Scales without weighting, every band for itself.
    func scaled(_ image: VipsImage) throws(VipsError) -> VipsImage {
        try scale(image, Self.step(shrinkHorizontal, from.width, image.width, to.width), Self.step(shrinkVertical, from.height, image.height, to.height))
    }

    /// Returns the scale for a picture of another size than planned. If the decoder rounds otherwise, the scale changes, but never the result's size.
    /// If the decoder drops a partial last column, all other columns are where they were planned, and the scale stays.
    private static func step(_ planned: Double, _ from: Int, _ own: Int, _ to: Int) -> Double {
        own == from || planned != Double(from) / Double(to) ? planned : Double(own) / Double(to)
    }

    private func scale(_ image: VipsImage, _ horizontal: Double, _ vertical: Double) throws(VipsError) -> VipsImage {
        guard kernel != .nearest, horizontal < 1 || vertical < 1 else { return try exact(bare(image, horizontal, vertical)) }
        let less = horizontal > 1 || vertical > 1 ? try bare(image, max(1, horizontal), max(1, vertical)) : image
        return try exact(enlarged(less, 1 / min(1, horizontal), 1 / min(1, vertical)))
    }

    private func bare(_ image: VipsImage, _ horizontal: Double, _ vertical: Double) throws(VipsError) -> VipsImage {
        let across = WholeScale(image.width, horizontal, least: horizontal > 1 ? to.width : image.width)
        let down = WholeScale(image.height, vertical, least: vertical > 1 ? to.height : image.height)
        var held = image
        if (across.from, down.from) != (image.width, image.height) {
            held = try VipsOperation("embed").set("in", image).set("x", 0).set("y", 0).set("width", across.from).set("height", down.from)
                .set("extend", 1).image()
        }
        if kernel == .nearest {
            return try VipsOperation("resize").set("in", held).set("scale", across.scale).set("vscale", down.scale).set("kernel", kernel.number).image()
        }
        // The two parts of libvips' `resize`, because `resize` would derive the step from whole sizes. An error of half a pixel in a size would be half a
        // pixel at the far edge.
        for (name, side, step) in [("reducev", "vshrink", vertical), ("reduceh", "hshrink", horizontal)] where step > 1 {
            held = try VipsOperation(name).set("in", held).set(side, step).set("kernel", kernel.number).set("gap", 2.0).image()
            if name == "reducev" { held = try inStrips(held) }
        }
        return held
    }

    /// Lets the rows of a picture in memory be reduced many at a time. libvips computes the result row by row.
    /// Each row would average most input rows of the row before again. For a picture that is still read from its source, libvips keeps these averages itself.
    private func inStrips(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard !image.isStreamed else { return image }
        return try VipsOperation("tilecache").set("in", image).set("tile-width", image.width).set("tile-height", Self.strip).set("max-tiles", 2)
            .set("access", 1).set("threaded", true).image()
    }

    /// The rows of a strip. Sixteen would average a third of the input rows twice, and larger ones leave the cache of a core.
    private static let strip = 64

    /// Enlarges from the middle of the picture to the middle of the larger one. The `resize` of libvips is off by half a pixel of the result here.
    private func enlarged(_ image: VipsImage, _ across: Double, _ down: Double) throws(VipsError) -> VipsImage {
        let size = [across > 1 ? to.width : image.width, down > 1 ? to.height : image.height]
        return try VipsOperation("affine").set("in", image).set("matrix", [across, 0, 0, down]).set("oarea", [0, 0] + size)
            .set("odx", (across - 1) / 2).set("ody", (down - 1) / 2).set(interpolate: kernel == .linear ? "bilinear" : "bicubic").set("extend", 1)
            .set("premultiplied", true).image()
    }

    /// Cuts off an extra row or column that rounding has left, or repeats the last one.
    private func exact(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if image.width == to.width, image.height == to.height { return image }
        if image.width >= to.width, image.height >= to.height {
            return try CropStep.apply(PictureWindow(x: 0, y: 0, width: to.width, height: to.height), to: image)
        }
        return try VipsOperation("embed").set("in", image).set("x", 0).set("y", 0).set("width", to.width).set("height", to.height)
            .set("extend", 1).image()
    }
}

/// A scale in one direction for libvips. libvips puts the middle of a result of whole pixels over the middle of its input. The left edges match only if the
/// scale takes whole pixels to whole pixels. So repeated edges are added, a larger result is made, and the excess is cut off. If no nearby size
/// fits, everything lies up to a quarter of an input pixel off. Pure.
struct WholeScale {
    /// The pixels of the input, and those of the result.
    let from: Int
    let to: Int
    var scale: Double { Double(to) / Double(from) }

    /// - Parameters:
    ///   - length: the present length.
    ///   - step: the input pixels for one pixel of the result, at least 1.
    ///   - least: the least length of the result.
    init(_ length: Int, _ step: Double, least: Int) {
        let first = max(least, Int((Double(length) / step - Self.exact).rounded(.up)))
        var best = (from: length, to: first, error: Double.infinity)
        for to in first...first + Self.most where best.error > Self.exact {
            let from = step * Double(to)
            let error = abs(from - from.rounded())
            if error < best.error, Int(from.rounded()) >= length { best = (Int(from.rounded()), to, error) }
        }
        (from, to) = (best.from, best.to)
    }

    /// The allowed error over the whole length, in pixels of the input.
    private static let exact = 0.02
    /// The most extra pixels of the result.
    private static let most = 64
}

extension Resize.Kernel {
    /// libvips' own number.
    var number: Int {
        switch self {
        case .nearest: 0
        case .linear: 1
        case .cubic: 2
        case .mitchell: 3
        case .lanczos2: 4
        case .lanczos3: 5
        }
    }
}
