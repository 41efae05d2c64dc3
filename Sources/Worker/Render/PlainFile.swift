import Glibc
import ImageHeads
import TintypeImages

/// A file without what libvips makes up. EXIF: 8.14 writes 186 bytes and more of it into every WebP whatever it is told, and into a JPEG that has only
/// its profile to carry: more than many a thumbnail has. How dense the pixels are: every PNG and TIFF says something.
enum PlainFile {
    /// The same file without EXIF; as it is where it has none, where its format says that elsewhere (AVIF, HEIF), or where there is no memory for both.
    static func of(_ file: VipsBytes, _ format: ImageFormat) -> VipsBytes {
        let whole: UnsafeMutableRawBufferPointer? = file.withBytes { bytes in
            switch format {
            case .jpeg: jpeg(bytes).flatMap { copy($0, of: bytes) }
            case .webp: webp(bytes).flatMap { copy($0, of: bytes) }.map(mended)
            case .png, .avif, .gif, .tiff, .heif, .jxl, .svg, .pdf, .bmp, .ico, .jp2, .psd: nil
            }
        }
        return whole.map { VipsBytes(adopting: $0) } ?? file
    }

    /// The same file without how dense its pixels are: whoever prints one of a pixel a millimetre, which means nothing to libvips, covers a wall with it.
    static func withoutDensity(_ file: VipsBytes, _ format: ImageFormat) -> VipsBytes {
        switch format {
        case .png: return file.withBytes { bytes in png(bytes).flatMap { copy($0, of: bytes) } }.map { VipsBytes(adopting: $0) } ?? file
        case .tiff:
            file.withBytes { unitless($0) }
            return file
        case .jpeg, .webp, .avif, .gif, .heif, .jxl, .svg, .pdf, .bmp, .ico, .jp2, .psd: return file
        }
    }

    private static func copy(_ parts: [Range<Int>], of bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer? {
        let count = parts.reduce(0) { $0 + $1.count }
        guard let memory = malloc(count) else { return nil }
        let whole = UnsafeMutableRawBufferPointer(start: memory, count: count)
        var at = 0
        for part in parts {
            UnsafeMutableRawBufferPointer(rebasing: whole[at...]).copyBytes(from: bytes[part])
            at += part.count
        }
        return whole
    }

    /// All but the segment with EXIF; nil: all.
    private static func jpeg(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard case .bytes(let block)? = EXIFPlace(bytes, .jpeg) else { return nil }
        // The marker and the length stand before it.
        return [0..<block.lowerBound - 4, block.upperBound..<bytes.count]
    }

    // MARK: Density

    /// All but the chunk that says it; nil: all.
    private static func png(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        PNGHeader.density(ByteReader(bytes: bytes)).map { [0..<$0.lowerBound, $0.upperBound..<bytes.count] }
    }

    /// A TIFF has to have the numbers; it says that they have no unit. The file is ours: nobody else has it yet.
    private static func unitless(_ bytes: UnsafeRawBufferPointer) {
        guard let place = EXIFBlock(ByteReader(bytes: bytes), at: 0)?.place(of: resolutionUnit), bytes.indices.contains(place + 1) else { return }
        let own = UnsafeMutableRawBufferPointer(mutating: bytes)
        // One of its two bytes is zero, whichever comes first.
        for at in place...place + 1 where own[at] != 0 { own[at] = 1 }
    }

    private static let resolutionUnit = 0x128

    // MARK: WebP

    /// Flags of VP8X.
    private static let exif: UInt8 = 8, alpha: UInt8 = 16

    /// The file's header and the chunks that are to stay, with their headers and padding; nil: all of them. One picture alone needs no extended header, and
    /// a lossless one says by itself what shows through.
    private static func webp(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBPVP8X".utf8) else { return nil }
        var parts = [0..<12]
        var (at, isMadeUp) = (12, false)
        while at + 8 <= bytes.count {
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)))
            let end = at + 8 + length + length % 2
            guard end <= bytes.count else { return nil }
            if bytes[at...].starts(with: "EXIF".utf8) { isMadeUp = true } else { parts.append(at..<end) }
            at = end
        }
        guard isMadeUp else { return nil }
        let isLossless = parts.count == 3 && bytes[parts[2]].starts(with: "VP8L".utf8)
        let isSimple = isLossless || parts.count == 3 && bytes[parts[2]].starts(with: "VP8 ".utf8)
        return isSimple && bytes[20] & ~(isLossless ? exif | alpha : exif) == 0 ? [parts[0], parts[2]] : parts
    }

    /// The header says how long the file is, and the extended one what is in it.
    private static func mended(_ file: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        file.storeBytes(of: UInt32(file.count - 8).littleEndian, toByteOffset: 4, as: UInt32.self)
        if file[12...].starts(with: "VP8X".utf8) { file[20] &= ~exif }
        return file
    }
}
