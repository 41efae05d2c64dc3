import ImageHeads

/// The artist and copyright of a picture as an EXIF block of its own, with the source's bytes in any encoding. A value.
struct CopyrightEXIF {
    /// The numbers of these tags in TIFF.
    enum Tag: Int, CaseIterable {
        case artist = 0x013b
        case copyright = 0x8298
    }

    let texts: [Tag: [UInt8]]

    /// - Returns: nil if the source has neither.
    /// - Parameter other: a block with values that the source does not have.
    init?(_ source: EXIFBlock, orElse other: EXIFBlock? = nil) {
        var texts: [Tag: [UInt8]] = [:]
        for tag in Tag.allCases { texts[tag] = source.bytes(tag.rawValue, most: Self.longest) ?? other?.bytes(tag.rawValue, most: Self.longest) }
        guard !texts.isEmpty else { return nil }
        self.texts = texts
    }

    /// The most bytes of a text. A JPEG has room for 64 KiB of EXIF.
    private static let longest = 16 << 10

    /// The texts as tags of a directory.
    var tags: [EXIFTag] { texts.map { EXIFTag(number: $0.key.rawValue, type: 2, count: $0.value.count, value: $0.value) } }

    /// The block with the six bytes that JPEG puts before it, as libvips expects.
    var bytes: [UInt8] { TagWriter(isLittle: true).block(tags) }

    /// Returns the text for formats that allow no zeros: the parts between zeros are joined. nil if the bytes are not ASCII.
    func plain(_ tag: Tag) -> String? {
        guard let text = texts[tag], text.allSatisfy({ $0 < 0x80 }) else { return nil }
        // A space stands for a photographer who is not named.
        return text.split(separator: 0).filter { $0.contains { $0 != 0x20 } }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "; ")
    }
}
