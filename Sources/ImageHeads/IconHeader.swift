package import TintypeImages

/// The pictures of an icon of Windows (ICO) or Apple (ICNS), in several sizes. The sizes in the file's directory are not trusted; each picture's own header
/// is read. Pure.
package struct IconHeader: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        /// The place of the picture.
        package let place: Range<Int>
        /// PNG, JPEG 2000, the bitmap of an ICO, or the packed channels of an ICNS.
        package let format: ImageFormat
        package let width: Int
        package let height: Int
        /// The bits of a pixel.
        package let bits: Int
        /// The bytes of a decoded pixel. A PNG may have 16 bits, and be interlaced.
        var bytesPerPixel = 16
        /// The place of the transparency beside packed channels, a byte a pixel.
        package var mask: Range<Int>?
    }

    /// The readable pictures, in the order of the file.
    package let entries: [Entry]
    /// The index of the picture that viewers show: the largest one, and of equally large ones the one with the most colors.
    package let primary: Int
    private let format: ImageFormat

    /// The most pictures of an icon.
    static let most = 256

    /// - Returns: nil if there is no picture, or for a file of another format.
    package init?(_ reader: ByteReader, _ format: ImageFormat) {
        let entries = format == .icns ? Self.elements(reader) : format == .ico ? Self.directory(reader) : []
        func rank(_ entry: Entry) -> (Int, Int) { (ImageHeader(format: format, width: entry.width, height: entry.height).pixels, entry.bits) }
        guard let primary = entries.indices.max(by: { rank(entries[$0]) < rank(entries[$1]) }) else { return nil }
        (self.entries, self.primary, self.format) = (entries, primary, format)
    }

    private static func directory(_ reader: ByteReader) -> [Entry] {
        guard reader.big(0, 4) == 0x100, let count = reader.little(4, 2) else { return [] }
        var entries: [Entry] = []
        for index in 0..<min(count, most) {
            let at = 6 + 16 * index
            guard let length = reader.little(at + 8, 4), let start = reader.little(at + 12, 4) else { break }
            guard start < reader.count, let entry = Self.entry(reader, start..<min(reader.count, start + length)) else { continue }
            entries.append(entry)
        }
        return entries
    }

    private static func entry(_ reader: ByteReader, _ place: Range<Int>) -> Entry? {
        let part = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: reader.bytes[place]))
        if part.big(0, 4) == 0x8950_4e47 { return png(part, place) }
        guard let header = BMPHeader(part, at: 0, pixels: nil, isIcon: true), header.height > 0, header.foreignKind == nil else { return nil }
        return Entry(place: place, format: .bmp, width: header.width, height: header.height, bits: header.bits)
    }

    static func png(_ part: ByteReader, _ place: Range<Int>) -> Entry? {
        guard part.has("IHDR", at: 12), let width = part.big(16, 4), let height = part.big(20, 4), width > 0, height > 0 else { return nil }
        return Entry(place: place, format: .png, width: width, height: height, bits: 32)
    }

    /// The header of the largest picture, because no other has more pixels. The transparency of a PNG is found when it is opened.
    var header: ImageHeader {
        ImageHeader(
            format: format, width: entries[primary].width, height: entries[primary].height, frames: entries.count,
            bytesPerPixel: entries.reduce(0) { max($0, $1.bytesPerPixel) }, orientation: 1)
    }
}
