package import TintypeImages

/// A file's header, read by our own code before any decoder sees the file.
package struct ImageHeader: Sendable, Hashable {
    package let format: ImageFormat
    /// The size of the largest picture that a decoder would allocate memory for, before rotation.
    package let width: Int
    package let height: Int
    /// The number of an animation's frames or of an icon's pictures, if counting is cheap; otherwise 1.
    package var frames = 1
    /// Whether the whole picture must be in memory at once: a progressive JPEG or an interlaced PNG.
    package var progressive = false
    /// The name of a kind of the format that is not supported.
    package var foreignKind: String?
    /// The bytes of a decoded pixel.
    package var bytesPerPixel = 4
    /// Whether the picture may be transparent; nil if the header does not say.
    package var hasAlpha: Bool?
    /// The EXIF orientation, 1…8; nil if the header does not say.
    package var orientation: Int?

    /// - Parameters:
    ///   - width: the width of the largest picture that a decoder would allocate memory for.
    ///   - bytesPerPixel: the bytes of a decoded pixel.
    package init(format: ImageFormat, width: Int, height: Int, frames: Int = 1, progressive: Bool = false, bytesPerPixel: Int = 4) {
        (self.format, self.width, self.height) = (format, width, height)
        (self.frames, self.progressive, self.bytesPerPixel) = (frames, progressive, bytesPerPixel)
    }

    /// Width times height of one frame, limited to the range of integers, because the numbers are not checked yet.
    package var pixels: Int {
        let (product, isOver) = width.multipliedReportingOverflow(by: height)
        return isOver ? .max : product
    }

    /// Whether a decoder could add nothing.
    package var isComplete: Bool { hasAlpha != nil && orientation != nil }

    /// - Returns: nil if the file ends or breaks before its size, or for formats that we do not read ourselves.
    package static func read(_ bytes: UnsafeRawBufferPointer, as format: ImageFormat) -> ImageHeader? {
        let reader = ByteReader(bytes: bytes)
        switch format {
        case .jpeg: return JPEGHeader.read(reader)
        case .png: return PNGHeader.read(reader)
        case .gif: return GIFHeader.read(reader)
        case .webp: return WebPHeader.read(reader)
        case .tiff: return TIFFHeader.read(reader)
        case .avif, .heif: return HEIFHeader.read(reader, format)
        case .bmp: return BMPHeader(reader)?.header
        case .ico: return ICOHeader(reader)?.header
        case .jxl, .svg, .pdf, .jp2, .psd: return nil
        }
    }

    /// Whether `read` always finds the size of a sound file of this format.
    package static func isReliable(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .gif, .webp, .bmp, .ico: true
        case .avif, .tiff, .heif, .jxl, .svg, .pdf, .jp2, .psd: false
        }
    }
}
