/// Who made a picture and who owns it, as an EXIF block of its own: the bytes that the source has, whatever they are written in. A value.
struct RightsBlock {
    /// TIFF's tags, in the order that a directory must have.
    enum Tag: Int, CaseIterable {
        case artist = 0x013b
        case copyright = 0x8298
    }

    let texts: [Tag: [UInt8]]

    /// - Returns: nil where the source says neither.
    init?(_ source: EXIFBlock) {
        var texts: [Tag: [UInt8]] = [:]
        for tag in Tag.allCases { texts[tag] = source.bytes(tag.rawValue, most: Self.longest) }
        guard !texts.isEmpty else { return nil }
        self.texts = texts
    }

    /// A JPEG has room for 64 KiB of EXIF.
    private static let longest = 16 << 10

    /// With the six bytes that JPEG puts before it, as libvips has it.
    var bytes: [UInt8] {
        let tags = Tag.allCases.filter { texts[$0] != nil }
        var directory = little(tags.count, 2)
        var values: [UInt8] = []
        let valuesAt = 8 + 2 + 12 * tags.count + 4
        for tag in tags {
            let text = texts[tag] ?? []
            directory += little(tag.rawValue, 2) + little(2, 2) + little(text.count, 4)
            // Four bytes stand in the entry itself.
            if text.count <= 4 {
                directory += text + [UInt8](repeating: 0, count: 4 - text.count)
            } else {
                directory += little(valuesAt + values.count, 4)
                values += text + (text.count % 2 == 0 ? [] : [0])
            }
        }
        return Array("Exif\0\0II*\0".utf8) + little(8, 4) + directory + little(0, 4) + values
    }

    /// What the first of two names is and whether there is a second one, for formats whose texts have no zeros; nil where the bytes are not ASCII.
    func plain(_ tag: Tag) -> String? {
        guard let text = texts[tag], text.allSatisfy({ $0 < 0x80 }) else { return nil }
        // A space stands for a photographer who is not named.
        return text.split(separator: 0).filter { $0.contains { $0 != 0x20 } }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "; ")
    }

    private func little(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * $0) & 0xff) } }
}
