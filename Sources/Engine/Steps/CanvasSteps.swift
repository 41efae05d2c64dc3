package import TintypeImages

extension Background: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha && !color.isOpaque }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        guard image.hasAlpha, !color.isOpaque else { return try ColorStep.flatten(image, color) }
        let ready = try color.prepare(image)
        return try Overlay.put(ready, on: ColorBands.rounded(ready.linear([0], color.values(for: ready)), ready.format))
    }
}

/// One picture over another of the same size, both with transparency.
enum Overlay {
    static func put(_ top: VipsImage, on base: VipsImage) throws(VipsError) -> VipsImage {
        let (above, below) = try (ColorBands(top, asRGB: true), ColorBands(base, asRGB: true))
        let rest = try above.transparency().linear(-1 / above.most, 1)
        let sum = try above.weighted().plus(below.weighted().times(rest))
        return try ColorBands.join(above.whole(sum.unpremultiplied(above.most)), nil, isDeep: above.isDeep)
    }
}

extension ColorBands {
    /// Returns the original picture, with the interpretation of its color space.
    func joinedAgain() throws(VipsError) -> VipsImage { try joined(colors) }

    /// Returns the colors multiplied by alpha, and the alpha, not rounded.
    func weighted() throws(VipsError) -> VipsImage { try VipsImage.joined([colors, transparency()]).premultiplied(most) }
}

/// A larger canvas of one color, with the picture on it.
package struct CanvasStep: Sendable, Hashable {
    package var size: PictureSize
    package var x: Int
    package var y: Int
    package var background: Color

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        if size == image.size { return image }
        let ready = try background.prepare(image)
        return try VipsOperation("embed").set("in", ready).set("x", x).set("y", y).set("width", size.width)
            .set("height", size.height).set("extend", 5).set("background", background.values(for: ready)).image()
    }
}

/// A window of a picture.
enum CropStep {
    static func apply(_ window: PictureWindow, to image: VipsImage) throws(VipsError) -> VipsImage {
        try VipsOperation("extract_area").set("input", image).set("left", window.x).set("top", window.y).set("width", window.width)
            .set("height", window.height).image()
    }
}

/// A window of a given size at the most interesting place of a picture.
package struct SmartCropStep: Sendable, Hashable {
    package var size: PictureSize
    /// Whether the window goes where the eye is drawn, or else where most detail is.
    package var byAttention: Bool

    func window(in image: VipsImage) throws(VipsError) -> PictureWindow {
        let part = try VipsOperation("smartcrop").set("input", image).set("width", size.width).set("height", size.height)
            .set("interesting", byAttention ? 3 : 2).image()
        let at = part.offset
        return PictureWindow(x: -at.x, y: -at.y, width: size.width, height: size.height)
    }
}

extension RoundCorners: PictureFilter {
    static var dependsOnPlace: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha || radius > 0 || borderWidth > 0 && join != .miter }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let size = image.size
        let side = Double(min(size.width, size.height))
        let rounding = min(radius, side / 2)
        let isOpaque = !image.hasAlpha
        var image = image
        if borderWidth > 0 {
            guard borderWidth < side / 2 else {
                throw VipsError(operation: "border", text: "the border of \(borderWidth) pixels must be less than half the shorter side of \(size)")
            }
            let inner = ShapeMask(rectangleIn: size, inset: borderWidth, corners: order.map { corners.contains($0) ? .round(rounding - borderWidth) : .square })
            image = try Overlay.put(line(inner.outside(Double(borderColor.alpha) / 255), like: image), on: image)
        }
        let outer = order.map { corner -> ShapeMask.Corner in
            if corners.contains(corner) { return .round(rounding) }
            switch join {
            case .miter: return .square
            case .round: return .round(borderWidth / 2)
            case .bevel: return .bevel(borderWidth / 2)
            }
        }
        let isCut = radius > 0 || (borderWidth > 0 && join != .miter)
        if isCut { return try ShapeMask(rectangleIn: size, inset: 0, corners: outer).applied(to: image) }
        // A border over an opaque picture leaves it opaque.
        guard isOpaque, image.hasAlpha else { return image }
        let bands = try ColorBands(image)
        return try ColorBands.join(bands.colors, nil, isDeep: bands.isDeep)
    }

    private var order: [Corner] { [.topLeft, .topRight, .bottomRight, .bottomLeft] }

    /// Returns the border's color in the shape of `ring`.
    private func line(_ ring: ShapeMask, like image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(image, asRGB: true)
        let solid = try Tint.mixed(bands, borderColor.opaque, .normal)
        return try ring.applied(to: ColorBands.join(solid, nil, isDeep: bands.isDeep))
    }
}
