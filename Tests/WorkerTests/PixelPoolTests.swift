import Foundation
import Glibc
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine
@testable import Worker

/// Real pixel processes: the worker's own binary, started, hung, crashed and killed.
@Suite(.tags(.optimized, .realTimes), .timeLimit(.minutes(5)), .serialized, .scoped)
@Loop
struct PixelPoolTests {
    static func settings(_ processes: Int, _ change: (inout PixelSettings) -> Void = { _ in }) -> PixelSettings {
        var settings = PixelSettings(processes: processes)
        settings.executable = ServiceProcess.path("tintype-worker")
        settings.testHooks = true
        change(&settings)
        return settings
    }

    /// Returns a pool that stops at the end of the test.
    func pool(_ processes: Int = 1, metrics: Metrics = Metrics(), _ change: (inout PixelSettings) -> Void = { _ in }) -> PixelPool {
        let pool = PixelPool(settings: Self.settings(processes, change), logger: WorkerHarness.logger, metrics: metrics)
        TestScope.atEnd { await pool.stop() }
        return pool
    }

    nonisolated static func job(hook: String? = nil, deadline: Duration = .seconds(20), _ rendition: Rendition? = small) throws -> PixelJob {
        let picture = try TestPictures.encoded(TestPictures.quarters(200, 100), .png)
        let tail = hook.map { Array("tintype-test-hook:\($0)".utf8) } ?? []
        return PixelJob(source: try source(picture + tail), rendition: rendition, deadline: deadline)
    }

    /// Returns a source as the pool makes it.
    nonisolated static func source(_ bytes: [UInt8]) throws -> JobSource {
        SourceWindow.takes(bytes.count) ? JobSource(bytes) : JobSource(try sealed(bytes))
    }

    nonisolated static func sealed(_ bytes: [UInt8]) throws -> SealedMemory { try bytes.withUnsafeBytes { raw in try SealedMemory(raw) } }

    nonisolated static let small = Rendition(operations: [AnyOperation(Resize(width: 50, height: nil))], output: OutputOptions(format: .png))

    /// Returns a picture that keeps a process busy for a second or more: an AVIF with much effort.
    func slow() throws -> PixelJob {
        let noise = try VipsOperation("gaussnoise").set("width", 640).set("height", 480).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let plain = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        let picture = try TestPictures.encoded(plain, .png)
        let hard = Rendition(output: OutputOptions(format: .avif, effort: 4))
        return PixelJob(source: try Self.source(picture), rendition: hard, deadline: .seconds(60))
    }

    func failure(_ pool: PixelPool, _ job: PixelJob) async -> TintypeError? {
        do throws(TintypeError) {
            _ = try await pool.run(job)
            return nil
        } catch { return error }
    }

    /// Suspends until `test` holds; fails by the suite's time limit.
    func until(_ test: () -> Bool) async throws { while !test() { try await Loop.sleep(.milliseconds(5)) } }

    @Test func `A picture goes to a process and comes back with all its facts`() async throws {
        let pool = pool(1)
        let result = try await pool.run(Self.job())
        #expect(result.source == PixelSource(format: .png, width: 200, height: 100, frames: 1, hasAlpha: false, orientation: 1))
        let picture = try #require(result.output)
        #expect("\(picture.width)x\(picture.height)x\(picture.frames)" == "50x25x1")
        let image = try TestPictures.decoded(picture.bytes)
        #expect(PictureSize(image.width, image.height) == PictureSize(50, 25))
        #expect(try near(image.pixel(10, 5), [255, 0, 0]))
        #expect(pool.codecs?["encode"]?.array?.contains("jpeg") == true)
        await pool.stop()
        #expect(pool.processIDs.isEmpty)
    }

    @Test func `A process that has served one scope serves no other if scopes are kept apart`() async throws {
        for apart in [false, true] {
            let pool = pool(2) { $0.keepsScopesApart = apart }
            var served: [ExactText: Set<Int32>] = [:]
            let picture = try TestPictures.encoded(TestPictures.quarters(200, 100), .png)
            // Two spellings of one name.
            let (one, other) = ("jos\u{e9}", "jose\u{301}")
            for scope in [one, nil, other, one, nil, one] {
                try await until { pool.idle == 2 }
                let before = pool.images
                _ = try await pool.run(PixelJob(source: pool.source(picture, of: scope), rendition: Self.small))
                served[ExactText(scope ?? ""), default: []].formUnion(pool.images.filter { $0.value > before[$0.key] ?? 0 }.keys)
                #expect(apart || Set(pool.processIDs) == Set(before.keys))
            }
            let (a, b, none) = (served[ExactText(one)] ?? [], served[ExactText(other)] ?? [], served[""] ?? [])
            let areApart = a.isDisjoint(with: b) && b.isDisjoint(with: none) && a.isDisjoint(with: none)
            #expect(areApart == apart, "\(served)")
            await pool.stop()
        }
    }

    @Test func `Many pictures with long URLs, and a rendition that is too long, end no process`() async throws {
        let pool = pool(1)
        var job = try Self.job()
        let urls = (1...31).map { JSON.string("data:image/png;base64," + String(repeating: "A", count: 8000) + "\($0)") }
        let canonical: JSON = ["transform": [["op": "animate", "urls": .array(urls)]], "output": ["format": "gif"]]
        let moving = try Rendition(canonical: canonical)
        job.rendition = moving
        let layer = try Self.sealed(TestPictures.encoded(TestPictures.quarters(200, 100), .png))
        job.layers = moving.layers.map { _ in layer }
        // Later libvips merges equal frames.
        #expect([1, 32].contains(try await pool.run(job).output?.frames))
        let process = pool.processIDs
        let text = JSON.object(["op": "text", "text": .string(String(repeating: "word ", count: 200))])
        job.rendition = try Rendition(canonical: ["transform": .array(Array(repeating: text, count: 200)), "output": ["format": "png"]])
        job.layers = []
        let error = await failure(pool, job)
        #expect(error?.name == .limitExceeded && error?.details["limit"] == "rendition", "\(String(describing: error))")
        #expect(pool.processIDs == process)
        _ = try await pool.run(Self.job())
    }

    /// Returns 400 frames of 1000×1000, each changing one pixel: a few kilobytes that unpack to 1.6 GB.
    private nonisolated static func long() throws -> JobSource {
        func word(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
        var bytes = Array("GIF89a".utf8) + word(1000) + word(1000) + [0x80, 0, 0] + [255, 0, 0] + [0, 0, 255]
        for number in 0..<400 {
            // Shown for 0.1 s; one pixel of the first or the second color.
            bytes += [0x21, 0xf9, 4, 4] + word(10) + [0, 0] + [0x2c] + word(0) + word(0) + word(1) + word(1) + [0]
            bytes += [2, 2, number % 2 == 0 ? 0x44 : 0x4c, 1, 0]
        }
        return try source(bytes + [0x3b])
    }

    @Test(arguments: ["0,399", "399,0"]) func `Frames between two wanted ones take no memory`(pick: String) async throws {
        let pool = pool(1)
        let transform = try JSON(parsing: #"[{"op":"frames","pick":[\#(pick)]}]"#)
        let rendition = try Rendition(canonical: ["transform": transform, "output": ["format": "gif"]])
        let result = try await pool.run(PixelJob(source: Self.long(), rendition: rendition, deadline: .seconds(100)))
        #expect(result.source.frames == 400 && result.output?.frames == 2)
    }

    @Test(arguments: [ImageFormat.png, .avif, .tiff, .jpeg]) func `Renditions of one source share its pixels if decoding is expensive`(_ format: ImageFormat)
        async throws
    {
        let metrics = Metrics()
        let pool = pool(2, metrics: metrics)
        let (one, other) = try (
            Self.source(TestPictures.encoded(TestPictures.quarters(200, 100), format)),
            Self.source(TestPictures.encoded(TestPictures.quarters(100, 200), format))
        )
        func make(_ source: JobSource, _ transform: String, more: Bool) async throws -> PixelResult {
            var job = PixelJob(source: source, rendition: try PlanarTests.rendition(transform, .png))
            job.isMoreToCome = more
            return try await pool.run(job)
        }
        let transforms = [#"{"op":"resize","width":50}"#, #"{"op":"rotate","angle":90}"#, #"{"op":"crop","x":10,"y":10,"width":90,"height":80}"#]
        var apart: [PixelOutput?] = []
        // Both are warm: otherwise the other source would have to take the process that keeps this one's pixels.
        try await until { pool.idle == 2 }
        for transform in transforms { apart.append(try await make(one, transform, more: false).output) }
        #expect(metrics.value(.pixelsShared) == 0)
        for (index, transform) in transforms.enumerated() {
            let result = try await make(one, transform, more: index < 2)
            #expect(result.hasSharedPixels == (index > 0 && format != .jpeg), "\(index)")
            #expect(result.output?.bytes == apart[index]?.bytes)
            // Another source takes the other process, and none of these pixels.
            let stranger = try await make(other, transform, more: true)
            #expect(stranger.source.width == 100 && stranger.output?.bytes != result.output?.bytes)
        }
        // Nothing is kept after the last one.
        #expect(try await !make(one, transforms[0], more: false).hasSharedPixels)
        await pool.stop()
        // A single process does not confuse the sources.
        let single = self.pool(1)
        for index in 0..<4 {
            var job = PixelJob(source: index % 2 == 0 ? one : other, rendition: try PlanarTests.rendition(transforms[0], .png))
            job.isMoreToCome = true
            let result = try await single.run(job)
            #expect(!result.hasSharedPixels && (result.source.width == 200) == (index % 2 == 0))
            #expect(index % 2 == 1 || result.output?.bytes == apart[0]?.bytes)
        }
        await single.stop()
    }

    @Test func `A process writes all its listed formats inside of the sandbox, and names the others`() async throws {
        let pool = pool(1)
        let noise = try VipsOperation("gaussnoise").set("width", 640).set("height", 480).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let plain = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        let source = try Self.source(TestPictures.encoded(plain, .png))
        for format in ImageFormat.encodable {
            let job = PixelJob(source: source, rendition: Rendition(output: OutputOptions(format: format)))
            do {
                let picture = try await pool.run(job).output
                #expect(picture?.format == format && picture.map { ImageSniff.of($0.bytes) == .image(format) } == true, "\(format)")
                #expect((picture?.quality != nil) == OutputOptions().isLossy(in: format))
                if ImageFormat.decodable.contains(format) {
                    let back = PixelJob(source: try Self.source(picture?.bytes ?? []), rendition: Self.small)
                    #expect(try await pool.run(back).source.width == 640, "\(format)")
                }
            } catch let error as TintypeError {
                let isSaid = pool.codecs?["encode"]?.array?.contains(.string(format.rawValue)) ?? false
                #expect(error.name == .unsupportedFormat && !isSaid, "\(format): \(error)")
            }
        }
        #expect(pool.processIDs.count == 1)
    }

    @Test func `A source is described by a process, bounded, without a picture`() async throws {
        let pool = pool(1)
        let told = try Rendition(canonical: ["describe": ["blurhash", "exif", "palette"]])
        let result = try await pool.run(Self.job(told))
        #expect(result.output == nil && result.source.width == 200)
        #expect(Set(result.description?.members.map(\.key) ?? []) == ["blurhash", "exif", "palette"])
        #expect(await failure(pool, PixelJob(source: try Self.source([0xff, 0xd8, 0xff, 0xe0, 0, 2]), rendition: told))?.name == .badImageData)
    }

    @Test func `A rendition that cannot be made is an error, and the next one of the same source is made`() async throws {
        let pool = pool(1)
        let outside = try Rendition(operations: TestPictures.steps(#"[{"op":"crop","x":500,"y":0,"width":5,"height":5}]"#))
        var job = try Self.job(outside)
        #expect(await failure(pool, job)?.name == .transformFailed)
        let before = pool.processIDs
        job.rendition = Self.small
        #expect(try await pool.run(job).output?.width == 50)
        #expect(pool.processIDs == before)
    }

    @Test func `Bytes that are no picture are an error, and the process lives on`() async throws {
        let pool = pool(1)
        var job = try Self.job()
        job.source = try Self.source(Array("<!DOCTYPE html><title>404</title>".utf8))
        let text = await failure(pool, job)
        #expect(text?.name == .badImageData, "\(text?.description ?? "none")")
        job.source = try Self.source([])
        #expect(await failure(pool, job)?.name == .badImageData)
        let before = pool.processIDs
        _ = try await pool.run(Self.job())
        #expect(pool.processIDs == before)
    }
}
