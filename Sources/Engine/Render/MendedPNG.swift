import ImageHeads
import PNG
import TintypeImages

/// A PNG without the two slips for which libpng 1.6 drops a chunk that other readers use.
enum MendedPNG {
    /// Returns a copy of the file; nil if nothing is to be mended, or if memory is missing.
    static func of(_ file: UnsafeRawBufferPointer) -> VipsBytes? {
        let front = PNGFront(ByteReader(bytes: file))
        var parts: [(place: Range<Int>, instead: [UInt8])] = []
        // An sRGB chunk counts less than a profile (PNG, third edition, 4.3), but libpng takes the first of the two.
        if let profile = front["iCCP"] { parts += front.all("sRGB").filter { $0.lowerBound < profile.lowerBound }.map { ($0, []) } }
        // The alpha of colors that do not exist.
        if file.count > colorType, file[colorType] == 3, let palette = front["PLTE"], let alpha = front["tRNS"], alpha.upperBound <= file.count,
            case let colors = min((palette.count - frame) / 3, 1 << min(file[colorType - 1], 8)), colors >= 1, colors < alpha.count - frame
        {
            parts.append((alpha, PNGChunk.whole("tRNS", [UInt8](file[alpha.lowerBound + 8..<alpha.lowerBound + 8 + colors]))))
        }
        parts.sort { $0.place.lowerBound < $1.place.lowerBound }
        guard let end = parts.last?.place.upperBound, end <= file.count else { return nil }
        return VipsBytes(copying: file, parts)
    }

    /// The place of the color type, behind that of the bit depth.
    private static let colorType = 25
    /// The bytes of a chunk's length, name and checksum.
    private static let frame = 12
}
