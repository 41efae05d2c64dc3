@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// RAW files are opened by their largest JPEG.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct RAWTests {
    private static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] { try TestPictures.encoded(TestPictures.quarters(width, height), .jpeg) }

    private static func files(orientation: Int = 6) throws -> [(name: String, bytes: [UInt8])] {
        try TestRAWs.files(jpeg(16, 12), jpeg(120, 80), orientation: orientation)
    }

    private static func header(_ bytes: [UInt8], _ format: ImageFormat = .tiff) -> ImageHeader? { bytes.withUnsafeBytes { ImageHeader.read($0, as: format) } }

    @Test func `The largest JPEG represents each kind of RAW file, with the orientation of the file`() throws {
        for (name, bytes) in try Self.files() {
            #expect(try HeaderGuard().check(bytes) == .raw, "\(name)")
            guard case .image(let first)? = ImageSniff.of(bytes) else { throw TestFailure(name) }
            let header = try #require(Self.header(bytes, first), "\(name)")
            #expect(header.format == .raw && (header.width, header.height) == (120, 80) && header.orientation == 6 && header.foreignKind == nil, "\(name)")
            for graphs in [nil, PlanarGraphs()] {
                let made = try TestPictures.made(
                    bytes, PictureTests.rendition(#"{"op":"resize","width":40}"#, #"{"format":"jpeg","quality":95}"#), graphs: graphs)
                let image = try TestPictures.decoded(made)
                #expect((image.width, image.height) == (40, 60), "\(name)")
                // Turned clockwise: the lower left corner becomes the upper left one.
                #expect(try near(image.pixel(5, 5), [0, 0, 255]) && near(image.pixel(35, 5), [255, 0, 0]), "\(name)")
            }
        }
    }

    @Test func `The result is a JPEG by default, and carries the camera's metadata on request`() throws {
        for (name, bytes) in try Self.files() where !["RW2", "ORF"].contains(name) {
            let plain = try TestPictures.made(bytes, PictureTests.rendition("", "{}"))
            #expect(ImageSniff.of(plain) == .image(.jpeg) && plain.firstRange(of: Array("Maker".utf8)) == nil, "\(name)")
            let full = try TestPictures.made(bytes, PictureTests.rendition("", #"{"metadata":"all"}"#))
            #expect(full.firstRange(of: Array("Maker".utf8)) != nil, "\(name)")
            let told = try bytes.withUnsafeBytes { raw in
                let run = try PictureRun(raw, format: .raw, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(20)))
                #expect(run.container == .raw && run.facts.format == .jpeg && run.facts.orientation == 6)
                return try run.describe(Rendition(canonical: ["describe": ["exif"]]))
            }
            #expect(told["exif"]?["make"] == "Maker", "\(name)")
        }
    }

    @Test func `An ordinary TIFF is no RAW, and a RAW without a JPEG is refused by its name`() throws {
        let tiff = try TestPictures.encoded(TestPictures.quarters(40, 20), .tiff)
        #expect(try HeaderGuard().check(tiff) == .tiff && Self.header(tiff)?.format == .tiff)
        // The same tags without sensor data.
        var plain = TestRAWs()
        let shown = plain.directory([.short(259, 1), .short(262, 2), .long(256, 5), .long(257, 5)])
        let file = plain.file([.text(271, "Scanner"), .long(330, shown), .long(256, 9), .long(257, 7), .short(262, 2)])
        #expect(try HeaderGuard().check(file) == .tiff && Self.header(file)?.width == 9)
        var bare = TestRAWs()
        let sensor = bare.directory([.short(262, 32803)])
        let error = #expect(throws: PictureFailure.self) { try HeaderGuard().check(bare.file([.text(271, "Maker"), .long(330, sensor)])) }
        #expect(error?.reason == .unsupportedFormat && error?.message.contains("raw cannot be opened here") == true, "\(error?.message ?? "")")
        var closed = HeaderGuard()
        closed.enabled = [.tiff, .jpeg]
        for (name, bytes) in try Self.files() { #expect(throws: PictureFailure.self, "\(name)") { try closed.check(bytes) } }
    }

    @Test func `The embedded JPEG has to keep to the limits`() throws {
        let limits = ImageLimits(bytes: 1 << 20, pixels: 1_000_000, side: 100, frames: 1)
        for (name, bytes) in try Self.files() {
            let error = #expect(throws: PictureFailure.self, "\(name)") { try HeaderGuard(limits: limits).check(bytes) }
            #expect(error?.reason == .limitExceeded(which: "maxSide", value: 120, limit: 100), "\(name)")
        }
    }

    @Test func `Offsets beyond the file, cycles and long lists do no harm`() throws {
        for (name, bytes) in try Self.files() {
            for length in stride(from: 0, to: bytes.count, by: 7) { _ = Self.header(Array(bytes.prefix(length))) }
            for at in bytes.indices.suffix(400) {
                var broken = bytes
                for value in [0, 0x7f, 0xff] as [UInt8] {
                    broken[at] = value
                    _ = Self.header(broken)
                }
            }
            #expect(Self.header(bytes) != nil || ["RW2", "ORF"].contains(name))
        }
        var circle = TestRAWs()
        let first = circle.bytes.count
        let file = circle.file(
            [.text(271, "M"), .long(330, first, first, 0xffff_ffff, 0x7fff_ffff), .long(0x201, 0xffff_fff0), .long(0x202, 0xffff_ffff)], next: first)
        #expect(Self.header(file)?.format != .raw)
        // Only some of a thousand directories are read.
        var many = TestRAWs()
        let picture = many.add(try Self.jpeg(16, 12))
        let all = (0..<1000).map { _ in many.directory([.long(0x201, picture), .long(0x202, 1 << 30), .short(262, 6)]) }
        let list = many.add(all.flatMap { many.word($0, 4) })
        let long = many.file([.long(50706, 1), TestRAWs.Tag(number: 330, type: 4, count: 1000, values: [], raw: Array(many.bytes[list..<list + 4000]))])
        #expect(Self.header(long)?.width == 16)
    }
}
