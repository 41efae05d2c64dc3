package import TintypeImages

/// The index of the pictures in a JPEG with several (CIPA DC-007, Multi-Picture Format): a block of tags in a segment of the first picture. A value.
package struct MPFIndex: Hashable {
    /// The places of the pictures behind the first one, as far as they lie in the file and begin as a JPEG does.
    package let others: [Range<Int>]

    /// The most pictures that are looked at. Cameras write up to four.
    private static let most = 16
    private static let entryTag = 0xb002, entrySize = 16
    /// The name of the segment, with its zero.
    package static let name: StaticString = "MPF\0"

    /// - Returns: nil without an index, or if it is broken.
    package init?(_ reader: ByteReader) {
        guard let segments = JPEGSegments(reader),
            let segment = segments.first(where: { $0.marker == 0xe2 && reader.has(Self.name, at: $0.content.lowerBound) }),
            case let block = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: reader.bytes[segment.content])),
            let tags = TagReader(block, at: 4), let list = tags.entries(of: tags.first).first(where: { $0.tag == Self.entryTag })
        else { return nil }
        // Offsets count from the byte order of the block.
        let start = segment.content.lowerBound + 4
        var others: [Range<Int>] = []
        for index in 0..<min(list.length / Self.entrySize, Self.most) {
            let at = list.at + Self.entrySize * index
            guard let size = tags.word(at + 4, 4), let offset = tags.word(at + 8, 4) else { break }
            // The first picture has the offset zero, and a later one would point at itself with it.
            guard offset > 0, size > 4, size <= reader.count, start + offset <= reader.count - size, reader.big(start + offset, 2) == 0xffd8 else { continue }
            others.append(start + offset..<start + offset + size)
        }
        self.others = others
    }
}
