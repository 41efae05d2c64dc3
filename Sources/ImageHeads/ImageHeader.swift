package import TintypeImages

/// A file's header, read by our own code before any decoder sees the file.
package struct ImageHeader: Sendable, Hashable {
    /// The format of the file. The header of a TIFF may have the format RAW.
    package let format: ImageFormat
    /// The size of the largest picture that a decoder would allocate memory for, before rotation.
    package let width: Int
    package let height: Int
    /// The number of an animation's frames or of an icon's pictures, if counting is cheap; otherwise 1.
    package var frames: Int
    /// Whether the whole picture must be in memory at once: a progressive JPEG or an interlaced PNG.
    package let progressive: Bool
    /// The name of a kind of the format that is not supported.
    package var foreignKind: String?
    /// The bytes of a decoded pixel.
    package var bytesPerPixel: Int
    /// Whether the picture may be transparent; nil if the header does not say.
    package var hasAlpha: Bool?
    /// The EXIF orientation, 1…8; nil if the header does not say.
    package var orientation: Int?

    /// - Parameters:
    ///   - width: the width of the largest picture that a decoder would allocate memory for.
    ///   - bytesPerPixel: the bytes of a decoded pixel.
    package init(
        format: ImageFormat, width: Int, height: Int, frames: Int = 1, progressive: Bool = false, bytesPerPixel: Int = 4, hasAlpha: Bool? = nil,
        orientation: Int? = nil, foreignKind: String? = nil
    ) {
        (self.format, self.width, self.height, self.frames, self.progressive) = (format, width, height, frames, progressive)
        (self.bytesPerPixel, self.hasAlpha, self.orientation, self.foreignKind) = (bytesPerPixel, hasAlpha, orientation, foreignKind)
    }

    /// Width times height of one frame, limited to the range of integers, because the numbers are not checked yet.
    package var pixels: Int {
        let (product, isOver) = width.multipliedReportingOverflow(by: height)
        return isOver ? .max : product
    }

    /// The smallest size that the decoder can produce while it reads. A baseline JPEG can be decoded at an eighth of each side.
    var shrunk: ImageHeader {
        guard [.jpeg, .raw].contains(format), !progressive else { return self }
        return ImageHeader(format: format, width: (width + 7) / 8, height: (height + 7) / 8, bytesPerPixel: bytesPerPixel)
    }

    /// Whether a decoder could add nothing.
    package var isComplete: Bool { hasAlpha != nil && orientation != nil }

    /// - Returns: nil if the file ends or breaks before its size, or for formats that we do not read ourselves.
    package static func read(_ bytes: UnsafeRawBufferPointer, as format: ImageFormat) -> ImageHeader? { format.head.read(ByteReader(bytes: bytes)) }
}
