import Glibc
import TintypeImages

extension Modulate: ColorFilter {
    func colors(of bands: ColorBands) throws(VipsError) -> VipsImage {
        var colors = bands.colors
        // Between the steps values are clamped to the visible range, as browsers do.
        if brightness != 1 || contrast != 1 {
            colors = try ToneCurve.apply(to: colors, isDeep: bands.isDeep, channels: colors.bands) { [brightness, contrast] _, value in
                (min(value * brightness, 1) - 0.5) * contrast + 0.5
            }
        }
        if saturation != 1, !bands.isGray { colors = try bands.whole(ColorMatrix.saturation(saturation).apply(to: colors)) }
        if hue != 0, !bands.isGray { colors = try bands.whole(ColorMatrix.hue(hue).apply(to: colors)) }
        if gamma != 1 {
            colors = try ToneCurve.apply(to: colors, isDeep: bands.isDeep, channels: colors.bands) { [gamma] _, value in pow(value, 1 / gamma) }
        }
        return colors
    }
}

extension Tint: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha || blend == nil && !color.isOpaque }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColorBands(image, asRGB: true)
        if let blend { return try bands.joined(Self.mixed(bands, color, blend)) }
        let flat = try Self.mixed(bands, color.opaque, .normal)
        guard !color.isOpaque else { return try bands.joined(flat) }
        return try ColorBands.join(flat, bands.whole(bands.transparency().linear(Double(color.alpha) / 255)), isDeep: bands.isDeep)
    }

    /// Puts `color` over three color bands, as strongly as its alpha.
    static func mixed(_ bands: ColorBands, _ color: Color, _ blend: Blend) throws(VipsError) -> VipsImage {
        let source = [color.red, color.green, color.blue].map { Double($0) / 255 }
        let share = Double(color.alpha) / 255
        guard let mix = blend.channel else { return try mixed(bands, source, blend, share) }
        return try ToneCurve.apply(to: bands.colors, isDeep: bands.isDeep, channels: 3) { channel, value in
            value + (mix(value, source[channel]) - value) * share
        }
    }

    /// The same for a blend that looks at three channels at once.
    private static func mixed(_ bands: ColorBands, _ source: [Double], _ blend: Blend, _ share: Double) throws(VipsError) -> VipsImage {
        let flat = try bands.colors.linear([0, 0, 0], source.map { $0 * bands.most })
        let whole = try ColorBands.join(bands.whole(flat), nil, isDeep: bands.isDeep)
        let mixed = try blend.apply(whole, on: bands.colors, bands)
        return share < 1 ? try bands.mixed(with: mixed, share: share) : mixed
    }
}

extension ColorBands {
    /// Returns a share of other colors, and the rest of these.
    func mixed(with other: VipsImage, share: Double) throws(VipsError) -> VipsImage {
        try whole(other.linear(share).plus(colors.linear(1 - share)))
    }

    /// Returns the picture's transparency; for an opaque picture a band of full opacity.
    func transparency() throws(VipsError) -> VipsImage {
        if let alpha { return alpha }
        return try whole((colors.bands == 1 ? colors : colors.band(0)).linear(0, most))
    }
}

extension Duotone: ColorFilter {
    var needsRGB: Bool { amount < 1 }

    func colors(of bands: ColorBands) throws(VipsError) -> VipsImage {
        let gray = try bands.whole(Grayscale.luma(of: bands))
        let ends = [(shadow.red, highlight.red), (shadow.green, highlight.green), (shadow.blue, highlight.blue)]
        let colors = try ToneCurve.apply(to: gray, isDeep: bands.isDeep, channels: 3) { channel, value in
            let (dark, light) = (Double(ends[channel].0) / 255, Double(ends[channel].1) / 255)
            return dark + (light - dark) * value
        }
        return amount < 1 ? try bands.mixed(with: colors, share: amount) : colors
    }
}

extension Grayscale: ColorFilter {
    func colors(of bands: ColorBands) throws(VipsError) -> VipsImage { try Self.luma(of: bands) }

    /// Returns one band, not yet rounded.
    static func luma(of bands: ColorBands) throws(VipsError) -> VipsImage {
        bands.isGray ? bands.colors : try ColorMatrix(rows: [ColorMatrix.luma]).apply(to: bands.colors)
    }
}

extension Sepia: ColorFilter {
    var needsRGB: Bool { true }

    func colors(of bands: ColorBands) throws(VipsError) -> VipsImage { try Self.matrix.mixed(amount).apply(to: bands.colors) }

    private static let matrix = ColorMatrix(rows: [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
}

extension Invert: ColorFilter {
    func colors(of bands: ColorBands) throws(VipsError) -> VipsImage { try VipsOperation("invert").set("in", bands.colors).image() }
}
