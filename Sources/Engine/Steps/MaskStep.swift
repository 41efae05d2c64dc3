import TintypeImages

extension Mask: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { true }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let size = PictureSize(image.width, image.height)
        var (x, y) = (Double(size.width) / 2, Double(size.height) / 2)
        if shape == .circle { (x, y) = (min(x, y), min(x, y)) }
        return try ShapeMask(ellipseIn: size, radiusX: x, radiusY: y).applied(to: image)
    }
}

extension Mask: LayerFilter {
    var fitting: LayerFitting { .coverage }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage { try ShapeMask.apply(layer, to: image) }
}
