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

    /// Three colours with `color` over them, as much as its alpha says.
    static func mixed(_ bands: ColourBands, _ color: Color, _ blend: Blend) throws(VipsError) -> VipsImage {
        let source = [color.red, color.green, color.blue].map { Double($0) / 255 }
        let share = Double(color.alpha) / 255
        return try ToneCurve.apply(to: bands.colours, isDeep: bands.isDeep, channels: 3) { channel, value in
            value + (blend.mix(value, source[channel]) - value) * share
        }
    }
}

extension ColourBands {
    /// The picture's transparency; where it has none, nothing is see-through.
    func transparency() throws(VipsError) -> VipsImage {
        if let alpha { return alpha }
        let one = colours.bands == 1 ? colours : try VipsOperation("extract_band").set("in", colours).set("band", 0).image()
        return try whole(VipsOperation("linear").set("in", one).set("a", [0]).set("b", [most]).image())
    }
}
