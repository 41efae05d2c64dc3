import Shared

/// Width and height of the first page of a classic TIFF, from its first directory.
enum TIFFHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        let isLittle = reader.byte(0) == 0x49
        func number(_ at: Int, _ length: Int) -> Int? { isLittle ? reader.little(at, length) : reader.big(at, length) }
        guard let directory = number(4, 4), let entries = number(directory, 2) else { return nil }
        var width: Int?
        var height: Int?
        for entry in 0..<entries {
            let at = directory + 2 + 12 * entry
            guard let tag = number(at, 2), let type = number(at + 2, 2) else { return nil }
            // A short or a long; short ones stand in the first half of the field.
            let value = number(at + 8, type == 3 ? 2 : 4)
            if tag == 256 { width = value }
            if tag == 257 { height = value }
            if let width, let height { return ImageHeader(format: .tiff, width: width, height: height) }
        }
        return nil
    }
}
