import ImageHeads
import TintypeImages

/// A coded gain map that is put behind a JPEG, as in Ultra HDR files (Google, Ultra HDR 1.1). Both pictures say what they are, by XMP and by ISO 21496-1.
/// The first one has the index of both (CIPA DC-007).
struct GainMapFile {
    /// The coded map, without metadata.
    let bytes: VipsBytes
    let numbers: GainMapNumbers

    /// - Parameter base: the finished base picture, without XMP.
    /// - Returns: the file with both; the base alone if memory is missing.
    func join(to base: VipsBytes) -> VipsBytes {
        let end = bytes.withBytes { Self.second($0, numbers) }
        let at = base.withBytes { Self.front($0) }
        return base.with(Self.segments(at: at, base: base.count, map: end.count), at: at, end: end)
    }

    /// Returns the map's file with its numbers in front.
    static func second(_ map: UnsafeRawBufferPointer, _ numbers: GainMapNumbers) -> [UInt8] {
        let at = front(map)
        return Array(map[..<at]) + segment(0xe1, GainMapNumbers.packet, Array(numbers.xmp.utf8)) + segment(0xe2, GainMapNumbers.isoName, numbers.iso)
            + Array(map[at...])
    }

    /// Returns the segments for the base picture.
    /// - Parameters:
    ///   - at: their place in its file.
    ///   - base: the bytes of its file without them.
    ///   - map: the bytes of the map's file.
    static func segments(at: Int, base: Int, map: Int) -> [UInt8] {
        let said =
            segment(0xe1, GainMapNumbers.packet, Array(GainMapNumbers.directory(length: map).utf8))
            + segment(0xe2, GainMapNumbers.isoName, GainMapNumbers.isoVersion)
        let first = base + said.count + indexLength
        // Offsets count from the byte order of the index, behind its marker, length and name.
        return said + segment(0xe2, MPFIndex.name, index(first: first, second: map, offset: first - (at + said.count + 8)))
    }

    /// The whole segment of an index of two pictures.
    private static let indexLength = 4 + 4 + 82

    /// Returns the block of an index: a version, a number of pictures, and sixteen bytes for each of them.
    private static func index(first: Int, second: Int, offset: Int) -> [UInt8] {
        func tag(_ number: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            BigEndian.bytes(number, 2) + BigEndian.bytes(type, 2) + BigEndian.bytes(count) + value
        }
        // The first picture is the one that represents the file. The kind of the second is not among those of the index.
        let pictures = [(0x03_0000, first, 0), (0, second, offset)].flatMap {
            BigEndian.bytes($0.0) + BigEndian.bytes($0.1) + BigEndian.bytes($0.2) + BigEndian.bytes(0)
        }
        return Array("MM".utf8) + BigEndian.bytes(42, 2) + BigEndian.bytes(8) + BigEndian.bytes(3, 2) + tag(0xb000, 7, 4, Array("0100".utf8))
            + tag(0xb001, 4, 1, BigEndian.bytes(2))
            + tag(0xb002, 7, pictures.count, BigEndian.bytes(50)) + BigEndian.bytes(0) + pictures
    }

    private static func segment(_ marker: UInt8, _ name: StaticString, _ content: [UInt8]) -> [UInt8] {
        JPEGSegments.bytes(marker, name.withUTF8Buffer { Array($0) } + content)
    }

    /// Returns the place behind JFIF and EXIF, which have to come first.
    private static func front(_ file: UnsafeRawBufferPointer) -> Int {
        let reader = ByteReader(bytes: file)
        guard let segments = JPEGSegments(reader) else { return min(2, file.count) }
        let leading = segments.prefix { $0.marker == 0xe0 || $0.marker == 0xe1 && reader.has("Exif", at: $0.content.lowerBound) }
        return leading.last?.content.upperBound ?? 2
    }
}
