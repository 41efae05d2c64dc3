import ImageHeads
import PNG
import TintypeImages

/// Opens a source with the one loader of its format, or with a reader of ours; libvips' own guessing is never used.
struct PictureLoader {
    let source: UnsafeRawBufferPointer
    let format: ImageFormat

    /// Whether its codec changes what it stores.
    var isLossy: Bool { format.codec.isLossy(source) }

    /// Reads the header only.
    func header() throws(PictureFailure) -> VipsImage {
        try format == .bmp ? blank() : open(LoadPlan(format: format, page: firstPage, frames: 1, size: PictureSize(0, 0), failOn: format == .ico ? 0 : 1))
    }

    func open(_ plan: LoadPlan) throws(PictureFailure) -> VipsImage {
        if format.codec.isReadHere { return try bitmap(plan) }
        guard let loader = format.loader else {
            throw PictureFailure(.unsupportedFormat, .decode, "\(format.rawValue) is not opened here")
        }
        do throws(VipsError) {
            var call = try VipsOperation(loader).set("buffer", source).set("access", 1).set("fail-on", plan.failOn)
            if plan.shrink > 1 { call = call.set("shrink", plan.shrink) }
            if plan.scale < 1 { call = call.set("scale", plan.scale) }
            if plan.page > 0 { call = call.set("page", plan.page) }
            if plan.frames > 1 { call = call.set("n", plan.frames) }
            return try settled(unpacked(call.image()), page: plan.page)
        } catch {
            throw PictureFailure(.badImageData, .decode, error.description)
        }
    }

    /// All pixels of a PNG in memory; the same as libpng would have read.
    /// - Parameters:
    ///   - header: of the source.
    ///   - goesOn: told how far it is, 0…1; false stops it.
    /// - Returns: nil where it has to be opened after all.
    func whole(_ header: VipsImage, goesOn: (Double) -> Bool) -> VipsImage? {
        guard format == .png, header.format == .uint8, let pixels = PNGPixels(source), pixels.channels == header.bands,
            pixels.width == header.width, pixels.height == header.height
        else { return nil }
        // Where there is no memory for all of them, libpng needs less.
        return try? header.filled { pixels.read(into: $0, goesOn: goesOn) }
    }

    /// Whether it is a grey AVIF whose numbers do not fill a byte, which libheif 1.15 shows as if they did.
    func isNarrowGrey(_ header: VipsImage) -> Bool { narrowGrey(header) != nil }

    private func narrowGrey(_ header: VipsImage) -> PlaneSampling? {
        guard format == .avif, header.format == .uint8, let sampling = AVIFCoding(ByteReader(bytes: source))?.sampling,
            sampling.components.count == 1, !sampling.isFullRange, sampling.size == PictureSize(header.width, header.height)
        else { return nil }
        return sampling
    }

    /// All pixels of such a picture, however large: libheif would have as much in memory.
    /// - Returns: nil where dav1d cannot read it: then libvips says what is wrong with it.
    func grey(_ header: VipsImage) -> VipsImage? {
        guard let sampling = narrowGrey(header), let picture = try? AV1Picture(source) else { return nil }
        return try? header.filled { picture.readBrightness(into: $0, sampling.size, bands: header.bands, PlanarRun.fullBrightness) }
    }

    /// A TIFF in Lab comes as four packed bytes a pixel, which no step could tell from colours with transparency. Its profile describes those numbers.
    private func unpacked(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard format == .tiff, image.isPackedLab else { return image }
        return try VipsOperation("colourspace").set("in", image).set("space", Int(VipsColours.sRGB.rawValue)).image()
            .withHeader { $0.remove(Self.profile) }
    }

    /// The same without what libvips misunderstands of its header.
    private func settled(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        let image =
            switch format {
            case .avif, .heif: try described(image)
            case .png: try coded(image)
            case .tiff: try signed(image, page: page)
            case .jpeg, .webp, .gif, .jxl, .svg, .pdf, .bmp, .ico, .jp2, .psd: image
            }
        if image.has(Self.unit) { return image }
        // It does not say that those of a PNG count metres. Of inches most are whole numbers.
        if format == .png, PNGHeader.hasDensity(ByteReader(bytes: source)) { return try image.withHeader { $0.set(Self.unit, "in") } }
        // Numbers without a unit count nothing, and those that it makes up are 72 an inch. EXIF that it writes anew would say inches again.
        return try VipsOperation("copy").set("in", image).set("xres", 1.0).set("yres", 1.0).image().withHeader { $0.set(Self.unit, "none") }
    }

    private static let unit = "resolution-unit"

    /// 8.14 lends the blocks of a HEIF file to whoever copies its header, and frees them with the loader: these are copies of our own. It does not
    /// look at colours that are said in numbers either: wide ones get the profile that says the same.
    private func described(_ image: VipsImage) throws(VipsError) -> VipsImage {
        var blocks: [(name: String, bytes: [UInt8])] = []
        for name in [Self.profile, "exif-data", "xmp-data"] { if let bytes = image.bytes(name) { blocks.append((name, bytes)) } }
        if !image.has(Self.profile), let colours = CodedColours.alone(ByteReader(bytes: source)) {
            if let profile = try Self.profile(of: colours) { blocks.append((Self.profile, profile)) }
        }
        guard !blocks.isEmpty else { return image }
        return try image.withHeader { header in for block in blocks { header.set(block.name, block.bytes) } }
    }

    /// A PNG may say its colours in numbers too, whatever profile stands beside them. Of what is no RGB nothing is made.
    private func coded(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard let colours = PNGHeader.colours(ByteReader(bytes: source)), colours.matrix == 0, colours.isFullRange, image.bands >= 3 else { return image }
        if let profile = try Self.profile(of: colours) { return try image.withHeader { $0.set(Self.profile, profile) } }
        return colours.primaries == 1 && colours.isSRGB ? try image.withHeader { $0.remove(Self.profile) } : image
    }

    /// Who made a TIFF, who owns it and what the camera said stands in tags of its own, which libvips does not look at: here they come to where EXIF has them.
    private func signed(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        guard let tags = TIFFTags(ByteReader(bytes: source), page: page) else { return image }
        // libvips sets the fields of EXIF by it, and knows then what it would write of them.
        return try image.withHeader { header in
            header.set("exif-data", tags.block)
            if image.orientation != 1 { header.set("orientation", image.orientation) }
        }
    }

    /// What says the same of wide colours; nil for all others.
    private static func profile(of colours: CodedColours) throws(VipsError) -> [UInt8]? {
        if colours.isDisplayP3 { return try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied() }
        return colours.isBT2020 ? WideProfile.bt2020 : nil
    }

    private static let profile = "icc-profile-data"

    /// The same where another page is shown, which may have another size.
    func facts(_ facts: SourceFacts, showing page: Int) throws(PictureFailure) -> SourceFacts {
        let image = try open(LoadPlan(format: format, page: page, frames: 1, size: facts.size))
        var shown = facts
        (shown.size, shown.primaryPage) = (PictureSize(image.width, image.height), page)
        (shown.hasAlpha, shown.isSixteenBit, shown.orientation) = (image.hasAlpha, image.format.bytes > 1, image.orientation)
        (shown.bands, shown.bytesPerPixel) = (image.bands, image.bands * image.format.bytes)
        return shown
    }

    /// What the header says.
    static func facts(of image: VipsImage, _ format: ImageFormat) -> SourceFacts {
        var facts = SourceFacts(format: format, size: PictureSize(image.width, image.height))
        facts.frames = image.pages
        facts.hasAlpha = image.hasAlpha
        facts.isSixteenBit = image.format.bytes > 1
        facts.orientation = image.orientation
        (facts.bands, facts.bytesPerPixel) = (image.bands, image.bands * image.format.bytes)
        facts.primaryPage = format.codec.primaryPage.flatMap { image.int($0) } ?? 0
        return facts
    }
}
