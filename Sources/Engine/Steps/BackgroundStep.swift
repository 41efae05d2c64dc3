import TintypeImages

extension Background: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha && !color.isOpaque }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        guard image.hasAlpha, !color.isOpaque else { return try ColourStep.flatten(image, color) }
        let ready = try color.prepare(image)
        let solid = try VipsOperation("linear").set("in", ready).set("a", [0]).set("b", color.values(for: ready)).image()
        return try Overlay.put(ready, on: ColourBands.rounded(solid, ready.format))
    }
}

/// One picture over another of the same size, both with transparency.
enum Overlay {
    static func put(_ top: VipsImage, on base: VipsImage) throws(VipsError) -> VipsImage {
        let (above, below) = try (ColourBands(top, asRGB: true), ColourBands(base, asRGB: true))
        let alpha = try above.transparency()
        let rest = try VipsOperation("linear").set("in", alpha).set("a", [-1 / above.most]).set("b", [1]).image()
        let shown = try VipsOperation("multiply").set("left", below.weighted()).set("right", rest).image()
        let sum = try VipsOperation("add").set("left", above.weighted()).set("right", shown).image()
        let plain = try VipsOperation("unpremultiply").set("in", sum).set("max-alpha", above.most).image()
        return try ColourBands.join(above.whole(plain), nil, isDeep: above.isDeep)
    }
}

extension ColourBands {
    /// Returns the original picture, with the interpretation of its color space.
    func joinedAgain() throws(VipsError) -> VipsImage { try joined(colours) }

    /// Returns the colors multiplied by alpha, and the alpha, not rounded.
    func weighted() throws(VipsError) -> VipsImage {
        let whole = try VipsOperation("bandjoin").set("in", [colours, transparency()]).image()
        return try VipsOperation("premultiply").set("in", whole).set("max-alpha", most).image()
    }
}
