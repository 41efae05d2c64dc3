package import TintypeImages

/// What a file claims about itself, read by our own code before any decoder sees it.
package struct ImageHeader: Sendable, Hashable {
    package let format: ImageFormat
    /// Of the largest thing a decoder would make room for; turned pictures are not turned yet.
    package let width: Int
    package let height: Int
    /// How many frames an animation holds, or pictures an icon, where counting is cheap; else 1.
    package var frames = 1
    /// Progressive JPEG, interlaced PNG: the whole picture must be in memory at once.
    package var progressive = false
    /// A kind of the format that is not understood here, by name.
    package var foreignKind: String?
    /// Bytes a decoded pixel takes.
    package var bytesPerPixel = 4
    /// nil when what was read does not say.
    package var hasAlpha: Bool?
    /// EXIF orientation, 1…8; nil when what was read does not say.
    package var orientation: Int?

    /// - Parameters:
    ///   - width: of the largest thing a decoder would make room for.
    ///   - bytesPerPixel: bytes a decoded pixel takes.
    package init(format: ImageFormat, width: Int, height: Int, frames: Int = 1, progressive: Bool = false, bytesPerPixel: Int = 4) {
        (self.format, self.width, self.height) = (format, width, height)
        (self.frames, self.progressive, self.bytesPerPixel) = (frames, progressive, bytesPerPixel)
    }

    /// Width times height of one frame, as far as numbers reach: nothing that a file claims was checked yet.
    package var pixels: Int {
        let (product, isOver) = width.multipliedReportingOverflow(by: height)
        return isOver ? .max : product
    }

    /// Whether the decoder could add nothing.
    package var isComplete: Bool { hasAlpha != nil && orientation != nil }

    /// - Returns: nil when the file ends or breaks before it says its size, or for formats we do not read ourselves.
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

    /// Formats for which `read` always finds the size of a sound file.
    package static func isReliable(_ format: ImageFormat) -> Bool {
        switch format {
        case .jpeg, .png, .gif, .webp, .bmp, .ico: true
        case .avif, .tiff, .heif, .jxl, .svg, .pdf, .jp2, .psd: false
        }
    }
}
