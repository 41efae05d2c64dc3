import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Engine
@testable import TintypePreviews
@testable import Worker
import ImageHeads

/// Previews of sources that arrive slowly: a real origin, a real pixel process, a real Redis.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) @Loop
struct PreviewTests {
    /// The events of one receipt, and the pictures that its previews named.
    @Loop private final class Told {
        var events: [JSON] = []
        var pictures: [[UInt8]] = []
        let over = OneShot<Void>()
        var previews: [JSON] { events.filter { $0["type"] == "preview" } }
    }

    private func listen(_ h: WorkerHarness, to receipt: String) async throws -> Told {
        let told = Told()
        let ready = OneShot<Void>()
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: receipt), confirmed: { ready.complete(.success(())) }) { [h] _, payload in
            guard let event = try? JSON(parsing: payload) else { return }
            told.events.append(event)
            if let key = event["key"]?.string, event["type"] == "preview" {
                h.scope.run("look") { if let picture = await h.spilled.preview(key) { told.pictures.append(picture) } }
            }
            if ["succeeded", "failed"].contains(event["type"]?.string) { told.over.complete(.success(())) }
        }
        try await ready.wait()
        return told
    }

    /// Returns a harness whose origin serves one file, slowly.
    private func harness(_ file: [UInt8], pixels: PixelPool? = nil) async throws -> (WorkerHarness, TemporaryFolder) {
        let root = try TemporaryFolder("origin")
        try Data(file).write(to: URL(fileURLWithPath: root.path + "/picture"))
        let h = try await WorkerHarness(pixels: pixels, root: root.path)
        // A process that still warms up has no room for a preview.
        while !h.pixels.hasRoomForPreview { try await Loop.sleep(.milliseconds(5)) }
        return (h, root)
    }

    private func request(_ h: WorkerHarness, _ path: String, _ progressive: JSON) -> JSON {
        ["url": .string(h.url(path)), "transform": [["op": "resize", "width": 40]], "output": ["format": "png"], "progressive": progressive]
    }

    /// Loads the file over `seconds` and returns the events. Previews may take at most a fifth of the time, so a delayed one
    /// costs several that follow.
    private func load(
        _ file: [UInt8], _ progressive: JSON, over seconds: Double = 10, path: String = "/slow/picture", pixels: PixelPool? = nil
    ) async throws -> Told {
        let (h, root) = try await harness(file, pixels: pixels)
        let receipt = try await h.submit(request(h, "\(path)?rate=\(Int(Double(file.count) / seconds))", progressive), receipt: "shown")
        let told = try await listen(h, to: receipt)
        try await h.runOne()
        try await told.over.wait()
        #expect(told.events.last?["type"] == "succeeded")
        await h.scope.drain()
        _ = root
        return told
    }

    /// Checks the order of the previews: after the download has begun, before it has ended, each of more bytes.
    private func check(_ told: Told, width: Int, hasLength: Bool = true) throws {
        #expect(told.previews.count >= 3 && told.pictures.count == told.previews.count)
        let fractions = told.previews.compactMap { $0["fraction"]?.double }
        #expect(fractions.count == (hasLength ? told.previews.count : 0))
        #expect(fractions == fractions.sorted() && fractions.last ?? 0 < 1, "\(fractions)")
        let last = told.events.lastIndex { $0["type"] == "preview" } ?? 0
        let after = told.events.firstIndex { $0["type"] == "progress" && $0["phase"] != "download" || $0["type"] == "succeeded" } ?? 0
        #expect(last < after, "\(told.events)")
        let numbers = told.events.compactMap { $0["seq"]?.int }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 })
        for (event, picture) in zip(told.previews, told.pictures) {
            #expect(event["width"] == JSON(width) && event["data"] == nil && event["rendition"] == "default")
            let image = try TestPictures.decoded(picture)
            #expect(picture.starts(with: [0xff, 0xd8]) && image.width == width && event["height"] == JSON(image.height))
        }
    }

    @Test(arguments: [true, false]) func `a progressive JPEG is shown while it arrives, from its first scan to the last but one`(hasLength: Bool) async throws {
        let told = try await load(
            TestPictures.noise(.jpeg, progressive: true), ["interval": 0.1, "width": 64], path: hasLength ? "/slow/picture" : "/chunked/picture")
        try check(told, width: 64, hasLength: hasLength)
    }

    @Test func `a baseline JPEG is shown with its present rows, also without a length`() async throws {
        let file = try TestPictures.noise(.jpeg)
        let told = try await load(file, ["interval": 0.1, "width": 64], path: "/chunked/picture")
        try check(told, width: 64, hasLength: false)
        // Gray noise above, plain below.
        let first = try TestPictures.decoded(#require(told.pictures.first))
        let bottom = try (0..<8).map { try first.pixel($0 * 7, first.height - 2) }
        #expect(bottom.allSatisfy { near($0, bottom[0], within: 3) })
    }

    @Test(arguments: [true, false]) func `an interlaced PNG is shown by its passes`(hasLength: Bool) async throws {
        let file = try TestPictures.noise(.png, progressive: true)
        let told = try await load(file, ["interval": 0.1, "width": 64], path: hasLength ? "/slow/picture" : "/chunked/picture")
        try check(told, width: 64, hasLength: hasLength)
    }

    @Test(arguments: [ImageFormat.gif, .webp, .png]) func `the first frame of an animation is shown while the others arrive`(format: ImageFormat) async throws {
        let told = try await load(PreviewPaceTests.moving(format), ["interval": 0.1, "width": 64], over: 5)
        #expect(told.previews.count == 1 && told.pictures.count == 1)
        #expect(try near(TestPictures.decoded(#require(told.pictures.first)).pixel(32, 8), [255, 0, 0], within: 40))
    }

    @Test(arguments: [true, false]) func `blurred previews grow sharper, and a baseline JPEG has none`(hasLength: Bool) async throws {
        let file = try TestPictures.noise(.jpeg, progressive: true)
        let told = try await load(
            file, ["mode": "blur", "interval": 0.1, "width": 64], path: hasLength ? "/slow/picture" : "/chunked/picture")
        try check(told, width: 64, hasLength: hasLength)
        let contrasts = try told.pictures.map { picture in
            // The sixth figure is the deviation.
            try VipsOperation("stats").set("in", TestPictures.decoded(picture)).image().pixel(5, 0)[0]
        }
        // Without a length the missing part is unknown: early previews differ by their number.
        let early = try #require(hasLength ? contrasts.first : contrasts.dropFirst().first)
        #expect(try early < #require(contrasts.last), "\(contrasts)")
        #expect(try await load(TestPictures.noise(.jpeg), ["mode": "blur"], over: 0.7).previews.isEmpty)
    }

    @Test(arguments: [ImageFormat.gif, .webp, .png]) func `formats that cannot be shown in part have no previews`(format: ImageFormat) async throws {
        #expect(try await load(TestPictures.noise(format), ["interval": 0.05], over: 0.7).previews.isEmpty)
    }

    @Test func `a receipt without previews gets none, and a later one with previews gets the rest`() async throws {
        let (h, root) = try await harness(TestPictures.noise(.jpeg))
        let path = "/slow/picture?rate=5000"
        let silent = try await h.submit(request(h, path, false), receipt: "silent")
        let before = try await listen(h, to: silent)
        await h.keeper.start(h.channels)
        let run = try await h.startOne()
        try await h.untilOriginRuns(1)
        let asking = try await h.submit(request(h, path, ["interval": 0.1, "width": 64]), receipt: "asking")
        let after = try await listen(h, to: asking)
        await run.value
        try await before.over.wait()
        try await after.over.wait()
        #expect(before.previews.isEmpty && after.previews.count >= 2, "\(after.events)")
        #expect(h.metrics.value(.previews, labels: "sent") == Double(after.previews.count))
        _ = root
    }

    @Test func `a preview yields to other work, and none begins while there is other work`() async throws {
        let pool = PixelPoolTests().pool()
        _ = try await pool.run(PixelPoolTests.job())
        #expect(pool.hasRoomForPreview)
        var preview = try PixelPoolTests.job(hook: "doze")
        preview.isPreview = true
        let given = OneShot<TintypeError>()
        let scope = TaskScope()
        scope.run("preview") { [preview] in
            do throws(TintypeError) { _ = try await pool.run(preview) } catch { given.complete(.success(error)) }
        }
        while pool.busy == 0 { await Task.yield() }
        #expect(!pool.hasRoomForPreview)
        _ = try await pool.run(PixelPoolTests.job())
        #expect(try await given.wait().name == .overloaded)
        // A preview that kills its process is not tried again.
        var deadly = try PixelPoolTests.job(hook: "crash")
        deadly.isPreview = true
        do {
            _ = try await pool.run(deadly)
            Issue.record("it came back")
        } catch {
            #expect(error.name == .badImageData)
        }
        #expect(try await pool.run(PixelPoolTests.job()).output != nil)
        await scope.drain()
    }

    @Test func `previews of a source are made one at a time, however fast the source grows`() async throws {
        let pool = PixelPoolTests().pool(3)
        while pool.idle < 3 { try await Loop.sleep(.milliseconds(5)) }
        let h = try await WorkerHarness(pixels: pool)
        try await h.submit(request(h, "/status/200", ["interval": 0.05, "width": 64]))
        let held = try await h.claim().lease
        let file = try TestPictures.noise(.jpeg)
        let half = Array(file.prefix(file.count / 2))
        let previewer = Previewer(
            WatchedDownload(options: PreviewOptions(interval: 0.05, width: 64), queue: h.queue, lease: held, owner: nil) { _ in }, h.given)
        // The first one keeps its process busy until it is stopped. There is room for two others beside it.
        previewer.grew(half + Array("tintype-test-hook:doze".utf8), expected: Int64(file.count))
        while pool.busy == 0 { await Task.yield() }
        for count in stride(from: half.count + 3000, to: file.count, by: 3000) {
            previewer.grew(Array(file.prefix(count)), expected: Int64(file.count))
            #expect(pool.hasRoomForPreview)
        }
        previewer.end()
        await h.scope.drain()
        let begun = ["sent", "failed", "dropped"].map { h.metrics.value(.previews, labels: $0) }
        #expect(begun.reduce(0, +) == 1, "\(begun)")
    }

    @Test func `a source that stalls is shown as far as it is there`() async throws {
        let file = try TestPictures.noise(.jpeg)
        var sending: ByteStream?
        let server = try CannedServer { _, stream in
            stream.write(Array("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(file.count)\r\n\r\n".utf8) + file.prefix(file.count / 2))
            sending = stream
            return .keep
        }
        let (h, root) = try await harness(file)
        let progressive: JSON = ["interval": 0.05]
        let receipt = try await h.submit(["url": .string(server.base + "/picture"), "output": ["format": "png"], "progressive": progressive], receipt: "shown")
        let told = try await listen(h, to: receipt)
        let run = try await h.startOne()
        try await TestSupport.Gate.until("the first half is shown") { told.previews.last?["fraction"] == 0.5 }
        // These bytes come while the pace allows no preview.
        sending?.write(Array(file[file.count / 2..<file.count * 3 / 4]))
        try await TestSupport.Gate.until("the rest that is there is shown") { told.previews.last?["fraction"] == 0.75 }
        sending?.write(Array(file[(file.count * 3 / 4)...]))
        _ = await run.value
        try await told.over.wait()
        #expect(told.events.last?["type"] == "succeeded", "\(told.events)")
        server.close()
        _ = root
    }

    @Test func `a file that breaks its previews loses them and nothing else`() async throws {
        // Tables of codes that no decoder accepts, behind a header that all accept.
        var file = try TestPictures.noise(.jpeg)
        let tables = try #require(file.indices.dropLast(1).first { file[$0] == 0xff && file[$0 + 1] == 0xc4 })
        for index in 0..<16 { file[tables + 5 + index] = 0xff }
        let (h, root) = try await harness(file)
        let receipt = try await h.submit(request(h, "/slow/picture?rate=30000", ["interval": 0.05])) {
            // A result that needs no pixels is delivered all the same.
            $0.renditions[0].json = #"{"as":"bytes"}"#
        }
        let told = try await listen(h, to: receipt)
        try await h.runOne()
        try await told.over.wait()
        #expect(told.previews.isEmpty && told.events.last?["type"] == "succeeded")
        #expect(h.metrics.value(.previews, labels: "failed") == 1)
        #expect(try await h.result(receipt)["renditions"]?[0]?["sha256"] == .string(Digest.sha256Hex(file)))
        _ = root
    }
}
