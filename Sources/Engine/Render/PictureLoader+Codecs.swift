import Glibc
import ImageHeads
import TintypeImages

extension PictureLoader {
    /// Whether a picture was opened without the transparency that its file has.
    func isOpaqueByDamage(_ header: VipsImage) -> Bool {
        guard format == .avif || format == .heif, !header.hasAlpha, let meta = HEIFMeta(ByteReader(bytes: source)) else { return false }
        return meta.picture(page: 0, isThumbnail: showsThumbnail).flatMap { meta.mask(of: $0) } != nil
    }

    /// Returns the file as its decoder has to see it; nil: as it is. If there is no memory for a copy, opening an AVIF or HEIF fails.
    static func settled(_ file: UnsafeRawBufferPointer, _ format: ImageFormat) -> VipsBytes? {
        let changes: [(place: Range<Int>, instead: [UInt8])] =
            switch format {
            case .svg: (SVGSize.changes(of: file) + SVGUnits.changes(of: file)).sorted { $0.place.lowerBound < $1.place.lowerBound }
            case .avif, .heif: HEIFMeta(ByteReader(bytes: file))?.settled() ?? []
            case .jpeg, .png, .webp, .gif, .tiff, .jxl, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: []
            }
        return changes.isEmpty ? nil : VipsBytes(copying: file, changes)
    }

    /// Divides colors by the transparency that they were multiplied by, which libheif 1.15 leaves to its callers without telling them.
    /// - Returns: an opaque picture if libheif has left out the transparency, or has not transformed it like the colors.
    /// - Throws: in that case, unless all damage is allowed.
    func seen(_ image: VipsImage, _ plan: LoadPlan) throws(VipsError) -> VipsImage {
        guard let meta = HEIFMeta(ByteReader(bytes: source)), let picture = meta.picture(page: plan.page, isThumbnail: showsThumbnail),
            meta.mask(of: picture) != nil
        else { return image }
        guard image.hasAlpha, !meta.isTransformedAlone(picture) else {
            if plan.failOn == 0 { return try ColourBands(image).colours }
            throw VipsError(operation: "heifload", text: "the transparency of the picture has another size than its colors, or another turn")
        }
        guard meta.isPremultiplied(picture) else { return image }
        return try ColourBands.rounded(VipsOperation("unpremultiply").set("in", image).image(), image.format)
    }
}

/// The file around an embedded JPEG, as far as it tells about that.
struct OuterFile {
    /// Directories in the form of a TIFF: a RAW file, or the EXIF block around a thumbnail.
    let tags: UnsafeRawBufferPointer
    let orientation: Int
}

extension PictureLoader {
    /// Opens a file. A RAW file is opened as its largest JPEG, and treated like any JPEG from here on. A drawing gets its size in pixels.
    /// - Parameter file: must stay valid as long as the loader.
    init(opening file: UnsafeRawBufferPointer, _ format: ImageFormat) {
        if let copy = Self.settled(file, format) {
            self = copy.withBytes { PictureLoader(source: $0, format: format, copy: copy) }
            return
        }
        guard format == .raw, let raw = RAWFile(ByteReader(bytes: file)), let preview = raw.preview else {
            self.init(source: file, format: format)
            return
        }
        self.init(
            source: UnsafeRawBufferPointer(rebasing: file[preview]), format: .jpeg, around: OuterFile(tags: file, orientation: raw.orientation))
    }

    /// Adds the orientation of the file around the JPEG, and its metadata if the JPEG has none.
    func taken(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard let around else { return image }
        let tags = image.has("exif-data") ? nil : TIFFTags(ByteReader(bytes: around.tags))
        return try image.withHeader { header in
            if let tags { header.set("exif-data", tags.block) }
            header.set("orientation", around.orientation)
        }
    }
}

extension PictureLoader {
    /// Converts a TIFF in luma and chroma to RGB. libvips does so in a JPEG only.
    func mixed(_ image: VipsImage, page: Int) throws(VipsError) -> VipsImage {
        guard format == .tiff, image.format == .uint8, image.bands == 3, let luma = TIFFLuma(ByteReader(bytes: source), page: page) else { return image }
        let (parts, range) = (luma.parts, luma.range)
        let scale = [255 / (range[1] - range[0]), 127 / (range[3] - range[2]), 127 / (range[5] - range[4])]
        let even = try VipsOperation("linear").set("in", image).set("a", scale).set("b", [-range[0] * scale[0], -range[2] * scale[1], -range[4] * scale[2]])
            .image()
        let (red, blue) = (2 - 2 * parts[0], 2 - 2 * parts[2])
        let rows = [[1, 0, red], [1, -blue * parts[2] / parts[1], -red * parts[0] / parts[1]], [1, blue, 0]]
        let colours = try VipsOperation("recomb").set("in", even).set("m", VipsImage.matrix(rows)).image()
        return try VipsOperation("copy").set("in", ColourBands.rounded(colours, .uint8)).set("interpretation", Int(VipsColours.sRGB.rawValue)).image()
    }
}

extension PictureLoader {
    /// Reads the header only. A drawing beyond the limits is scaled down to them, because it has no pixels to lose.
    mutating func header(within limits: ImageLimits) throws(PictureFailure) -> VipsImage {
        let image = try header()
        guard format.isDrawing, let less = Self.scale(of: PictureSize(image.width, image.height), within: limits) else { return image }
        scale = less
        return try header()
    }

    /// - Returns: nil if the size is within the limits.
    static func scale(of size: PictureSize, within limits: ImageLimits) -> Double? {
        let (side, pixels) = (Double(max(size.width, size.height)), Double(size.width) * Double(size.height))
        let most = min(Double(limits.maxPixels), Double(limits.maxDecodedBytes / 4))
        guard side > Double(limits.maxSide) || pixels > most else { return nil }
        // One pixel less than allowed, because sides are rounded.
        return min((Double(limits.maxSide) - 1) / side, (most / pixels).squareRoot() * (1 - 1 / side))
    }

    /// Lays a page of a PDF on white paper. The page itself meets nothing below it (ISO 32000-1, 11.4.7). On paper that libvips has painted before,
    /// poppler would blend it with white, and parts of it would vanish.
    func onPaper(_ image: VipsImage) throws(VipsError) -> VipsImage {
        guard format == .pdf, image.hasAlpha else { return image }
        return try VipsOperation("flatten").set("in", image).set("background", [255.0]).image()
    }

    /// Brings a drawing to the planned size, which the renderer may have rounded in another way.
    func drawn(_ image: VipsImage, _ size: PictureSize) throws(VipsError) -> VipsImage {
        guard format.isDrawing, size.width > 0, PictureSize(image.width, image.height) != size else { return image }
        return try ResizeStep(from: PictureSize(image.width, image.height), to: size).apply(to: image)
    }
}
