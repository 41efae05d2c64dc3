import ImageHeads
import TintypeImages

/// Removes metadata that libvips makes up. libvips 8.14 writes 186 bytes or more of EXIF into every WebP, whatever its options are. It does so as well for a
/// JPEG that only carries a profile. Many thumbnails are smaller than that. And every PNG and TIFF states a pixel density. Without one libvips writes one
/// pixel per millimeter. Such a picture would be printed as large as a wall.
///
/// A file stays as it is if it has no such part, or if memory is missing.
enum MetadataStripper {
    /// Returns the file without its EXIF segment.
    static func jpeg(_ file: VipsBytes) -> VipsBytes {
        file.withBytes { bytes in
            guard case .bytes(let block)? = EXIFLocator(bytes, .jpeg) else { return file }
            // The marker and the length precede the block.
            return VipsBytes(copying: bytes, [(block.lowerBound - 4..<block.upperBound, [])]) ?? file
        }
    }

    /// Returns the file without its EXIF chunk.
    static func webp(_ file: VipsBytes) -> VipsBytes {
        guard let whole = file.withBytes({ bytes in madeUp(bytes).flatMap { VipsBytes(copying: bytes, $0) } }) else { return file }
        whole.setRIFFLength()
        whole.withBytes { bytes in if bytes[12...].starts(with: "VP8X".utf8) { UnsafeMutableRawBufferPointer(mutating: bytes)[20] &= ~exif } }
        return whole
    }

    /// Flags of VP8X.
    private static let exif: UInt8 = 8, alpha: UInt8 = 16

    /// Returns the chunks to remove, with their headers and padding; nil: none. A single picture needs no extended header, and a lossless one carries its
    /// transparency itself.
    private static func madeUp(_ bytes: UnsafeRawBufferPointer) -> [(place: Range<Int>, instead: [UInt8])]? {
        guard bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBPVP8X".utf8) else { return nil }
        let reader = ByteReader(bytes: bytes)
        let chunks = Array(RIFFChunks(reader))
        guard chunks.allSatisfy({ $0.end <= bytes.count }) else { return nil }
        var unwanted = chunks.filter { reader.has("EXIF", at: $0.at) }
        guard !unwanted.isEmpty else { return nil }
        let others = chunks.filter { !reader.has("EXIF", at: $0.at) }
        let isLossless = others.count == 2 && reader.has("VP8L", at: others[1].at)
        let isSimple = isLossless || others.count == 2 && reader.has("VP8 ", at: others[1].at)
        if isSimple, bytes[20] & ~(isLossless ? exif | alpha : exif) == 0 { unwanted.insert(chunks[0], at: 0) }
        return unwanted.map { ($0.at..<$0.end, []) }
    }

    /// Returns the file without the chunk of its density.
    static func png(_ file: VipsBytes) -> VipsBytes {
        file.withBytes { bytes in PNGFront(ByteReader(bytes: bytes))["pHYs"].flatMap { VipsBytes(copying: bytes, [($0, [])]) } ?? file }
    }

    /// Sets the density unit of a TIFF to none, because the numbers are mandatory. The file is changed in place, because nobody else has it yet.
    static func tiff(_ file: VipsBytes) -> VipsBytes {
        file.withBytes { bytes in
            guard let place = EXIFBlock(ByteReader(bytes: bytes), at: 0)?.place(of: resolutionUnit), bytes.indices.contains(place + 1) else { return }
            let own = UnsafeMutableRawBufferPointer(mutating: bytes)
            // One of the two bytes is zero, whichever comes first.
            for at in place...place + 1 where own[at] != 0 { own[at] = 1 }
        }
        return file
    }

    private static let resolutionUnit = 0x128
}

extension VipsBytes {
    /// Writes the length of a RIFF file into its header. The file is changed in place, because nobody else has it yet.
    func setRIFFLength() {
        withBytes {
            UnsafeMutableRawBufferPointer(mutating: $0).storeBytes(of: UInt32($0.count - 8).littleEndian, toByteOffset: 4, as: UInt32.self)
        }
    }
}
