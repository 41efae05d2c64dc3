package import Shared

/// Scales to an exact size, with transparency weighted in.
package struct ResizeStep: Sendable, Hashable {
    package var from: PictureSize
    package var to: PictureSize
    /// How many source pixels one pixel of the result stands for. Not `from/to` when the decoder rounded `from` up.
    package var shrinkHorizontal: Double
    package var shrinkVertical: Double
    package var kernel: Resize.Kernel
    /// Whether light is averaged instead of the numbers that stand for it.
    package var isLinear: Bool

    package init(from: PictureSize, to: PictureSize, kernel: Resize.Kernel = .lanczos3, isLinear: Bool = false) {
        self.kernel = kernel
        self.isLinear = isLinear
        self.from = from
        self.to = to
        shrinkHorizontal = Double(from.width) / Double(to.width)
        shrinkVertical = Double(from.height) / Double(to.height)
    }

    /// The same for a picture that was decoded at 1/shrink: its last row and column may stand for less than `shrink` pixels.
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
        return isLinear ? try LinearLight.around(image, scaled) : try AlphaWeight.around(image, scaled)
    }

    /// The bare scaling, every band for itself.
    func scaled(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var horizontal = shrinkHorizontal
        var vertical = shrinkVertical
        // A decoder that rounds otherwise than planned changes the scale, never the result's size.
        if PictureSize(image.width, image.height) != from {
            horizontal = Double(image.width) / Double(to.width)
            vertical = Double(image.height) / Double(to.height)
        }
        return try scale(image, horizontal, vertical)
    }

    private func scale(_ image: VipsImage, _ horizontal: Double, _ vertical: Double) throws(VipsError) -> VipsImage {
        guard kernel != .nearest, horizontal < 1 || vertical < 1 else { return try exact(bare(image, horizontal, vertical)) }
        let less = horizontal > 1 || vertical > 1 ? try bare(image, max(1, horizontal), max(1, vertical)) : image
        return try exact(enlarged(less, 1 / min(1, horizontal), 1 / min(1, vertical)))
    }

    private func bare(_ image: VipsImage, _ horizontal: Double, _ vertical: Double) throws(VipsError) -> VipsImage {
        try VipsOperation("resize").set("in", image).set("scale", 1 / horizontal).set("vscale", 1 / vertical).set("kernel", kernel.number).image()
    }

    /// From the middle of the picture to the middle of the larger one. libvips' own resize is off by half a pixel of the result here.
    private func enlarged(_ image: VipsImage, _ across: Double, _ down: Double) throws(VipsError) -> VipsImage {
        let size = [across > 1 ? to.width : image.width, down > 1 ? to.height : image.height]
        return try VipsOperation("affine").set("in", image).set("matrix", [across, 0, 0, down]).set("oarea", [0, 0] + size)
            .set("odx", (across - 1) / 2).set("ody", (down - 1) / 2).set(interpolate: kernel == .linear ? "bilinear" : "bicubic").set("extend", 1)
            .set("premultiplied", true).image()
    }

    /// Cuts off a row or column of rounding, or repeats the last one.
    private func exact(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if image.width == to.width, image.height == to.height { return image }
        if image.width >= to.width, image.height >= to.height {
            return try CropStep.apply(PictureWindow(x: 0, y: 0, width: to.width, height: to.height), to: image)
        }
        return try VipsOperation("embed").set("in", image).set("x", 0).set("y", 0).set("width", to.width).set("height", to.height)
            .set("extend", 1).image()
    }
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
