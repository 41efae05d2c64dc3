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
        guard let found = format.head.exif(ByteReader(bytes: bytes)) else { return nil }
        self = found
    }

    /// Looks among the segments before the first scan. With several blocks decoders differ, so there is no answer.
    static func jpeg(_ reader: ByteReader) -> EXIFLocator? {
        guard var segments = JPEGSegments(reader) else { return nil }
        var found = EXIFLocator.absent
        while let segment = segments.next() {
            guard segment.marker == 0xe1, reader.has("Exif", at: segment.content.lowerBound) else { continue }
            guard found == .absent else { return nil }
            found = .bytes(segment.content)
        }
        return segments.isAtScan ? found : nil
    }

    /// Looks among the chunks before the pixels, because decoders report the block by then.
    static func png(_ reader: ByteReader) -> EXIFLocator? {
        let front = PNGFront(reader)
        guard front.isWhole else { return nil }
        return front.all("eXIf").last.map { .bytes($0.lowerBound + 8..<$0.upperBound - 4) } ?? .absent
    }

    /// Looks behind the pixels, if the extended header announces a block.
    static func webp(_ reader: ByteReader) -> EXIFLocator? {
        guard let flags = reader.byte(20) else { return nil }
        guard reader.has("VP8X", at: 12), flags & 8 != 0 else { return EXIFLocator.absent }
        return WebPHeader.exif(reader).map { .bytes($0) }
    }
}
