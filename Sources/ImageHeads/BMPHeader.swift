package import TintypeImages

/// The header of a Windows or OS/2 bitmap, in a BMP file or in an icon, where there is no file header. Pure; every number
/// is that of the file. Only the places of the parts were checked.
package struct BMPHeader: Sendable, Hashable {
    package enum Packing: Sendable, Hashable { case none, runs }

    package let width: Int
    package let height: Int
    /// Whether the first row is the upper one.
    package let isTopDown: Bool
    /// The bits of a pixel; 1, 2, 4 and 8 are indices of colors.
    package let bits: Int
    package let packing: Packing
    /// The bits of red, green, blue and alpha in a pixel of 16 or 32 bits.
    package let masks: [UInt32]
    /// The place of the colors, and the bytes of each.
    package let palette: Range<Int>
    package let paletteEntry: Int
    /// The start of the pixels.
    package let pixels: Int
    /// The place of the color profile.
    package private(set) var profile: Range<Int>?
    /// The name of a kind that cannot be opened.
    package private(set) var foreignKind: String?

    package var hasAlpha: Bool { masks.count == 4 && masks[3] != 0 }

    /// The bytes of a row, a multiple of four.
    package var pitch: Int { (width * bits + 31) / 32 * 4 }

    /// The length of the file header of a BMP.
    package static let fileHeader = 14

    /// Reads the header of a file.
    package init?(_ reader: ByteReader) {
        guard reader.has("BM", at: 0), let pixels = reader.little(10, 4) else { return nil }
        self.init(reader, at: Self.fileHeader, pixels: pixels, isIcon: false)
    }

    /// - Parameters:
    ///   - start: the start of the header.
    ///   - pixels: the start of the pixels according to the file header; nil: behind the colors.
    ///   - isIcon: whether a mask follows the pixels; the height then counts both.
    package init?(_ reader: ByteReader, at start: Int, pixels: Int?, isIcon: Bool) {
        guard let length = reader.little(start, 4), length == 12 || (16...124).contains(length), start + length <= reader.count else { return nil }
        let isCore = length == 12
        // A header may end before a number, which is then 0.
        func number(_ at: Int, _ bytes: Int) -> Int { at + bytes <= length ? reader.little(start + at, bytes) ?? 0 : 0 }
        let (wide, high) = isCore ? (number(4, 2), number(6, 2)) : (Self.signed(number(4, 4)), Self.signed(number(8, 4)))
        bits = isCore ? number(10, 2) : number(14, 2)
        let kind = isCore ? 0 : number(16, 4)
        guard wide > 0, high != 0, [1, 2, 4, 8, 16, 24, 32].contains(bits) else { return nil }
        (width, height, isTopDown) = (wide, isIcon ? abs(high) / 2 : abs(high), high < 0)
        let isRuns = kind == 1 && bits == 8 || kind == 2 && bits == 4
        // The Huffman codes of OS/2 share their numbers with later kinds.
        let isOther = length == 64 && kind > 2
        if kind > 3 && kind != 6 || isOther { foreignKind = "a packed (\(kind))" }
        guard foreignKind != nil || kind == 0 || isRuns && !isTopDown || [3, 6].contains(kind) && [16, 32].contains(bits) else { return nil }
        packing = isRuns ? .runs : .none
        // Masks are in a longer header, or behind one of 40 bytes.
        let said = [3, 6].contains(kind)
        let behind = said && length == 40 ? (kind == 6 ? 16 : 12) : 0
        func mask(_ index: Int) -> UInt32 {
            if length >= 52 { return UInt32(number(40 + 4 * index, 4)) }
            return 4 * index < behind ? UInt32(reader.little(start + 40 + 4 * index, 4) ?? 0) : 0
        }
        switch (bits, said) {
        case (16, true), (32, true): masks = (0..<4).map(mask)
        case (16, false): masks = [0x7c00, 0x3e0, 0x1f, length >= Self.fourth && mask(3) == 0x8000 ? 0x8000 : 0]
        case (32, false): masks = [0xff_0000, 0xff00, 0xff, isIcon || length >= Self.fourth && mask(3) == 0xff00_0000 ? 0xff00_0000 : 0]
        default: masks = []
        }
        guard masks.allSatisfy({ $0 == 0 || (($0 >> UInt32($0.trailingZeroBitCount)) &+ 1).nonzeroBitCount <= 1 }) else { return nil }
        paletteEntry = isCore ? 3 : 4
        let most = bits <= 8 ? 1 << bits : 0
        let used = isCore ? 0 : number(32, 4)
        let first = start + length + behind
        let entries = bits > 8 ? 0 : used == 0 ? most : min(used, most)
        let end = first + entries * paletteEntry
        // In a file with fewer colors than possible, the pixels begin before the end of a full palette.
        let begin = pixels.flatMap { $0 >= first ? $0 : nil } ?? end
        (self.pixels, palette) = (begin, first..<max(first, min(end, begin, reader.count)))
        guard begin <= reader.count else { return nil }
        if !isIcon, length == 124, number(56, 4) == 0x4d42_4544 {
            let (at, count) = (start + number(112, 4), number(116, 4))
            if count > 0, count <= reader.count, at <= reader.count - count { profile = at..<at + count }
        }
    }

    /// The length of a header of version 4, whose mask of alpha counts in every packing.
    private static let fourth = 108

    private static func signed(_ number: Int) -> Int { number >= 1 << 31 ? number - 1 << 32 : number }

    var header: ImageHeader {
        // The decoder also holds the color indices of the unpacked runs.
        let bytesPerPixel = packing == .runs ? 5 : 4
        return ImageHeader(
            format: .bmp, width: width, height: height, bytesPerPixel: bytesPerPixel, hasAlpha: hasAlpha, orientation: 1, foreignKind: foreignKind)
    }
}
