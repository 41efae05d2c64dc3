import TintypeImages

/// The screen of a GIF and the number of its frames. Blocks are skipped, nothing is decompressed.
enum GIFHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        guard var width = reader.little(6, 2), var height = reader.little(8, 2), let flags = reader.byte(10) else { return nil }
        var at = 13 + (flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0)
        var frames = 0
        var hasAlpha = false
        loop: while let block = reader.byte(at) {
            switch block {
            case 0x21:
                // The block before a frame says whether one of its colors is transparent.
                if reader.byte(at + 1) == 0xf9, let flags = reader.byte(at + 3), flags & 1 != 0 { hasAlpha = true }
                at = afterSubBlocks(reader, at + 2)
            case 0x2c:
                guard let left = reader.little(at + 1, 2), let top = reader.little(at + 3, 2),
                    let wide = reader.little(at + 5, 2), let high = reader.little(at + 7, 2), let local = reader.byte(at + 9)
                else { break loop }
                // A frame outside of the screen makes the decoder's canvas grow.
                width = max(width, left + wide)
                height = max(height, top + high)
                frames += 1
                at = afterSubBlocks(reader, at + 11 + (local & 0x80 != 0 ? 3 << ((local & 7) + 1) : 0))
            case 0x3b: break loop
            default: at += 1
            }
        }
        var header = ImageHeader(format: .gif, width: width, height: height, frames: max(1, frames))
        (header.hasAlpha, header.orientation) = (hasAlpha, 1)
        return header
    }

    private static func afterSubBlocks(_ reader: ByteReader, _ start: Int) -> Int {
        var at = start
        while let length = reader.byte(at), length != 0 { at += length + 1 }
        return at + 1
    }
}
