package import TintypeImages

/// The directories of an EXIF block, or of a TIFF, which is written the same way: each a list of tagged values. Whatever the bytes are, a directory is
/// read in bounded time, and nothing outside the bytes. A value.
package struct TagReader {
    private let bytes: ByteReader
    /// Where the block begins; all places in it count from here.
    package let start: Int
    package let isLittle: Bool
    /// Where the first directory lies.
    package let first: Int

    package struct Entry {
        package let tag: Int
        package let type: Int
        package let count: Int
        /// Where its value begins.
        package let at: Int
        /// Bytes of all its values.
        package let length: Int
    }

    /// More entries than any camera writes in one directory.
    private static let most = 512
    /// Bytes of one value of each type.
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 129: 1]
    /// Of another directory, whose place means nothing elsewhere.
    private static let pointer = 13

    /// - Parameter start: where the block begins, with or without the six bytes that JPEG puts before it.
    /// - Returns: nil when it is none.
    package init?(_ bytes: ByteReader, at start: Int) {
        let start = bytes.has("Exif", at: start) ? start + 6 : start
        let isLittle = bytes.has("II", at: start)
        guard isLittle || bytes.has("MM", at: start), Self.word(bytes, start + 2, 2, isLittle) == 42, let first = Self.word(bytes, start + 4, 4, isLittle)
        else { return nil }
        (self.bytes, self.start, self.isLittle, self.first) = (bytes, start, isLittle, first)
    }

    /// Of each tag the first one whose type is known, in their order.
    package func entries(of directory: Int) -> [Entry] {
        var (entries, seen): ([Entry], Set<Int>) = ([], [])
        for index in 0..<min(word(directory, 2) ?? 0, Self.most) {
            let at = directory + 2 + 12 * index
            guard let tag = word(at, 2), let type = word(at + 2, 2), let count = word(at + 4, 4), let value = word(at + 8, 4) else { break }
            guard let size = Self.sizes[type], seen.insert(tag).inserted else { continue }
            // Four bytes stand in the entry itself.
            entries.append(Entry(tag: tag, type: type, count: count, at: count <= 4 / size ? at + 8 : value, length: count * size))
        }
        return entries
    }

    /// Where the directory of a page lies, the first being 0; nil where there are not so many.
    package func directory(ofPage page: Int) -> Int? {
        var at = first
        for _ in 0..<page {
            guard let count = word(at, 2), let next = word(at + 2 + 12 * count, 4), next > 0 else { return nil }
            at = next
        }
        return at
    }

    /// The first of its values, where that is a whole number.
    package func int(_ entry: Entry) -> Int? {
        guard entry.count > 0 else { return nil }
        return entry.type == 3 ? word(entry.at, 2) : [4, Self.pointer].contains(entry.type) ? word(entry.at, 4) : nil
    }

    /// An entry with its bytes; nil where it has none or more than `most`, where they lie outside the block, or mean nothing elsewhere.
    package func value(of entry: Entry, most: Int) -> EXIFTag? {
        guard entry.type != Self.pointer, entry.length > 0, entry.length <= most, entry.at + entry.length <= bytes.count - start else { return nil }
        let value = Array(bytes.bytes[start + entry.at..<start + entry.at + entry.length])
        return EXIFTag(number: entry.tag, type: entry.type, count: entry.count, value: value)
    }

    /// A number of two bytes or four.
    package func word(_ at: Int, _ length: Int) -> Int? { Self.word(bytes, start + at, length, isLittle) }

    package func byte(_ at: Int) -> Int? { bytes.byte(start + at) }

    private static func word(_ bytes: ByteReader, _ at: Int, _ length: Int, _ isLittle: Bool) -> Int? {
        isLittle ? bytes.little(at, length) : bytes.big(at, length)
    }
}

/// One tagged value of a directory, its bytes in the order of the file that it comes from. A value.
package struct EXIFTag {
    package let number: Int
    package let type: Int
    package let count: Int
    package let value: [UInt8]

    package init(number: Int, type: Int, count: Int, value: [UInt8]) {
        (self.number, self.type, self.count, self.value) = (number, type, count, value)
    }

    /// Bytes that it takes in a directory and behind it.
    package var size: Int { 12 + (value.count > 4 ? padded.count : 0) }

    /// With zeros behind it, so that it fills an entry, or ends at an even place.
    package var padded: [UInt8] { value + [UInt8](repeating: 0, count: value.count <= 4 ? 4 - value.count : value.count % 2) }
}
