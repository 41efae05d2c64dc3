import TintypeImages

/// The largest `ispe` (image spatial extents) property of an AVIF or HEIF file, for which a decoder allocates memory. If it is the file's only picture, the
/// `meta` box adds more. Best effort: for unusual files libheif's own header is asked.
enum HEIFHeader {
    /// The searched bytes. Properties are near the front; coded pictures follow.
    private static let searched = 65536
    /// The largest side. Decoders refuse larger ones, and two of these multiply without overflow.
    static let largestSide = 1 << 24

    static func read(_ reader: ByteReader, _ format: ImageFormat) -> ImageHeader? {
        let largest = largest(reader, format)
        if format == .avif, AVIFSequence.isAsked(reader) {
            guard let moving = AVIFSequence(reader)?.header, moving.pixels >= largest?.pixels ?? 0 else { return largest }
            return moving
        }
        guard let largest else { return nil }
        // A crop makes the size differ from the stated one.
        guard let meta = HEIFMeta(reader), meta.pictures == 1, meta.place(of: "clap") == nil,
            meta.width * meta.height == largest.width * largest.height
        else { return largest }
        // A decoder applies the rotation itself and does not report it.
        return ImageHeader(format: format, width: meta.width, height: meta.height, hasAlpha: meta.hasAlpha, orientation: 1)
    }

    private static func largest(_ reader: ByteReader, _ format: ImageFormat) -> ImageHeader? {
        var best: ImageHeader?
        var at = 0
        let end = min(reader.count, searched)
        while at < end {
            if reader.bytes[at] == 0x69, reader.has("ispe", at: at), let width = reader.big(at + 8, 4), let height = reader.big(at + 12, 4),
                max(width, height) <= largestSide, width * height > (best.map { $0.width * $0.height } ?? 0)
            {
                best = ImageHeader(format: format, width: width, height: height)
            }
            at += 1
        }
        return best
    }
}
