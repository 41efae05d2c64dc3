package import TintypeImages

/// An EXIF block: the directory of the picture and that of the camera, each a list of tagged values. JPEG, PNG, WebP and HEIF carry one, a
/// TIFF is one. Whatever the bytes are, each directory is read once, and nothing outside the block.
package struct EXIFBlock {
    private let reader: TagReader
    private var entries: [Int: TagReader.Entry] = [:]

    private static let cameraDirectory = 0x8769
    /// ASCII, and the UTF-8 of EXIF 3.
    private static let texts = [2, 129]

    /// - Parameter start: where the block begins, with or without the six bytes that JPEG puts before it.
    /// - Returns: nil when it is none.
    package init?(_ bytes: ByteReader, at start: Int) {
        guard let reader = TagReader(bytes, at: start) else { return nil }
        self.init(reader, at: reader.first)
    }

    /// By another directory of it than the first.
    package init(_ reader: TagReader, at directory: Int) {
        self.reader = reader
        read(directory)
        if let camera = int(Self.cameraDirectory) { read(camera) }
    }

    /// The first number of a tag.
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

    /// The first whole number of a tag.
    package func int(_ tag: Int) -> Int? { entries[tag].flatMap(reader.int) }

    /// How the picture lies, 1…8; nil where it does not say.
    package var orientation: Int? { int(0x0112).flatMap { (1...8).contains($0) ? $0 : nil } }

    /// The text of a tag: at most 128 bytes of it, up to the first zero, without control characters and spaces around it.
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

    /// The bytes of a text as they are, `most` of them and a zero behind them; nil when there is nothing but zeros and spaces.
    package func bytes(_ tag: Int, most: Int) -> [UInt8]? {
        guard let entry = entries[tag], Self.texts.contains(entry.type) else { return nil }
        let count = min(entry.count, most)
        let bytes = (0..<count).compactMap { reader.byte(entry.at + $0).map { UInt8($0) } }
        guard bytes.count == count, bytes.contains(where: { $0 != 0 && $0 != 0x20 }) else { return nil }
        return bytes.last == 0 ? bytes : bytes + [0]
    }

    /// Where the value of a tag stands among the bytes.
    package func place(of tag: Int) -> Int? { entries[tag].map { reader.start + $0.at } }

    private mutating func read(_ directory: Int) {
        for entry in reader.entries(of: directory) where entries[entry.tag] == nil { entries[entry.tag] = entry }
    }
}
