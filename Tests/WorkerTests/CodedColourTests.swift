import Shared
import Testing

@testable import Worker

/// Colours of AVIFs that have no profile, and say in numbers what theirs stand for.
@Suite(.timeLimit(.minutes(1)), .enabled(if: TestPictures.hasCodedColours, "the installed libheif writes no numbers of colours, which these change"))
struct CodedColourTests {
    private static let colour = [200.0, 100, 50]

    /// A flat picture whose numbers are said to be those of other primaries and another curve.
    private static func avif(_ primaries: UInt8, _ transfer: UInt8) throws -> [UInt8] {
        try VipsRuntime.start()
        var bytes = try TestPictures.encoded(VipsRuntime.solid(width: 64, height: 48, colour), .avif)
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("colrnclx".utf8)) }) + 8
        (bytes[at + 1], bytes[at + 3]) = (primaries, transfer)
        return bytes
    }

    /// The same where only the coded picture says so.
    private static func stream(_ primaries: Int, _ transfer: Int) throws -> [UInt8] {
        try VipsRuntime.start()
        let bytes = try TestPictures.encoded(VipsRuntime.solid(width: 64, height: 48, colour), .avif)
        return try AVIFPlanarTests.streamed(bytes, primaries: primaries, transfer: transfer)
    }

    private static func seen(_ bytes: [UInt8], _ output: String, _ graphs: PlanarGraphs?) throws -> [Double] {
        let rendition = try PictureTests.rendition(#"{"op":"resize","width":32}"#, output)
        return try TestPictures.decoded(TestPictures.made(bytes, rendition, graphs: graphs)).pixel(16, 12)
    }

    @Test(arguments: [#"{"format":"jpeg","quality":95}"#, #"{"format":"webp","quality":95}"#, #"{"format":"png"}"#])
    func `Wide colours come out as they are meant, by both ways`(output: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", VipsRuntime.solid(width: 1, height: 1, Self.colour)).set("input-profile", "p3")
            .set("output-profile", "srgb").set("intent", 1).image().pixel(0, 0)
        #expect(!near(wide, Self.colour))
        for graphs in [nil, PlanarGraphs()] {
            #expect(try near(Self.seen(Self.avif(12, 13), output, graphs), wide, within: 5))
            #expect(try near(Self.seen(Self.stream(12, 13), output, graphs), wide, within: 5))
            #expect(try near(Self.seen(Self.stream(1, 13), output, graphs), Self.colour, within: 5))
            // sRGB's own, and those of which nothing is said.
            for (primaries, transfer) in [(1, 13), (2, 2), (1, 1), (1, 6)] as [(UInt8, UInt8)] {
                #expect(try near(Self.seen(Self.avif(primaries, transfer), output, graphs), Self.colour, within: 5), "\(primaries), \(transfer)")
            }
        }
    }

    @Test func `Planes are taken as they are only where their colours are those of sRGB`() throws {
        func isTaken(_ primaries: UInt8, _ transfer: UInt8) throws -> Bool {
            try Self.avif(primaries, transfer).withUnsafeBytes { AVIFCoding(ByteReader(bytes: $0)) } != nil
        }
        #expect(try isTaken(1, 13) && isTaken(2, 2) && isTaken(1, 1) && isTaken(1, 6))
        #expect(try !isTaken(12, 13) && !isTaken(9, 16) && !isTaken(1, 16) && !isTaken(9, 1) && !isTaken(1, 8))
    }

    @Test func `A wide picture may keep its colours, and says which they are`() throws {
        let rendition = try PictureTests.rendition("", #"{"format":"png","icc":"keep"}"#)
        let image = try TestPictures.decoded(TestPictures.made(Self.avif(12, 13), rendition))
        #expect(try near(image.pixel(5, 5), Self.colour, within: 5))
        #expect(image.bytes("icc-profile-data").map { !ICCProfile($0).isSRGB } == true)
    }

    @Test(arguments: [(16, "PQ"), (18, "HLG")]) func `What is brighter than white is refused by its name`(transfer: Int, name: String)
        throws
    {
        for bytes in [try Self.avif(9, UInt8(transfer)), try Self.stream(9, transfer)] {
            let error = #expect(throws: PictureFailure.self) { try ImageGuard().check(bytes) }
            #expect(error?.reason == .unsupportedFormat && error?.phase == .decode && error?.message.contains(name) == true)
        }
    }
}
