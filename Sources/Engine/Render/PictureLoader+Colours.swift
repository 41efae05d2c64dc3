import ImageHeads
import TintypeImages

/// The meaning of a picture's numbers: the profile that it gets, or keeps.
extension PictureLoader {
    /// Drops a profile for other channels than the picture has, as browsers do.
    ///
    /// libvips 8.14 would read the first of three channels by a gray profile, and take the second for transparency.
    func fitting(_ image: VipsImage, page: Int = 0) throws(VipsError) -> VipsImage {
        guard let bytes = image.bytes(ColourStep.profileField), case let profile = ICCProfile(bytes), profile.channels != image.channels else { return image }
        let isWhole = image.format == .uint8 || image.format == .uint16
        if isWhole, image.channels == .grey, profile.channels == .rgb {
            // Equal red, green and blue have a meaning.
            return profile.isSRGB ? image : try ColourBands(image, asRGB: true).joinedAgain()
        }
        if isWhole, image.channels == .rgb, profile.channels == .grey, isMonochrome(page) {
            let bands = try ColourBands(image)
            return try bands.joined(bands.colours.band(0))
        }
        return try image.withHeader { $0.remove(ColourStep.profileField) }
    }

    private func isMonochrome(_ page: Int) -> Bool {
        guard format == .avif || format == .heif, let meta = HEIFMeta(ByteReader(bytes: source)) else { return false }
        return meta.picture(page: page, isThumbnail: showsThumbnail).map(meta.isGrey) ?? false
    }

    /// Copies the metadata blocks of a HEIF file. libvips 8.14 lends the blocks to copies of the header, and frees them with the loader. It also ignores
    /// colors that are given as numbers (CICP).
    func described(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var blocks: [(name: String, bytes: [UInt8])] = []
        for name in [ColourStep.profileField, "exif-data", "xmp-data"] { if let bytes = image.bytes(name) { blocks.append((name, bytes)) } }
        if !image.has(ColourStep.profileField), let colours = codePoints {
            if let profile = WideProfile.of(colours) { blocks.append((ColourStep.profileField, profile)) }
        }
        guard !blocks.isEmpty else { return image }
        return try image.withHeader { header in for block in blocks { header.set(block.name, block.bytes) } }
    }

    /// The code points of the picture, where they count.
    private var codePoints: CodedColours? {
        let reader = ByteReader(bytes: source)
        if format == .avif || format == .heif { return CodedColours.alone(reader) }
        // Numbers that are not RGB, and those of narrow range, are against the rules of PNG.
        guard format == .png, let colours = PNGFront(reader).colours, colours.matrix == 0, colours.isFullRange else { return nil }
        return colours
    }

    /// Returns the colors of an HDR picture, as a file that keeps them states them; nil: SDR. Only a picture with a profile, its tone map, is examined.
    func highRange(_ header: VipsImage) -> CodedColours? {
        guard header.has(ColourStep.profileField), let colours = codePoints, ToneMap(transfer: colours.transfer) != nil else { return nil }
        let isKnown = Chromaticities.coded[colours.primaries] != nil
        return CodedColours(primaries: isKnown ? colours.primaries : HighRange.colours.primaries, transfer: colours.transfer, matrix: 9, isFullRange: true)
    }

    /// Returns an HDR picture as its encoded numbers, without the profile that maps them. Those of 10 or 12 bits fill the 16 bits: libvips only moves them up.
    func encoded(_ image: VipsImage) throws(VipsError) -> VipsImage {
        let bare = try image.withHeader { $0.remove(ColourStep.profileField) }
        guard format != .png, image.format == .uint16 else { return bare }
        let reader = ByteReader(bytes: source)
        let isTwelve = HEIFMeta(reader)?.property("pixi").flatMap { reader.byte($0 + 5) } == 12
        return try bare.linear(65535 / (isTwelve ? 65520 : 65472.0), 0.5).cast(.uint16)
    }

    /// Gives a PNG the colors of its first chunk in the order cICP, iCCP, sRGB, gAMA with cHRM (PNG, third edition, 4.3).
    ///
    /// libpng reads iCCP alone.
    func coded(_ image: VipsImage) throws(VipsError) -> VipsImage {
        let front = PNGFront(ByteReader(bytes: source))
        let isGrey = image.bands < 3
        if let colours = codePoints {
            if let profile = WideProfile.of(colours, isGrey: isGrey) { return try image.withHeader { $0.set(ColourStep.profileField, profile) } }
            if colours.primaries == 1, colours.isSRGB { return try image.withHeader { $0.remove(ColourStep.profileField) } }
        }
        // Primaries without an exponent say too little.
        guard !image.has(ColourStep.profileField), front["sRGB"] == nil, let gamma = front.gamma,
            let profile = WideProfile.of(gamma: gamma, chromaticities: front.chromaticities, isGrey: isGrey)
        else { return image }
        return try image.withHeader { $0.set(ColourStep.profileField, profile) }
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
