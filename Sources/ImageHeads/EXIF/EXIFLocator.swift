package import TintypeImages

/// The place of the EXIF block in a file, as far as the beginning of the file shows it. For a probe that reads no more of the file. It is the block
/// that the decoder would find.
package enum EXIFLocator: Hashable {
    /// The place of the block, including the six bytes that JPEG may put before it.
    case bytes(Range<Int>)
    /// There is no block, whatever follows.
    case absent

    /// - Returns: nil while the bytes do not show it, and for formats that only a decoder can read.
    package init?(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat) {
        let reader = ByteReader(bytes: bytes)
        let found: EXIFLocator? =
            switch format {
            case .jpeg: Self.jpeg(reader)
            case .png: Self.png(reader)
            case .webp: Self.webp(reader)
            case .avif, .heif: HEIFMeta(reader)?.exif
            case .gif, .tiff, .jxl, .svg, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: nil
            }
        guard let found else { return nil }
        self = found
    }

    /// Looks among the segments before the first scan. With several blocks decoders differ, so there is no answer.
    private static func jpeg(_ reader: ByteReader) -> EXIFLocator? {
        guard reader.big(0, 2) == 0xffd8 else { return nil }
        var at = 2
        var found = EXIFLocator.absent
        while true {
            guard let marker = JPEGHeader.marker(reader, &at) else { return nil }
            switch marker {
            case 0x00, 0x01, 0xd0...0xd8: continue
            case 0xd9: return nil
            case 0xda: return found
            default:
                guard let length = reader.big(at, 2), length >= 2, at + length <= reader.count else { return nil }
                if marker == 0xe1, reader.has("Exif", at: at + 2) {
                    guard found == .absent else { return nil }
                    found = .bytes(at + 2..<at + length)
                }
                at += length
            }
        }
    }

    /// Looks among the chunks before the pixels, because decoders report the block by then.
    private static func png(_ reader: ByteReader) -> EXIFLocator? {
        var at = 8
        var found = EXIFLocator.absent
        for _ in 0..<maxChunks {
            guard let length = reader.big(at, 4), let kind = reader.big(at + 4, 4) else { return nil }
            if kind == 0x4944_4154 { return found }
            guard at + 12 + length <= reader.count else { return nil }
            if kind == 0x6558_4966 { found = .bytes(at + 8..<at + 8 + length) }
            at += 12 + length
        }
        return nil
    }

    private static let maxChunks = 1024

    /// Looks behind the pixels, if the extended header announces a block.
    private static func webp(_ reader: ByteReader) -> EXIFLocator? {
        guard let flags = reader.byte(20) else { return nil }
        guard reader.has("VP8X", at: 12), flags & 8 != 0 else { return EXIFLocator.absent }
        var at = 12
        while let length = reader.little(at + 4, 4), at + 8 + length <= reader.count {
            if reader.has("EXIF", at: at) { return .bytes(at + 8..<at + 8 + length) }
            at += 8 + length + (length & 1)
        }
        return nil
    }
}
