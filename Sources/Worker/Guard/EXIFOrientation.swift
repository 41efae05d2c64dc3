import Shared

/// The one number of an EXIF block that matters here: how the picture lies, 1…8.
enum EXIFOrientation {
    /// - Parameter start: where the block begins, with or without the six bytes that JPEG puts before it.
    /// - Returns: 1 when it does not say.
    static func read(_ reader: ByteReader, at start: Int) -> Int {
        let start = reader.has("Exif", at: start) ? start + 6 : start
        let isLittle = reader.byte(start) == 0x49
        func number(_ at: Int, _ length: Int) -> Int? { isLittle ? reader.little(at, length) : reader.big(at, length) }
        guard number(start + 2, 2) == 42, let offset = number(start + 4, 4), let entries = number(start + offset, 2) else { return 1 }
        for entry in 0..<entries {
            let at = start + offset + 2 + 12 * entry
            guard let tag = number(at, 2) else { return 1 }
            if tag == 0x0112 { return number(at + 8, 2).flatMap { (1...8).contains($0) ? $0 : nil } ?? 1 }
        }
        return 1
    }
}
