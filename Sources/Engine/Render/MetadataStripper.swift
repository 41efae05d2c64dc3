import Glibc
import ImageHeads
import TintypeImages

/// Removes metadata that libvips makes up. libvips 8.14 writes 186 bytes or more of EXIF into every WebP, whatever its options are. It does so as well for a
/// JPEG that only carries a profile. Many thumbnails are smaller than that. And every PNG and TIFF states a pixel density.
enum MetadataStripper {
    /// Returns the file without EXIF. The file stays as it is without EXIF, in formats that store EXIF elsewhere (AVIF, HEIF), or if memory is missing.
    static func of(_ file: VipsBytes, _ format: ImageFormat) -> VipsBytes {
        let whole: UnsafeMutableRawBufferPointer? = file.withBytes { bytes in
            switch format {
            case .jpeg: jpeg(bytes).flatMap { copy($0, of: bytes) }
            case .webp: webp(bytes).flatMap { copy($0, of: bytes) }.map(mended)
            case .png, .avif, .gif, .tiff, .heif, .jxl, .svg, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: nil
            }
        }
        return whole.map { VipsBytes(adopting: $0) } ?? file
    }

    /// Returns the file without its pixel density. Without one libvips writes one pixel per millimeter.
    /// Such a picture would be printed as large as a wall.
    static func withoutDensity(_ file: VipsBytes, _ format: ImageFormat) -> VipsBytes {
        switch format {
        case .png: return file.withBytes { bytes in png(bytes).flatMap { copy($0, of: bytes) } }.map { VipsBytes(adopting: $0) } ?? file
        case .tiff:
            file.withBytes { unitless($0) }
            return file
        case .jpeg, .webp, .avif, .gif, .heif, .jxl, .svg, .pdf, .bmp, .ico, .icns, .xbm, .jp2, .psd, .raw: return file
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

    /// Returns all parts except the EXIF segment; nil: there is none.
    private static func jpeg(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard case .bytes(let block)? = EXIFLocator(bytes, .jpeg) else { return nil }
        // The marker and the length precede the block.
        return [0..<block.lowerBound - 4, block.upperBound..<bytes.count]
    }

    // MARK: Density

    /// Returns all parts except the density chunk; nil: there is none.
    private static func png(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        PNGFront(ByteReader(bytes: bytes))["pHYs"].map { [0..<$0.lowerBound, $0.upperBound..<bytes.count] }
    }

    /// Sets the density unit of a TIFF to none, because the numbers are mandatory. The file is changed in place, because nobody else has it yet.
    private static func unitless(_ bytes: UnsafeRawBufferPointer) {
        guard let place = EXIFBlock(ByteReader(bytes: bytes), at: 0)?.place(of: resolutionUnit), bytes.indices.contains(place + 1) else { return }
        let own = UnsafeMutableRawBufferPointer(mutating: bytes)
        // One of the two bytes is zero, whichever comes first.
        for at in place...place + 1 where own[at] != 0 { own[at] = 1 }
    }

    private static let resolutionUnit = 0x128

    // MARK: WebP

    /// Flags of VP8X.
    private static let exif: UInt8 = 8, alpha: UInt8 = 16

    /// Returns the file's header and the chunks that stay, with their headers and padding; nil: all of them. A single picture needs no extended header, and
    /// a lossless one carries its transparency itself.
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

    /// Corrects the file length in the header and the flags in the extended header.
    private static func mended(_ file: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        file.storeBytes(of: UInt32(file.count - 8).littleEndian, toByteOffset: 4, as: UInt32.self)
        if file[12...].starts(with: "VP8X".utf8) { file[20] &= ~exif }
        return file
    }
}
