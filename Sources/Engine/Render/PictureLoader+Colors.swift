import ImageHeads
import TintypeImages

/// The meaning of a picture's numbers: the profile that it gets, or keeps.
extension PictureLoader {
    /// Drops a profile for other channels than the picture has, as browsers do.
    ///
    /// libvips 8.14 would read the first of three channels by a gray profile, and take the second for transparency.
    func fitting(_ image: VipsImage, page: Int = 0) throws(VipsError) -> VipsImage {
        guard let bytes = image.bytes(ColorStep.profileField), case let profile = ICCProfile(bytes), profile.channels != image.channels else { return image }
        let isWhole = image.format == .uint8 || image.format == .uint16
        if isWhole, image.channels == .gray, profile.channels == .rgb {
            // Equal red, green and blue have a meaning.
            return profile.isSRGB ? image : try ColorBands(image, asRGB: true).joinedAgain()
        }
        if isWhole, image.channels == .rgb, profile.channels == .gray, isMonochrome(page) {
            let bands = try ColorBands(image)
            return try bands.joined(bands.colors.band(0))
        }
        return try image.withHeader { $0.remove(ColorStep.profileField) }
    }

    private func isMonochrome(_ page: Int) -> Bool {
        guard format == .avif || format == .heif, let meta = HEIFMeta(ByteReader(bytes: source)) else { return false }
        return meta.picture(page: page, isThumbnail: showsThumbnail).map(meta.isGray) ?? false
    }

    /// Copies the metadata blocks of a HEIF file. libvips 8.14 lends the blocks to copies of the header, and frees them with the loader. It also ignores
    /// colors that are given as numbers (CICP).
    func described(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var blocks: [(name: String, bytes: [UInt8])] = []
        for name in [ColorStep.profileField, "exif-data", "xmp-data"] { if let bytes = image.bytes(name) { blocks.append((name, bytes)) } }
        if !image.has(ColorStep.profileField), let colors = codePoints {
            if let profile = WideProfile.of(colors) { blocks.append((ColorStep.profileField, profile)) }
        }
        guard !blocks.isEmpty else { return image }
        return try image.withHeader { header in for block in blocks { header.set(block.name, block.bytes) } }
    }

    /// The code points of the picture, where they count.
    private var codePoints: CodedColors? {
        let reader = ByteReader(bytes: source)
        if format == .avif || format == .heif { return CodedColors.alone(reader) }
        // Numbers that are not RGB, and those of narrow range, are against the rules of PNG.
        guard format == .png, let colors = PNGFront(reader).colors, colors.matrix == 0, colors.isFullRange else { return nil }
        return colors
    }

    /// Returns the colors of an HDR picture, as a file that keeps them states them; nil: SDR. Only a picture with a profile, its tone map, is examined.
    func highRange(_ header: VipsImage) -> CodedColors? {
        guard header.has(ColorStep.profileField), let colors = codePoints, ToneMap(transfer: colors.transfer) != nil else { return nil }
        let isKnown = Chromaticities.coded[colors.primaries] != nil
        return CodedColors(primaries: isKnown ? colors.primaries : HDRComposition.colors.primaries, transfer: colors.transfer, matrix: 9, isFullRange: true)
    }

    /// Returns an HDR picture as its encoded numbers, without the profile that maps them. Those of 10 or 12 bits fill the 16 bits: libvips only moves them up.
    func encoded(_ image: VipsImage) throws(VipsError) -> VipsImage {
        let bare = try image.withHeader { $0.remove(ColorStep.profileField) }
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
        let isGray = image.bands < 3
        if let colors = codePoints {
            if let profile = WideProfile.of(colors, isGray: isGray) { return try image.withHeader { $0.set(ColorStep.profileField, profile) } }
            if colors.primaries == 1, colors.isSRGB { return try image.withHeader { $0.remove(ColorStep.profileField) } }
        }
        // Primaries without an exponent say too little.
        guard !image.has(ColorStep.profileField), front["sRGB"] == nil, let gamma = front.gamma,
            let profile = WideProfile.of(gamma: gamma, chromaticities: front.chromaticities, isGray: isGray)
        else { return image }
        return try image.withHeader { $0.set(ColorStep.profileField, profile) }
    }
}

extension VipsImage {
    /// The channels without transparency; nil: others, such as those of Lab.
    fileprivate var channels: ICCProfile.Channels? {
        switch colors {
        case .gray, .gray16: .gray
        case .sRGB, .rgb16, .rgb, .scRGB: .rgb
        case .cmyk: .cmyk
        case .multiband, .other: bands < 3 ? .gray : bands < 5 ? .rgb : nil
        case .xyz, .lab, .labs, .hsv: nil
        }
    }
}
