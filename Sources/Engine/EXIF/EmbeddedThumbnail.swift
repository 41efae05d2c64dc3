import ImageHeads
import TintypeImages

/// Writes a thumbnail into the EXIF of a JPEG: a second directory with the picture behind it (EXIF 3.0, §4.5.8). The first directory is kept.
enum EmbeddedThumbnail {
    /// The most bytes of the thumbnail, so that it fits into a segment beside other EXIF.
    static let mostBytes = 40 << 10
    /// The most bytes of a segment, without its length.
    private static let maxSegment = 65533
    private static let orientation = 0x0112, compression = 0x0103, place = 0x0201, length = 0x0202

    /// - Returns: the file with the thumbnail; unchanged if its EXIF leaves no room.
    static func put(_ small: VipsBytes, into file: VipsBytes) -> VipsBytes {
        let whole: [UInt8]? = file.withBytes { bytes in small.withBytes { put(Array($0), into: bytes) } }
        return whole.flatMap { VipsBytes(copying: $0) } ?? file
    }

    /// - Returns: nil if there is no room.
    static func put(_ small: [UInt8], into file: UnsafeRawBufferPointer) -> [UInt8]? {
        var (before, behind) = (front(file), front(file))
        var block = TagWriter(isLittle: true).block([EXIFTag(number: orientation, type: 3, count: 1, value: [1, 0])])
        if case .bytes(let place)? = EXIFLocator(file, .jpeg) {
            (before, behind) = (place.lowerBound - 4, place.upperBound)
            block = Array(file[place])
        }
        guard let segment = added(small, to: block), segment.count <= maxSegment else { return nil }
        return Array(file[..<before]) + JPEGSegments.bytes(0xe1, segment) + Array(file[behind...])
    }

    /// Returns the place after the JFIF segment, which has to come first.
    private static func front(_ file: UnsafeRawBufferPointer) -> Int {
        let reader = ByteReader(bytes: file)
        guard reader.big(2, 2) == 0xffe0, let length = reader.big(4, 2), 4 + length <= file.count else { return 2 }
        return 4 + length
    }

    /// Adds the second directory to a block.
    private static func added(_ small: [UInt8], to block: [UInt8]) -> [UInt8]? {
        let first: (start: Int, isLittle: Bool, next: Int)? = block.withUnsafeBytes { raw in
            guard let reader = TagReader(ByteReader(bytes: raw), at: 0), let count = reader.word(reader.first, 2),
                case let next = reader.first + 2 + 12 * count, reader.word(next, 4) != nil
            else { return nil }
            return (reader.start, reader.isLittle, next)
        }
        guard let first else { return nil }
        let word = TagWriter(isLittle: first.isLittle).bytes
        func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] { word(tag, 2) + word(type, 2) + word(1, 4) + value }
        var block = block + [UInt8](repeating: 0, count: (block.count - first.start) % 2)
        let at = block.count - first.start
        block.replaceSubrange(first.start + first.next..<first.start + first.next + 4, with: word(at, 4))
        block += word(3, 2) + entry(compression, 3, word(6, 2) + [0, 0])
        return block + entry(place, 4, word(at + 2 + 36 + 4, 4)) + entry(length, 4, word(small.count, 4)) + word(0, 4) + small
    }
}
