import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Pictures that tests make for themselves, and their look afterwards.
enum TestPictures {
    /// Makes a small rendition of each beginning of a file, and of the file with each of its first bytes changed. An error is right, an end is enough.
    static func makeDamaged(_ file: [UInt8], changing most: Int = .max) {
        var limits = ImageLimits()
        limits.maxPixels = 10_000
        for length in file.indices { _ = try? made(Array(file[..<length]), PictureTests.rendition(""), limits: limits) }
        for at in file.indices.prefix(most) {
            for value in [0, 1, 0x7f, 0xff] as [UInt8] {
                var hostile = file
                hostile[at] = value
                _ = try? made(hostile, PictureTests.rendition(""), limits: limits)
            }
        }
    }

    /// Returns four flat quarters: red, green / blue, white. Sides are even.
    static func quarters(_ width: Int, _ height: Int, alpha: Bool = false) throws -> VipsImage {
        try VipsRuntime.start()
        func part(_ color: [Double]) throws -> VipsImage {
            try VipsRuntime.solid(width: width / 2, height: height / 2, alpha ? color + [255] : color)
        }
        let parts = try [part([255, 0, 0]), part([0, 255, 0]), part([0, 0, 255]), part([255, 255, 255])]
        return try VipsOperation("arrayjoin").set("in", parts).set("across", 2).image()
    }

    static func encoded(_ image: VipsImage, _ format: ImageFormat, _ options: OutputOptions = OutputOptions(quality: 95)) throws -> [UInt8] {
        try PictureEncoder(output: PictureOutput(format: format, options: options)).encode(image).copied()
    }

    /// Whether AVIFs come out with a `colr` box of numbers. libheif 1.15 writes one, 1.23 leaves them to the picture's own header.
    static let hasCodedColors: Bool = {
        let bytes = (try? VipsRuntime.start()).flatMap { try? AVIFPlanarTests.avif(VipsRuntime.solid(width: 16, height: 16, [200, 100, 50])) } ?? []
        return bytes.firstRange(of: Array("colrnclx".utf8)) != nil
    }()

    /// Returns an animation of flat frames, with delays in milliseconds.
    static func animation(_ width: Int, _ height: Int, _ colors: [[Double]], delays: [Int], loop: Int, _ format: ImageFormat) throws -> [UInt8] {
        try VipsRuntime.start()
        let frames = try colors.map { try VipsRuntime.solid(width: width, height: height, $0) }
        let strip = try VipsOperation("arrayjoin").set("in", frames).set("across", 1).image().withHeader { header in
            header.set("page-height", height)
            header.set("n-pages", colors.count)
            header.set("delay", delays)
            header.set("loop", loop)
        }
        return try encoded(strip, format, OutputOptions(isLossless: format == .webp))
    }

    /// Runs a rendition in this process.
    /// - Parameters:
    ///   - layers: the other pictures for it.
    ///   - graphs: nil: everything goes through libvips.
    static func made(
        _ source: [UInt8], _ rendition: Rendition, limits: ImageLimits = ImageLimits(), layers: [[UInt8]] = [], within time: Duration = .seconds(60),
        graphs: PlanarGraphs? = nil, isLibpngUsed: Bool = false, formats: [ImageFormat] = ImageFormat.decodable
    ) throws -> [UInt8] {
        try VipsRuntime.start()
        let others = layers.map { bytes in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
            copy.copyBytes(from: bytes)
            return UnsafeRawBufferPointer(copy)
        }
        defer { for other in others { other.deallocate() } }
        return try source.withUnsafeBytes { raw in
            var header = HeaderGuard(limits: limits)
            header.enabled = Set(formats)
            let format = try header.check(raw)
            let run = try PictureRun(
                raw, format: format, limits: limits, clock: PictureClock(deadline: .now + time), graphs: graphs, isLibpngUsed: isLibpngUsed)
            run.formats = header.enabled
            return try run.render(rendition, layers: others).bytes.copied()
        }
    }

    /// Decodes into memory: all frames below each other.
    static func decoded(_ bytes: [UInt8], frames: Int = 1) throws -> VipsImage {
        try VipsRuntime.start()
        return try bytes.withUnsafeBytes { raw in
            let format = try HeaderGuard().check(raw)
            // The judge of our own reader.
            if format == .gif { return try VipsOperation("gifload_buffer").set("buffer", raw).set("n", frames).image().computed() }
            let plan = LoadPlan(format: format, page: 0, frames: frames, size: PictureSize(0, 0))
            return try PictureLoader(source: raw, format: format).open(plan).computed()
        }
    }

    static func steps(_ json: String) throws -> [AnyOperation] {
        try Rendition(canonical: JSON(parsing: #"{"transform":\#(json)}"#)).operations
    }

    /// The folder of real and hostile files beside the project, or nil if there is none.
    static let corpus: URL? = {
        guard let path = ProcessInfo.processInfo.environment["TINTYPE_CORPUS"], !path.isEmpty,
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        return URL(fileURLWithPath: path)
    }()

    /// Returns the files below a folder of the corpus, by their path inside it; empty without a corpus.
    static func files(_ folder: String) -> [String] {
        guard let root = corpus?.appendingPathComponent(folder),
            let all = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
        else { return [] }
        return all.compactMap { $0 as? URL }.filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true }
            .map { folder + "/" + $0.path.dropFirst(root.path.count + 1) }.sorted()
    }

    static func fixture(_ file: String) -> [UInt8] {
        [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/" + file))) ?? Data())
    }

    /// One small picture of waves (121 × 83) as JPEG. Its colors have fewer samples than its brightness, in ways that no encoder here writes.
    /// The names are the brightness samples, across and down, beside one of color. The last one is progressive.
    static let sampled = ["2x1", "1x2", "4x1", "4x2"].map { (name: $0, bytes: fixture($0 + ".jpg")) }

    static func bytes(_ file: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: #require(corpus).appendingPathComponent(file)))
    }

    /// Returns wide stripes of gray under noise, the same each time.
    static func noise(_ format: ImageFormat, progressive: Bool = false, width: Int = 320, height: Int = 240) throws -> [UInt8] {
        try VipsRuntime.start()
        var dice = Dice(7)
        var samples: [UInt8] = []
        for at in 0..<width * height {
            let gray = UInt8((at % width / 40 % 2 == 0 ? 30 : 120) + Int.random(in: 0..<100, using: &dice))
            samples += [gray, gray, gray]
        }
        let plain = try VipsImage.of(samples, width: width, height: height, bands: 3)
        let picture = try VipsOperation("copy").set("in", plain).set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
        return try encoded(picture, format, OutputOptions(isProgressive: progressive))
    }
}

extension VipsImage {
    /// Returns the places and values of the pixels that a test does not accept. All are read at once: thousands of expectations would take seconds.
    func pixels(where isWrong: ([Double]) -> Bool) throws -> [String] {
        let (samples, isDeep) = (try samples(), format == .uint16)
        return samples.withUnsafeBytes { raw in
            let deep = isDeep ? raw.bindMemory(to: UInt16.self) : UnsafeBufferPointer(start: nil, count: 0)
            return (0..<width * height).compactMap { place in
                let pixel = (place * bands..<(place + 1) * bands).map { Double(isDeep ? deep[$0] : UInt16(raw[$0])) }
                return isWrong(pixel) ? "\(place % width),\(place / width): \(pixel)" : nil
            }
        }
    }
}

/// Whether two colors look alike, and have as many bands.
func near(_ a: [Double], _ b: [Double], within: Double = 12) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= within }
}

/// The same for a picture that may have transparency, as every GIF may, but is opaque here.
func nearOpaque(_ a: [Double], _ b: [Double], within: Double = 12) -> Bool {
    near(a.count == b.count + 1 && [255, 65535].contains(a[b.count]) ? Array(a.dropLast()) : a, b, within: within)
}

extension Trait where Self == ConditionTrait {
    /// For tests that read nothing but the corpus, whose files are no part of the project: without it they are skipped, and say so.
    static var needsCorpus: Self { .enabled(if: TestPictures.corpus != nil, "TINTYPE_CORPUS names no folder of real pictures") }
}
