package import TintypeImages

/// The directory of an icon (ICO): its pictures, bitmaps or PNGs of several sizes. The sizes in the directory are not trusted; each picture's own header is
/// read. Pure.
package struct ICOHeader: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// The place of the picture.
        package let place: Range<Int>
        package let isPNG: Bool
        package let width: Int
        package let height: Int
        /// The bits of a pixel.
        let bits: Int
    }

    /// The readable pictures, in the order of the file.
    package let entries: [Entry]
    /// The index of the picture that viewers show: the largest one, and of equally large ones the one with the most colors.
    package let primary: Int

    /// The most pictures of an icon.
    private static let most = 256

    /// - Returns: nil if there is no picture.
    package init?(_ reader: ByteReader) {
        guard reader.big(0, 4) == 0x100, let count = reader.little(4, 2) else { return nil }
        var entries: [Entry] = []
        for index in 0..<min(count, Self.most) {
            let at = 6 + 16 * index
            guard let length = reader.little(at + 8, 4), let start = reader.little(at + 12, 4) else { break }
            guard start < reader.count, let entry = Self.entry(reader, start..<min(reader.count, start + length)) else { continue }
            entries.append(entry)
        }
        func rank(_ entry: Entry) -> (Int, Int) { (ImageHeader(format: .ico, width: entry.width, height: entry.height).pixels, entry.bits) }
        guard let primary = entries.indices.max(by: { rank(entries[$0]) < rank(entries[$1]) }) else { return nil }
        (self.entries, self.primary) = (entries, primary)
    }

    private static func entry(_ reader: ByteReader, _ place: Range<Int>) -> Entry? {
        let part = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: reader.bytes[place]))
        if part.big(0, 4) == 0x8950_4e47 {
            guard part.has("IHDR", at: 12), let width = part.big(16, 4), let height = part.big(20, 4), width > 0, height > 0 else { return nil }
            return Entry(place: place, isPNG: true, width: width, height: height, bits: 32)
        }
        guard let header = BMPHeader(part, at: 0, pixels: nil, isIcon: true), header.height > 0, header.foreignKind == nil else { return nil }
        return Entry(place: place, isPNG: false, width: header.width, height: header.height, bits: header.bits)
    }

    /// The header of the largest picture, because no other needs more memory.
    var header: ImageHeader {
        var header = ImageHeader(format: .ico, width: entries[primary].width, height: entries[primary].height, frames: entries.count)
        // A PNG may have 16 bits, and be interlaced. Its transparency is found when it is opened.
        (header.orientation, header.bytesPerPixel) = (1, 16)
        return header
    }
}
