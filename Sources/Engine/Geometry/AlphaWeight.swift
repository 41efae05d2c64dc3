/// The weighting of pixels by their opacity, for steps that average neighboring pixels. Without it invisible pixels would bleed into visible ones.
/// Only for averages: every other step, such as sharpening or a curve, would take transparency for darkness.
enum AlphaWeight {
    /// - Parameter body: gets the picture with its colors weighted by alpha, in the picture's own number format.
    static func around(_ image: VipsImage, _ body: (VipsImage) throws(VipsError) -> VipsImage) throws(VipsError) -> VipsImage {
        guard image.hasAlpha else { return try body(image) }
        // Converted back to the source's number format before the work: floats would take four times the memory and twice the time. Rounded and not truncated,
        // which is a third slower. Truncating twice would make pixels darker, and nearly transparent ones black.
        let format = image.format
        let weighted = try ColorBands.rounded(image.premultiplied(), format)
        return try ColorBands.rounded(body(weighted).unpremultiplied(), format)
    }

    /// The same for a body whose weights are negative in part, as those of cubic and Lanczos kernels. Behind an edge, color and alpha rise above white
    /// alike, and their quotient is the color (Porter and Duff, 1984). In eight bits alpha would be cut at 255, and the color become brighter than all of
    /// its source. So the numbers have 16 bits, and room for twice their range.
    /// - Parameter body: gets the numbers of the picture times `room`.
    static func aroundOvershoots(_ image: VipsImage, _ body: (VipsImage) throws(VipsError) -> VipsImage) throws(VipsError) -> VipsImage {
        guard image.hasAlpha else { return try body(image) }
        let (room, opaque) = (Self.room(of: image), image.format.white)
        let weighted = try scaled(image.premultiplied(opaque), by: room, .uint16)
        let plain = try body(weighted).unpremultiplied(opaque * room)
        return try scaled(plain, by: 1 / room, image.format)
    }

    /// The factor of the numbers that a body of `aroundOvershoots` gets.
    static func room(of image: VipsImage) -> Double { image.hasAlpha ? 128 * 255 / image.format.white : 1 }

    private static func scaled(_ image: VipsImage, by factor: Double, _ format: VipsBandFormat) throws(VipsError) -> VipsImage {
        try image.linear(factor, 0.5).cast(format)
    }
}

/// The same weighting in linear light. The encoded numbers would give too much weight to dark colors.
enum LinearLight {
    static func around(_ image: VipsImage, _ body: (VipsImage) throws(VipsError) -> VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(image, asRGB: true)
        let light = try bands.colors.converted(to: .scRGB)
        let result: (colors: VipsImage, alpha: VipsImage?)
        if let alpha = bands.alpha {
            let weighted = try VipsImage.joined([light, alpha.linear(1 / bands.most)]).premultiplied(1)
            let plain = try body(weighted).unpremultiplied(1)
            result = (try plain.band(0, count: 3), try bands.whole(plain.band(3).linear(bands.most)))
        } else {
            result = (try body(light), nil)
        }
        let colors = try result.colors.tagged(.scRGB).converted(to: bands.isDeep ? .rgb16 : .sRGB)
        return try ColorBands.join(colors, result.alpha, isDeep: bands.isDeep)
    }
}
