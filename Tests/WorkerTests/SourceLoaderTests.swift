@testable import ImageHeads
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine
@testable import Worker

@Suite(.timeLimit(.minutes(1)), .scoped)
struct SourceLoaderTests {
    @Loop private func load(_ h: WorkerHarness, _ url: String, isProbe: Bool = false, reservation: ByteReservation? = nil) async throws -> LoadedSource {
        let source = try Source(canonical: ["url": .string(url), "probe": .bool(isProbe)])
        let reporter = FetchReporter(
            queue: h.queue, lease: RunLease(fetch: "none", token: 0), interval: nil, scope: h.scope, onAnswer: { _ in })
        return try await h.loader.load(source, accepting: Acceptance(), reservation: reservation ?? h.budget.begin(), reporter: reporter)
    }

    @Test @Loop func `a source is loaded whole, with the server's headers`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/picture.png?size=320x200")
        let loaded = try await load(h, url)
        let whole = [UInt8](try await HTTP.get(url).body)
        #expect(loaded.bytes == whole)
        #expect(loaded.info.sha256 == Digest.sha256Hex(whole))
        #expect(loaded.info.bytes == whole.count && loaded.info.status == 200 && loaded.info.etag?.isEmpty == false)
        #expect(loaded.contentType == "image/png")
        #expect(loaded.timings.total > 0)
    }

    @Test @Loop func `a host named data is asked over the network like any other`() async throws {
        let h = try await WorkerHarness()
        await #expect(performing: { _ = try await load(h, "http://data/picture.png") }, throws: { ($0 as? TintypeError)?.name != .invalidURL })
    }

    @Test @Loop func `a probe reads no more than the header`() async throws {
        let h = try await WorkerHarness()
        // At this rate the whole picture would take longer than the test may.
        let loaded = try await load(h, h.url("/picture.png?size=1000x800&rate=20000"), isProbe: true)
        #expect(loaded.header?.width == 1000 && loaded.header?.height == 800)
        #expect(loaded.bytes.count < 100_000)
        #expect(loaded.info.bytes > 2_400_000)
    }

    @Test(.holdsLoop("the test writes AVIF pictures"), arguments: [ImageFormat.jpeg, .png, .webp, .avif, .heif]) @Loop
    func `a probe reads only the beginning of any format`(format: ImageFormat) throws {
        let noise = try VipsOperation("gaussnoise").set("width", 640).set("height", 480).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let picture = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        let bands = try VipsOperation("bandjoin").set("in", [picture, picture, picture]).image()
        var bytes = try TestPictures.encoded(VipsOperation("copy").set("in", bands).set("interpretation", Int(VipsColors.sRGB.rawValue)).image(), format)
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
            bytes = try Self.plain(bytes)
        }
        let collector = SourceCollector(.header)
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

    /// Returns noise with an artist.
    private static func photo(_ format: ImageFormat, hasEXIF: Bool = true) throws -> [UInt8] {
        try VipsRuntime.start()
        let noise = try VipsOperation("gaussnoise").set("width", 640).set("height", 480).set("mean", 128.0).set("sigma", 60.0).set("seed", 7).image()
        let picture = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        let whole = try VipsOperation("bandjoin").set("in", [picture, picture, picture]).image()
        let tagged = try VipsOperation("copy").set("in", whole).set("interpretation", Int(VipsColors.sRGB.rawValue)).image()
        let taken = try tagged.withHeader { if hasEXIF { $0.set("exif-ifd0-Make", "Bowler Hats") } }
        if hasEXIF, format == .png {
            // libvips 8.14 writes none into it.
            let block = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x0f, 1, 2, 0, 12, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0] + Array("Bowler Hats\0".utf8)
            let plain = try TestPictures.encoded(taken, .png)
            return plain[..<33] + PNGChunk.whole("eXIf", block) + plain[33...]
        }
        if hasEXIF || format == .tiff { return try VipsOperation(#require(format.codec.saver)).set("in", taken).bytes().copied() }
        let bare = try TestPictures.encoded(taken, format)
        return format == .webp ? try plain(bare) : bare
    }

    /// Returns the plain form of a WebP: the extended one may state the orientation at its end.
    private static func plain(_ extended: [UInt8]) throws -> [UInt8] {
        let picture = try extended[#require(extended.firstRange(of: Array("VP8 ".utf8))?.lowerBound)...]
        let bytes = Array("RIFF".utf8) + withUnsafeBytes(of: UInt32(4 + picture.count).littleEndian) { Array($0) } + Array("WEBP".utf8) + picture
        try #require(bytes[12..<16].elementsEqual("VP8 ".utf8))
        return bytes
    }

    @Test(.holdsLoop("the test writes AVIF pictures"), arguments: [ImageFormat.jpeg, .png, .webp, .avif, .heif, .gif, .tiff], [true, false]) @Loop
    func `a probe for EXIF alone matches the decoder, from the beginning of the file if it is there`(format: ImageFormat, hasEXIF: Bool) async throws {
        let bytes = try Self.photo(format, hasEXIF: hasEXIF)
        let collector = SourceCollector(.exif)
        var taken = 0
        while taken < bytes.count {
            let part = bytes[taken..<min(bytes.count, taken + 512)]
            taken += part.count
            guard part.withUnsafeBytes({ collector.append($0) }) else { break }
        }
        let rendition = try Rendition(canonical: ["describe": ["exif"]])
        let told = try bytes.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: format, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            return try run.describe(rendition)["exif"]
        }
        // libheif and libwebp put it behind the picture, and a TIFF's directory is for its decoder.
        let isInFront = hasEXIF ? [.jpeg, .png].contains(format) : [.jpeg, .png, .webp, .avif, .heif].contains(format)
        #expect((taken < bytes.count) == isInFront, "\(taken) of \(bytes.count)")
        #expect((collector.sha256() == nil) == (collector.header != nil))
        if let header = collector.header {
            let found = collector.bytes.withUnsafeBytes { bytes in EXIFLocator(bytes, format)?.summary(in: bytes) }
            // libvips 8.14 reports a missing orientation as 1, and 8.16 reports none for a PNG.
            func said(_ exif: JSONObject?) -> JSON {
                .object(JSONObject((exif?.members ?? []).filter { $0.key != "orientation" || $0.value != 1 }.map { ($0.key, $0.value) }))
            }
            #expect(said(found) == said(told?.object) && header.width == 640, "\(found ?? [:]), \(told ?? .null)")
        }
        if hasEXIF, ![.gif, .tiff].contains(format) { #expect(told?["make"] == "Bowler Hats") }
    }

    @Test func `the EXIF reader never reads outside of the file`() throws {
        for format in [ImageFormat.jpeg, .png, .webp, .avif] {
            let bytes = Array(try Self.photo(format).prefix(3000))
            for at in 0..<min(bytes.count, 600) {
                var hostile = bytes
                for value in [0, 0x7f, 0xff] as [UInt8] {
                    hostile[at] = value
                    _ = hostile.withUnsafeBytes { bytes in EXIFLocator(bytes, format)?.summary(in: bytes) }
                }
            }
        }
    }

    @Test @Loop func `a download waits while there is no room, except the oldest`() async throws {
        let h = try await WorkerHarness(budget: 100_000)
        let (first, second) = (h.budget.begin(), h.budget.begin())
        #expect(first.take(90_000))
        let whole = OneShot<LoadedSource>()
        h.scope.run("second") {
            do {
                whole.complete(.success(try await load(h, h.url("/picture.png?size=400x200"), reservation: second)))
            } catch {
                whole.complete(.failure(error))
            }
        }
        while h.budget.pausedDownloads == 0 { try await Loop.sleep(.milliseconds(5)) }
        #expect(!whole.isComplete && h.budget.used <= 100_000)
        // As the oldest it may exceed the budget.
        first.release()
        #expect(try await whole.wait().bytes.count > 240_000)
        #expect(h.budget.pausedDownloads == 0)
        second.release()
        #expect(h.budget.used == 0)
    }
}
