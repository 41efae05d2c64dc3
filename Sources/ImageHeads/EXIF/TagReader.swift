package import TintypeImages

/// The directories of an EXIF block, or of a TIFF, which has the same form: each a list of tagged values. A directory is read in bounded time, and nothing
/// outside of the bytes, whatever the bytes are. A value.
package struct TagReader {
    private let bytes: ByteReader
    /// The start of the block. All offsets in the block count from here.
    package let start: Int
    package let isLittle: Bool
    /// The offset of the first directory.
    package let first: Int

    package struct Entry {
        package let tag: Int
        package let type: Int
        package let count: Int
        /// The offset of its value.
        package let at: Int
        /// The bytes of all its values.
        package let length: Int
    }

    /// The most entries of one directory, more than any camera writes.
    private static let most = 512
    /// The bytes of one value of each type.
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 129: 1]
    /// The type of a pointer to another directory, which means nothing elsewhere.
    private static let pointer = 13

    /// - Parameters:
    ///   - start: the start of the block, with or without the six bytes that JPEG puts before it.
    ///   - marks: the allowed numbers after the byte order.
    /// - Returns: nil if the bytes are no such block.
    package init?(_ bytes: ByteReader, at start: Int, marks: Set<Int> = [42]) {
        let start = bytes.has("Exif", at: start) ? start + 6 : start
        let isLittle = bytes.has("II", at: start)
        guard isLittle || bytes.has("MM", at: start), let mark = Self.word(bytes, start + 2, 2, isLittle), marks.contains(mark),
            let first = Self.word(bytes, start + 4, 4, isLittle)
        else { return nil }
        (self.bytes, self.start, self.isLittle, self.first) = (bytes, start, isLittle, first)
    }

    /// Reads the directories of maker notes. Their offsets count from `start`, and their header is not that of TIFF.
    /// - Parameter first: the offset of the first directory.
    init(notes bytes: ByteReader, at start: Int, isLittle: Bool, first: Int) {
        (self.bytes, self.start, self.isLittle, self.first) = (bytes, start, isLittle, first)
    }

    /// Returns the entries in their order; for a repeated tag the first one with a known type.
    package func entries(of directory: Int) -> [Entry] {
        var (entries, seen): ([Entry], Set<Int>) = ([], [])
        for index in 0..<min(word(directory, 2) ?? 0, Self.most) {
            let at = directory + 2 + 12 * index
            guard let tag = word(at, 2), let type = word(at + 2, 2), let count = word(at + 4, 4), let value = word(at + 8, 4) else { break }
            guard let size = Self.sizes[type], seen.insert(tag).inserted else { continue }
            // Values of up to four bytes are stored in the entry itself.
            entries.append(Entry(tag: tag, type: type, count: count, at: count <= 4 / size ? at + 8 : value, length: count * size))
        }
        return entries
    }

    /// Returns the offset of a page's directory, counted from 0; nil if there are fewer pages.
    package func directory(ofPage page: Int) -> Int? {
        var at = first
        for _ in 0..<page {
            guard let count = word(at, 2), let next = word(at + 2 + 12 * count, 4), next > 0 else { return nil }
            at = next
        }
        return at
    }

    /// Returns the first value, if it is a whole number.
    package func int(_ entry: Entry) -> Int? {
        guard entry.count > 0 else { return nil }
        return entry.type == 3 ? word(entry.at, 2) : [4, Self.pointer].contains(entry.type) ? word(entry.at, 4) : nil
    }

    /// Returns an entry with its bytes. The result is nil if there are no bytes or more than `most`, or if they lie outside of the block. It is also
    /// nil if they mean nothing elsewhere.
    package func value(of entry: Entry, most: Int) -> EXIFTag? {
        guard entry.type != Self.pointer, entry.length > 0, entry.length <= most, entry.at + entry.length <= bytes.count - start else { return nil }
        let value = Array(bytes.bytes[start + entry.at..<start + entry.at + entry.length])
        return EXIFTag(number: entry.tag, type: entry.type, count: entry.count, value: value)
    }

    /// Returns a number of two or four bytes.
    package func word(_ at: Int, _ length: Int) -> Int? { Self.word(bytes, start + at, length, isLittle) }

    package func byte(_ at: Int) -> Int? { bytes.byte(start + at) }

    private static func word(_ bytes: ByteReader, _ at: Int, _ length: Int, _ isLittle: Bool) -> Int? {
        isLittle ? bytes.little(at, length) : bytes.big(at, length)
    }
}

/// One tagged value of a directory, with its bytes in the byte order of its file. A value.
package struct EXIFTag {
    package let number: Int
    package let type: Int
    package let count: Int
    package let value: [UInt8]

    package init(number: Int, type: Int, count: Int, value: [UInt8]) {
        (self.number, self.type, self.count, self.value) = (number, type, count, value)
    }

    /// The bytes that the tag takes in a directory and behind it.
    package var size: Int { 12 + (value.count > 4 ? padded.count : 0) }

    /// The value with zeros behind it, so that it fills an entry, or ends at an even offset.
    package var padded: [UInt8] { value + [UInt8](repeating: 0, count: value.count <= 4 ? 4 - value.count : value.count % 2) }
}
