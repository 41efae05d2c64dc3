package import TintypeImages

/// What a bitmap of Windows or OS/2 says before its pixels: that of a BMP file, or that of an icon, which has no header of a file. Pure; every number
/// is that of the file, and only that its parts can be found was checked.
package struct BMPHeader: Sendable, Hashable {
    package enum Packing: Sendable, Hashable { case none, runs }

    package let width: Int
    package let height: Int
    /// Whether its first row is the upper one.
    package let isTopDown: Bool
    /// Bits of a pixel: 1, 2, 4 and 8 are numbers of colours.
    package let bits: Int
    package let packing: Packing
    /// Where red, green, blue and alpha are in a pixel of 16 or 32 bits.
    package let masks: [UInt32]
    /// Where its colours stand, and how many bytes each has.
    package let palette: Range<Int>
    package let paletteEntry: Int
    /// Where its pixels begin.
    package let pixels: Int
    /// Where its colour profile stands.
    package private(set) var profile: Range<Int>?
    /// A kind that is not opened, by name.
    package private(set) var foreignKind: String?

    package var hasAlpha: Bool { masks.count == 4 && masks[3] != 0 }

    /// Bytes of a row, which are multiples of four.
    package var pitch: Int { (width * bits + 31) / 32 * 4 }

    /// Behind the header of a BMP file.
    package static let fileHeader = 14

    /// Reads that of a file.
    package init?(_ reader: ByteReader) {
        guard reader.has("BM", at: 0), let pixels = reader.little(10, 4) else { return nil }
        self.init(reader, at: Self.fileHeader, pixels: pixels, isIcon: false)
    }

    /// - Parameters:
    ///   - start: where it begins.
    ///   - pixels: where a file says that its pixels begin; nil: behind the colours.
    ///   - isIcon: whether a mask follows the pixels, which counts as half of the height.
    package init?(_ reader: ByteReader, at start: Int, pixels: Int?, isIcon: Bool) {
        guard let length = reader.little(start, 4), length == 12 || (16...124).contains(length), start + length <= reader.count else { return nil }
        let isCore = length == 12
        // A header may end before a number: then it is 0.
        func number(_ at: Int, _ bytes: Int) -> Int { at + bytes <= length ? reader.little(start + at, bytes) ?? 0 : 0 }
        let (wide, high) = isCore ? (number(4, 2), number(6, 2)) : (Self.signed(number(4, 4)), Self.signed(number(8, 4)))
        bits = isCore ? number(10, 2) : number(14, 2)
        let kind = isCore ? 0 : number(16, 4)
        guard wide > 0, high != 0, [1, 2, 4, 8, 16, 24, 32].contains(bits) else { return nil }
        (width, height, isTopDown) = (wide, isIcon ? abs(high) / 2 : abs(high), high < 0)
        let isRuns = kind == 1 && bits == 8 || kind == 2 && bits == 4
        // Huffman codes of OS/2 share their numbers with what came later.
        let isOther = length == 64 && kind > 2
        if kind > 3 && kind != 6 || isOther { foreignKind = "a packed (\(kind))" }
        guard foreignKind != nil || kind == 0 || isRuns && !isTopDown || [3, 6].contains(kind) && [16, 32].contains(bits) else { return nil }
        packing = isRuns ? .runs : .none
        // Masks stand in a longer header, or behind one of 40 bytes.
        let said = [3, 6].contains(kind)
        let behind = said && length == 40 ? (kind == 6 ? 16 : 12) : 0
        func mask(_ index: Int) -> UInt32 {
            if length >= 52 { return UInt32(number(40 + 4 * index, 4)) }
            return 4 * index < behind ? UInt32(reader.little(start + 40 + 4 * index, 4) ?? 0) : 0
        }
        switch (bits, said) {
        case (16, true), (32, true): masks = (0..<4).map(mask)
        case (16, false): masks = [0x7c00, 0x3e0, 0x1f, 0]
        case (32, false): masks = [0xff_0000, 0xff00, 0xff, isIcon ? 0xff00_0000 : 0]
        default: masks = []
        }
        guard masks.allSatisfy({ $0 == 0 || (($0 >> UInt32($0.trailingZeroBitCount)) &+ 1).nonzeroBitCount <= 1 }) else { return nil }
        paletteEntry = isCore ? 3 : 4
        let most = bits <= 8 ? 1 << bits : 0
        let used = isCore ? 0 : number(32, 4)
        let first = start + length + behind
        let entries = bits > 8 ? 0 : used == 0 ? most : min(used, most)
        let end = first + entries * paletteEntry
        // Where a file has fewer colours than it may have, its pixels begin before their end.
        let begin = pixels.flatMap { $0 >= first ? $0 : nil } ?? end
        (self.pixels, palette) = (begin, first..<max(first, min(end, begin, reader.count)))
        guard begin <= reader.count else { return nil }
        if !isIcon, length == 124, number(56, 4) == 0x4d42_4544 {
            let (at, count) = (start + number(112, 4), number(116, 4))
            if count > 0, count <= reader.count, at <= reader.count - count { profile = at..<at + count }
        }
    }

    private static func signed(_ number: Int) -> Int { number >= 1 << 31 ? number - 1 << 32 : number }

    var header: ImageHeader {
        var header = ImageHeader(format: .bmp, width: width, height: height)
        (header.hasAlpha, header.orientation, header.foreignKind) = (hasAlpha, 1, foreignKind)
        // The numbers of colours that runs are unpacked into.
        if packing == .runs { header.bytesPerPixel = 5 }
        return header
    }
}
