@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// AVIFs by the planar path, beside libvips.
@Suite(
    .tags(.optimized), .timeLimit(.minutes(5)),
    .enabled(if: TestPictures.hasCodedColors, "the installed libheif writes no color numbers, which these tests change"))
struct AVIFPlanarTests {
    /// Returns an AVIF by libheif, whose boxes these tests change.
    static func avif(_ image: VipsImage, isWhole: Bool = false) throws -> [UInt8] {
        try VipsOperation("heifsave_buffer").set("in", image).set("compression", 4).set("Q", 90).set("effort", 0).set("bitdepth", 8)
            .set("subsample-mode", isWhole ? 2 : 1).bytes().copied()
    }

    /// Changes the `colr` box: another matrix, or another range.
    private static func colors(_ source: [UInt8], matrix: UInt8? = nil, isFullRange: Bool = true) throws -> [UInt8] {
        var changed = source
        let at = try #require(source.indices.first { source[$0...].starts(with: Array("colrnclx".utf8)) }) + 8
        if let matrix { changed[at + 5] = matrix }
        changed[at + 6] = isFullRange ? 0x80 : 0
        return changed
    }

    /// Removes the `colr` box, so that the coded picture's own header counts. The file was written with a header that only states the matrix.
    static func streamed(_ source: [UInt8], primaries: Int = 2, transfer: Int = 2, matrix: Int = 6, isFullRange: Bool = true) throws -> [UInt8] {
        var changed = source
        let owned = try #require(source.firstRange(of: Array("ipma".utf8))).upperBound + 11
        try #require(source[owned..<owned + 4].elementsEqual([0x81, 0x82, 3, 0x84]))
        // The third property, the size, is listed once more in place of the first.
        changed[owned] = 3
        func bit(_ index: Int) -> Int { Int(changed[index / 8] >> (7 - UInt8(index % 8)) & 1) }
        func number(_ index: Int) -> Int { (0..<24).reduce(0) { $0 << 1 | bit(index + $1) } }
        let start = try #require(source.firstRange(of: Array("mdat".utf8))).upperBound * 8
        let at = try #require((start..<start + 400).first { number($0) == 0x020206 })
        let said = primaries << 17 | transfer << 9 | matrix << 1 | (isFullRange ? 1 : 0)
        for index in 0..<25 {
            let place = UInt8(0x80) >> UInt8((at + index) % 8)
            if said >> (24 - index) & 1 == 1 { changed[(at + index) / 8] |= place } else { changed[(at + index) / 8] &= ~place }
        }
        return changed
    }

    private static func coding(_ source: [UInt8]) -> PlaneSampling? {
        source.withUnsafeBytes { AVIFCoding(ByteReader(bytes: $0))?.sampling }
    }

    private static func sources() throws -> [(name: String, bytes: [UInt8])] { try drawn.get() }

    /// Drawn and encoded once for all tests.
    private static let drawn = Result { try draw() }

    private static func draw() throws -> [(name: String, bytes: [UInt8])] {
        let odd = try PlanarTests.waves(333, 251)
        // Colors outside of the smaller range would be cut off on both paths, but not alike.
        let soft = try VipsOperation("linear").set("in", odd).set("a", [0.5]).set("b", [64]).set("uchar", true).image()
        return try [
            ("2x2 odd", avif(odd)), ("2x2 even", avif(PlanarTests.waves(256, 192))), ("1x1", avif(odd, isWhole: true)),
            ("of the stream", streamed(avif(odd))), ("1x1 of the stream", streamed(avif(odd, isWhole: true), matrix: 5)),
            ("16…235 of the stream", streamed(avif(soft), isFullRange: false)),
            ("16…235", colors(avif(soft), isFullRange: false)), ("1x1, 16…235", colors(avif(soft, isWhole: true), isFullRange: false)),
        ]
    }

    @Test(arguments: PlanarTests.transforms, [ImageFormat.jpeg, .webp]) func `Both paths make the same picture`(_ transform: String, format: ImageFormat) throws
    {
        for source in try Self.sources() {
            let (planes, libvips) = try PlanarTests.both(source.bytes, PlanarTests.rendition(transform, format))
            #expect(PictureSize(planes.width, planes.height) == PictureSize(libvips.width, libvips.height), "\(source.name)")
            let likeness = try Likeness(planes, libvips)
            #expect(likeness.psnr > 32 && likeness.ssim > 0.955, "\(source.name): \(likeness)")
        }
    }

    @Test func `The colors of a file are read`() throws {
        let image = try PlanarTests.waves(64, 47)
        let halves = try #require(Self.coding(Self.avif(image)))
        #expect(halves.size == PictureSize(64, 47))
        #expect(halves.components == [.init(2, 2), .init(1, 1), .init(1, 1)])
        #expect(halves.isFullRange && halves.shrinks.isEmpty)
        #expect(try Self.coding(Self.avif(image, isWhole: true))?.components == Array(repeating: .init(1, 1), count: 3))
        #expect(try Self.coding(Self.colors(Self.avif(image), isFullRange: false))?.isFullRange == false)
        #expect(try Self.coding(Self.colors(Self.avif(image), matrix: 5)) != nil)
    }

    @Test func `Without a color box, the coded picture's colors are read, and the planes are used`() throws {
        let source = try Self.avif(PlanarTests.waves(64, 47))
        #expect(try Self.coding(Self.streamed(source)) == Self.coding(source) && Self.coding(source) != nil)
        #expect(try Self.coding(Self.streamed(source, matrix: 5, isFullRange: false))?.isFullRange == false)
        for (primaries, transfer, matrix) in [(2, 2, 1), (2, 2, 2), (2, 2, 9), (9, 14, 6), (12, 13, 6), (1, 8, 6), (1, 13, 0), (77, 2, 6)] {
            #expect(
                try Self.coding(Self.streamed(source, primaries: primaries, transfer: transfer, matrix: matrix)) == nil, "\(primaries) \(transfer) \(matrix)")
        }
        #expect(try Self.coding(Self.streamed(source, primaries: 1, transfer: 13)) != nil)
        // A box takes precedence.
        var both = try Self.streamed(source, matrix: 1)
        both[try #require(both.firstRange(of: Array("ipma".utf8))).upperBound + 11] = 0x81
        #expect(Self.coding(both) == Self.coding(source))
        let graphs = PlanarGraphs()
        _ = try TestPictures.made(Self.streamed(source), PlanarTests.rendition(#"{"op":"resize","width":32}"#), graphs: graphs)
        #expect(graphs.built > 0)
    }

    /// We read the first header, but the decoder uses the last.
    @Test func `A stream whose headers differ is left to libvips`() throws {
        let plain = try Self.avif(PlanarTests.waves(64, 47))
        let source = try Self.streamed(plain)
        let end = try #require(source.firstRange(of: Array("mdat".utf8))).upperBound
        // Behind the mark: its two bytes, and a header of that many.
        let header = end + 2..<end + 4 + Int(source[end + 3])
        try #require(source[end] == 0x12 && source[end + 2] == 0x0a)
        func isTaken(_ first: [UInt8], _ last: [UInt8]) throws -> Bool {
            var file = last
            file.insert(contentsOf: first[header], at: header.lowerBound)
            // Behind the list's head and the place of the first picture. Only that matters here.
            let places = try #require(file.firstRange(of: Array("iloc".utf8))).upperBound
            let length = places + 22..<places + 26
            let said = file[length].reduce(0) { $0 << 8 | Int($1) }
            try #require((header.count...source.count - end).contains(said))
            for (index, at) in length.enumerated() { file[at] = UInt8(truncatingIfNeeded: (said + header.count) >> (24 - 8 * index)) }
            return file.withUnsafeBytes { raw in
                do throws(PlaneFailure) {
                    _ = try AV1Picture(raw)
                    return true
                } catch { return false }
            }
        }
        #expect(try isTaken(source, source))
        #expect(try !isTaken(source, Self.streamed(plain, matrix: 1)))
        #expect(try !isTaken(source, Self.streamed(plain, isFullRange: false)))
        #expect(try !isTaken(Self.streamed(plain, isFullRange: false), source))
    }

    @Test(.needsCorpus) func `A real file without a box is read by its own header, unless its profile is wide`() throws {
        let source = try TestPictures.bytes("formats/vips-avif-orientation-6.avif")
        #expect(try #require(Self.coding(source)).isFullRange)
        let graphs = PlanarGraphs()
        _ = try TestPictures.made(source, PlanarTests.rendition(#"{"op":"resize","width":60}"#), graphs: graphs)
        #expect(graphs.built == 0)
    }

    /// A picture of one plane: the transparency of a real file, in a file of its own.
    private static func gray(isFullRange: Bool) throws -> [UInt8] {
        let both = try TestPictures.bytes("formats/imgproxy-avif-avif.avif")
        func number(_ at: Int) -> Int { both[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        // The first of its two pictures lies there, and has one plane according to its `av1C`.
        let place = try #require(both.firstRange(of: Array("iloc".utf8))).upperBound + 8
        let coded = both[(number(place + 4) + number(place + 10))..<(number(place + 4) + number(place + 10) + number(place + 14))]
        let config = try #require(both.indices.first { both[$0...].starts(with: Array("av1C".utf8)) && both[$0 + 6] & 0x10 != 0 })
        func big(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (length - 1 - $0)) & 0xff) } }
        func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
            big(8 + content.reduce(0) { $0 + $1.count }, 4) + Array(name.utf8) + content.flatMap { $0 }
        }
        let none = big(0, 4)
        let properties = [
            box("ispe", none, big(400, 4), big(300, 4)), box("pixi", none, [1, 8]),
            Array(both[(config - 4)..<(config - 4 + number(config - 4))]),
            box("colr", Array("nclx".utf8), big(1, 2), big(13, 2), big(6, 2), [isFullRange ? 0x80 : 0]),
        ]
        func front(_ at: Int) -> [UInt8] {
            let item = box("iinf", none, big(1, 2), box("infe", big(2 << 24, 4), big(1, 2), big(0, 2), Array("av01".utf8), [0]))
            let owned = box("ipma", none, big(1, 4), big(1, 2), [4, 1, 2, 0x83, 4])
            return box("ftyp", Array("avif".utf8), none, Array("avifmif1miaf".utf8))
                + box(
                    "meta", none, box("hdlr", none, none, Array("pict".utf8), [UInt8](repeating: 0, count: 13)), box("pitm", none, big(1, 2)),
                    box("iloc", none, [0x44, 0], big(1, 2), big(1, 2), big(0, 2), big(1, 2), big(at, 4), big(coded.count, 4)), item,
                    box("iprp", box("ipco", properties.flatMap { $0 }), owned))
        }
        return front(front(0).count + 8) + box("mdat", Array(coded))
    }

    /// Brightness is even, and color rises by the same amount from pixel to pixel. Repeated samples would make steps of twice the amount.
    @Test(arguments: [false, true], [129, 128]) func `Halved colors are smoothed between their samples`(isUpright: Bool, side: Int) throws {
        try VipsRuntime.start()
        let numbers = (0..<side).flatMap { y -> [UInt8] in
            (0..<side).flatMap { x -> [UInt8] in
                let redness = Double(isUpright ? y : x) - 64
                return [redness * 1.402, redness * -0.714136, 0].map { UInt8((128 + $0).rounded()) }
            }
        }
        let ramp = try VipsOperation("copy").set("in", VipsImage.of(numbers, width: side, height: side, bands: 3))
            .set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
        let source = try VipsOperation("heifsave_buffer").set("in", ramp).set("compression", 4).set("Q", 100).set("effort", 2).set("bitdepth", 8)
            .set("subsample-mode", 1).bytes().copied()
        try #require(Self.coding(source)?.components[0].horizontal == 2)
        let made = try TestPictures.decoded(TestPictures.made(source, PlanarTests.rendition("", .png)))
        var (steps, count) = (0.0, 0.0)
        for across in [9, 60, 101] {
            let reds = try (20..<side - 20).map { try made.pixel(isUpright ? across : $0, isUpright ? $0 : across)[0] }
            steps += zip(reds, reds.dropFirst()).reduce(0) { $0 + abs($1.1 - $1.0 - 1.402) }
            count += Double(reds.count - 1)
            for (at, red) in reds.enumerated() { #expect(abs(red - (128 + (Double(20 + at) - 64) * 1.402)) < 4) }
        }
        #expect(steps / count < 0.8, "\(steps / count)")
    }

    /// The pixels as planes give them, and as the specification says: 16 is black and 235 white.
    @Test(.needsCorpus, arguments: ["", #"{"op":"resize","width":160}"#]) func `A gray picture of limited range has correct whites and blacks in pixels too`(
        transform: String
    ) throws {
        let small = try Self.gray(isFullRange: false)
        try #require(Self.coding(small)?.isFullRange == false && Self.coding(small)?.components.count == 1)
        let graphs = PlanarGraphs()
        let (pixels, planes, said) = try (
            TestPictures.decoded(TestPictures.made(small, PlanarTests.rendition(transform, .png))),
            TestPictures.decoded(TestPictures.made(small, PlanarTests.rendition(transform, .jpeg), graphs: graphs)),
            TestPictures.decoded(TestPictures.made(Self.gray(isFullRange: true), PlanarTests.rendition(transform, .png)))
        )
        #expect(graphs.built > 0)
        var (wrong, count) = (0.0, 0.0)
        var values: Set<Double> = []
        for y in stride(from: 3, to: pixels.height, by: 7) {
            for x in stride(from: 3, to: pixels.width, by: 7) {
                let seen = try pixels.pixel(x, y)[0]
                wrong += try abs(seen - planes.pixel(x, y)[0])
                count += 1
                values.insert(seen)
                if transform.isEmpty { #expect(try abs(seen - min(max((said.pixel(x, y)[0] - 16) * 255 / 219, 0), 255)) < 1) }
            }
        }
        #expect(wrong / count < 3 && values.count > 1, "\(wrong / count) \(values)")
    }

    @Test(.needsCorpus, arguments: [#""failOn":"none""#, #""failOn":"error""#, #""failOn":"warning""#, #""page":0"#, #""speed":"best""#])
    func `A gray picture is the same whatever damage is allowed`(decode: String) throws {
        let small = try Self.gray(isFullRange: false)
        let text = #"{"decode":{\#(decode)},"transform":[{"op":"resize","width":160}],"output":{"format":"png"}}"#
        let rendition = try Rendition(canonical: JSON(parsing: text))
        let wanted = try TestPictures.made(small, PlanarTests.rendition(#"{"op":"resize","width":160}"#, .png))
        #expect(try TestPictures.made(small, rendition) == wanted)
        // Also from pixels that another result has left.
        try small.withUnsafeBytes { raw in
            var pixels: VipsImage?
            for (index, rendition) in [try PlanarTests.rendition("", .png), rendition].enumerated() {
                let run = try PictureRun(raw, format: .avif, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
                run.adoptDecoded(pixels, isMoreToCome: index == 0)
                let made = try run.render(rendition).bytes.copied()
                #expect(index == 0 || made == wanted)
                #expect(index == 0 || run.whole === pixels)
                pixels = run.whole
            }
        }
    }

    /// As the description of `autorotate` says.
    @Test func `An AVIF is turned by its decoder, which cannot be switched off`() throws {
        var turned = try Self.avif(PlanarTests.waves(64, 47))
        let at = try #require(turned.indices.first { turned[$0...].starts(with: Array("pixi".utf8)) })
        turned.replaceSubrange(at..<at + 4, with: Array("irot".utf8))
        turned[at + 4] = 1
        let (on, off) = try (
            TestPictures.made(turned, PlanarTests.rendition("")), TestPictures.made(turned, PlanarTests.rendition(#"{"op":"autorotate","enabled":false}"#))
        )
        let size = try TestPictures.decoded(on)
        #expect(on == off && size.width == 47 && size.height == 64)
    }

    @Test func `Several results of one source share planes that are decoded once`() throws {
        let source = try Self.avif(PlanarTests.waves(333, 251))
        try source.withUnsafeBytes { raw in
            var decoded: AV1Picture?
            for (index, width) in [60, 90, 120].enumerated() {
                let clock = PictureClock(deadline: .now + .seconds(60))
                let run = try PictureRun(raw, format: .avif, limits: ImageLimits(), clock: clock, graphs: PlanarGraphs())
                run.adoptDecoded(nil, decoded, isMoreToCome: index < 2)
                let made = try run.render(PlanarTests.rendition(#"{"op":"resize","width":\#(width)}"#))
                #expect(made.size.width == width)
                #expect(decoded == nil || run.planes === decoded)
                decoded = run.planes
                #expect(decoded != nil)
                let alone = try TestPictures.made(source, PlanarTests.rendition(#"{"op":"resize","width":\#(width)}"#), graphs: PlanarGraphs())
                #expect(made.bytes.copied() == alone)
            }
        }
    }

    @Test func `Damage has the same outcome on both paths`() throws { try Self.damage(Self.sources().map(\.bytes)) }

    @Test(.needsCorpus) func `Damage of real files has the same outcome on both paths`() throws {
        let files = (TestPictures.files("hostile") + TestPictures.files("formats")).filter { $0.hasSuffix(".avif") }
        #expect(!files.isEmpty)
        try Self.damage(files.map { try TestPictures.bytes($0) })
    }

    private static func damage(_ sources: [[UInt8]]) throws {
        let rendition = try PlanarTests.rendition(#"{"op":"resize","width":60}"#)
        for source in sources {
            var damaged = source
            for index in stride(from: damaged.count / 2, to: damaged.count / 2 + 40, by: 3) { damaged[index] ^= 0x5a }
            for bytes in [source, damaged, Array(source.prefix(source.count * 3 / 5)), Array(source.dropLast(2)), Array(source.prefix(300))] {
                #expect(try PlanarTests.end(bytes, rendition, PlanarGraphs()) == PlanarTests.end(bytes, rendition, nil))
            }
        }
    }

    @Test func `No changed byte of the boxes breaks their reader`() throws {
        let source = try Self.avif(PlanarTests.waves(32, 24))
        let end = try #require(source.indices.first { source[$0...].starts(with: Array("mdat".utf8)) })
        for index in 0..<end {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var changed = source
                changed[index] = value
                if let sampling = Self.coding(changed) { #expect(sampling.components.count == 1 || sampling.components.count == 3) }
            }
        }
    }
}
