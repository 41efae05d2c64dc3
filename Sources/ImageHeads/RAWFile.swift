package import TintypeImages

/// A RAW file of a camera that is written like a TIFF: DNG, CR2, NEF, ARW, PEF, ORF or RW2. The sensor data is not developed; the largest embedded JPEG
/// represents the file. Pure. Each directory is read at most once, their number is limited, and only the beginning of each JPEG is read.
package struct RAWFile: Sendable, Hashable {
    /// The place of the largest JPEG; nil if no JPEG can be opened.
    package let preview: Range<Int>?
    /// The EXIF orientation of the file, 1…8, or else that of the JPEG.
    package let orientation: Int
    private let size: ImageHeader?

    /// The most directories, and the most JPEGs. Cameras write fewer.
    private static let most = 24
    /// The bytes of a JPEG that are searched for its size, which follows the metadata.
    private static let front = 256 << 10
    /// The numbers after the byte order: of TIFF, Panasonic and Olympus.
    private static let marks: Set<Int> = [42, 0x55, 0x4f52, 0x5352]

    private enum Tag {
        static let compression = 259, photometric = 262, maker = 271, strips = 273, orientation = 274, lengths = 279, others = 330
        static let jpeg = 0x201, jpegLength = 0x202, camera = 0x8769, notes = 0x927c, version = 50706
        /// The JPEG of Panasonic is a value of the first directory.
        static let panasonic = 0x2e
        /// The camera settings in the maker notes of Olympus, and the place of the JPEG in them.
        static let settings = 0x2020, start = 0x101, length = 0x102
    }
    /// Sensor data has one of these photometric interpretations, or one of these compressions of Nikon, Sony and Pentax.
    private static let sensors: Set<Int> = [32803, 34892]
    private static let packed: Set<Int> = [34713, 32767, 65535]

    /// Whether the first directory allows that the file is RAW. Ordinary TIFFs cost only this check.
    package static func mayBe(_ bytes: ByteReader) -> Bool {
        guard let reader = TagReader(bytes, at: 0, marks: marks) else { return false }
        return isForeign(bytes) || reader.entries(of: reader.first).contains { [Tag.maker, Tag.others, Tag.version].contains($0.tag) }
    }

    /// Whether the beginning differs from that of a TIFF.
    private static func isForeign(_ bytes: ByteReader) -> Bool { bytes.has("CR", at: 8) || TagReader(bytes, at: 0) == nil }

    /// - Returns: nil if the file is not RAW, such as an ordinary TIFF.
    package init?(_ bytes: ByteReader) {
        guard Self.mayBe(bytes), let reader = TagReader(bytes, at: 0, marks: Self.marks) else { return nil }
        var isRAW = Self.isForeign(bytes)
        var (waiting, seen, places) = ([reader.first], Set<Int>(), [Range<Int>]())
        var turned: Int?
        while let at = waiting.first, seen.count < Self.most {
            waiting.removeFirst()
            guard seen.insert(at).inserted else { continue }
            let directory = Directory(reader, at)
            if seen.count == 1 {
                turned = directory.int(Tag.orientation).flatMap { (1...8).contains($0) ? $0 : nil }
                isRAW = isRAW || directory.entries[Tag.version] != nil
                places += Self.olympus(bytes, directory)
            }
            let isSensor = directory.int(Tag.photometric).map(Self.sensors.contains) ?? false
            isRAW = isRAW || isSensor || directory.int(Tag.compression).map(Self.packed.contains) ?? false
            if !isSensor { places += directory.pictures }
            waiting += directory.all(Tag.others) + (directory.next.map { [$0] } ?? [])
        }
        guard isRAW else { return nil }
        var best: (place: Range<Int>, header: ImageHeader)?
        for place in places.prefix(Self.most) {
            guard let clamped = Self.within(bytes, place), let header = Self.header(bytes, clamped), header.pixels > best?.header.pixels ?? 0 else { continue }
            best = (clamped, header)
        }
        (preview, size) = (best?.place, best?.header)
        orientation = turned ?? best?.header.orientation ?? 1
    }

    /// The header for the guard, with the size of the JPEG.
    package var header: ImageHeader {
        ImageHeader(
            format: .raw, width: size?.width ?? 0, height: size?.height ?? 0, progressive: size?.progressive ?? false, hasAlpha: false,
            orientation: orientation, foreignKind: size == nil ? "without a JPEG in it, a" : nil)
    }

    /// Cuts a place at the end of the file, which may be truncated.
    private static func within(_ bytes: ByteReader, _ place: Range<Int>) -> Range<Int>? {
        place.lowerBound < bytes.count ? place.lowerBound..<min(place.upperBound, bytes.count) : nil
    }

    /// Returns the header of a JPEG that can be opened. Sensor data is often a lossless JPEG, which cannot.
    private static func header(_ bytes: ByteReader, _ place: Range<Int>) -> ImageHeader? {
        let reader = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: bytes.bytes[place].prefix(front)))
        return JPEGHeader.read(reader).flatMap { $0.foreignKind == nil && $0.width > 0 && $0.height > 0 ? $0 : nil }
    }

    /// Finds the JPEG of Olympus by its maker notes, whose offsets count from their own beginning.
    private static func olympus(_ bytes: ByteReader, _ first: Directory) -> [Range<Int>] {
        guard let camera = first.int(Tag.camera), let notes = Directory(first.reader, camera).entries[Tag.notes] else { return [] }
        let head = bytes.has("OLYMPUS\0", at: notes.at) ? 12 : bytes.has("OM SYSTEM\0", at: notes.at) ? 16 : 0
        guard head > 0 else { return [] }
        let reader = TagReader(notes: bytes, at: notes.at, isLittle: bytes.has("II", at: notes.at + head - 4), first: head)
        guard let settings = Directory(reader, reader.first).int(Tag.settings) else { return [] }
        let directory = Directory(reader, settings)
        return [directory.place(Tag.start, Tag.length)].compactMap { $0.map { notes.at + $0.lowerBound..<notes.at + $0.upperBound } }
    }

    /// One directory of tagged values.
    private struct Directory {
        let reader: TagReader
        private let at: Int
        let entries: [Int: TagReader.Entry]

        init(_ reader: TagReader, _ at: Int) {
            (self.reader, self.at) = (reader, at)
            entries = Dictionary(reader.entries(of: at).map { ($0.tag, $0) }) { first, _ in first }
        }

        func int(_ tag: Int) -> Int? { entries[tag].flatMap(reader.int) }

        /// Returns the offsets of other directories.
        func all(_ tag: Int) -> [Int] {
            guard let entry = entries[tag], entry.length == 4 * entry.count else { return [] }
            return (0..<min(entry.count, RAWFile.most)).compactMap { reader.word(entry.at + 4 * $0, 4) }
        }

        /// The offset of the next directory.
        var next: Int? { reader.word(at, 2).flatMap { reader.word(at + 2 + 12 * $0, 4) }.flatMap { $0 > 0 ? $0 : nil } }

        func place(_ start: Int, _ length: Int) -> Range<Int>? {
            guard let start = int(start), let length = int(length), length > 0 else { return nil }
            return start..<start + length
        }

        /// The places of possible JPEGs: by the tags for JPEG, as the only strip, or as a value.
        var pictures: [Range<Int>] {
            let isJPEG = [6, 7].contains(int(Tag.compression)) && entries[Tag.strips]?.count == 1 && entries[Tag.lengths]?.count == 1
            let value = entries[Tag.panasonic].flatMap { $0.type == 7 && $0.length > 4 ? $0.at..<$0.at + $0.length : nil }
            return [place(Tag.jpeg, Tag.jpegLength), isJPEG ? place(Tag.strips, Tag.lengths) : nil, value].compactMap { $0 }
        }
    }
}
