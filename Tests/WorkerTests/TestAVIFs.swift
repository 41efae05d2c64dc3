@testable import ImageHeads
import TintypeCore
import TintypeImages

@testable import Engine

/// AVIFs that move, by libavif 0.11: three frames of 48 × 32 pixels that are shown for 100, 250 and 40 ms.
///
/// The left half is dark, white and dark, and the right half red, green and blue. They were made from Y4Ms and PNGs with
///
/// `avifenc --timescale 1000 -s 0 --min 10 --max 20 --duration 100 f0.y4m --duration 250 f1.y4m --duration 40 f2.y4m opaque.avif` and
/// `avifenc --timescale 1000 -s 0 -y 444 -d 10 -r limited --duration 100 a0.png --duration 250 a1.png --duration 40 a2.png clear.avif`.
enum TestAVIFs {
    /// The colors of the right half.
    static let colors: [[Double]] = [[220, 40, 30], [20, 200, 60], [30, 60, 230]]
    static let left: [Double] = [16, 255, 16]

    /// 4:2:0 of 8 bits and the full range.
    static let opaque = TestPictures.fixture("opaque.avif")

    /// 4:4:4 of 10 bits and the limited range. The upper half has an alpha of 64.
    static let clear = TestPictures.fixture("clear.avif")

    static func sequence(_ bytes: [UInt8]) -> AVIFSequence? { bytes.withUnsafeBytes { AVIFSequence(ByteReader(bytes: $0)) } }
    static func header(_ bytes: [UInt8]) -> ImageHeader? { bytes.withUnsafeBytes { ImageHeader.read($0, as: .avif) } }

    /// Returns the pictures of all frames.
    static func drawn(_ bytes: [UInt8], failOn: Int = 1) throws -> [VipsImage] {
        try VipsRuntime.start()
        return try bytes.withUnsafeBytes { raw in
            guard let sequence = AVIFSequence(ByteReader(bytes: raw)) else { return [] }
            let clock = PictureClock(deadline: .now + .seconds(60))
            let template = try AnimatedAVIF.template(sequence, PictureLoader(source: raw, format: .avif))
            let frames = try DrawnFrames(AnimatedAVIF(raw, sequence, template, failOn: failOn, clock: clock), failOn: failOn, clock: clock)
            return try (0..<sequence.count).map { try frames.frame($0, 0...1) }
        }
    }

    /// Returns a file with other bytes behind the first box of a kind.
    /// - Parameter at: the offset from the start of the box's content.
    static func changed(_ file: [UInt8], _ kind: String, at: Int, to bytes: [UInt8]) -> [UInt8] {
        guard let place = file.firstRange(of: Array(kind.utf8)) else { return [] }
        var file = file
        file.replaceSubrange(place.upperBound + at..<place.upperBound + at + bytes.count, with: bytes)
        return file
    }
}
