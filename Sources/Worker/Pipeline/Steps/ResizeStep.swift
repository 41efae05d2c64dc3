/// Scales to an exact size, with transparency weighted in.
package struct ResizeStep: Sendable, Hashable {
    package var from: PictureSize
    package var to: PictureSize
    /// How many source pixels one pixel of the result stands for. Not `from/to` when the decoder rounded `from` up.
    package var shrinkHorizontal: Double
    package var shrinkVertical: Double

    package init(from: PictureSize, to: PictureSize) {
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
        var horizontal = shrinkHorizontal
        var vertical = shrinkVertical
        // A decoder that rounds otherwise than planned changes the scale, never the result's size.
        if PictureSize(image.width, image.height) != from {
            horizontal = Double(image.width) / Double(to.width)
            vertical = Double(image.height) / Double(to.height)
        }
        guard image.hasAlpha else { return try scale(image, horizontal, vertical) }
        // Back to the source's own numbers before resizing: floats would take four times the memory and twice the time.
        let format = image.format
        let weighted = try VipsOperation("premultiply").set("in", image).image()
        let compact = try VipsOperation("cast").set("in", weighted).set("format", Int(format.rawValue)).image()
        let small = try scale(compact, horizontal, vertical)
        let plain = try VipsOperation("unpremultiply").set("in", small).image()
        return try VipsOperation("cast").set("in", plain).set("format", Int(format.rawValue)).image()
    }

    private func scale(_ image: VipsImage, _ horizontal: Double, _ vertical: Double) throws(VipsError) -> VipsImage {
        // 5 is Lanczos over three lobes.
        let scaled = try VipsOperation("resize").set("in", image).set("scale", 1 / horizontal).set("vscale", 1 / vertical)
            .set("kernel", 5).image()
        return try exact(scaled)
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
