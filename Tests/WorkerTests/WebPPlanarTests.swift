@testable import ImageHeads
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// WebPs by the planar path, beside libvips.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)))
struct WebPPlanarTests {
    private static func webp(_ image: VipsImage, quality: Int = 95) throws -> [UInt8] {
        try VipsOperation("webpsave_buffer").set("in", image).set("Q", quality).set("effort", 0).set("strip", true).bytes().copied()
    }

    private static func little(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + [UInt8](repeating: 0, count: content.count & 1)
    }

    private static func file(_ chunks: [UInt8]...) -> [UInt8] {
        Array("RIFF".utf8) + little(4 + chunks.joined().count, 4) + Array("WEBP".utf8) + chunks.joined()
    }

    /// The content of the one chunk `VP8 ` in a file that libvips has written.
    private static func coded(_ source: [UInt8]) throws -> [UInt8] {
        let at = try #require(source.firstRange(of: Array("VP8 ".utf8))).upperBound
        return Array(source[(at + 4)..<(at + 4 + source[at..<at + 4].reversed().reduce(0) { $0 << 8 | Int($1) })])
    }

    /// The extended header.
    private static func header(_ flags: UInt8, _ size: PictureSize) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + little(size.width - 1, 3) + little(size.height - 1, 3))
    }

    private static func turned(_ image: VipsImage, _ orientation: UInt8) throws -> [UInt8] {
        try file(
            header(8, PictureSize(image.width, image.height)), chunk("VP8 ", coded(webp(image))),
            chunk("EXIF", GuardTests.exif(orientation, little: true)))
    }

    private static func sampling(_ source: [UInt8]) -> PlaneSampling? { source.withUnsafeBytes { WebPPlanes.sampling(of: $0) } }

    private static func sources() throws -> [(name: String, bytes: [UInt8])] { try drawn.get() }

    /// Drawn and encoded once for all tests.
    private static let drawn = Result { try draw() }

    private static func draw() throws -> [(name: String, bytes: [UInt8])] {
        let odd = try PlanarTests.waves(333, 251)
        return try [
            ("odd", webp(odd)), ("even", webp(PlanarTests.waves(256, 192))), ("extended", turned(odd, 1)),
            ("gray", webp(PlanarTests.waves(333, 251, bands: 1))),
        ]
    }

    @Test(arguments: PlanarTests.transforms, [(ImageFormat.jpeg, "balanced"), (.jpeg, "best"), (.webp, "balanced"), (.webp, "fast")])
    func `Both paths make the same picture`(_ transform: String, wanted: (format: ImageFormat, speed: String)) throws {
        let (format, speed) = wanted
        for source in try Self.sources() {
            let (planes, libvips) = try PlanarTests.both(
                source.bytes, PlanarTests.rendition(transform, format, speed: speed), mayDecline: transform.contains(#""op":"crop""#))
            #expect(PictureSize(planes.width, planes.height) == PictureSize(libvips.width, libvips.height), "\(source.name)")
            #expect(planes.bands == libvips.bands)
            let likeness = try Likeness(planes, libvips)
            // Half a pixel off there are 28 dB and 0.95. Average pixels, which `fast` uses, are softer than those of a filter.
            #expect(likeness.psnr > (speed == "fast" ? 29 : 31) && likeness.ssim > 0.96, "\(source.name): \(likeness)")
        }
    }

    /// The pixels of both decoders. libvips' red, green and blue come from the same planes.
    @Test(arguments: [PictureSize(333, 251), PictureSize(64, 64), PictureSize(17, 1), PictureSize(1, 18)])
    func `The planes are those of the picture that libvips shows`(size: PictureSize) throws {
        let waves = try PlanarTests.waves(size.width, size.height)
        // Colors outside of the smaller range would be cut off.
        let soft = try VipsOperation("linear").set("in", waves).set("a", [0.5]).set("b", [64]).set("uchar", true).image()
        let source = try Self.webp(soft)
        let shown = try TestPictures.decoded(source)
        try source.withUnsafeBytes { raw in
            var facts = ImageProperties(format: .webp, size: size)
            facts.sampling = WebPPlanes.sampling(of: raw)
            let plan = try #require(try PlanarPlanTests.plan(facts, #"{"transform":[],"output":{"format":"webp"}}"#))
            let planes = try WebPPlanes.decode(raw, plan, watch: PlanarWatch { _ in true })
            #expect(planes.map(\.size) == [size] + Array(repeating: PictureSize((size.width + 1) / 2, (size.height + 1) / 2), count: 2))
            var (most, sum) = (0.0, 0.0)
            let samples = try shown.samples().map(Double.init)
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let place = 3 * (y * size.width + x)
                    // BT.601 with 16…235.
                    let wanted = 16 + (65.481 * samples[place] + 128.553 * samples[place + 1] + 24.966 * samples[place + 2]) / 255
                    let wrong = abs(wanted - Double(planes[0].samples[y * planes[0].stride + x]))
                    (most, sum) = (max(most, wrong), sum + wrong)
                }
            }
            let mean = sum / Double(size.width * size.height)
            #expect(most < 1.5 && mean < 0.5, "\(most), \(mean)")
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt8>) func `A photo in any orientation becomes upright`(orientation: UInt8) throws {
        for size in [PictureSize(333, 251), PictureSize(256, 191)] {
            let source = try Self.turned(PlanarTests.waves(size.width, size.height), orientation)
            for transform in ["", #"{"op":"resize","width":97}"#, #"{"op":"resize","width":64,"height":64,"fit":"cover","gravity":"topLeft"}"#] {
                let (planes, libvips) = try PlanarTests.both(source, PlanarTests.rendition(transform))
                #expect(PictureSize(planes.width, planes.height) == PictureSize(libvips.width, libvips.height))
                let likeness = try Likeness(planes, libvips)
                #expect(likeness.psnr > 31 && likeness.ssim > 0.97, "\(size) \(transform): \(likeness)")
                #expect(planes.orientation == 1 && !planes.has("exif-data"))
            }
        }
    }

    // MARK: Plans

    struct Case: Sendable, CustomTestStringConvertible {
        var transform: String
        var speed = "balanced"
        /// The size at which libwebp decodes; nil: left to libvips.
        var decoded: PictureSize?
        var testDescription: String { "\(transform) \(speed)" }
    }

    private static let whole = PictureSize(2725, 2225)
    static let cases: [Case] = [
        Case(transform: "", decoded: whole),
        Case(transform: #"{"op":"resize","width":545}"#, decoded: PictureSize(1090, 890)),
        Case(transform: #"{"op":"resize","width":545}"#, speed: "fast", decoded: PictureSize(545, 445)),
        Case(transform: #"{"op":"resize","width":545}"#, speed: "best", decoded: whole),
        // Hardly more than twice as large.
        Case(transform: #"{"op":"resize","width":1350}"#, decoded: whole),
        Case(transform: #"{"op":"resize","width":1350}"#, speed: "fast", decoded: PictureSize(1350, 1102)),
        Case(transform: #"{"op":"resize","width":109,"height":890,"fit":"fill"}"#, decoded: PictureSize(2180, 1780)),
        Case(transform: #"{"op":"crop","x":100,"y":50,"width":1090,"height":1000},{"op":"resize","width":109}"#, decoded: PictureSize(545, 445)),
        Case(transform: #"{"op":"resize","width":4000,"enlarge":true}"#, decoded: whole),
        Case(transform: #"{"op":"rotate","angle":90},{"op":"resize","width":445}"#, decoded: PictureSize(1090, 890)),
        Case(transform: #"{"op":"blur","sigma":3}"#, decoded: nil),
        Case(transform: #"{"op":"resize","width":720,"kernel":"nearest"}"#, decoded: nil),
    ]

    private static func facts(_ size: PictureSize) -> ImageProperties {
        var facts = ImageProperties(format: .webp, size: size)
        facts.sampling = PlaneSampling(
            size: size, components: [.init(2, 2), .init(1, 1), .init(1, 1)], shrinks: [], isFullRange: false, isScaledFreely: true)
        return facts
    }

    @Test(arguments: cases) func `libwebp decodes as far as something is left to resize`(_ one: Case) throws {
        let plan = try PlanarPlanTests.plan(
            Self.facts(Self.whole), #"{"transform":[\#(one.transform)],"output":{"format":"webp"},"decode":{"speed":"\#(one.speed)"}}"#)
        #expect(plan?.planes[0].whole == one.decoded)
        #expect(plan.map(\.isScaled) == one.decoded.map { $0 != Self.whole })
        if let plan, let decoded = one.decoded {
            #expect(plan.planes[1].whole == PictureSize((decoded.width + 1) / 2, (decoded.height + 1) / 2) && plan.planes[2] == plan.planes[1])
        }
    }

    @Test func `Color planes match brightness, although libwebp rounds their sides before and after`() throws {
        let plan = try #require(
            try PlanarPlanTests.plan(Self.facts(Self.whole), #"{"transform":[{"op":"resize","width":545}],"output":{"format":"webp"}}"#))
        #expect(abs(plan.planes[0].width - 1090) < 1e-9 && abs(plan.planes[0].height - 890) < 1e-9)
        // 545 pixels are 273 pairs. The 545 samples of color stand for 2726 pixels, of which the result has 546 / 545 × 2725.
        #expect(plan.planes[1].result == PictureSize(273, 223))
        #expect(abs(plan.planes[1].width - 546 * 5 * 545.0 / 2726) < 1e-9)
    }

    @Test func `Whole planes in memory count, even if a small part of them is used`() throws {
        let crop = #"{"transform":[{"op":"crop","x":10,"y":10,"width":100,"height":100}],"output":{"format":"webp"}}"#
        #expect(try PlanarPlanTests.plan(Self.facts(PictureSize(6000, 6000)), crop) != nil)
        #expect(try PlanarPlanTests.plan(Self.facts(PictureSize(7000, 7000)), crop) == nil)
        let resize = #"{"transform":[{"op":"resize","width":500}],"output":{"format":"webp"}}"#
        #expect(try PlanarPlanTests.plan(Self.facts(PictureSize(7000, 7000)), resize) != nil)
    }

    @Test func `Numbers change their range only if source and result differ`() {
        #expect(PlaneRange(from: false, to: false) == .same && PlaneRange(from: true, to: true) == .same)
        #expect(PlaneRange(from: false, to: true) == .widened && PlaneRange(from: true, to: false) == .narrowed)
    }

    // MARK: Files

    @Test func `Only one lossy picture without transparency is read by planes`() throws {
        let image = try PlanarTests.waves(64, 47)
        let size = PictureSize(64, 47)
        let coded = try Self.coded(Self.webp(image))
        let clear = try VipsOperation("bandjoin_const").set("in", image).set("c", [128]).image()
        let lossless = try VipsOperation("webpsave_buffer").set("in", image).set("lossless", true).bytes().copied()
        let moving = try TestPictures.animation(32, 32, [[255, 0, 0], [0, 255, 0]], delays: [100, 100], loop: 0, .webp)
        #expect(Self.sampling(Self.file(Self.chunk("VP8 ", coded)))?.size == size)
        #expect(Self.sampling(Self.file(Self.header(0, size), Self.chunk("what", [1, 2, 3]), Self.chunk("VP8 ", coded)))?.size == size)
        #expect(try Self.sampling(Self.turned(image, 6))?.size == size)
        #expect(Self.sampling(Self.file(Self.header(0x10, size), Self.chunk("VP8 ", coded))) == nil)
        #expect(Self.sampling(Self.file(Self.header(2, size), Self.chunk("VP8 ", coded))) == nil)
        #expect(Self.sampling(Self.file(Self.header(0, size), Self.chunk("ALPH", [0, 1]), Self.chunk("VP8 ", coded))) == nil)
        #expect(Self.sampling(Self.file(Self.header(0, size))) == nil)
        #expect(try Self.sampling(Self.webp(clear)) == nil)
        #expect(Self.sampling(lossless) == nil && Self.sampling(moving) == nil)
        #expect(Self.sampling([]) == nil && Self.sampling(Array("RIFF".utf8)) == nil)
    }

    @Test func `A profile other than sRGB is left to libvips`() throws {
        let image = try PlanarTests.waves(64, 48)
        let wide = try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied()
        let source = try Self.file(Self.header(0x20, PictureSize(64, 48)), Self.chunk("ICCP", wide), Self.chunk("VP8 ", Self.coded(Self.webp(image))))
        let graphs = PlanarGraphs()
        _ = try TestPictures.made(source, PlanarTests.rendition(#"{"op":"resize","width":20}"#), graphs: graphs)
        #expect(graphs.built == 0 && Self.sampling(source) != nil)
    }

    @Test(arguments: DecodeOptions.FailOn.allCases) func `Damage is refused or repaired alike on both paths`(failOn: DecodeOptions.FailOn) throws {
        for transform in [#"{"op":"resize","width":60}"#, #"{"op":"crop","width":40,"height":40}"#] {
            var rendition = try PlanarTests.rendition(transform)
            rendition.decode.failOn = failOn
            for source in try Self.sources() {
                let coded = try Self.coded(source.bytes)
                var files = [source.bytes, Array(source.bytes.prefix(source.bytes.count * 3 / 5)), Array(source.bytes.dropLast(2)), source.bytes + [1, 2, 3]]
                for start in [20, coded.count / 4, coded.count / 2, coded.count - 50] {
                    var damaged = coded
                    for index in stride(from: start, to: start + 40, by: 3) { damaged[index] ^= 0x5a }
                    files.append(Self.file(Self.chunk("VP8 ", damaged)))
                }
                // A whole file around a picture that is cut off, without and with bytes behind it.
                for share in [1, 3, 5, 9] {
                    let cut = Self.chunk("VP8 ", Array(coded.prefix(coded.count * share / 10)))
                    files.append(Self.file(cut))
                    files.append(Self.file(cut, Self.chunk("what", Array(coded.suffix(coded.count / 2)))))
                }
                for (number, bytes) in files.enumerated() {
                    #expect(
                        try PlanarTests.end(bytes, rendition, PlanarGraphs()) == PlanarTests.end(bytes, rendition, nil), "\(source.name) \(number) \(transform)"
                    )
                }
            }
        }
    }

    @Test(.needsCorpus) func `Real and hostile files have the same outcome on both paths`() throws {
        let rendition = try PlanarTests.rendition(#"{"op":"resize","width":60}"#)
        let files = ["hostile", "formats", "bench"].flatMap { TestPictures.files($0) }.filter { $0.hasSuffix(".webp") }
        #expect(files.count > 3)
        for file in files {
            let source = try TestPictures.bytes(file)
            #expect(try PlanarTests.end(source, rendition, PlanarGraphs()) == PlanarTests.end(source, rendition, nil), "\(file)")
        }
    }

    @Test func `No changed byte breaks the reader of chunks`() throws {
        let image = try PlanarTests.waves(32, 24)
        let source = try Self.turned(image, 3)
        for index in 0..<60 {
            for value in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
                var changed = source
                changed[index] = value
                if let found = changed.withUnsafeBytes({ WebPHeader.lossyPicture(ByteReader(bytes: $0)) }) { #expect(found.upperBound <= changed.count) }
                _ = Self.sampling(changed)
            }
        }
    }

    @Test func `The decoder stops when nobody waits any more`() throws {
        let source = try Self.webp(PlanarTests.waves(1500, 1000))
        source.withUnsafeBytes { raw in
            let clock = PictureClock(deadline: .now + .seconds(60), isCancelled: { true })
            let error = #expect(throws: PictureFailure.self) {
                let run = try PictureRun(raw, format: .webp, limits: ImageLimits(), clock: clock, graphs: PlanarGraphs())
                return try run.render(PlanarTests.rendition(#"{"op":"resize","width":500}"#))
            }
            #expect(error?.reason == .cancelled)
        }
    }

    /// libwebp sees the picture in slices.
    @Test func `The watch can stop the decoder in the midst of a picture`() throws {
        let source = try Self.webp(VipsOperation("gaussnoise").set("width", 1200).set("height", 1200).set("mean", 128.0).set("sigma", 60.0).image())
        try #require(source.count > 300_000)
        try source.withUnsafeBytes { raw in
            var facts = ImageProperties(format: .webp, size: PictureSize(1200, 1200))
            facts.sampling = WebPPlanes.sampling(of: raw)
            let plan = try #require(try PlanarPlanTests.plan(facts, #"{"transform":[],"output":{"format":"webp"}}"#))
            var seen: [Double] = []
            #expect(throws: PlaneFailure.stopped) {
                try WebPPlanes.decode(
                    raw, plan,
                    watch: PlanarWatch {
                        seen.append($0)
                        return seen.count < 3
                    })
            }
            #expect(seen.count == 3 && seen[0] == 0 && seen[1] < seen[2] && seen[2] < 1)
        }
    }
}
