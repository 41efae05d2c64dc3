package import TintypeImages

/// An EXIF block: the directory of the picture and that of the camera, each a list of tagged values. JPEG, PNG, WebP and HEIF carry one, a
/// TIFF is one. Each directory is read once, and nothing outside of the block, whatever the bytes are.
package struct EXIFBlock {
    private let reader: TagReader
    private var entries: [Int: TagReader.Entry] = [:]

    private static let cameraDirectory = 0x8769
    /// The types of texts: ASCII, and the UTF-8 of EXIF 3.
    private static let texts = [2, 129]

    /// - Parameter start: the start of the block, with or without the six bytes that JPEG puts before it.
    /// - Returns: nil if the bytes are no such block.
    package init?(_ bytes: ByteReader, at start: Int) {
        guard let reader = TagReader(bytes, at: start) else { return nil }
        self.init(reader, at: reader.first)
    }

    /// Reads a block with another first directory.
    package init(_ reader: TagReader, at directory: Int) {
        self.reader = reader
        read(directory)
        if let camera = int(Self.cameraDirectory) { read(camera) }
    }

    /// Returns the first number of a tag.
    package func number(_ tag: Int) -> Double? {
        guard let entry = entries[tag], entry.count > 0 else { return nil }
        switch entry.type {
        case 3, 4: return int(tag).map(Double.init)
        case 5, 10:
            guard let above = reader.word(entry.at, 4), let below = reader.word(entry.at + 4, 4) else { return nil }
            let (high, low) = entry.type == 10 ? (Int(Int32(truncatingIfNeeded: above)), Int(Int32(truncatingIfNeeded: below))) : (above, below)
            return low == 0 ? nil : Double(high) / Double(low)
        default: return nil
        }
    }

    /// Returns the first whole number of a tag.
    package func int(_ tag: Int) -> Int? { entries[tag].flatMap(reader.int) }

    /// The orientation, 1…8; nil if the block does not state one.
    package var orientation: Int? { int(0x0112).flatMap { (1...8).contains($0) ? $0 : nil } }

    /// Returns the text of a tag: at most 128 bytes, up to the first zero, without control characters and without spaces at both ends.
    package func text(_ tag: Int) -> String? {
        guard let entry = entries[tag], Self.texts.contains(entry.type) else { return nil }
        var letters: [UInt8] = []
        for index in 0..<min(entry.count, 128) {
            guard let byte = reader.byte(entry.at + index), byte != 0 else { break }
            letters.append(UInt8(byte))
        }
        let text = String(decoding: letters, as: UTF8.self).filter { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f } }
        let trimmed = text.split(separator: " ").joined(separator: " ")
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Returns the bytes of a text as they are: at most `most`, and a zero behind them. nil if there are only zeros and spaces.
    package func bytes(_ tag: Int, most: Int) -> [UInt8]? {
        guard let entry = entries[tag], Self.texts.contains(entry.type) else { return nil }
        let count = min(entry.count, most)
        let bytes = (0..<count).compactMap { reader.byte(entry.at + $0).map { UInt8($0) } }
        guard bytes.count == count, bytes.contains(where: { $0 != 0 && $0 != 0x20 }) else { return nil }
        return bytes.last == 0 ? bytes : bytes + [0]
    }

    /// Returns the offset of a tag's value in the bytes.
    package func place(of tag: Int) -> Int? { entries[tag].map { reader.start + $0.at } }

    private mutating func read(_ directory: Int) {
        for entry in reader.entries(of: directory) where entries[entry.tag] == nil { entries[entry.tag] = entry }
    }
}
