package import TintypeImages

/// Mirrors and turns by quarters. Pixels move, none changes.
enum TurnStep {
    static func apply(_ orientation: Orientation, to image: VipsImage) throws(VipsError) -> VipsImage {
        var image = image
        if orientation.mirrored { image = try VipsOperation("flip").set("in", image).set("direction", 0).image() }
        if orientation.quarters != 0 { image = try VipsOperation("rot").set("in", image).set("angle", orientation.quarters).image() }
        return image
    }
}

/// A rotation about the middle by an angle that is no multiple of 90°, onto a canvas of a given size.
package struct RotateStep: Sendable, Hashable {
    /// Degrees clockwise.
    package var angle: Double
    package var size: PictureSize
    package var background: Color

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let ready = try background.prepare(image)
        var values = background.values(for: ready)
        if ready.hasAlpha { values = values.dropLast().map { $0 * Double(background.alpha) / 255 } + values.suffix(1) }
        values = values.map { $0 * AlphaWeight.room(of: ready) }
        let turn = Turn(angle)
        // From the middle of the picture to the middle of the canvas, between the centers of pixels.
        let (x, y) = (Double(image.width - 1) / 2, Double(image.height - 1) / 2)
        let across = Double(size.width - 1) / 2 - (turn.cosine * x - turn.sine * y)
        let down = Double(size.height - 1) / 2 - (turn.sine * x + turn.cosine * y)
        return try AlphaWeight.aroundOvershoots(ready) { (image: VipsImage) throws(VipsError) in
            try VipsOperation("affine").set("in", image).set("matrix", [turn.cosine, -turn.sine, turn.sine, turn.cosine])
                .set("oarea", [0, 0, size.width, size.height]).set("odx", across).set("ody", down).set(interpolate: "bicubic")
                .set("extend", 5).set("background", values).set("premultiplied", ready.hasAlpha).image()
        }
    }
}
