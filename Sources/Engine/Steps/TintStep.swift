import TintypeImages

extension Tint: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha || blend == nil && !color.isOpaque }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image, asRGB: true)
        if let blend { return try bands.joined(Self.mixed(bands, color, blend)) }
        let flat = try Self.mixed(bands, color.opaque, .normal)
        guard !color.isOpaque else { return try bands.joined(flat) }
        let alpha = try VipsOperation("linear").set("in", bands.transparency()).set("a", [Double(color.alpha) / 255]).set("b", [0]).image()
        return try ColourBands.join(flat, bands.whole(alpha), isDeep: bands.isDeep)
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
        let flat = try VipsOperation("linear").set("in", bands.colours).set("a", [0, 0, 0]).set("b", source.map { $0 * bands.most }).image()
        let whole = try ColourBands.join(bands.whole(flat), nil, isDeep: bands.isDeep)
        let mixed = try blend.apply(whole, on: bands.colours, bands)
        return share < 1 ? try bands.mixed(with: mixed, share: share) : mixed
    }
}

extension ColourBands {
    /// Returns a share of other colors, and the rest of these.
    func mixed(with other: VipsImage, share: Double) throws(VipsError) -> VipsImage {
        let above = try VipsOperation("linear").set("in", other).set("a", [share]).set("b", [0]).image()
        let below = try VipsOperation("linear").set("in", colours).set("a", [1 - share]).set("b", [0]).image()
        return try whole(VipsOperation("add").set("left", above).set("right", below).image())
    }

    /// Returns the picture's transparency; for an opaque picture a band of full opacity.
    func transparency() throws(VipsError) -> VipsImage {
        if let alpha { return alpha }
        let one = colours.bands == 1 ? colours : try VipsOperation("extract_band").set("in", colours).set("band", 0).image()
        return try whole(VipsOperation("linear").set("in", one).set("a", [0]).set("b", [most]).image())
    }
}
