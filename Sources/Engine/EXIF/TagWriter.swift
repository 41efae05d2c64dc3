import ImageHeads

/// A writer of EXIF blocks: a first directory, and others to which it points, in either byte order. A value.
struct TagWriter {
    let isLittle: Bool

    /// - Parameter others: the directories that the first one points to, each with the number of its tag.
    /// - Returns: the block, with the six bytes that JPEG puts before it, as libvips expects.
    func block(_ first: [EXIFTag], _ others: [(pointer: Int, tags: [EXIFTag])] = []) -> [UInt8] {
        var first = first
        var at = 8 + Self.size(first) + 12 * others.count
        for other in others {
            first.append(EXIFTag(number: other.pointer, type: 4, count: 1, value: bytes(at, 4)))
            at += Self.size(other.tags)
        }
        var block = Array((isLittle ? "II" : "MM").utf8) + bytes(42, 2) + bytes(8, 4)
        for tags in [first] + others.map(\.tags) { block += directory(tags, at: block.count) }
        return Array("Exif\0\0".utf8) + block
    }

    private static func size(_ tags: [EXIFTag]) -> Int { tags.reduce(2 + 4) { $0 + $1.size } }

    private func directory(_ tags: [EXIFTag], at start: Int) -> [UInt8] {
        var entries = bytes(tags.count, 2)
        var values: [UInt8] = []
        let valuesAt = start + 2 + 12 * tags.count + 4
        for tag in tags.sorted(by: { $0.number < $1.number }) {
            entries += bytes(tag.number, 2) + bytes(tag.type, 2) + bytes(tag.count, 4)
            // Values of up to four bytes are stored in the entry itself.
            entries += tag.value.count <= 4 ? tag.padded : bytes(valuesAt + values.count, 4)
            if tag.value.count > 4 { values += tag.padded }
        }
        return entries + bytes(0, 4) + values
    }

    /// Returns a number of so many bytes.
    func bytes(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * (isLittle ? $0 : length - 1 - $0))) }
    }
}
