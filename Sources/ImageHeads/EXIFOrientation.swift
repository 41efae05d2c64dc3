import TintypeImages

/// The one number of an EXIF block that matters for sizes: how the picture lies, 1…8.
enum EXIFOrientation {
    /// - Parameter start: where the block begins, with or without the six bytes that JPEG puts before it.
    /// - Returns: 1 when it does not say.
    static func read(_ reader: ByteReader, at start: Int) -> Int {
        EXIFBlock(reader, at: start)?.int(0x0112).flatMap { (1...8).contains($0) ? $0 : nil } ?? 1
    }
}
