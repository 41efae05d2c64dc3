import TestSupport
import Testing

@testable import Engine

/// TIFFs in luma and chroma that no JPEG holds.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct LumaTIFFTests {
    /// An uncompressed TIFF of one flat color, with the places of black and white if they are not the usual ones.
    private static func tiff(_ color: [UInt8], range: [UInt32] = [], photometric: UInt8 = 6) -> [UInt8] {
        func little(_ number: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
        let pixels = Array(repeating: color, count: 64).flatMap(\.self)
        let bits = 8 + pixels.count, ratios = bits + 6
        var entries: [(Int, Int, Int, Int)] = [
            (256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 3, bits), (259, 3, 1, 1), (262, 3, 1, Int(photometric)), (273, 4, 1, 8), (277, 3, 1, 3), (278, 3, 1, 8),
            (279, 4, 1, pixels.count), (530, 3, 2, 1 | 1 << 16),
        ]
        if !range.isEmpty { entries.append((532, 5, 6, ratios)) }
        let front: [UInt8] = Array("II*\0".utf8) + little(ratios + 48, 4)
        let tables =
            little(8 | 8 << 16, 4) + little(8, 2) + (range.isEmpty ? [UInt8](repeating: 0, count: 48) : range.flatMap { little(Int($0), 4) + little(1, 4) })
        let directory = little(entries.count, 2) + entries.flatMap { little($0.0, 2) + little($0.1, 2) + little($0.2, 4) + little($0.3, 4) } + little(0, 4)
        return front + pixels + tables + directory
    }

    /// The colors are those of BT.601 by hand; Pillow shows the first one the same.
    @Test(
        arguments: [
            ([90, 90, 90], [], [36, 130, 22]), ([128, 128, 128], [], [128, 128, 128]), ([76, 85, 255], [], [254, 0, 0]),
            ([16, 128, 128], [16, 235, 128, 240, 128, 240], [0, 0, 0]), ([235, 128, 128], [16, 235, 128, 240, 128, 240], [255, 255, 255]),
        ] as [([UInt8], [UInt32], [Double])]) func `Luma and chroma become colors`(code: [UInt8], range: [UInt32], color: [Double]) throws
    {
        let image = try PictureTests.made(Self.tiff(code, range: range), "")
        #expect(try near(image.pixel(4, 4), color, within: 2))
    }

    @Test func `Numbers that are RGB stay`() throws {
        #expect(try PictureTests.made(Self.tiff([90, 60, 30], photometric: 2), "").pixel(4, 4) == [90, 60, 30])
    }
}
