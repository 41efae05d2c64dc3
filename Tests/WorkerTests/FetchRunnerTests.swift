import Foundation
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

@Suite(.timeLimit(.minutes(3)))
struct FetchRunnerTests {
    private func bytes(_ url: String, _ more: [(String, JSON)] = []) -> JSON {
        .object(JSONObject([("url", .string(url)), ("as", "bytes")] + more))
    }

    @Test @Loop func `a source passed through ends in a result as the protocol has it`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/picture.png?size=64x48")
        let receipt = try await h.submit(bytes(url))
        try await h.runOne()
        let result = try await h.result(receipt)
        let whole = [UInt8](try await HTTP.get(url).body)
        let rendition = try #require(result["renditions"]?[0])
        #expect(result["from"] == "remote" && result["state"] == "succeeded" && result["worker"] == "w1" && result["attempts"] == 1)
        #expect(result["source"]?["finalURL"] == .string(url) && result["source"]?["status"] == 200)
        #expect(rendition["bytes"] == JSON(whole.count) && rendition["sha256"] == .string(Digest.sha256Hex(whole)))
        #expect(rendition["contentType"] == "image/png" && rendition["applied"] == false && rendition["stored"] == ["results"])
        #expect(
            result["metrics"]?.object?.keys.sorted() == [
                "connect", "decode", "dns", "download", "encode", "firstByte", "queued", "store", "tls", "total", "transform",
            ])
        let stored = try await h.tools.store.get(rendition["key"]?.string ?? "")
        #expect(stored?.bytes == whole)
        #expect(stored?.contentType == "image/png")
        let lifetime = try #require(rendition["expiresAt"]?.double) - Timestamp.now().seconds
        #expect((3500...3600).contains(lifetime), "an hour, when nobody says otherwise")
        await h.stop()
    }

    @Test @Loop func `a fetch that needs nothing costs three round trips`() async throws {
        let h = try await WorkerHarness()
        try await h.server.command("CONFIG", "RESETSTAT")
        let receipt = try await h.submit(bytes("data:text/plain,hello")) { $0.resultTTL = 0 }
        try await h.runOne()
        let statistics = try await h.server.command("INFO", "commandstats")
        #expect(statistics.contains("cmdstat_evalsha:calls=3,"))
        #expect(try await h.result(receipt)["renditions"]?[0]?["stored"] == [])
        await h.stop()
    }

    @Test @Loop func `progress is told to those who asked, the last of it before the end`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(bytes(h.url("/picture.png?size=200x200&rate=200000"), [("progress", true)]))
        var events: [JSON] = []
        let over = OneShot<Void>()
        let ready = OneShot<Void>()
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: receipt), confirmed: { ready.complete(.success(())) }) { _, payload in
            guard let event = try? JSON(parsing: payload) else { return }
            events.append(event)
            if event["type"] == "succeeded" { over.complete(.success(())) }
        }
        try await ready.wait()
        try await h.runOne()
        try await over.wait()
        #expect(events.map { $0["type"]?.string }.prefix(2) == ["started", "response"])
        #expect(events[1]["status"] == 200 && events[1]["headers"]?["content-type"] == "image/png")
        let downloads = events.filter { $0["type"] == "progress" && $0["phase"] == "download" }
        let total = events[1]["expectedBytes"]
        #expect(downloads.last?["receivedBytes"] == total && downloads.last?["fraction"] == 1)
        #expect(zip(downloads, downloads.dropFirst()).allSatisfy { ($0["receivedBytes"]?.int ?? 0) < ($1["receivedBytes"]?.int ?? 0) })
        await h.stop()
    }

    @Test @Loop func `a host that says Retry-After is left alone in every queue`() async throws {
        let h = try await WorkerHarness()
        let bulk = Queue(name: "bulk", redis: h.redis)
        _ = try await bulk.configure(QueueChange())
        try await h.submit(bytes(h.url("/status/429?retry=60")))
        try await h.runOne()
        for queue in [h.queue, bulk] { #expect(try await queue.info()?.heldHosts.keys.sorted() == ["127.0.0.1"]) }
        await h.stop()
    }

    @Test(arguments: [("/status/404", ErrorName.httpStatus, false), ("/hang", .timeout, true)])
    @Loop func `what fails says so, and what may pass is tried again`(path: String, name: ErrorName, again: Bool) async throws {
        let h = try await WorkerHarness()
        let fetch: JSON = ["timeouts": ["idle": again ? 0.2 : 15], "retry": ["attempts": 2, "base": 0, "max": 0]]
        let receipt = try await h.submit(bytes(h.url(path), [("fetch", fetch)])) {
            ($0.retryBaseMilliseconds, $0.retryMaxMilliseconds) = (0, 0)
        }
        try await h.runOne()
        if again {
            #expect(try await h.snapshot(receipt).ending == nil)
            try await h.runOne()
        }
        #expect(try await h.failure(receipt).name == name)
        #expect(try await h.counts()["total"] == (again ? 2 : 1))
        await h.stop()
    }

    @Test @Loop func `withdrawing the last receipt closes the connection to the origin`() async throws {
        let h = try await WorkerHarness()
        await h.keeper.start(h.subscriber)
        let receipt = try await h.submit(bytes(h.url("/hang")))
        let run = try await h.startOne()
        try await h.untilOriginRuns(1)  // and would for ever
        #expect(try await h.queue.drop(receipt: receipt, reason: "requested") == .dropped)
        await run.value
        try await h.untilOriginRuns(0)
        #expect(h.keeper.count == 0 && h.tools.budget.used == 0)
        #expect(try await h.queue.info()?.running == 0)
        await h.stop()
    }

    @Test @Loop func `a run that gives way goes back to the queue uncharged, and its receipt waits on`() async throws {
        let h = try await WorkerHarness()
        await h.keeper.start(h.subscriber)
        let runs = try await h.runsOfTwoClients()
        let tasks = runs.map { FetchRunner($0, queue: h.queue, tools: h.tools).run(h.keeper, claimedAt: .now) }
        try await h.untilOriginRuns(2)
        #expect(try await h.queue.reap(undisturbed: .zero).askedToYield == 1)
        h.keeper.beat()
        try await h.untilOriginRuns(1)
        var states: [ReceiptState] = []
        repeat { states = [try await h.snapshot("a0").state, try await h.snapshot("a1").state] } while !states.contains(.queued)
        let yielded = try await h.snapshot(states[0] == .queued ? "a0" : "a1")
        #expect(states.contains(.running) && yielded.attempts == 0 && yielded.ending == nil)
        await tasks[states[0] == .queued ? 0 : 1].value
        #expect(h.keeper.count == 1)
        try await h.runOne()
        #expect(try await h.result("b")["state"] == "succeeded")
        // There is nobody left to give way to.
        let again = try await h.claim()
        #expect(again.held.fetch == yielded.fetch && again.attempt == 1)
        for receipt in ["a0", "a1"] { _ = try await h.queue.drop(receipt: receipt, reason: "requested") }
        await tasks[states[0] == .queued ? 1 : 0].value
        await h.stop()
    }

    @Test @Loop func `a run that waits for a layer gives way, and one that has loaded all goes on`() async throws {
        let drawn = Gate()
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) })
        await h.keeper.start(h.subscriber)
        let ready = OneShot<Void>()
        var messages = 0
        h.subscriber.subscribe(h.queue.keys.control, confirmed: { ready.complete(.success(())) }) { _, _ in messages += 1 }
        try await ready.wait()
        func yield(_ held: Held) async throws {
            let before = messages
            _ = try await h.redis.command(["PUBLISH", .string(h.queue.keys.control), .string("yield|\(held.fetch)|\(held.token)")])
            while messages == before { try await Loop.sleep(.milliseconds(5)) }
        }
        let layered: JSON = [
            "url": .string(h.url("/picture.png?size=64x48")), "transform": [["op": "composite", "url": .string(h.url("/hang"))]],
        ]
        let waits = try await h.submit(layered)
        let first = try await h.claim()
        let one = FetchRunner(first, queue: h.queue, tools: h.tools).run(h.keeper, claimedAt: .now)
        try await h.untilAsked(2)
        try await yield(first.held)
        await one.value
        let snapshot = try await h.snapshot(waits)
        #expect(snapshot.state == .queued && snapshot.attempts == 0)
        _ = try await h.queue.drop(receipt: waits, reason: "requested")

        let goes = try await h.submit(bytes(h.url("/picture.png?size=64x48&n=2")))
        let second = try await h.claim()
        let other = FetchRunner(second, queue: h.queue, tools: h.tools).run(h.keeper, claimedAt: .now)
        try await drawn.asked.wait()
        try await yield(second.held)
        drawn.open()
        await other.value
        #expect(try await h.result(goes)["attempts"] == 1)
        await h.stop()
    }

    @Test @Loop func `a rendition asked for meanwhile is made from the same download`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        let first = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        // A rendition that cannot be made is enough to see that it was handed over.
        let second = try await h.submit(bytes(origin.url)) { $0.renditions[0] = .init(name: "late", digest: "late", json: "not JSON") }
        origin.open()
        await run.value
        #expect(try await h.result(first)["state"] == "succeeded")
        #expect(try await h.failure(second).name == .internalError)
        #expect(origin.requests == 1)
        origin.close()
        await h.stop()
    }

    @Test @Loop func `a picture is made, and what cannot be made of it fails alone`() async throws {
        let h = try await WorkerHarness()
        let renditions: JSON = [
            ["name": "small", "transform": [["op": "resize", "width": 60]], "output": ["format": "jpeg"]],
            ["name": "outside", "transform": [["op": "crop", "x": 500, "y": 500, "width": 10, "height": 10]]],
        ]
        let url = h.url("/picture.png?size=120x90")
        let good = try await h.submit(["url": .string(url), "renditions": [renditions[0] ?? .null]])
        let both = try await h.submit(["url": .string(url), "renditions": renditions])
        try await h.runOne()
        let result = try await h.result(good)
        let small = try #require(result["renditions"]?[0])
        #expect(small["width"] == 60 && small["height"] == 45 && small["format"] == "jpeg" && small["applied"] == true)
        #expect(result["source"]?["width"] == 120 && result["source"]?["hasAlpha"] == false)
        #expect(try await h.tools.store.get(small["key"]?.string ?? "")?.bytes.starts(with: [0xff, 0xd8]) == true)
        #expect(try await h.failure(both).name == .transformFailed)
        #expect(try await h.counts()["total"] == 1)
        await h.stop()
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webp, .avif, .heif, .gif, .tiff]) @Loop func `a probe says all that a picture's result would`(
        format: ImageFormat
    ) async throws {
        let h = try await WorkerHarness()
        let bytes = try TestPictures.encoded(TestPictures.quarters(40, 30, alpha: true), format)
        let url = JSON.string("data:image/x;base64," + Data(bytes).base64EncodedString())
        let probe = try await h.submit(["url": url], isProbe: true)
        let whole = try await h.submit(["url": url])
        try await h.runOne()
        try await h.runOne()
        let (probed, loaded) = (try await h.result(probe)["source"], try await h.result(whole)["source"])
        for name in ["format", "width", "height", "frames", "hasAlpha", "orientation"] {
            #expect(probed?[name] != nil && probed?[name] == loaded?[name], "\(name)")
        }
        await h.stop()
    }

    @Test @Loop func `a probe for EXIF alone ends with the header, and takes what is kept`() async throws {
        let h = try await WorkerHarness()
        // At this rate the whole picture would take longer than the test may.
        let slow = JSON.string(h.url("/picture.png?size=1000x800&rate=20000"))
        let probe = try await h.submit(["url": slow, "describe": ["exif"]], isProbe: true)
        try await h.runOne()
        let told = try await h.result(probe)
        #expect(told["source"]?["width"] == 1000 && told["source"]?["format"] == "png" && told["description"]?["exif"] == [:])
        // One that no header describes is read to its end.
        let bytes = try TestPictures.encoded(TestPictures.quarters(40, 30), .tiff)
        let url = JSON.string("data:image/x;base64," + Data(bytes).base64EncodedString())
        let whole = try await h.submit(["url": url, "describe": ["exif"]], isProbe: true)
        try await h.runOne()
        let described = try await h.result(whole)
        #expect(described["source"]?["width"] == 40 && described["description"]?["exif"]?.object != nil)
        // What is kept is asked of nobody.
        let kept = JSON.string(h.url("/picture.png?size=60x40&with=Cache-Control:+max-age=600"))
        try await h.submit(["url": kept])
        try await h.runOne()
        let asked = try await h.counts()["total"]
        let again = try await h.submit(["url": kept, "describe": ["exif"]], isProbe: true)
        try await h.runOne()
        #expect(try await h.result(again)["source"]?["width"] == 60)
        #expect(try await h.counts()["total"] == asked)
        await h.stop()
    }

    /// At this rate a whole picture would take longer than the test may: probes without a palette end with its header.
    @Test(arguments: [[], ["exif"], ["palette"]] as [[JSON]]) @Loop func `a probe of a picture that is too large ends as its load does`(
        traits: [JSON]
    ) async throws {
        let folder = try TemporaryFolder("large")
        let rows = [UInt8](repeating: 0, count: 10 * (1 + 3 * 17000))
        let picture = PNGChunk.signature + PNGChunk.header(width: 17000, height: 10, depth: 8, type: 2) + PNGChunk.data(rows, level: 0)
        try Data(picture).write(to: URL(fileURLWithPath: folder.path + "/large.png"))
        let h = try await WorkerHarness(root: folder.path)
        let load = try await h.submit(["url": .string(h.url("/large.png"))])
        let probed = JSON.string(h.url(traits == ["palette"] ? "/large.png?once" : "/large.png?rate=5000"))
        let probe = try await h.submit(traits.isEmpty ? ["url": probed] : ["url": probed, "describe": .array(traits)], isProbe: true)
        try await h.runOne()
        try await h.runOne()
        let (one, other) = (try await h.failure(load), try await h.failure(probe))
        #expect(one.name == .limitExceeded && one.details["limit"] == "maxSide" && one.details["value"] == 17000)
        #expect(other.name == one.name && other.phase == one.phase && other.message == one.message && other.details["value"] == 17000)
        await h.stop()
    }

    @Test @Loop func `a worker without pixel processes leaves the fetch to another try`() async throws {
        var settings = PixelSettings(processes: 1)
        settings.executable = "/nowhere"
        let pool = PixelPool(settings: settings, logger: WorkerHarness.logger, metrics: Metrics())
        let h = try await WorkerHarness(pixels: pool)
        let receipt = try await h.submit(["url": .string(h.url("/picture.png?size=40x30"))])
        try await h.runOne()
        #expect(try await h.snapshot(receipt).state == .delayed)
        await pool.stop()
        await h.stop()
    }

    @Test @Loop func `a result its store does not take is held for a minute, one that nothing can hold fails with what the store says`() async throws {
        let h = try await WorkerHarness(results: "redis://127.0.0.1:1")
        let receipt = try await h.submit(bytes(h.url("/text")))
        try await h.runOne()
        let rendition = try #require(try await h.result(receipt)["renditions"]?[0])
        let image = try #require(await h.tools.held.get(rendition["key"]?.string ?? ""))
        #expect(Digest.sha256Hex(image.bytes) == rendition["sha256"]?.string)
        #expect(rendition["expiresAt"]?.double.map { $0 - Timestamp.now().seconds <= HeldResults.seconds } == true)
        #expect(h.metrics.value(.storeOperations, labels: "redis", "put", "failed") == 1)
        #expect(h.metrics.value(.storeOperations, labels: "redis", "hold", "ok") == 1)
        // More than a worker may hold at a time.
        var filler = image
        for size in [HeldResults.maxBytes, 1 << 20, 1 << 14, 64] {
            filler.bytes = Array(repeating: 7, count: size)
            while await h.tools.held.hold(filler) {}
        }
        let other = try await h.submit(bytes(h.url("/picture.png?size=4x3")))
        try await h.runOne()
        let error = try await h.failure(other)
        #expect(error.name == .storeFailed && error.phase == .store)
        await h.stop()
    }

    @Test @Loop func `Redis gone and back again does not lose what was done`() async throws {
        let h = try await WorkerHarness(appendOnly: true)
        let origin = try GatedOrigin()
        let receipt = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        // The file is written every second; what matters here is that it holds the claim.
        try await h.server.command("BGREWRITEAOF")
        while try await h.server.command("INFO", "persistence").contains("aof_rewrite_in_progress:1") { try await Loop.sleep(.milliseconds(10)) }
        await h.server.kill9()
        origin.open()
        while h.metrics.value(.storeOperations, labels: "file", "put", "ok") == 0 { try await Loop.sleep(.milliseconds(5)) }
        try await h.server.restart()
        await run.value
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.result(receipt)["state"] == "succeeded")
        origin.close()
        await h.stop()
    }

    /// Completes when the terminal event of a receipt is published, with what `note` says in that moment.
    @Loop private func ending<T: Sendable>(_ h: WorkerHarness, _ receipt: String, _ note: @escaping @Loop () -> T) async throws -> OneShot<T> {
        let over = OneShot<T>()
        let ready = OneShot<Void>()
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: receipt), confirmed: { ready.complete(.success(())) }) { _, payload in
            guard let type = (try? JSON(parsing: payload))?["type"]?.string, ReceiptState(rawValue: type)?.isTerminal == true else { return }
            over.complete(.success(note()))
        }
        try await ready.wait()
        return over
    }

    @Test @Loop func `who waits for a quick rendition does not wait for another's slow ones`() async throws {
        let h = try await WorkerHarness()
        let url = JSON.string(h.url("/picture.png?size=900x700"))
        func avif(_ width: Int) -> JSON {
            ["name": .string("w\(width)"), "transform": [["op": "resize", "width": JSON(width)]], "output": ["format": "avif", "effort": 3]]
        }
        let slow = try await h.submit(["url": url, "renditions": [avif(500), avif(450), avif(400)]])
        let quick = try await h.submit(["url": url, "transform": [["op": "resize", "width": 20]], "output": ["format": "jpeg"]])
        let stored = try await ending(h, quick) { h.metrics.value(.storeOperations, labels: "file", "put", "ok") }
        try await h.server.command("CONFIG", "RESETSTAT")
        try await h.runOne()
        #expect(try await stored.wait() == 1)
        // A claim, three renditions as they came, and the end with the fourth.
        #expect(try await h.server.command("INFO", "commandstats").contains("cmdstat_evalsha:calls=5,"))
        #expect(try await h.result(slow)["renditions"]?.array?.count == 3)
        await h.stop()
    }

    @Test @Loop func `what could not be reported while Redis was away goes with the end`() async throws {
        let gate = Gate()
        let h = try await WorkerHarness(appendOnly: true, wrapping: { GatedStore($0, gate) })
        let renditions: JSON = [["name": "a", "output": ["format": "jpeg"]], ["name": "b", "output": ["format": "webp"]]]
        let receipt = try await h.submit(["url": .string(h.url("/picture.png?size=90x70")), "renditions": renditions])
        let run = try await h.startOne()
        try await gate.asked.wait()
        // The file is written every second; what matters here is that it holds the claim.
        try await h.server.command("BGREWRITEAOF")
        while try await h.server.command("INFO", "persistence").contains("aof_rewrite_in_progress:1") { try await Loop.sleep(.milliseconds(10)) }
        await h.server.kill9()
        gate.open()
        while h.metrics.value(.storeOperations, labels: "file", "put", "ok") < 2 { try await Loop.sleep(.milliseconds(5)) }
        try await h.server.restart()
        await run.value
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.result(receipt)["renditions"]?.array?.count == 2)
        await h.stop()
    }

    @Test @Loop func `results are kept as long as the one who joined last asks`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        let first = try await h.submit(bytes(origin.url)) { $0.resultTTL = Submission.bytesOnly }
        let run = try await h.startOne()
        try await origin.asked.wait()
        let second = try await h.submit(bytes(origin.url))
        origin.open()
        await run.value
        for receipt in [first, second] {
            let rendition = try await h.result(receipt)["renditions"]?[0]
            #expect(rendition?["stored"] == ["results"])
            #expect(try await h.tools.store.get(rendition?["key"]?.string ?? "")?.bytes == Array("bytes".utf8))
        }
        let left = try await h.server.command("PTTL", "tintype:{default}:x:" + (h.result(first)["renditions"]?[0]?["key"]?.string ?? ""))
        #expect(Int(left) ?? 0 > 3_000_000)
        origin.close()
        await h.stop()
    }

    @Test @Loop func `what nobody keeps is in no index, and its bytes wait for whoever fetches them`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(bytes(h.url("/picture.png?size=64x48"))) { $0.resultTTL = Submission.bytesOnly }
        try await h.runOne()
        let rendition = try #require(try await h.result(receipt)["renditions"]?[0])
        let key = rendition["key"]?.string ?? ""
        #expect(rendition["stored"] == [] && rendition["expiresAt"]?.double ?? .infinity <= Timestamp.now().seconds)
        #expect(try await h.server.command("EXISTS", "tintype:{default}:x:" + key) == "0")
        let left = try #require(try await h.tools.store.get(key)?.expiresAt) - Timestamp.now().seconds
        #expect((50...60).contains(left))
        await h.stop()
    }

    @Test @Loop func `a Redis that is away too long costs the work and no attempt`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        await h.keeper.start(h.subscriber)
        let receipt = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        h.server.freeze()
        h.keeper.expire(at: .now + LeaseKeeper.patience)
        h.server.thaw()
        await run.value
        let snapshot = try await h.snapshot(receipt)
        #expect(snapshot.state == .queued && snapshot.attempts == 0)
        origin.open()
        try await h.runOne()
        #expect(try await h.result(receipt)["attempts"] == 1)
        origin.close()
        await h.stop()
    }

    @Test @Loop func `what was made before the lease was given up is told when Redis is there again`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        await h.keeper.start(h.subscriber)
        let receipt = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        h.server.freeze()
        origin.open()
        while h.metrics.value(.storeOperations, labels: "file", "put", "ok") == 0 { try await Loop.sleep(.milliseconds(5)) }
        h.keeper.expire(at: .now + LeaseKeeper.patience)
        // The first try has to fail for the lease to matter.
        while h.redis.isConnected { try await Loop.sleep(.milliseconds(20)) }
        h.server.thaw()
        await run.value
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.result(receipt)["state"] == "succeeded")
        origin.close()
        await h.stop()
    }

    @Test(arguments: [true, false]) @Loop func `an end waits for the store, unless the request does not`(awaits: Bool) async throws {
        let gate = Gate()
        let h = try await WorkerHarness(wrapping: { GatedStore($0, gate) })
        var use = CacheUse()
        use.awaits = awaits
        let receipt = try await h.submit(
            ["url": .string(h.url("/picture.png?size=64x48&with=Cache-Control:+max-age=60")), "transform": [["op": "resize", "width": 16]]], cache: use)
        let run = try await h.startOne()
        try await gate.asked.wait()
        if awaits {
            // Whatever is told is told in this order.
            h.keeper.beat()
            let fetch = try await h.snapshot(receipt).fetch
            while try await h.queue.dump().hash("f:" + fetch)["ph"] != "store" { try await Loop.sleep(.milliseconds(5)) }
            #expect(try await h.snapshot(receipt).ending == nil)
        } else {
            await run.value
            let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
            #expect(try await !h.tools.store.contains(key))
        }
        gate.open()
        await run.value
        await h.scope.drain()
        let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
        #expect(try await h.tools.store.contains(key))
        await h.stop()
    }

    @Test @Loop func `an end names the phase within a beat, though nobody asked for progress`() async throws {
        let gate = Gate()
        let h = try await WorkerHarness(wrapping: { GatedStore($0, gate) })
        let receipt = try await h.submit(bytes(h.url("/text")))
        let run = try await h.startOne()
        try await gate.asked.wait()
        let fetch = try await h.snapshot(receipt).fetch
        h.keeper.beat()
        while try await h.queue.dump().hash("f:" + fetch)["ph"] != "store" { try await Loop.sleep(.milliseconds(5)) }
        _ = try await h.queue.drop(receipt: receipt, reason: "requested")
        #expect(try await h.snapshot(receipt).ending?.body.contains(#""phase":"store""#) == true)
        gate.open()
        await run.value
        await h.stop()
    }
}
