import TintypeImages

extension Blend {
    /// Mixes two opaque pictures of three bands each, of one depth and size.
    /// - Parameter bands: gives their depth.
    func apply(_ source: VipsImage, on backdrop: VipsImage, _ bands: ColourBands) throws(VipsError) -> VipsImage {
        let (above, below) = (PictureLightness(colours: source, most: bands.most), PictureLightness(colours: backdrop, most: bands.most))
        let mixed: VipsImage
        switch self {
        case .plusDarker:
            let sum = try VipsOperation("add").set("left", source).set("right", backdrop).image()
            mixed = try VipsOperation("linear").set("in", sum).set("a", [1]).set("b", [-bands.most]).image()
        case .hue: mixed = try above.with(saturation: below.saturation()).with(luminosity: below.luminosity()).colours
        case .saturation: mixed = try below.with(saturation: above.saturation()).with(luminosity: below.luminosity()).colours
        case .color: mixed = try above.with(luminosity: below.luminosity()).colours
        case .luminosity: mixed = try below.with(luminosity: above.luminosity()).colours
        case .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight, .difference, .exclusion,
            .plusLighter:
            let space = bands.isDeep ? VipsColours.rgb16 : .sRGB
            mixed = try VipsOperation("composite2").set("base", backdrop).set("overlay", source).set("mode", number)
                .set("compositing-space", Int(space.rawValue)).image()
        }
        return try ColourBands(bands.whole(mixed)).colours
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
    let colours: VipsImage
    /// The number for white.
    let most: Double

    /// Returns one band.
    func luminosity() throws(VipsError) -> VipsImage {
        try VipsOperation("recomb").set("in", colours).set("m", VipsImage.matrix([Lightness.weights])).image()
    }

    /// Returns one band.
    func saturation() throws(VipsError) -> VipsImage { try Self.difference(extreme(2), extreme(0)) }

    func with(luminosity: VipsImage) throws(VipsError) -> PictureLightness {
        let change = try Self.difference(luminosity, self.luminosity())
        let moved = PictureLightness(colours: try VipsOperation("add").set("left", colours).set("right", change).image(), most: most)
        let (least, greatest) = try (moved.extreme(0), moved.extreme(2))
        let room = try VipsOperation("linear").set("in", luminosity).set("a", [-1]).set("b", [most]).image()
        let dark = try Self.share(where: least, Self.less, 0, Self.quotient(luminosity, Self.difference(luminosity, least)))
        let light = try Self.share(where: greatest, Self.more, most, Self.quotient(room, Self.difference(greatest, luminosity)))
        let share = try VipsOperation("multiply").set("left", dark).set("right", light).image()
        let distance = try VipsOperation("multiply").set("left", Self.difference(moved.colours, luminosity)).set("right", share).image()
        return PictureLightness(colours: try VipsOperation("add").set("left", distance).set("right", luminosity).image(), most: most)
    }

    func with(saturation: VipsImage) throws(VipsError) -> PictureLightness {
        // libvips returns 0 for a division by zero, so gray and black stay as they are.
        let share = try Self.quotient(saturation, self.saturation())
        let raised = try Self.difference(colours, extreme(0))
        return PictureLightness(colours: try VipsOperation("multiply").set("left", raised).set("right", share).image(), most: most)
    }

    /// Returns the least (0) or the greatest (2) of the three bands.
    private func extreme(_ index: Int) throws(VipsError) -> VipsImage {
        var bands: [VipsImage] = []
        for band in 0..<3 { bands.append(try VipsOperation("extract_band").set("in", colours).set("band", band).image()) }
        return try VipsOperation("bandrank").set("in", bands).set("index", index).image()
    }

    /// Values of VipsOperationRelational.
    private static let less = 2, more = 4

    /// Returns the share where a band is less or more than a limit, and 1 elsewhere.
    private static func share(where band: VipsImage, _ relation: Int, _ limit: Double, _ share: VipsImage) throws(VipsError) -> VipsImage {
        let isMeant = try VipsOperation("relational_const").set("in", band).set("relational", relation).set("c", [limit]).image()
        let one = try VipsOperation("linear").set("in", share).set("a", [0]).set("b", [1]).image()
        return try VipsOperation("ifthenelse").set("cond", isMeant).set("in1", share).set("in2", one).image()
    }

    private static func difference(_ left: VipsImage, _ right: VipsImage) throws(VipsError) -> VipsImage {
        try VipsOperation("subtract").set("left", left).set("right", right).image()
    }

    private static func quotient(_ left: VipsImage, _ right: VipsImage) throws(VipsError) -> VipsImage {
        try VipsOperation("divide").set("left", left).set("right", right).image()
    }
}
