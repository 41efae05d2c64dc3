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
        let changes = format.codec.changes(file).sorted { $0.place.lowerBound < $1.place.lowerBound }
        return changes.isEmpty ? nil : VipsBytes(copying: file, changes)
    }

    /// The loader of the thumbnail in the file. libheif finds those of unusual files too, and shows the picture if there are none.
    var thumbnailInHEIF: PictureLoader? {
        guard HEIFMeta(ByteReader(bytes: source))?.hasThumbnails ?? true else { return nil }
        var loader = self
        loader.showsThumbnail = true
        return loader
    }

    /// Divides colors by the transparency that they were multiplied by, which libheif 1.15 leaves to its callers without telling them.
    /// - Returns: an opaque picture if libheif has left out the transparency, or has not transformed it like the colors.
    /// - Throws: in that case, unless all damage is allowed.
    func seen(_ image: VipsImage, _ plan: LoadPlan) throws(VipsError) -> VipsImage {
        guard let meta = HEIFMeta(ByteReader(bytes: source)), let picture = meta.picture(page: plan.page, isThumbnail: showsThumbnail),
            meta.mask(of: picture) != nil
        else { return image }
        guard image.hasAlpha, !meta.isTransformedAlone(picture) else {
            if plan.failOn == 0 { return try ColorBands(image).colors }
            throw VipsError(operation: "heifload", text: "the transparency of the picture has another size than its colors, or another turn")
        }
        guard meta.isPremultiplied(picture) else { return image }
        return try ColorBands.rounded(image.unpremultiplied(), image.format)
    }
}
