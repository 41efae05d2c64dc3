import TintypeImages

extension Composite: LayerFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    var fitting: LayerFitting { scale.map { .share($0) } ?? .whole }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage {
        let whole = PictureSize(image.width, image.height)
        let at = place.map { ($0.x, $0.y) } ?? gravity.place(of: PictureSize(layer.width, layer.height), in: whole)
        return try LayerPlacing(x: at.0, y: at.1, tiling: tiling, opacity: opacity, blend: blend).put(layer, on: image)
    }
}
