import Shared

/// An EXIF block: the directory of the picture and that of the camera, each a list of tagged values. JPEG, PNG, WebP and HEIF carry one, a
/// TIFF is one. Whatever the bytes are, each directory is read once, and nothing outside the block.
struct EXIFBlock {
    private let reader: ByteReader
    private let start: Int
    private let isLittle: Bool
    private var entries: [Int: Entry] = [:]

    private struct Entry {
        let type: Int
        let count: Int
        /// Where its value begins.
        let at: Int
    }

    /// More entries than any camera writes in one directory.
    private static let most = 512
    private static let cameraDirectory = 0x8769
    /// Bytes of one value of each type.
    private static let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8, 129: 1]
    /// ASCII, and the UTF-8 of EXIF 3.
    private static let texts = [2, 129]

    /// - Parameter start: where the block begins, with or without the six bytes that JPEG puts before it.
    /// - Returns: nil when it is none.
    init?(_ reader: ByteReader, at start: Int) {
        self.reader = reader
        self.start = reader.has("Exif", at: start) ? start + 6 : start
        guard reader.has("II", at: self.start) || reader.has("MM", at: self.start) else { return nil }
        isLittle = reader.has("II", at: self.start)
        guard word(2, 2) == 42, let directory = word(4, 4) else { return nil }
        read(directory)
        if let camera = int(Self.cameraDirectory) { read(camera) }
    }

    /// The first number of a tag.
    func number(_ tag: Int) -> Double? {
        guard let entry = entries[tag], entry.count > 0 else { return nil }
        switch entry.type {
        case 3, 4: return int(tag).map(Double.init)
        case 5, 10:
            guard let above = word(entry.at, 4), let below = word(entry.at + 4, 4) else { return nil }
            let (high, low) = entry.type == 10 ? (Int(Int32(truncatingIfNeeded: above)), Int(Int32(truncatingIfNeeded: below))) : (above, below)
            return low == 0 ? nil : Double(high) / Double(low)
        default: return nil
        }
    }

    /// The first whole number of a tag.
    func int(_ tag: Int) -> Int? {
        guard let entry = entries[tag], entry.count > 0 else { return nil }
        return entry.type == 3 ? word(entry.at, 2) : entry.type == 4 ? word(entry.at, 4) : nil
    }

    /// The text of a tag: at most 128 bytes of it, up to the first zero, without control characters and spaces around it.
    func text(_ tag: Int) -> String? {
        guard let entry = entries[tag], Self.texts.contains(entry.type) else { return nil }
        var letters: [UInt8] = []
        for index in 0..<min(entry.count, 128) {
            guard let byte = reader.byte(start + entry.at + index), byte != 0 else { break }
            letters.append(UInt8(byte))
        }
        let text = String(decoding: letters, as: UTF8.self).filter { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f } }
        let trimmed = text.split(separator: " ").joined(separator: " ")
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The bytes of a text as they are, `most` of them and a zero behind them; nil when there is nothing but zeros and spaces.
    func bytes(_ tag: Int, most: Int) -> [UInt8]? {
        guard let entry = entries[tag], Self.texts.contains(entry.type) else { return nil }
        let count = min(entry.count, most)
        let bytes = (0..<count).compactMap { reader.byte(start + entry.at + $0).map { UInt8($0) } }
        guard bytes.count == count, bytes.contains(where: { $0 != 0 && $0 != 0x20 }) else { return nil }
        return bytes.last == 0 ? bytes : bytes + [0]
    }

    /// Where the value of a tag stands among the bytes.
    func place(of tag: Int) -> Int? { entries[tag].map { start + $0.at } }

    private mutating func read(_ directory: Int) {
        guard let count = word(directory, 2) else { return }
        for index in 0..<min(count, Self.most) {
            let at = directory + 2 + 12 * index
            guard let tag = word(at, 2), let type = word(at + 2, 2), let count = word(at + 4, 4), let value = word(at + 8, 4) else { return }
            guard entries[tag] == nil, let size = Self.sizes[type] else { continue }
            // Four bytes stand in the entry itself.
            entries[tag] = Entry(type: type, count: count, at: count <= 4 / size ? at + 8 : value)
        }
    }

    private func word(_ at: Int, _ length: Int) -> Int? { isLittle ? reader.little(start + at, length) : reader.big(start + at, length) }
}
