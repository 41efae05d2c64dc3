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

    /// The same for a body whose weights are negative in part, as those of cubic and Lanczos kernels. Behind an edge, color and alpha rise above white
    /// alike, and their quotient is the color (Porter and Duff, 1984). In eight bits alpha would be cut at 255, and the color become brighter than all of
    /// its source. So the numbers have 16 bits, and room for twice their range.
    /// - Parameter body: gets the numbers of the picture times `room`.
    static func aroundOvershoots(_ image: VipsImage, _ body: (VipsImage) throws(VipsError) -> VipsImage) throws(VipsError) -> VipsImage {
        guard image.hasAlpha else { return try body(image) }
        let (room, opaque) = (Self.room(of: image), image.format.white)
        let weighted = try scaled(VipsOperation("premultiply").set("in", image).set("max-alpha", opaque).image(), by: room, .uint16)
        let plain = try VipsOperation("unpremultiply").set("in", body(weighted)).set("max-alpha", opaque * room).image()
        return try scaled(plain, by: 1 / room, image.format)
    }

    /// The factor of the numbers that a body of `aroundOvershoots` gets.
    static func room(of image: VipsImage) -> Double { image.hasAlpha ? 128 * 255 / image.format.white : 1 }

    private static func scaled(_ image: VipsImage, by factor: Double, _ format: VipsBandFormat) throws(VipsError) -> VipsImage {
        let raised = try VipsOperation("linear").set("in", image).set("a", [factor]).set("b", [0.5]).image()
        return try VipsOperation("cast").set("in", raised).set("format", Int(format.rawValue)).image()
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
