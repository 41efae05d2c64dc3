import TintypeImages

/// Reads the size of a JPEG 2000 picture from the SIZ segment of its codestream (ISO/IEC 15444-1, A.5.1).
/// The codestream stands alone or in the boxes of a JP2. Pure.
enum JP2Header {
    /// Returns the start of the codestream.
    private static func stream(_ reader: ByteReader) -> Int? {
        let at = reader.big(0, 2) == 0xff4f ? 0 : reader.box(["jp2c"])?.at
        return at.flatMap { reader.big($0, 4) == 0xff4f_ff51 ? $0 : nil }
    }

    static func read(_ reader: ByteReader) -> ImageHeader? {
        guard let start = stream(reader) else { return nil }
        // The right and lower edge, the left and upper edge, and the size of a tile.
        let numbers = (0..<6).compactMap { reader.big(start + 8 + 4 * $0, 4) }
        guard numbers.count == 6, let count = reader.big(start + 40, 2), count > 0 else { return nil }
        let (width, height) = (numbers[0] - numbers[2], numbers[1] - numbers[3])
        guard width > 0, height > 0, numbers[4] > 0, numbers[5] > 0 else { return nil }
        // OpenJPEG holds each number of one tile twice, in four bytes.
        let part = Double(min(numbers[4], width)) / Double(width) * Double(min(numbers[5], height)) / Double(height)
        let working = Int((8 * Double(count) * part).rounded(.up))
        return ImageHeader(format: .jp2, width: width, height: height, bytesPerPixel: max(4, count * 2) + working)
    }
}
