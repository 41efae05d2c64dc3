import Glibc
import TintypeImages

extension Modulate: ColorFilter {
    func colors(of bands: ColourBands) throws(VipsError) -> VipsImage {
        var colours = bands.colours
        // Between the steps values are clamped to the visible range, as browsers do.
        if brightness != 1 || contrast != 1 {
            colours = try ToneCurve.apply(to: colours, isDeep: bands.isDeep, channels: colours.bands) { [brightness, contrast] _, value in
                (min(value * brightness, 1) - 0.5) * contrast + 0.5
            }
        }
        if saturation != 1, !bands.isGrey { colours = try bands.whole(ColourMatrix.saturation(saturation).apply(to: colours)) }
        if hue != 0, !bands.isGrey { colours = try bands.whole(ColourMatrix.hue(hue).apply(to: colours)) }
        if gamma != 1 {
            colours = try ToneCurve.apply(to: colours, isDeep: bands.isDeep, channels: colours.bands) { [gamma] _, value in pow(value, 1 / gamma) }
        }
        return colours
    }
}

extension Tint: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha || blend == nil && !color.isOpaque }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image, asRGB: true)
        if let blend { return try bands.joined(Self.mixed(bands, color, blend)) }
        let flat = try Self.mixed(bands, color.opaque, .normal)
        guard !color.isOpaque else { return try bands.joined(flat) }
        return try ColourBands.join(flat, bands.whole(bands.transparency().linear(Double(color.alpha) / 255)), isDeep: bands.isDeep)
    }

    /// Puts `color` over three color bands, as strongly as its alpha.
    static func mixed(_ bands: ColourBands, _ color: Color, _ blend: Blend) throws(VipsError) -> VipsImage {
        let source = [color.red, color.green, color.blue].map { Double($0) / 255 }
        let share = Double(color.alpha) / 255
        guard let mix = blend.channel else { return try mixed(bands, source, blend, share) }
        return try ToneCurve.apply(to: bands.colours, isDeep: bands.isDeep, channels: 3) { channel, value in
            value + (mix(value, source[channel]) - value) * share
        }
    }

    /// The same for a blend that looks at three channels at once.
    private static func mixed(_ bands: ColourBands, _ source: [Double], _ blend: Blend, _ share: Double) throws(VipsError) -> VipsImage {
        let flat = try bands.colours.linear([0, 0, 0], source.map { $0 * bands.most })
        let whole = try ColourBands.join(bands.whole(flat), nil, isDeep: bands.isDeep)
        let mixed = try blend.apply(whole, on: bands.colours, bands)
        return share < 1 ? try bands.mixed(with: mixed, share: share) : mixed
    }
}

extension ColourBands {
    /// Returns a share of other colors, and the rest of these.
    func mixed(with other: VipsImage, share: Double) throws(VipsError) -> VipsImage {
        try whole(other.linear(share).plus(colours.linear(1 - share)))
    }

    /// Returns the picture's transparency; for an opaque picture a band of full opacity.
    func transparency() throws(VipsError) -> VipsImage {
        if let alpha { return alpha }
        return try whole((colours.bands == 1 ? colours : colours.band(0)).linear(0, most))
    }
}

extension Duotone: ColorFilter {
    var needsRGB: Bool { amount < 1 }

    func colors(of bands: ColourBands) throws(VipsError) -> VipsImage {
        let grey = try bands.whole(Grayscale.luma(of: bands))
        let ends = [(shadow.red, highlight.red), (shadow.green, highlight.green), (shadow.blue, highlight.blue)]
        let colours = try ToneCurve.apply(to: grey, isDeep: bands.isDeep, channels: 3) { channel, value in
            let (dark, light) = (Double(ends[channel].0) / 255, Double(ends[channel].1) / 255)
            return dark + (light - dark) * value
        }
        return amount < 1 ? try bands.mixed(with: colours, share: amount) : colours
    }
}

extension Grayscale: ColorFilter {
    func colors(of bands: ColourBands) throws(VipsError) -> VipsImage { try Self.luma(of: bands) }

    /// Returns one band, not yet rounded.
    static func luma(of bands: ColourBands) throws(VipsError) -> VipsImage {
        bands.isGrey ? bands.colours : try ColourMatrix(rows: [ColourMatrix.luma]).apply(to: bands.colours)
    }
}

extension Sepia: ColorFilter {
    var needsRGB: Bool { true }

    func colors(of bands: ColourBands) throws(VipsError) -> VipsImage { try Self.matrix.mixed(amount).apply(to: bands.colours) }

    private static let matrix = ColourMatrix(rows: [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
}

extension Invert: ColorFilter {
    func colors(of bands: ColourBands) throws(VipsError) -> VipsImage { try VipsOperation("invert").set("in", bands.colours).image() }
}
