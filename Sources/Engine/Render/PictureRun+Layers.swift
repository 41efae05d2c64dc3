import ImageHeads
import TintypeImages

extension PictureRun {
    /// Returns another picture as a step needs it. The picture is made once for all frames, and kept in memory while there is room. A libvips pipeline would
    /// run again for each placed tile, and for each branch of a blend.
    /// - Parameter whole: the picture that the step changes. All frames have the same size and colors.
    func fitted(_ filter: any LayerFilter, _ layer: Layer, to whole: VipsImage) throws(PictureFailure) -> VipsImage {
        let need = FittedLayers.Need(layer: layer, fitting: filter.fitting, size: whole.size)
        if let image = fitted[need] { return image }
        // A mask covers each pixel by its own numbers, so it needs no conversion.
        let profile = need.fitting == .coverage ? nil : ownProfile(of: whole)
        guard let layer = try layers?.image(layer, in: profile) else { throw PictureFailure(.transformFailed, .transform, "another picture is missing") }
        var image = try transform { () throws(VipsError) in try need.fitting.image(of: layer, for: need.size) }
        let isHeld = image !== layer && fitted.hasRoom(for: image)
        if isHeld { image = try compute(image, .transform, 0...0) }
        fitted.keep(image, for: need, isHeld: isHeld)
        return image
    }
}

extension PictureRun {
    /// Draws a text over the picture.
    /// - Parameter step: the index of the step. The drawing for the first frame serves the others.
    func draw(_ text: Text, step: Int, on image: VipsImage) throws(PictureFailure) -> VipsImage {
        let drawing = TextDrawing(text: text)
        let whole = image.size
        if drawn[step] == nil { drawn[step] = .some(try drawing.image(for: whole) { body throws(PictureFailure) in try transform(body) }) }
        guard let letters = drawn[step] ?? nil else { return image }
        let at = drawing.place(of: letters, in: whole)
        let placing = LayerPlacing(x: at.x, y: at.y, tiling: text.tiling, opacity: text.opacity, blend: .normal)
        return try transform { () throws(VipsError) in try placing.put(letters.picture, on: image) }
    }
}
