import ImageHeads

/// Who made a picture and who owns it, as an EXIF block of its own: the bytes that the source has, whatever they are written in. A value.
struct RightsBlock {
    /// TIFF's numbers of them.
    enum Tag: Int, CaseIterable {
        case artist = 0x013b
        case copyright = 0x8298
    }

    let texts: [Tag: [UInt8]]

    /// - Returns: nil where the source says neither.
    /// - Parameter other: says what the source does not.
    init?(_ source: EXIFBlock, orElse other: EXIFBlock? = nil) {
        var texts: [Tag: [UInt8]] = [:]
        for tag in Tag.allCases { texts[tag] = source.bytes(tag.rawValue, most: Self.longest) ?? other?.bytes(tag.rawValue, most: Self.longest) }
        guard !texts.isEmpty else { return nil }
        self.texts = texts
    }

    /// A JPEG has room for 64 KiB of EXIF.
    private static let longest = 16 << 10

    /// As they stand in a directory.
    var tags: [EXIFTag] { texts.map { EXIFTag(number: $0.key.rawValue, type: 2, count: $0.value.count, value: $0.value) } }

    /// With the six bytes that JPEG puts before it, as libvips has it.
    var bytes: [UInt8] { TagWriter(isLittle: true).block(tags) }

    /// What the first of two names is and whether there is a second one, for formats whose texts have no zeros; nil where the bytes are not ASCII.
    func plain(_ tag: Tag) -> String? {
        guard let text = texts[tag], text.allSatisfy({ $0 < 0x80 }) else { return nil }
        // A space stands for a photographer who is not named.
        return text.split(separator: 0).filter { $0.contains { $0 != 0x20 } }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "; ")
    }
}
