import Shared

/// The screen of a GIF and the number of its frames: blocks are hopped over, nothing is decompressed.
enum GIFHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        guard var width = reader.little(6, 2), var height = reader.little(8, 2), let flags = reader.byte(10) else { return nil }
        var at = 13 + (flags & 0x80 != 0 ? 3 << ((flags & 7) + 1) : 0)
        var frames = 0
        loop: while let block = reader.byte(at) {
            switch block {
            case 0x21: at = afterSubBlocks(reader, at + 2)
            case 0x2c:
                guard let left = reader.little(at + 1, 2), let top = reader.little(at + 3, 2),
                    let wide = reader.little(at + 5, 2), let high = reader.little(at + 7, 2), let local = reader.byte(at + 9)
                else { break loop }
                // A frame that leaves the screen makes the decoder's canvas grow.
                width = max(width, left + wide)
                height = max(height, top + high)
                frames += 1
                at = afterSubBlocks(reader, at + 11 + (local & 0x80 != 0 ? 3 << ((local & 7) + 1) : 0))
            case 0x3b: break loop
            default: at += 1
            }
        }
        return ImageHeader(format: .gif, width: width, height: height, frames: max(1, frames))
    }

    private static func afterSubBlocks(_ reader: ByteReader, _ start: Int) -> Int {
        var at = start
        while let length = reader.byte(at), length != 0 { at += length + 1 }
        return at + 1
    }
}
