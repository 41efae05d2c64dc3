import TintypeImages

/// The frame header of a JPEG. Markers are walked up to the first start of frame, past the EXIF block.
enum JPEGHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        guard reader.big(0, 2) == 0xffd8 else { return nil }
        var at = 2
        var orientation: Int?
        while true {
            guard let marker = marker(reader, &at) else { return nil }
            switch marker {
            case 0x00, 0x01, 0xd0...0xd8: continue
            case 0xd9, 0xda: return nil
            case 0xc0...0xcf where marker != 0xc4 && marker != 0xc8 && marker != 0xcc: return frame(reader, at, marker, orientation ?? 1)
            default:
                guard let length = reader.big(at, 2), length >= 2 else { return nil }
                if marker == 0xe1, orientation == nil, reader.has("Exif", at: at + 2) { orientation = EXIFBlock(reader, at: at + 2)?.orientation ?? 1 }
                at += length
            }
        }
    }

    /// Returns the next marker and moves `at` behind it. Like decoders, this skips anything between segments up to the next 0xff.
    static func marker(_ reader: ByteReader, _ at: inout Int) -> Int? {
        while let byte = reader.byte(at), byte != 0xff { at += 1 }
        while reader.byte(at) == 0xff { at += 1 }
        defer { at += 1 }
        return reader.byte(at)
    }

    private static func frame(_ reader: ByteReader, _ at: Int, _ marker: Int, _ orientation: Int) -> ImageHeader? {
        guard let height = reader.big(at + 3, 2), let width = reader.big(at + 5, 2) else { return nil }
        let isForeign = [0xc3, 0xc5, 0xc6, 0xc7, 0xcb, 0xcd, 0xce, 0xcf].contains(marker)
        return ImageHeader(
            format: .jpeg, width: width, height: height, progressive: [0xc2, 0xca].contains(marker), hasAlpha: false, orientation: orientation,
            foreignKind: isForeign ? "lossless or hierarchical" : nil)
    }
}
