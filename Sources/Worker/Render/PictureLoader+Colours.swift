import ImageHeads
import TintypeImages

/// The meaning of a picture's numbers: the profile that it gets, or keeps.
extension PictureLoader {
    /// Takes a profile away that is for other channels than the picture has, as browsers do. libvips 8.14 would read the first of three channels by a gray
    /// profile, and take the second for transparency.
    func fitting(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard let bytes = image.bytes(ColourStep.profileField), case let profile = ICCProfile(bytes), profile.channels != image.channels else { return image }
        let isWhole = image.format == .uint8 || image.format == .uint16
        if isWhole, image.channels == .grey, profile.channels == .rgb {
            // Equal red, green and blue have a meaning.
            return profile.isSRGB ? image : try ColourBands(image, asRGB: true).joinedAgain()
        }
        if isWhole, image.channels == .rgb, profile.channels == .grey, isMonochrome {
            let bands = try ColourBands(image)
            return try bands.joined(VipsOperation("extract_band").set("in", bands.colours).set("band", 0).image())
        }
        return try image.withHeader { $0.remove(ColourStep.profileField) }
    }

    private var isMonochrome: Bool { (format == .avif || format == .heif) && HEIFMeta(ByteReader(bytes: source))?.isGrey ?? false }

    /// Copies the metadata blocks of a HEIF file. libvips 8.14 lends the blocks to copies of the header, and frees them with the loader. It also ignores
    /// colors that are given as numbers (CICP): wide ones get an equivalent profile, and HDR ones a profile that tone-maps them.
    func described(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var blocks: [(name: String, bytes: [UInt8])] = []
        for name in [ColourStep.profileField, "exif-data", "xmp-data"] { if let bytes = image.bytes(name) { blocks.append((name, bytes)) } }
        if !image.has(ColourStep.profileField), let colours = CodedColours.alone(ByteReader(bytes: source)) {
            if let profile = try Self.profile(of: colours) { blocks.append((ColourStep.profileField, profile)) }
        }
        guard !blocks.isEmpty else { return image }
        return try image.withHeader { header in for block in blocks { header.set(block.name, block.bytes) } }
    }

    /// Gives a PNG with numeric colors (cICP) an equivalent profile, in place of its own. Colors that are not RGB stay as they are.
    func coded(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard let colours = PNGHeader.colours(ByteReader(bytes: source)), colours.matrix == 0, colours.isFullRange else { return image }
        // A profile of colors does not fit gray.
        let image = image.bands < 3 && ToneMap(transfer: colours.transfer) != nil ? try ColourBands(image, asRGB: true).joinedAgain() : image
        guard image.bands >= 3 else { return image }
        if let profile = try Self.profile(of: colours) { return try image.withHeader { $0.set(ColourStep.profileField, profile) } }
        return colours.primaries == 1 && colours.isSRGB ? try image.withHeader { $0.remove(ColourStep.profileField) } : image
    }

    /// Returns a profile for wide or HDR numeric colors; nil for all others.
    private static func profile(of colours: CodedColours) throws(VipsError) -> [UInt8]? {
        if let map = ToneMap(transfer: colours.transfer) { return WideProfile.of(map, WideProfile.Primaries(code: colours.primaries)) }
        if colours.isDisplayP3 { return try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied() }
        return colours.isBT2020 ? WideProfile.bt2020 : nil
    }
}

extension VipsImage {
    /// The channels without transparency; nil: others, such as those of Lab.
    fileprivate var channels: ICCProfile.Channels? {
        switch colours {
        case .grey, .grey16: .grey
        case .sRGB, .rgb16, .rgb, .scRGB: .rgb
        case .cmyk: .cmyk
        case .multiband, .other: bands < 3 ? .grey : bands < 5 ? .rgb : nil
        case .xyz, .lab, .labs, .hsv: nil
        }
    }
}
