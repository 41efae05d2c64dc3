@testable import ImageHeads
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The scans of a progressive JPEG that are left out for a picture of an eighth.
@Suite(.tags(.optimized), .timeLimit(.minutes(5))) struct JPEGDetailTests {
    /// A scan: its components, its first and last coefficient, the bits that are missing in it, and its coded data.
    typealias Scan = (components: [UInt8], first: UInt8, last: UInt8, bits: UInt8, data: [UInt8])

    /// The averages of three components but for the last bit, then detail of brightness (1) and of the two colors (2, 3). The last bits of all averages,
    /// and of the detail of brightness.
    static let scans: [Scan] = [
        ([1, 2, 3], 0, 0, 1, [1, 0xff, 0, 2]), ([1], 1, 63, 1, [3, 0xff, 0xd0, 4, 0xff]), ([2], 1, 63, 0, [5]), ([3], 1, 63, 0, []),
        ([1, 2, 3], 0, 0, 0x10, [6]), ([1], 1, 63, 0x10, [7, 8]),
    ]

    private static func bytes(_ scan: Scan) -> [UInt8] {
        [0xff, 0xc4, 0, 3, 9] + head(scan) + scan.data
    }
    private static func head(_ scan: Scan) -> [UInt8] {
        [0xff, 0xda, 0, UInt8(6 + 2 * scan.components.count), UInt8(scan.components.count)] + scan.components.flatMap { [$0, 0] }
            + [scan.first, scan.last, scan.bits]
    }

    /// A file without meaning, of these scans. A table stands before each.
    static func file(_ scans: [Scan], frame: UInt8 = 0xc2, ids: [UInt8] = [1, 2, 3], end: [UInt8] = [0xff, 0xd9, 1]) -> [UInt8] {
        [0xff, 0xd8, 0xff, frame, 0, UInt8(8 + 3 * ids.count), 8, 0, 8, 0, 8, UInt8(ids.count)] + ids.flatMap { [$0, 0x11, 0] } + scans.flatMap(bytes) + end
    }

    private static func left(_ file: [UInt8], _ averaged: Set<Int>) -> [UInt8]? {
        file.withUnsafeBytes { bytes in JPEGDetail.parts(bytes, averaged: averaged)?.flatMap { Array(bytes[$0]) } }
    }

    /// The same file, with the tables of the scans that are left out.
    private static func without(_ out: Set<Int>) -> [UInt8] {
        let head = file([], end: [])
        return head + scans.indices.flatMap { out.contains($0) ? [0xff, 0xc4, 0, 3, 9] : bytes(scans[$0]) } + [0xff, 0xd9, 1]
    }

    @Test func `Only scans of detail of these components are left out`() {
        let whole = Self.file(Self.scans)
        // The last 0xff of a scan is a filler before the next marker, and goes with the scan before.
        #expect(Self.left(whole, [0]) == Self.without([1, 5]))
        #expect(Self.left(whole, [1]) == Self.without([2]))
        #expect(Self.left(whole, [0, 1, 2]) == Self.without([1, 2, 3, 5]))
        #expect(Self.left(whole, []) == nil && Self.left(whole, [7]) == nil)
    }

    @Test func `A file that is not as the standard says is read whole`() {
        #expect(Self.left(Self.file(Self.scans, frame: 0xc0), [0]) == nil, "not progressive")
        #expect(Self.left(Self.file(Self.scans, end: []), [0]) == nil, "without an end")
        #expect(Self.left(Self.file(Self.scans, ids: [1, 1, 3]), [0]) == nil, "two components of one name")
        let more: [Scan] = Array(repeating: Self.scans[5], count: JPEGDetail.most - Self.scans.count)
        #expect(Self.left(Self.file(Self.scans + more), [0]) != nil)
        #expect(Self.left(Self.file(Self.scans + more + [Self.scans[5]]), [0]) == nil, "too many scans")
        for scan in [([1, 2], 1, 63, 0, [1]), ([1], 0, 5, 0, []), ([1], 6, 5, 0, []), ([1], 1, 64, 0, []), ([9], 1, 63, 0, []), ([], 1, 63, 0, [])] as [Scan] {
            #expect(Self.left(Self.file(Self.scans + [scan]), [0]) == nil, "\(scan)")
        }
        let whole = Self.file(Self.scans)
        for count in 0..<whole.count - 1 { #expect(Self.left(Array(whole[..<count]), [0]) == nil) }
    }

    /// libjpeg guesses what is missing from the averages around, and would guess differently.
    @Test func `A file whose scans are not complete is read whole`() {
        for missing in Self.scans.indices {
            var some = Self.scans
            some.remove(at: missing)
            // Without the first scan of brightness all its bits are still told in the end, as far as the headers say.
            #expect((Self.left(Self.file(some), [0]) == nil) == ![0, 1].contains(missing), "\(missing)")
        }
        let low: Scan = ([1], 1, 8, 0, [])
        #expect(Self.left(Self.file(Self.scans.dropLast() + [low]), [0]) == nil)
        #expect(Self.left(Self.file(Self.scans.dropLast() + [([1], 1, 9, 0, [])]), [0]) != nil)
    }

    // MARK: Pictures

    private static func progressive(_ width: Int, _ height: Int, isWhole: Bool) throws -> [UInt8] {
        try VipsOperation("jpegsave_buffer").set("in", PlanarTests.waves(width, height)).set("Q", 95).set("subsample-mode", isWhole ? 2 : 1)
            .set("interlace", true).bytes().copied()
    }

    private static func made(_ source: [UInt8], width: Int, failOn: DecodeOptions.FailOn) throws -> [UInt8] {
        var rendition = try PlanarTests.rendition(#"{"op":"resize","width":\#(width)}"#)
        rendition.decode.failOn = failOn
        let graphs = PlanarGraphs()
        let result = try TestPictures.made(source, rendition, graphs: graphs)
        #expect(graphs.built > 0)
        return result
    }

    @Test(arguments: [false, true]) func `The picture is the same, byte for byte`(isWhole: Bool) throws {
        let source = try Self.progressive(835, 613, isWhole: isWhole)
        let averaged: Set<Int> = isWhole ? [0, 1, 2] : [0]
        let left = try #require(Self.left(source, averaged))
        #expect(left.count < source.count * 3 / 4)
        for width in [100, 81, 40] {
            // A request that refuses damage reads all scans.
            #expect(try Self.made(source, width: width, failOn: .truncated) == Self.made(source, width: width, failOn: .warning), "\(width)")
        }
    }

    @Test func `Damage in detail is found only if the detail is read`() throws {
        var source = try Self.progressive(835, 613, isWhole: true)
        let parts = try #require(source.withUnsafeBytes { JPEGDetail.parts($0, averaged: [0, 1, 2]) })
        // A length of the first scan's header that is left out.
        let scan = parts[0].upperBound
        for at in scan + 12..<scan + 40 where source[at] != 0xff && source[at - 1] != 0xff { source[at] ^= 0x55 }
        let sound = try Self.made(Self.progressive(835, 613, isWhole: true), width: 100, failOn: .truncated)
        #expect(try Self.made(source, width: 100, failOn: .truncated) == sound)
        #expect(throws: (any Error).self) { try Self.made(source, width: 100, failOn: .warning) }
        #expect(try Self.made(source, width: 400, failOn: .truncated) != Self.made(Self.progressive(835, 613, isWhole: true), width: 400, failOn: .truncated))
    }
}
