import ImageHeads
import PNG
import TintypeImages

/// Opens a source with the one loader of its format, or with a reader of `Bitmaps`. libvips' own guessing is never used.
struct PictureLoader {
    let source: UnsafeRawBufferPointer
    let format: ImageFormat
    /// The file around the source, if there is one.
    var around: OuterFile?
    /// Whether the thumbnail of a HEIF is opened instead of the picture.
    var showsThumbnail = false
    /// The memory of `source`, if it is a changed copy of the file.
    var copy: VipsBytes?
    /// The scale of a drawing: 1, or less if its size is beyond the limits.
    var scale = 1.0

    /// Whether the codec changes the pixels that it stores.
    var isLossy: Bool { format.codec.isLossy(source) }

    /// Reads the header only.
    func header() throws(PictureFailure) -> VipsImage {
        if format == .bmp || format == .xbm { return try blank() }
        // For a HEIF only our own check of the transparency asks. libheif always refuses damage.
        let isLenient = icon != nil || format == .avif || format == .heif
        return try open(LoadPlan(format: format, page: icon?.primary ?? 0, frames: 1, size: PictureSize(0, 0), failOn: isLenient ? 0 : 1))
    }

    func open(_ plan: LoadPlan) throws(PictureFailure) -> VipsImage {
        if format.codec.isReadHere { return try bitmap(plan) }
        guard let loader = format.codec.loader else {
            throw PictureFailure(.unsupportedFormat, .decode, "\(format.rawValue) cannot be opened here")
        }
        do throws(VipsError) {
            var call = try VipsOperation(loader).set("access", 1).set("fail-on", plan.failOn)
            if format == .png, let mended = MendedPNG.of(source) {
                call = call.set("buffer", mended)
            } else {
                call = call.set("buffer", plan.failOn == 0 ? usable : source)
            }
            if plan.shrink > 1 { call = call.set("shrink", plan.shrink) }
            if plan.scale * scale != 1 { call = call.set("scale", plan.scale * scale) }
            // Without a page libvips opens the one that the file wants shown.
            if plan.page > 0 || format.codec.primaryPage != nil { call = call.set("page", plan.page) }
            if plan.frames > 1 { call = call.set("n", plan.frames) }
            if showsThumbnail { call = call.set("thumbnail", true) }
            if format == .pdf { call = call.set("background", [0.0, 0, 0, 0]) }
            return try settled(drawn(onPaper(mixed(unpacked(call.image()), page: plan.page)), plan.size), plan)
        } catch {
            guard VipsOperation.exists(loader) else {
                throw PictureFailure(.unsupportedFormat, .decode, "\(format.rawValue) cannot be opened here: this libvips has no loader for it (formats.list)")
            }
            throw damage(error)
        }
    }

    /// Says what the decoder's text means for this source.
    func damage(_ error: VipsError) -> PictureFailure { .damage(error.description, format, source) }

    /// The source without a table that its end cuts, because libjpeg gives up there. A cut between tables or within a scan is no obstacle.
    private var usable: UnsafeRawBufferPointer {
        guard format == .jpeg else { return source }
        var scans = JPEGScans()
        scans.read(source)
        return scans.hasBegun ? UnsafeRawBufferPointer(rebasing: source[..<scans.readable(of: source.count)]) : source
    }

    /// Reads all pixels of a PNG into memory, with the same values as libpng.
    /// - Parameters:
    ///   - header: the header of the source.
    ///   - goesOn: called with the progress, 0…1; false stops the reading.
    /// - Returns: nil if the source has to be opened with libpng.
    func whole(_ header: VipsImage, goesOn: (Double) -> Bool) -> VipsImage? {
        guard format == .png, header.format == .uint8, let pixels = PNGPixels(source), pixels.channels == header.bands,
            pixels.width == header.width, pixels.height == header.height
        else { return nil }
        // If there is no memory for all pixels, libpng needs less.
        return try? header.filled { pixels.read(into: $0, goesOn: goesOn) }
    }

    /// Whether the source is an AVIF whose planes are read here. libheif 1.15 takes gray of limited range for gray of full range.
    /// It repeats halved colors, which browsers smooth.
    func isReadByPlanes(_ header: VipsImage) -> Bool { planes(header) != nil }

    private func planes(_ header: VipsImage) -> PlaneSampling? {
        guard format == .avif, !showsThumbnail, header.format == .uint8, let sampling = AVIFCoding(ByteReader(bytes: source))?.sampling,
            sampling.size == header.size
        else { return nil }
        let isGray = sampling.components.count == 1
        let isOurs = isGray ? !sampling.isFullRange : header.bands == 3 && sampling.components[0].horizontal == 2
        return isOurs ? sampling : nil
    }

    /// Reads all pixels of such a picture, however large. libheif would need as much memory.
    /// - Returns: nil if dav1d cannot read it. libvips then reports the error.
    func readPlanes(_ header: VipsImage) -> VipsImage? {
        guard let sampling = planes(header), let picture = try? AV1Picture(source) else { return nil }
        return try? header.filled {
            sampling.components.count == 3
                ? picture.readColors(into: $0, sampling) : picture.readBrightness(into: $0, sampling.size, bands: header.bands, PlaneRange.wideBrightness)
        }
    }

    /// Corrects the header where libvips misunderstands it.
    private func settled(_ image: VipsImage, _ plan: LoadPlan) throws(VipsError) -> VipsImage {
        let read = try format.codec.correct(self, image, plan)
        let image = try fitting(read, page: plan.page)
        if image.has(Self.unit) { return image }
        // libvips does not say that the density of a PNG is per meter. Most densities are whole numbers of inches.
        if format == .png, PNGFront(ByteReader(bytes: source)).hasDensity { return try image.withHeader { $0.set(Self.unit, "in") } }
        // Numbers without a unit mean nothing, and invented ones are 72 an inch. A rewritten EXIF block would say inches again.
        return try VipsOperation("copy").set("in", image).set("xres", 1.0).set("yres", 1.0).image().withHeader { $0.set(Self.unit, "none") }
    }

    private static let unit = "resolution-unit"

    /// Returns the facts of another page, which may have another size.
    func facts(_ facts: ImageProperties, showing page: Int) throws(PictureFailure) -> ImageProperties {
        let image = try open(LoadPlan(format: format, page: page, frames: 1, size: facts.size, failOn: 0))
        var shown = facts
        (shown.size, shown.primaryPage) = (image.size, page)
        (shown.hasAlpha, shown.isSixteenBit, shown.orientation) = (image.hasAlpha, image.format.bytes > 1, image.orientation)
        (shown.bands, shown.bytesPerPixel) = (image.bands, image.bands * image.format.bytes)
        return shown
    }

    /// Reads the facts from a header.
    static func facts(of image: VipsImage, _ format: ImageFormat) -> ImageProperties {
        var facts = ImageProperties(format: format, size: image.size)
        // Only the first page of a PDF is opened.
        facts.frames = format == .pdf ? 1 : image.pages
        facts.hasAlpha = image.hasAlpha
        facts.isSixteenBit = image.format.bytes > 1
        facts.orientation = image.orientation
        (facts.bands, facts.bytesPerPixel) = (image.bands, image.bands * image.format.bytes)
        facts.primaryPage = format.codec.primaryPage.flatMap { image.int($0) } ?? 0
        return facts
    }
}
