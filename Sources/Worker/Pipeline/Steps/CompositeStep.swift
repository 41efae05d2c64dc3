import Shared

extension Composite: LayerFilter {
    static var needsMemory: Bool { false }

    func fitted(_ layer: VipsImage, to whole: PictureSize) throws(VipsError) -> VipsImage {
        let layer = try ColourStep.eightBit(layer)
        guard let scale else { return layer }
        return try Self.scaled(layer, into: whole, scale)
    }

    func apply(_ layer: VipsImage, to image: VipsImage) throws(VipsError) -> VipsImage {
        let whole = PictureSize(image.width, image.height)
        let at = place.map { ($0.x, $0.y) } ?? gravity.place(of: PictureSize(layer.width, layer.height), in: whole)
        return try LayerPlacing(x: at.0, y: at.1, isTiled: isTiled, opacity: opacity, blend: blend).put(layer, on: image)
    }

    private static func scaled(_ layer: VipsImage, into whole: PictureSize, _ scale: Double) throws(VipsError) -> VipsImage {
        let own = PictureSize(layer.width, layer.height)
        let factor = min(Double(whole.width) * scale / Double(own.width), Double(whole.height) * scale / Double(own.height))
        let size = PictureSize(max(1, Int((Double(own.width) * factor).rounded())), max(1, Int((Double(own.height) * factor).rounded())))
        return size == own ? layer : try ResizeStep(from: own, to: size).apply(to: layer)
    }
}
