import TintypeImages

extension Blend {
    /// Mixes two opaque pictures of three bands each, of one depth and size.
    /// - Parameter bands: gives their depth.
    func apply(_ source: VipsImage, on backdrop: VipsImage, _ bands: ColorBands) throws(VipsError) -> VipsImage {
        let (above, below) = (PictureLightness(colors: source, most: bands.most), PictureLightness(colors: backdrop, most: bands.most))
        let mixed: VipsImage
        switch self {
        case .plusDarker: mixed = try source.plus(backdrop).linear(1, -bands.most)
        case .hue: mixed = try above.with(saturation: below.saturation()).with(luminosity: below.luminosity()).colors
        case .saturation: mixed = try below.with(saturation: above.saturation()).with(luminosity: below.luminosity()).colors
        case .color: mixed = try above.with(luminosity: below.luminosity()).colors
        case .luminosity: mixed = try below.with(luminosity: above.luminosity()).colors
        case .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight, .difference, .exclusion,
            .plusLighter:
            let space = bands.isDeep ? VipsColors.rgb16 : .sRGB
            mixed = try VipsOperation("composite2").set("base", backdrop).set("overlay", source).set("mode", number)
                .set("compositing-space", Int(space.rawValue)).image()
        }
        return try ColorBands(bands.whole(mixed)).colors
    }

    /// libvips' number in VipsBlendMode; that of `normal` for modes that libvips does not have.
    var number: Int {
        switch self {
        case .normal, .plusDarker, .hue, .saturation, .color, .luminosity: 2
        case .plusLighter: 12
        case .multiply: 14
        case .screen: 15
        case .overlay: 16
        case .darken: 17
        case .lighten: 18
        case .colorDodge: 19
        case .colorBurn: 20
        case .hardLight: 21
        case .softLight: 22
        case .difference: 23
        case .exclusion: 24
        }
    }
}

/// The functions of `Lightness` on a picture of three bands instead of one color. The formulas are in `Lightness`.
private struct PictureLightness {
    let colors: VipsImage
    /// The number for white.
    let most: Double

    /// Returns one band.
    func luminosity() throws(VipsError) -> VipsImage { try colors.mixed([Lightness.weights]) }

    /// Returns one band.
    func saturation() throws(VipsError) -> VipsImage { try extreme(2).minus(extreme(0)) }

    func with(luminosity: VipsImage) throws(VipsError) -> PictureLightness {
        let moved = PictureLightness(colors: try colors.plus(luminosity.minus(self.luminosity())), most: most)
        let (least, greatest) = try (moved.extreme(0), moved.extreme(2))
        let dark = try Self.share(where: least, Self.less, 0, luminosity.divided(by: luminosity.minus(least)))
        let light = try Self.share(where: greatest, Self.more, most, luminosity.linear(-1, most).divided(by: greatest.minus(luminosity)))
        return PictureLightness(colors: try moved.colors.minus(luminosity).times(dark.times(light)).plus(luminosity), most: most)
    }

    func with(saturation: VipsImage) throws(VipsError) -> PictureLightness {
        // A division by zero gives 0, so gray and black stay as they are.
        PictureLightness(colors: try colors.minus(extreme(0)).times(saturation.divided(by: self.saturation())), most: most)
    }

    /// Returns the least (0) or the greatest (2) of the three bands.
    private func extreme(_ index: Int) throws(VipsError) -> VipsImage {
        let bands = try (0..<3).map { band throws(VipsError) in try colors.band(band) }
        return try VipsOperation("bandrank").set("in", bands).set("index", index).image()
    }

    /// Values of VipsOperationRelational.
    private static let less = 2, more = 4

    /// Returns the share where a band is less or more than a limit, and 1 elsewhere.
    private static func share(where band: VipsImage, _ relation: Int, _ limit: Double, _ share: VipsImage) throws(VipsError) -> VipsImage {
        let isMeant = try VipsOperation("relational_const").set("in", band).set("relational", relation).set("c", [limit]).image()
        return try VipsOperation("ifthenelse").set("cond", isMeant).set("in1", share).set("in2", share.linear(0, 1)).image()
    }
}
