import TintypeImages

/// The conversion of a picture to sRGB (or gray), from any color space.
enum ColorStep {
    static func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        guard !isKnown(image), let profile = image.bytes(profileField) else { return try known(image) }
        do throws(VipsError) {
            let image = try recoded(image, profile)
            guard !isKnown(image) else { return try known(image) }
            return try VipsOperation("icc_transform").set("in", image).set("output-profile", "srgb").set("embedded", true)
                .set("intent", intent(profile)).set("depth", image.format == .uint16 ? 16 : 8).image()
        } catch {
            // A broken profile is ignored, as viewers do. The pixels are still good.
            return try known(image)
        }
    }

    /// Gives numbers the curve of sRGB, where the profile is for gray, or where LittleCMS would miss the shadows of 16 bits.
    ///
    /// LittleCMS 2.14 interpolates gray and 16 bits between 33 numbers. Between the first two of a linear picture, shadows lose up to 12 of 255.
    private static func recoded(_ image: VipsImage, _ profile: [UInt8]) throws(VipsError) -> VipsImage {
        guard image.bands < 3 || image.format == .uint16, let (curves, columns) = ICCProfile.shape(profile),
            columns.isEmpty || curves.contains(where: \.isBent), case let bands = try ColorBands(image), bands.colors.bands == curves.count
        else { return image }
        let colors = try ToneCurve.apply(to: bands.colors, isDeep: bands.isDeep, channels: curves.count) { curves[$0].sRGB(of: $1) }
        return try bands.joined(colors).withHeader { header in
            header.remove(profileField)
            if !columns.isEmpty { header.set(profileField, WideProfile.of(columns: columns)) }
        }
    }

    /// libvips' numbers. libvips ignores a profile that does not support the intent, and only prints a warning.
    private static let perceptual = 0, relative = 1

    /// Returns an intent that the profile supports.
    static func intent(_ profile: [UInt8]?) -> Int { profile.map { ICCProfile($0).isPerceptualOnly } ?? false ? perceptual : relative }

    /// Whether the numbers can be understood without a profile.
    static func isKnown(_ image: VipsImage) -> Bool {
        guard image.format == .uint8 || image.format == .uint16, let profile = image.bytes(profileField) else { return true }
        return ICCProfile(profile).isSRGB
    }

    /// Leaves RGB in its own color space, with its profile. Anything else but gray becomes sRGB without a profile. So does a picture whose profile is
    /// not for RGB: operations turn gray into colors, which a gray profile would not fit.
    static func keep(_ image: VipsImage) throws(VipsError) -> VipsImage {
        if let profile = image.bytes(profileField), ICCProfile(profile).channels != .rgb { return try apply(to: image).withHeader { $0.remove(profileField) } }
        switch image.colors {
        case .sRGB, .gray, .rgb16, .gray16: return try whole(image)
        case .rgb: return try known(image)
        case .multiband, .xyz, .lab, .cmyk, .labs, .scRGB, .hsv, .other: return try apply(to: image).withHeader { $0.remove(profileField) }
        }
    }

    /// Returns the profile of a picture that was left in its own color space; nil: its colors are sRGB.
    static func profile(of image: VipsImage) -> [UInt8]? { image.bytes(profileField).flatMap { ICCProfile($0).isSRGB ? nil : $0 } }

    static let profileField = "icc-profile-data"

    /// Returns gray as three equal bands if the profile is for RGB.
    static func fittingProfile(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard image.bands < 3, image.has(profileField) else { return image }
        return try ColorBands(image, asRGB: true).joinedAgain()
    }

    private static func known(_ image: VipsImage) throws(VipsError) -> VipsImage {
        switch image.colors {
        case .sRGB, .gray, .rgb16, .gray16: return try whole(image)
        case .rgb: return try image.tagged(.sRGB)
        case .multiband, .other: return try whole(image)
        case .scRGB where image.hasAlpha:
            // Alpha goes from 0 to 1, as the light does. libvips 8.14 does not expect this.
            let colors = try image.band(0, count: 3).tagged(.scRGB).converted(to: .sRGB)
            return try ColorBands.join(colors, eightBit(image.band(3)), isDeep: false)
        case .xyz, .lab, .cmyk, .labs, .scRGB, .hsv:
            return try image.converted(to: .sRGB)
        }
    }

    /// Converts numbers other than 8 and 16 bits (from TIFF) to 8 bits.
    private static func whole(_ image: VipsImage) throws(VipsError) -> VipsImage {
        image.format == .uint8 || image.format == .uint16 ? image : try eightBit(image)
    }

    /// Converts to 8 bits a band, for formats that hold no more.
    static func eightBit(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard image.format != .uint8 else { return image }
        let gray = image.bands < 3
        let space = gray ? VipsColors.gray : VipsColors.sRGB
        guard image.format == .uint16 else {
            return try VipsOperation("linear").set("in", image).set("a", [255 / image.format.white]).set("b", [0.5]).set("uchar", true).image().tagged(space)
        }
        return try image.tagged(gray ? .gray16 : .rgb16).converted(to: space)
    }

    /// Converts the picture to RGB of 16 bits, from which encoders of 10 or 12 bits take theirs.
    static func sixteenBit(_ image: VipsImage) throws(VipsError) -> VipsImage {
        let known = image.format == .uint8 || image.format == .uint16 ? image : try eightBit(image)
        return known.colors == .rgb16 ? known : try known.converted(to: .rgb16)
    }

    /// Puts the picture on `background`, for formats without transparency.
    static func flatten(_ image: VipsImage, _ background: Color) throws(VipsError) -> VipsImage {
        guard image.hasAlpha else { return image }
        let ready = image.bands < 3 && !background.isGray ? try background.prepare(image) : image
        let values = Array(background.values(for: ready).dropLast())
        return try VipsOperation("flatten").set("in", ready).set("background", values).image()
    }
}

extension Color {
    var isGray: Bool { red == green && green == blue }
    var isOpaque: Bool { alpha == 255 }

    /// Returns the image with the bands that this color needs: three for a color on gray, alpha for a transparent color.
    func prepare(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var image = image
        if image.bands < 3, !isGray { image = try image.converted(to: image.format == .uint16 ? .rgb16 : .sRGB) }
        if !isOpaque, !image.hasAlpha {
            image = try VipsOperation("bandjoin_const").set("in", image).set("c", [image.format == .uint16 ? 65535.0 : 255]).image()
        }
        return image
    }

    /// Returns one number for each band of `image`.
    func values(for image: VipsImage) -> [Double] {
        let scale = image.format == .uint16 ? 257.0 : 1
        let colors = image.bands < 3 ? [red] : [red, green, blue]
        return (image.hasAlpha ? colors + [alpha] : colors).map { Double($0) * scale }
    }
}
