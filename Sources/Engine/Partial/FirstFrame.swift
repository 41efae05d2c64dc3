import ImageHeads
package import TintypeImages

/// The first frame of an animation that is still arriving, as a small complete file, because decoders refuse files that end early. Pure.
package enum FirstFrame {
    /// - Returns: nil while the frame is incomplete, and for still pictures.
    package static func file(of bytes: UnsafeRawBufferPointer, _ format: ImageFormat) -> [UInt8]? {
        let reader = ByteReader(bytes: bytes)
        guard let end = end(reader, format) else { return nil }
        var file = [UInt8](bytes[..<end])
        switch format {
        case .gif: file.append(0x3b)
        case .png: file += [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]
        case .webp:
            // The header holds the length without its own eight bytes.
            for index in 0..<4 { file[4 + index] = UInt8(truncatingIfNeeded: (end - 8) >> (8 * index)) }
        case .jpeg, .avif, .tiff, .heif, .jxl, .svg, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: return nil
        }
        return file
    }

    /// Returns the end of the frame; nil as for `file`.
    package static func end(_ reader: ByteReader, _ format: ImageFormat) -> Int? {
        switch format {
        case .gif: gif(reader)
        case .png: PNGHeader.mayMove(reader) ? PNGAnimation(reader)?.frames.first?.data.upperBound : nil
        case .webp: webp(reader)
        case .jpeg, .avif, .tiff, .heif, .jxl, .svg, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: nil
        }
    }

    private static func gif(_ reader: ByteReader) -> Int? {
        var walk = GIFWalk(reader)
        return walk?.next().flatMap { $0.isWhole ? $0.data.upperBound : nil }
    }

    private static func webp(_ reader: ByteReader) -> Int? {
        guard WebPHeader.mayMove(reader) else { return nil }
        var at = 12
        while let length = reader.little(at + 4, 4) {
            let end = at + 8 + length + length % 2
            guard end <= reader.count else { return nil }
            if reader.has("ANMF", at: at) { return end }
            at = end
        }
        return nil
    }
}
