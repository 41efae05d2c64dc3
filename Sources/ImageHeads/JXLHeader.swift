import TintypeImages

/// Reads the size of a JPEG XL picture from the first bits of its codestream (ISO/IEC 18181-1, D.2 and D.3). The codestream stands alone or in boxes. Pure.
enum JXLHeader {
    static func read(_ reader: ByteReader) -> ImageHeader? {
        guard let start = stream(reader), reader.big(start, 2) == 0xff0a else { return nil }
        var bits = BitReader(reader, start + 2..<reader.count, isLowFirst: true)
        let isSmall = bits.flag()
        let height = side(&bits, isSmall)
        let ratio = bits.number(3)
        let width = ratio == 0 ? side(&bits, isSmall) : height * Self.ratios[ratio].0 / Self.ratios[ratio].1
        // The decoder applies the orientation itself and does not report it.
        let isLying = !bits.flag() && bits.flag() && bits.number(3) >= 4
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

    private static func side(_ bits: inout BitReader, _ isSmall: Bool) -> Int {
        if isSmall { return 8 * (bits.number(5) + 1) }
        return bits.number([9, 13, 18, 30][bits.number(2)]) + 1
    }
}
