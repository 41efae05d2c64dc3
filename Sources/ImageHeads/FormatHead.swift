package import TintypeImages

/// The facts in the bytes of a file, read before a decoder sees them: one row for each format. Pure.
struct FormatHead: Sendable {
    /// Reads the header; nil if the file ends or breaks before its size, or for a format that we do not read ourselves.
    var read: @Sendable (ByteReader) -> ImageHeader? = { _ in nil }
    /// Whether `read` always finds the size of a sound file.
    var isReliable = false
    /// Finds the EXIF block; nil while the bytes do not show it, and for a format that only a decoder can read.
    var exif: @Sendable (ByteReader) -> EXIFLocator? = { _ in nil }
    /// Whether frames may lie anywhere in a file with this beginning, so that a probe has to read all of it.
    var mayHoldFrames: @Sendable (ByteReader) -> Bool = { _ in false }
    /// Returns the number of bytes that a file has at least, by the lengths that it states; nil if it states none.
    var leastLength: @Sendable (ByteReader) -> Int? = { _ in nil }
}

extension ImageFormat {
    var head: FormatHead {
        switch self {
        case .jpeg: FormatHead(read: JPEGHeader.read, isReliable: true, exif: EXIFLocator.jpeg)
        case .png:
            FormatHead(read: PNGHeader.read, isReliable: true, exif: EXIFLocator.png, mayHoldFrames: PNGHeader.mayMove, leastLength: PictureDamage.chunks)
        case .webp:
            FormatHead(
                read: WebPHeader.read, isReliable: true, exif: EXIFLocator.webp,
                // The extended form has a flag for animation.
                mayHoldFrames: { $0.count < 21 || WebPHeader.mayMove($0) }, leastLength: { $0.little(4, 4).map { $0 + 8 } })
        case .avif: FormatHead(read: { HEIFHeader.read($0, .avif) }, exif: { HEIFMeta($0)?.exif }, leastLength: PictureDamage.boxes)
        case .gif: FormatHead(read: { GIFAnimation($0, keepsFrames: false)?.header }, isReliable: true, mayHoldFrames: { _ in true })
        case .tiff:
            FormatHead(
                read: { RAWFile($0)?.header ?? TIFFHeader.read($0) },
                // Only the other directories, anywhere in the file, tell a RAW file from a TIFF.
                mayHoldFrames: RAWFile.mayBe, leastLength: { $0.has("II", at: 0) ? $0.little(4, 4) : $0.big(4, 4) })
        case .heif: FormatHead(read: { HEIFHeader.read($0, .heif) }, exif: { HEIFMeta($0)?.exif }, leastLength: PictureDamage.boxes)
        case .jxl: FormatHead(read: JXLHeader.read, isReliable: true, leastLength: PictureDamage.boxes)
        case .bmp:
            FormatHead(
                read: { BMPHeader($0)?.header }, isReliable: true,
                // A size that is too large for the sum is over the limits.
                leastLength: { BMPHeader($0).flatMap { $0.packing == .runs ? nil : $0.pixels &+ $0.pitch &* $0.height } })
        case .ico: FormatHead(read: { IconHeader($0, .ico)?.header }, isReliable: true, leastLength: PictureDamage.shownPNG)
        case .icns: FormatHead(read: { IconHeader($0, .icns)?.header }, isReliable: true, leastLength: { $0.big(4, 4) })
        case .xbm:
            FormatHead(
                read: {
                    let text = XBMText($0.bytes)
                    return text.map { ImageHeader(format: .xbm, width: $0.width, height: $0.height, bytesPerPixel: 1, hasAlpha: false, orientation: 1) }
                }, isReliable: true)
        case .jp2: FormatHead(read: JP2Header.read, isReliable: true, leastLength: PictureDamage.boxes)
        case .raw: FormatHead(read: { RAWFile($0)?.header })
        case .svg, .pdf, .psd: FormatHead()
        }
    }
}

extension ImageFormat {
    /// Whether `ImageHeader.read` always finds the size of a sound file.
    package var hasReliableHeader: Bool { head.isReliable }

    /// Whether frames may lie anywhere in a file with this beginning, so that a probe has to read all of it.
    package func mayHoldFrames(_ beginning: ByteReader) -> Bool { head.mayHoldFrames(beginning) }
}
