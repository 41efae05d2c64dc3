import TintypeImages

/// The elements of an Apple icon (ICNS). Each has a kind of four letters and a length. Kinds of 1 to 8 bits a pixel are left out, because
/// they need the colors of old systems. Pictures for dark desktops are left out too.
extension IconHeader {
    /// The kinds of packed channels: the side, and the kind of the mask; none: the channels begin with alpha.
    private static let packed: [(kind: StaticString, side: Int, mask: StaticString?)] = [
        ("is32", 16, "s8mk"), ("il32", 32, "l8mk"), ("ih32", 48, "h8mk"), ("it32", 128, "t8mk"), ("icp4", 16, "s8mk"), ("icp5", 32, "l8mk"),
        ("ic04", 16, nil), ("icsb", 18, nil), ("ic05", 32, nil), ("icsB", 36, nil),
    ]

    static func elements(_ reader: ByteReader) -> [Entry] {
        guard reader.has("icns", at: 0), let length = reader.big(4, 4) else { return [] }
        var elements: [(kind: Int, place: Range<Int>)] = []
        var at = 8
        while at < length, elements.count < most, let kind = reader.big(at, 4), let length = reader.big(at + 4, 4), length >= 8 {
            elements.append((kind, at + 8..<min(reader.count, at + length)))
            at += length
        }
        func first(_ kind: StaticString) -> Range<Int>? { elements.first { $0.kind == ByteReader.code(kind) }?.place }
        return elements.compactMap { kind, place in
            let part = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: reader.bytes[place]))
            // A file is known by its bytes, whatever the kind says.
            if part.big(0, 4) == 0x8950_4e47 { return png(part, place) }
            if part.big(0, 4) == 0xff4f_ff51 || part.has("jP  ", at: 4) { return jp2(part, place) }
            guard let row = packed.first(where: { ByteReader.code($0.kind) == kind }) else { return nil }
            let hasAlpha = row.mask == nil
            // Four bytes precede the channels of the largest kind.
            let skipped = hasAlpha || row.side == 128 ? 4 : 0
            guard place.count > skipped, !hasAlpha || part.has("ARGB", at: 0) else { return nil }
            let mask = row.mask.flatMap(first).flatMap { $0.count >= row.side * row.side ? $0 : nil }
            return Entry(
                place: place.dropFirst(skipped), format: .icns, width: row.side, height: row.side, bits: hasAlpha ? 32 : 24, bytesPerPixel: 4, mask: mask)
        }
    }

    private static func jp2(_ part: ByteReader, _ place: Range<Int>) -> Entry? {
        guard let header = JP2Header.read(part) else { return nil }
        return Entry(place: place, format: .jp2, width: header.width, height: header.height, bits: 32, bytesPerPixel: header.bytesPerPixel)
    }
}
