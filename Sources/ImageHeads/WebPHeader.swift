package import TintypeImages

/// The header of a WebP. The first chunk states the size; the frames of an animation are counted by their ANMF chunks.
package enum WebPHeader {
    package static func read(_ reader: ByteReader) -> ImageHeader? {
        if reader.has("VP8X", at: 12) {
            guard let flags = reader.byte(20), let width = reader.little(24, 3), let height = reader.little(27, 3) else { return nil }
            let frames = flags & 0x02 != 0 ? RIFFChunks(reader).count { reader.has("ANMF", at: $0.at) } : 1
            // The block comes after the pixels, and may not be there yet.
            let block = flags & 0x08 != 0 ? exif(reader) : 0..<0
            return ImageHeader(
                format: .webp, width: width + 1, height: height + 1, frames: max(1, frames), hasAlpha: flags & 0x10 != 0,
                orientation: block.map { EXIFBlock(reader, at: $0.lowerBound)?.orientation ?? 1 })
        }
        if reader.has("VP8L", at: 12) {
            guard reader.byte(20) == 0x2f, let bits = reader.little(21, 4) else { return nil }
            return ImageHeader(format: .webp, width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1, hasAlpha: bits >> 28 & 1 == 1, orientation: 1)
        }
        guard reader.has("VP8 ", at: 12), reader.big(23, 3) == 0x9d012a, let width = reader.little(26, 2), let height = reader.little(28, 2) else { return nil }
        return ImageHeader(format: .webp, width: width & 0x3fff, height: height & 0x3fff, hasAlpha: false, orientation: 1)
    }

    /// Whether the header announces an animation.
    package static func mayMove(_ reader: ByteReader) -> Bool { reader.has("VP8X", at: 12) && reader.byte(20).map { $0 & 2 != 0 } ?? false }

    /// Whether a frame has a lossy coding.
    package static func isLossy(_ reader: ByteReader) -> Bool {
        var at = 12
        while let length = reader.little(at + 4, 4) {
            if reader.has("VP8 ", at: at) { return true }
            // The frame's own chunks follow the place of the frame.
            at += reader.has("ANMF", at: at) ? 24 : 8 + length + (length & 1)
        }
        return false
    }

    /// Returns the chunk of the one picture, from its name on, if it is lossy and has no transparency; nil for all other files.
    package static func lossyPicture(_ reader: ByteReader) -> Range<Int>? {
        guard let said = reader.little(4, 4) else { return nil }
        let end = min(reader.count, 8 + said)
        for chunk in RIFFChunks(reader) {
            if reader.has("VP8 ", at: chunk.at) { return chunk.end <= end ? chunk.at..<chunk.end : nil }
            // 2: an animation. 16: transparency.
            if reader.has("VP8X", at: chunk.at), let flags = reader.byte(chunk.at + 8), flags & 0x12 != 0 { return nil }
            if ["VP8L", "ALPH", "ANIM", "ANMF"].contains(where: { reader.has($0, at: chunk.at) }) { return nil }
        }
        return nil
    }

    /// Returns the place of the EXIF block; nil if it is not there, or not all of it.
    static func exif(_ reader: ByteReader) -> Range<Int>? {
        let chunk = RIFFChunks(reader).first { reader.has("EXIF", at: $0.at) }
        return chunk.flatMap { $0.content.upperBound <= reader.count ? $0.content : nil }
    }
}

/// The chunks of a RIFF file, as far as their headers are there. The last one may reach over the end.
package struct RIFFChunks: Sequence, IteratorProtocol {
    package struct Chunk {
        /// The place of the name.
        package let at: Int
        package let content: Range<Int>
        /// The start of the next chunk, which is even.
        package var end: Int { content.upperBound + (content.count & 1) }
    }

    private let reader: ByteReader
    private var at = 12

    package init(_ reader: ByteReader) { self.reader = reader }

    package mutating func next() -> Chunk? {
        guard let length = reader.little(at + 4, 4) else { return nil }
        let chunk = Chunk(at: at, content: at + 8..<at + 8 + length)
        at = chunk.end
        return chunk
    }
}
