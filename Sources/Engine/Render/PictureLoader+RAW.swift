import ImageHeads
import TintypeImages

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
        self.init(source: UnsafeRawBufferPointer(rebasing: file[preview]), format: .jpeg, around: OuterFile(tags: file, orientation: raw.orientation))
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

    /// Returns the loader of the thumbnail in the EXIF of a JPEG; nil if there is none.
    /// - Parameter orientation: that of the picture, which the thumbnail shares.
    func thumbnailInEXIF(_ orientation: Int, _ limits: ImageLimits) throws(PictureFailure) -> PictureLoader? {
        guard let found = EXIFThumbnail(source) else { return nil }
        try limits.check(found.header)
        let block = UnsafeRawBufferPointer(rebasing: source[found.block])
        return PictureLoader(
            source: UnsafeRawBufferPointer(rebasing: source[found.picture]), format: .jpeg, around: OuterFile(tags: block, orientation: orientation))
    }
}
