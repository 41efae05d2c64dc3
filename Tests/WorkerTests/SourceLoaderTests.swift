import Shared
import TestSupport
import Testing

@testable import Worker

@Suite(.timeLimit(.minutes(1)))
struct SourceLoaderTests {
    @Loop private func load(_ h: WorkerHarness, _ url: String, isProbe: Bool = false, share: ByteBudget.Share? = nil) async throws -> LoadedSource {
        let source = try Source(canonical: ["url": .string(url), "probe": .bool(isProbe)])
        let reporter = FetchReporter(
            queue: h.queue, held: Held(fetch: "none", token: 0), isWatched: false, scope: h.scope, onAnswer: { _ in })
        return try await h.tools.loader.load(source, accepting: Acceptance(), share: share ?? h.tools.budget.begin(), reporter: reporter)
    }

    @Test @Loop func `a source is loaded whole, with what the server says of it`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/picture.png?size=320x200")
        let loaded = try await load(h, url)
        let whole = [UInt8](try await HTTP.get(url).body)
        #expect(loaded.bytes == whole)
        #expect(loaded.info.sha256 == Digest.sha256Hex(whole))
        #expect(loaded.info.bytes == whole.count && loaded.info.status == 200 && loaded.info.etag?.isEmpty == false)
        #expect(loaded.contentType == "image/png")
        #expect(loaded.timings.total > 0)
        await h.stop()
    }

    @Test @Loop func `a host named data is asked over the network like any other`() async throws {
        let h = try await WorkerHarness()
        await #expect(performing: { _ = try await load(h, "http://data/picture.png") }, throws: { ($0 as? TintypeError)?.name != .invalidURL })
        await h.stop()
    }

    @Test @Loop func `a probe reads no more than the header`() async throws {
        let h = try await WorkerHarness()
        // At this rate the whole picture would take longer than the test may.
        let loaded = try await load(h, h.url("/picture.png?size=1000x800&rate=20000"), isProbe: true)
        #expect(loaded.header?.width == 1000 && loaded.header?.height == 800)
        #expect(loaded.bytes.count < 100_000)
        #expect(loaded.info.bytes > 2_400_000)
        await h.stop()
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .heif]) @Loop func `of a file of any format a probe takes the beginning`(format: ImageFormat) throws
    {
        let noise = try VipsOperation("gaussnoise").set("width", 640).set("height", 480).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let picture = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        var bytes = try TestPictures.encoded(VipsOperation("bandjoin").set("in", [picture, picture, picture]).image(), format)
        var most = 4096
        if format == .jpeg {
            // An EXIF block with a thumbnail, and a large profile behind it.
            let exif = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
            let blocks = [
                [0xe1] + [0xa0, 0x00] + exif + [UInt8](repeating: 0x55, count: 0xa000 - 2 - exif.count),
                [0xe2, 0xf0, 0x00] + [UInt8](repeating: 0x66, count: 0xeffe),
            ]
            bytes.insert(contentsOf: blocks.flatMap { [0xff] + $0 }, at: 2)
            most = 0xa000 + 0xf000 + 8192
        }
        if format == .webp {
            // The plain form: the extended one may say at its end how the picture lies.
            let picture = bytes[30...]
            bytes = Array("RIFF".utf8) + withUnsafeBytes(of: UInt32(4 + picture.count).littleEndian) { Array($0) } + Array("WEBP".utf8) + picture
            #expect(bytes[12..<16].elementsEqual("VP8 ".utf8))
        }
        let collector = SourceCollector(isProbe: true)
        var taken = 0
        while taken < bytes.count {
            let part = bytes[taken..<min(bytes.count, taken + 512)]
            taken += part.count
            guard part.withUnsafeBytes({ collector.append($0) }) else { break }
        }
        #expect(collector.header?.width == 640 && collector.header?.height == 480 && collector.header?.hasAlpha == false)
        #expect(collector.header?.orientation == (format == .jpeg ? 6 : 1))
        // Looks are made at every doubling.
        #expect(taken <= 2 * most && bytes.count > 3 * most / 2, "\(taken) of \(bytes.count)")
    }

    @Test @Loop func `a download waits while there is no room, and the oldest never does`() async throws {
        let h = try await WorkerHarness(budget: 100_000)
        let (first, second) = (h.tools.budget.begin(), h.tools.budget.begin())
        #expect(first.take(90_000))
        let whole = OneShot<LoadedSource>()
        h.scope.run("second") {
            do {
                whole.complete(.success(try await load(h, h.url("/picture.png?size=400x200"), share: second)))
            } catch {
                whole.complete(.failure(error))
            }
        }
        while h.tools.budget.pausedDownloads == 0 { try await Loop.sleep(.milliseconds(5)) }
        #expect(!whole.isComplete && h.tools.budget.used <= 100_000)
        // With nobody before it, it may go beyond the budget.
        first.release()
        #expect(try await whole.wait().bytes.count > 240_000)
        let third = h.tools.budget.begin()
        let fourth = h.tools.budget.begin()
        #expect(third.take(1))
        #expect(!fourth.take(1))
        #expect(h.tools.budget.pausedDownloads == 1)
        for share in [second, third] { share.release() }
        #expect(h.tools.budget.pausedDownloads == 0)
        #expect(fourth.take(1))
        fourth.release()
        #expect(h.tools.budget.used == 0)
        await h.stop()
    }
}
