import Shared

/// The largest `ispe` (image spatial extents) property of an AVIF or HEIF file. Best effort: libheif's own header follows, and it alone
/// knows how the picture is turned and whether another one is its transparency.
enum HEIFHeader {
    /// Properties stand near the front; further in are coded pictures.
    private static let searched = 65536

    static func read(_ reader: ByteReader, _ format: ImageFormat) -> ImageHeader? {
        var best: ImageHeader?
        var at = 0
        let end = min(reader.count, searched)
        while at < end {
            if reader.bytes[at] == 0x69, reader.has("ispe", at: at), let width = reader.big(at + 8, 4), let height = reader.big(at + 12, 4),
                width <= 1 << 24, height <= 1 << 24, width * height > (best.map { $0.width * $0.height } ?? 0)
            {
                best = ImageHeader(format: format, width: width, height: height)
            }
            at += 1
        }
        return best
    }
}
