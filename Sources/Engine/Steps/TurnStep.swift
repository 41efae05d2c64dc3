import TintypeImages

/// Mirrors and turns by quarters. Pixels move, none changes.
enum TurnStep {
    static func apply(_ orientation: Orientation, to image: VipsImage) throws(VipsError) -> VipsImage {
        var image = image
        if orientation.mirrored { image = try VipsOperation("flip").set("in", image).set("direction", 0).image() }
        if orientation.quarters != 0 { image = try VipsOperation("rot").set("in", image).set("angle", orientation.quarters).image() }
        return image
    }
}
