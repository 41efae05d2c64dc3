package import TintypeImages

/// The header of a WebP. The first chunk states the size; the frames of an animation are counted by their ANMF chunks.
package enum WebPHeader {
    package static func read(_ reader: ByteReader) -> ImageHeader? {
        if reader.has("VP8X", at: 12) {
            guard let flags = reader.byte(20), let width = reader.little(24, 3), let height = reader.little(27, 3) else { return nil }
            let frames = flags & 0x02 != 0 ? frames(reader) : 1
            var header = ImageHeader(format: .webp, width: width + 1, height: height + 1, frames: max(1, frames))
            header.hasAlpha = flags & 0x10 != 0
            header.orientation = flags & 0x08 != 0 ? orientation(reader) : 1
            return header
        }
        if reader.has("VP8L", at: 12) {
            guard reader.byte(20) == 0x2f, let bits = reader.little(21, 4) else { return nil }
            var header = ImageHeader(format: .webp, width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1)
            (header.hasAlpha, header.orientation) = (bits >> 28 & 1 == 1, 1)
            return header
        }
        guard reader.has("VP8 ", at: 12), reader.big(23, 3) == 0x9d012a, let width = reader.little(26, 2),
            let height = reader.little(28, 2)
        else { return nil }
        var header = ImageHeader(format: .webp, width: width & 0x3fff, height: height & 0x3fff)
        (header.hasAlpha, header.orientation) = (false, 1)
        return header
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
        var at = 12
        while let length = reader.little(at + 4, 4) {
            let next = at + 8 + length + (length & 1)
            if reader.has("VP8 ", at: at) { return next <= end ? at..<next : nil }
            // 2: an animation. 16: transparency.
            if reader.has("VP8X", at: at), let flags = reader.byte(at + 8), flags & 0x12 != 0 { return nil }
            if ["VP8L", "ALPH", "ANIM", "ANMF"].contains(where: { reader.has($0, at: at) }) { return nil }
            at = next
        }
        return nil
    }

    /// Returns the orientation of the EXIF chunk, which comes after the pixels; nil if the chunk is not there yet.
    private static func orientation(_ reader: ByteReader) -> Int? {
        var at = 12
        while let length = reader.little(at + 4, 4) {
            if reader.has("EXIF", at: at), at + 8 + length <= reader.count { return EXIFBlock(reader, at: at + 8)?.orientation ?? 1 }
            at += 8 + length + (length & 1)
        }
        return nil
    }

    private static func frames(_ reader: ByteReader) -> Int {
        var at = 12
        var frames = 0
        while let length = reader.little(at + 4, 4) {
            if reader.has("ANMF", at: at) { frames += 1 }
            at += 8 + length + (length & 1)
        }
        return frames
    }
}
