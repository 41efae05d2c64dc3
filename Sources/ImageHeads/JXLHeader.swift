import TintypeImages

/// Reads the size of a JPEG XL picture from the first bits of its codestream (ISO/IEC 18181-1, D.2 and D.3).
/// The codestream stands alone or in boxes. Pure.
enum JXLHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        guard let start = stream(reader), reader.big(start, 2) == 0xff0a else { return nil }
        var bits = LowBits(reader: reader, next: 8 * (start + 2))
        let isSmall = bits.number(1) == 1
        let height = side(&bits, isSmall)
        let ratio = bits.number(3)
        let width = ratio == 0 ? side(&bits, isSmall) : height * Self.ratios[ratio].0 / Self.ratios[ratio].1
        // The decoder applies the orientation itself and does not report it.
        let isLying = bits.number(1) == 0 && bits.number(1) == 1 && bits.number(3) >= 4
        guard !bits.isSpent else { return nil }
        // The decoder works with numbers of four bytes.
        return ImageHeader(format: .jxl, width: isLying ? height : width, height: isLying ? width : height, bytesPerPixel: 16)
    }

    private static let ratios = [(0, 1), (1, 1), (6, 5), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]

    private static func stream(_ reader: ByteReader) -> Int? {
        if reader.big(0, 2) == 0xff0a { return 0 }
        guard let box = reader.box(["jxlc", "jxlp"]) else { return nil }
        // A partial codestream has its index before it.
        return box.kind == ByteReader.code("jxlc") ? box.at : box.at + 4
    }

    private static func side(_ bits: inout LowBits, _ isSmall: Bool) -> Int {
        if isSmall { return 8 * (bits.number(5) + 1) }
        return bits.number([9, 13, 18, 30][bits.number(2)]) + 1
    }
}

/// Reads bits, the lowest of each byte first.
private struct LowBits {
    let reader: ByteReader
    var next: Int
    /// Whether a read went beyond the end.
    var isSpent = false

    init(reader: ByteReader, next: Int) { (self.reader, self.next) = (reader, next) }

    mutating func number(_ count: Int) -> Int {
        var value = 0
        for index in 0..<count {
            guard let byte = reader.byte(next >> 3) else {
                isSpent = true
                return 0
            }
            value |= (byte >> (next & 7) & 1) << index
            next += 1
        }
        return value
    }
}
