import TintypeImages

extension RoundCorners: PictureFilter {
    static var dependsOnPlace: Bool { true }
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha || radius > 0 || borderWidth > 0 && join != .miter }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let size = PictureSize(image.width, image.height)
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
        let bands = try ColourBands(image)
        return try ColourBands.join(bands.colours, nil, isDeep: bands.isDeep)
    }

    private var order: [Corner] { [.topLeft, .topRight, .bottomRight, .bottomLeft] }

    /// Returns the border's color in the shape of `ring`.
    private func line(_ ring: ShapeMask, like image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image, asRGB: true)
        let solid = try Tint.mixed(bands, borderColor.opaque, .normal)
        return try ring.applied(to: ColourBands.join(solid, nil, isDeep: bands.isDeep))
    }
}
