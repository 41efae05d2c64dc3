/// The weighting of pixels by their opacity, for steps that average neighboring pixels. Without it invisible pixels would bleed into visible ones.
/// Only for averages: every other step, such as sharpening or a curve, would take transparency for darkness.
enum AlphaWeight {
    /// - Parameter body: gets the picture with its colors weighted by alpha, in the picture's own number format.
    static func around(_ image: VipsImage, _ body: (VipsImage) throws(VipsError) -> VipsImage) throws(VipsError) -> VipsImage {
        guard image.hasAlpha else { return try body(image) }
        // Converted back to the source's number format before the work: floats would take four times the memory and twice the time. Rounded and not truncated,
        // which is a third slower. Truncating twice would make pixels darker, and nearly transparent ones black.
        let format = image.format
        let weighted = try ColourBands.rounded(VipsOperation("premultiply").set("in", image).image(), format)
        return try ColourBands.rounded(VipsOperation("unpremultiply").set("in", body(weighted)).image(), format)
    }
}

/// The same weighting in linear light. The encoded numbers would give too much weight to dark colors.
enum LinearLight {
    static func around(_ image: VipsImage, _ body: (VipsImage) throws(VipsError) -> VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image, asRGB: true)
        let light = try VipsOperation("colourspace").set("in", bands.colours).set("space", Int(VipsColours.scRGB.rawValue)).image()
        let result: (colours: VipsImage, alpha: VipsImage?)
        if let alpha = bands.alpha {
            let share = try VipsOperation("linear").set("in", alpha).set("a", [1 / bands.most]).set("b", [0]).image()
            let whole = try VipsOperation("bandjoin").set("in", [light, share]).image()
            let weighted = try VipsOperation("premultiply").set("in", whole).set("max-alpha", 1.0).image()
            let plain = try VipsOperation("unpremultiply").set("in", try body(weighted)).set("max-alpha", 1.0).image()
            let seen = try VipsOperation("extract_band").set("in", plain).set("band", 3).image()
            result = (
                try VipsOperation("extract_band").set("in", plain).set("band", 0).set("n", 3).image(),
                try bands.whole(try VipsOperation("linear").set("in", seen).set("a", [bands.most]).set("b", [0]).image())
            )
        } else {
            result = (try body(light), nil)
        }
        let tagged = try VipsOperation("copy").set("in", result.colours).set("interpretation", Int(VipsColours.scRGB.rawValue)).image()
        let space = bands.isDeep ? VipsColours.rgb16 : .sRGB
        let colours = try VipsOperation("colourspace").set("in", tagged).set("space", Int(space.rawValue)).image()
        return try ColourBands.join(colours, result.alpha, isDeep: bands.isDeep)
    }
}
