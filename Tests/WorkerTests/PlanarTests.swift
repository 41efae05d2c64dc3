import Glibc
import Synchronization
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// The planar path beside libvips: the same pictures on both.
@Suite(.tags(.optimized), .timeLimit(.minutes(5)))
struct PlanarTests {
    /// Returns waves of every direction and color, with an edge across them.
    static func waves(_ width: Int, _ height: Int, bands: Int = 3) throws -> VipsImage {
        try VipsRuntime.start()
        let samples = drawnWaves.withLock { known in
            let key = [width, height, bands]
            let samples = known[key] ?? wave(width, height, bands)
            known[key] = samples
            return samples
        }
        let image = try VipsImage.of(samples, width: width, height: height, bands: bands)
        let colors = bands == 1 ? VipsColors.gray : .sRGB
        return try VipsOperation("copy").set("in", image).set("interpretation", Int(colors.rawValue)).image()
    }

    /// Drawn once for all tests, by width, height and bands.
    private static let drawnWaves = Mutex<[[Int]: [UInt8]]>([:])

    private static func wave(_ width: Int, _ height: Int, _ bands: Int) -> [UInt8] {
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * bands)
        for y in 0..<height {
            for x in 0..<width {
                let (a, b, c) = (sin(Double(x) * 0.19 + Double(y) * 0.05), sin(Double(y) * 0.17 - Double(x) * 0.03), sin(Double(x + y) * 0.07))
                let edge = 2 * x > width + y ? 30.0 : 0
                let colors = [110 + 60 * a + 40 * c + edge, 110 + 50 * b + 50 * c + edge, 120 + 60 * a * b - 40 * c + edge]
                for color in colors.prefix(bands) { samples.append(UInt8(min(max(color, 0), 255))) }
            }
        }
        return samples
    }

    private static func jpeg(_ image: VipsImage, isWhole: Bool = false, isProgressive: Bool = false) throws -> [UInt8] {
        try VipsOperation("jpegsave_buffer").set("in", image).set("Q", 95).set("subsample-mode", isWhole ? 2 : 1).set("interlace", isProgressive)
            .bytes().copied()
    }

    /// As the description of `kernel` says.
    @Test(arguments: [false, true]) func `Enlarging is bicubic for every kernel except nearest and linear`(isPlanar: Bool) throws {
        let graphs = isPlanar ? PlanarGraphs() : nil
        let source = try Self.jpeg(Self.waves(64, 48))
        func made(_ kernel: String) throws -> [UInt8] {
            try TestPictures.made(source, Self.rendition(#"{"op":"resize","width":150,"enlarge":true,"kernel":"\#(kernel)"}"#), graphs: graphs)
        }
        let cubic = try made("cubic")
        for kernel in ["mitchell", "lanczos2", "lanczos3"] { #expect(try made(kernel) == cubic, "\(kernel)") }
        for kernel in ["nearest", "linear"] { #expect(try made(kernel) != cubic, "\(kernel)") }
    }

    private static func jfif(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.starts(with: [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1]) ? Array(bytes[13..<20]) : nil
    }

    /// The density in a file: unit, across, down.
    static let densities: [(said: [UInt8], kept: [UInt8])] = [
        ([1, 1, 44, 1, 44], [1, 1, 44, 1, 44]), ([2, 0, 118, 0, 59], [2, 0, 118, 0, 59]), ([1, 0, 72, 0, 72], [1, 0, 72, 0, 72]),
        ([0, 0, 1, 0, 1], [0, 0, 1, 0, 1]), ([0, 0, 3, 0, 2], [0, 0, 1, 0, 1]), ([1, 255, 255, 255, 255], [1, 255, 255, 255, 255]),
    ]

    @Test(arguments: densities, ["", #"{"op":"resize","width":40}"#, #"{"op":"flip","horizontal":true}"#])
    func `The pixel density of a JPEG is kept on both paths`(density: (said: [UInt8], kept: [UInt8]), transform: String) throws {
        var source = try Self.jpeg(Self.waves(64, 48))
        // In place of the EXIF that libvips has written.
        let exif = Int(source[4]) << 8 | Int(source[5])
        try #require(source[3] == 0xe1)
        source.replaceSubrange(2..<4 + exif, with: [0xff, 0xe0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1] + density.said + [0, 0])
        let rendition = try Self.rendition(transform)
        let graphs = PlanarGraphs()
        let wanted = density.kept + [0, 0]
        #expect(try Self.jfif(TestPictures.made(source, rendition, graphs: graphs)) == wanted && graphs.built > 0)
        #expect(try Self.jfif(TestPictures.made(source, rendition)) == wanted)
        // Steps that only libvips runs, one of them in memory.
        #expect(try Self.jfif(TestPictures.made(source, Self.rendition(#"{"op":"grayscale"},{"op":"rotate","angle":90}"#), graphs: graphs)) == wanted)
    }

    static func sources() throws -> [(name: String, bytes: [UInt8])] { try drawn.get() }

    /// Drawn and encoded once for all tests.
    private static let drawn = Result { try draw() }

    private static func draw() throws -> [(name: String, bytes: [UInt8])] {
        let (odd, even) = try (waves(333, 251), waves(256, 192))
        return try TestPictures.sampled + [
            ("2x2 odd", jpeg(odd)), ("2x2 even", jpeg(even)), ("1x1", jpeg(odd, isWhole: true)), ("2x2 progressive", jpeg(odd, isProgressive: true)),
            ("gray", jpeg(waves(333, 251, bands: 1))),
        ]
    }

    /// Returns a rendition by both paths. For it libvips decodes all pixels. If its decoder rounds a side up, its picture is off by half a pixel.
    /// - Parameter mayDecline: whether its windows are too narrow for planes of some samplings.
    static func both(
        _ source: [UInt8], _ rendition: Rendition, _ graphs: PlanarGraphs = PlanarGraphs(), mayDecline: Bool = false
    ) throws -> (planes: VipsImage, libvips: VipsImage) {
        let planes = try TestPictures.made(source, rendition, graphs: graphs)
        #expect(graphs.built > 0 || mayDecline, "not made by planes")
        var careful = rendition
        careful.decode.speed = .best
        return try (TestPictures.decoded(planes), TestPictures.decoded(TestPictures.made(source, careful)))
    }

    static func rendition(_ transform: String, _ format: ImageFormat = .jpeg, speed: String = "balanced", quality: Int = 95) throws -> Rendition {
        try Rendition(
            canonical: JSON(
                parsing: #"{"transform":[\#(transform)],"output":{"format":"\#(format.rawValue)","quality":\#(quality)},"decode":{"speed":"\#(speed)"}}"#))
    }

    /// The least similarity of the two paths. A picture that lies half a pixel off has 28 dB and 0.95 here. The least similar one, enlarged from
    /// a quarter of the colors, has 31.6 dB and 0.975; the numbers depend a little on the processor.
    private static let (minPSNR, minSSIM) = (31.0, 0.97)

    static let transforms = [
        "", #"{"op":"resize","width":60}"#, #"{"op":"resize","width":61,"height":33,"fit":"fill"}"#, #"{"op":"resize","width":90,"kernel":"mitchell"}"#,
        #"{"op":"resize","width":40,"height":40,"fit":"cover","gravity":"topLeft"}"#,
        #"{"op":"resize","width":75,"height":40,"fit":"cover","gravity":"bottomRight"}"#,
        #"{"op":"crop","x":7,"y":5,"width":50,"height":41}"#, #"{"op":"crop","x":8,"y":16,"width":101,"height":60},{"op":"resize","width":49}"#,
        #"{"op":"crop","x":13,"y":11,"width":97,"height":71},{"op":"resize","width":45}"#, #"{"op":"resize","width":401,"enlarge":true}"#,
        #"{"op":"rotate","angle":90}"#, #"{"op":"rotate","angle":180}"#, #"{"op":"rotate","angle":270},{"op":"resize","width":41}"#,
        #"{"op":"flip","horizontal":true}"#, #"{"op":"flip","vertical":true},{"op":"resize","width":71}"#,
        #"{"op":"rotate","angle":90},{"op":"flip","horizontal":true},{"op":"crop","x":3,"y":9,"width":55,"height":49}"#,
    ]

    @Test(arguments: transforms, [ImageFormat.jpeg, .webp]) func `Both paths make the same picture for every kind of sampling`(
        _ transform: String, format: ImageFormat
    )
        throws
    {
        for source in try Self.sources() {
            let (planes, libvips) = try Self.both(source.bytes, Self.rendition(transform, format), mayDecline: transform.contains(#""op":"crop""#))
            #expect(PictureSize(planes.width, planes.height) == PictureSize(libvips.width, libvips.height), "\(source.name)")
            #expect(planes.bands == libvips.bands)
            let likeness = try Likeness(planes, libvips)
            #expect(likeness.psnr > Self.minPSNR && likeness.ssim > Self.minSSIM, "\(source.name): \(likeness)")
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt8>) func `A photo in any orientation becomes upright`(orientation: UInt8) throws {
        let block = GuardTests.exif(orientation, little: false)
        for size in [PictureSize(333, 251), PictureSize(256, 191)] {
            var source = try Self.jpeg(Self.waves(size.width, size.height))
            source.insert(contentsOf: [0xff, 0xe1, 0, UInt8(block.count + 8)] + Array("Exif\0\0".utf8) + block, at: 2)
            for transform in ["", #"{"op":"resize","width":97}"#, #"{"op":"resize","width":64,"height":64,"fit":"cover","gravity":"topLeft"}"#] {
                let (planes, libvips) = try Self.both(source, Self.rendition(transform))
                #expect(PictureSize(planes.width, planes.height) == PictureSize(libvips.width, libvips.height))
                let likeness = try Likeness(planes, libvips)
                #expect(likeness.psnr > Self.minPSNR && likeness.ssim > Self.minSSIM, "\(size) \(transform): \(likeness)")
                // Nothing of the source's metadata is left.
                #expect(planes.orientation == 1 && !planes.has("exif-data"))
            }
        }
    }

    @Test(.needsCorpus) func `Neither path is farther from a careful resize of all pixels, for every photo`() throws {
        var (count, sums) = (0, [0.0, 0])
        for file in TestPictures.files("bench") + TestPictures.files("formats")
        where file.hasSuffix(".jpg") && !file.contains("testimgl") || file.hasSuffix(".avif") {
            let source = try TestPictures.bytes(file)
            let graphs = PlanarGraphs()
            for transform in [#"{"op":"resize","width":720,"height":588}"#, #"{"op":"resize","width":150,"height":150,"fit":"cover"}"#] {
                for format in [ImageFormat.jpeg, .webp] {
                    let rendition = try Self.rendition(transform, format, quality: 80)
                    let planes = try TestPictures.made(source, rendition, graphs: graphs)
                    guard graphs.built > 0 else { continue }
                    let careful = try Self.rendition(transform, .png, speed: "best")
                    let reference = try TestPictures.decoded(TestPictures.made(source, careful))
                    let ours = try Likeness(TestPictures.decoded(planes), reference)
                    let theirs = try Likeness(TestPictures.decoded(TestPictures.made(source, rendition)), reference)
                    print("planar \(file) \(format) \(transform): \(ours), libvips \(theirs)")
                    // The reference is libvips' own resize. If both decode all pixels, libvips' path differs from it only by the encoder.
                    #expect(ours.ssim > theirs.ssim - 0.002, "\(file)")
                    #expect(ours.psnr > theirs.psnr - 1.5, "\(file)")
                    count += 1
                    (sums[0], sums[1]) = (sums[0] + ours.ssim, sums[1] + theirs.ssim)
                }
            }
        }
        print("planar: \(count) results, mean SSIM \(sums[0] / Double(max(count, 1))), libvips \(sums[1] / Double(max(count, 1)))")
        #expect(sums[0] >= sums[1])
        #expect(count > 0, "no photo took the planar path")
    }

    @Test(arguments: [1, 2, 3, 4, 7, 8, 9, 15, 16, 17]) func `The smallest pictures are the same on both paths`(width: Int) throws {
        var count = 0
        for height in [1, 2, 3, 8, 9, 17] {
            for (bands, isWhole) in [(1, false), (3, false), (3, true)] {
                let source = try Self.jpeg(Self.waves(width, height, bands: bands), isWhole: isWhole)
                for transform in [
                    "", #"{"op":"resize","width":1}"#, #"{"op":"resize","width":\#(max(1, width / 2))}"#, #"{"op":"rotate","angle":90}"#,
                    #"{"op":"crop","width":1,"height":1}"#, #"{"op":"resize","width":9,"height":9,"fit":"fill","enlarge":true}"#,
                ] {
                    let graphs = PlanarGraphs()
                    let made = try TestPictures.made(source, Self.rendition(transform), graphs: graphs)
                    count += graphs.built > 0 ? 1 : 0
                    var careful = try Self.rendition(transform)
                    careful.decode.speed = .best
                    let (planes, libvips) = try (TestPictures.decoded(made), TestPictures.decoded(TestPictures.made(source, careful)))
                    #expect(PictureSize(planes.width, planes.height) == PictureSize(libvips.width, libvips.height) && planes.bands == libvips.bands)
                    // If a whole side is one pixel, the weight of the edges differs between the paths: 23.6 dB.
                    let psnr = try Likeness(planes, libvips).psnr
                    #expect(psnr > 22, "\(width)x\(height), \(bands) bands, \(isWhole), \(transform): \(psnr) dB")
                }
            }
        }
        #expect(count > 0)
    }

    // MARK: Refused inputs

    /// Returns the end of a source: the size of the result, or the error.
    static func end(_ source: [UInt8], _ rendition: Rendition, _ graphs: PlanarGraphs?) throws -> String {
        do {
            let image = try TestPictures.decoded(TestPictures.made(source, rendition, graphs: graphs))
            return "\(image.width)x\(image.height)"
        } catch let failure as PictureFailure { return "\(failure.reason) \(failure.phase)" }
    }

    @Test(arguments: DecodeOptions.FailOn.allCases) func `Damage is refused or repaired alike on both paths`(failOn: DecodeOptions.FailOn) throws {
        var rendition = try Self.rendition(#"{"op":"resize","width":60}"#)
        rendition.decode.failOn = failOn
        for source in try Self.sources() {
            var damaged = source.bytes
            for index in stride(from: damaged.count / 2, to: damaged.count / 2 + 40, by: 3) { damaged[index] ^= 0x5a }
            let cut = Array(source.bytes.prefix(source.bytes.count * 3 / 5))
            for bytes in [source.bytes, damaged, cut, Array(source.bytes.dropLast(2))] {
                #expect(try Self.end(bytes, rendition, PlanarGraphs()) == Self.end(bytes, rendition, nil), "\(source.name)")
            }
        }
    }

    @Test(.needsCorpus) func `Every hostile file has the same outcome on both paths`() throws {
        let rendition = try Self.rendition(#"{"op":"resize","width":60}"#)
        let files = TestPictures.files("hostile").filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".jpeg") }
        #expect(!files.isEmpty)
        for file in files {
            let source = try TestPictures.bytes(file)
            #expect(try Self.end(source, rendition, PlanarGraphs()) == Self.end(source, rendition, nil), "\(file)")
        }
    }

    @Test(.needsCorpus, arguments: ["sharp-Channel_digital_image_CMYK_color_no_profile.jpg", "vips-sample-xyb.jpg"])
    func `Colors other than YCbCr are left to libvips`(file: String) throws {
        let graphs = PlanarGraphs()
        _ = try TestPictures.made(TestPictures.bytes("formats/" + file), Self.rendition(#"{"op":"resize","width":60}"#), graphs: graphs)
        #expect(graphs.built == 0)
    }

    @Test func `A profile other than sRGB is left to libvips`() throws {
        let image = try VipsOperation("copy").set("in", Self.waves(64, 48)).image()
        let tagged = try VipsOperation("icc_transform").set("in", image).set("output-profile", "p3").set("input-profile", "srgb").image()
        let source = try VipsOperation("jpegsave_buffer").set("in", tagged).bytes().copied()
        let graphs = PlanarGraphs()
        _ = try TestPictures.made(source, Self.rendition(#"{"op":"resize","width":20}"#), graphs: graphs)
        #expect(graphs.built == 0)
    }

    @Test func `The decoder stops when nobody waits any more`() throws {
        let source = try Self.jpeg(VipsRuntime.solid(width: 6000, height: 6000, [90, 120, 150]))
        source.withUnsafeBytes { raw in
            let clock = PictureClock(deadline: .now + .seconds(60), isCancelled: { true })
            let error = #expect(throws: PictureFailure.self) {
                let run = try PictureRun(raw, format: .jpeg, limits: ImageLimits(), clock: clock, graphs: PlanarGraphs())
                return try run.render(Self.rendition(#"{"op":"resize","width":2500}"#))
            }
            #expect(error?.reason == .cancelled)
            #expect(error?.phase == .decode)
        }
    }

    // MARK: Metadata and output

    @Test func `A repeated size needs no new graph, and old graphs are removed`() throws {
        let graphs = PlanarGraphs()
        let source = try Self.jpeg(Self.waves(256, 192))
        for _ in 0..<3 { _ = try TestPictures.made(source, Self.rendition(#"{"op":"resize","width":60}"#), graphs: graphs) }
        // One for brightness, one for both of color.
        #expect(graphs.built == 2)
        for width in 61..<80 { _ = try TestPictures.made(source, Self.rendition(#"{"op":"resize","width":\#(width)}"#), graphs: graphs) }
        #expect(graphs.built == 40)
        _ = try TestPictures.made(source, Self.rendition(#"{"op":"resize","width":79}"#), graphs: graphs)
        #expect(graphs.built == 40)
        _ = try TestPictures.made(source, Self.rendition(#"{"op":"resize","width":60}"#), graphs: graphs)
        #expect(graphs.built == 42)
    }

    @Test func `Quality and progressive reach the encoder`() throws {
        let source = try Self.jpeg(Self.waves(333, 251))
        var sizes: [Int] = []
        for quality in [30, 60, 90] {
            var rendition = try Self.rendition(#"{"op":"resize","width":200}"#, quality: quality)
            let plain = try TestPictures.made(source, rendition, graphs: PlanarGraphs())
            let libvips = try TestPictures.made(source, rendition)
            // The same tables and the same search for short codes: similar sizes.
            #expect(abs(plain.count - libvips.count) < libvips.count / 10)
            sizes.append(plain.count)
            rendition.output.isProgressive = true
            let progressive = try TestPictures.made(source, rendition, graphs: PlanarGraphs())
            #expect(progressive.withUnsafeBytes { ImageHeader.read($0, as: .jpeg)?.progressive } == true)
            #expect(plain.withUnsafeBytes { ImageHeader.read($0, as: .jpeg)?.progressive } == false)
            #expect(try Likeness(TestPictures.decoded(plain), TestPictures.decoded(progressive)).psnr == 99)
        }
        #expect(sizes == sizes.sorted())
    }
}
