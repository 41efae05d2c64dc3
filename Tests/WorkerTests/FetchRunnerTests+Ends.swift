import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing
@testable import Worker

extension FetchRunnerTests {
    @Test(arguments: [(#"["png"]"#, nil as String?, true), (#"["png"]"#, "png", true), (#"["png"]"#, "webp", false), (#"["gif","webp"]"#, nil, false)])
    @Loop func `a source of a kept format is delivered as it came`(keep: String, format: String?, isKept: Bool) async throws {
        let h = try await WorkerHarness()
        var output: JSONObject = ["keep": try JSON(parsing: keep)]
        output["format"] = format.map { .string($0) }
        let receipt = try await h.submit([
            "url": .string(h.url("/picture.png?size=40x30")), "transform": [["op": "resize", "width": 8]], "output": .object(output),
        ])
        try await h.runOne()
        let result = try await h.result(receipt)
        let rendition = try #require(result["renditions"]?[0])
        let image = try #require(await h.store.get(rendition["key"]?.string ?? ""))
        #expect((rendition["sha256"] == result["source"]?["sha256"]) == isKept && Digest.sha256Hex(image.bytes) == rendition["sha256"]?.string)
        #expect(rendition["width"] == (isKept ? 40 : 8) && rendition["height"] == (isKept ? 30 : 6))
        #expect(rendition["format"]?.string == format ?? "png" && rendition["frames"] == 1, "\(rendition)")
    }

    @Test @Loop func `a result that its store refuses is spilled for a minute, or fails with the store's error`() async throws {
        let h = try await WorkerHarness(results: "redis://127.0.0.1:1" + (TestTimes.areReal ? "" : "?timeout=300ms"))
        let receipt = try await h.submit(bytes(h.url("/text")))
        try await h.runOne()
        let rendition = try #require(try await h.result(receipt)["renditions"]?[0])
        let image = try #require(await h.spilled.get(rendition["key"]?.string ?? ""))
        #expect(Digest.sha256Hex(image.bytes) == rendition["sha256"]?.string)
        #expect(rendition["expiresAt"]?.double.map { $0 - WallClock.now <= SpilledResults.seconds } == true)
        #expect(h.metrics.value(.storeOperations, labels: "redis", "put", "failed") == 1)
        #expect(h.metrics.value(.storeOperations, labels: "redis", "hold", "ok") == 1)
        for operation in ["put", "hold"] {
            #expect(h.metrics.text().contains("tintype_store_seconds_count{store=\"redis\",operation=\"\(operation)\"} 1\n"), "\(operation)")
        }
        // More than a worker may hold at a time.
        var filler = image
        for size in [SpilledResults.maxBytes, 1 << 20, 1 << 14, 64] {
            filler.bytes = Array(repeating: 7, count: size)
            while await h.spilled.hold(filler) {}
        }
        let other = try await h.submit(bytes(h.url("/picture.png?size=4x3")))
        try await h.runOne()
        let error = try await h.failure(other)
        #expect(error.name == .storeFailed && error.phase == .store)
    }

    /// Kills a Redis that has written everything to its file, which it writes only every second.
    @Loop private func killAfterWriting(_ server: RedisServer) async throws {
        try await server.command("BGREWRITEAOF")
        while try await server.command("INFO", "persistence").contains("aof_rewrite_in_progress:1") { try await Loop.sleep(.milliseconds(10)) }
        await server.kill9()
    }

    @Test @Loop func `an outage of Redis does not lose finished work`() async throws {
        let h = try await WorkerHarness(appendOnly: true)
        let origin = try GatedOrigin()
        let receipt = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        try await killAfterWriting(h.server)
        origin.open()
        while h.metrics.value(.storeOperations, labels: "file", "put", "ok") == 0 { try await Loop.sleep(.milliseconds(5)) }
        try await h.server.restart()
        await run.value
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.result(receipt)["state"] == "succeeded")
        origin.close()
    }

    /// Completes when the terminal event of a receipt is published, with the value of `note` at that moment.
    @Loop func ending<T: Sendable>(_ h: WorkerHarness, _ receipt: String, _ note: @escaping @Loop () -> T) async throws -> OneShot<T> {
        let over = OneShot<T>()
        let ready = OneShot<Void>()
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: receipt), confirmed: { ready.complete(.success(())) }) { _, payload in
            guard let type = (try? JSON(parsing: payload))?["type"]?.string, ReceiptState(rawValue: type)?.isTerminal == true else { return }
            over.complete(.success(note()))
        }
        try await ready.wait()
        return over
    }

    @Test @Loop func `a receipt with a quick rendition does not wait for the slow ones of another`() async throws {
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
        // A claim, three renditions one by one, and the end with the fourth.
        #expect(try await h.server.command("INFO", "commandstats").contains("cmdstat_evalsha:calls=5,"))
        #expect(try await h.result(slow)["renditions"]?.array?.count == 3)
    }

    @Test @Loop func `reports that failed while Redis was away are sent with the end`() async throws {
        let gate = Gate()
        let h = try await WorkerHarness(appendOnly: true, wrapping: { GatedStore($0, gate) })
        let renditions: JSON = [["name": "a", "output": ["format": "jpeg"]], ["name": "b", "output": ["format": "webp"]]]
        let receipt = try await h.submit(["url": .string(h.url("/picture.png?size=90x70")), "renditions": renditions])
        let run = try await h.startOne()
        try await gate.asked.wait()
        try await killAfterWriting(h.server)
        gate.open()
        while h.metrics.value(.storeOperations, labels: "file", "put", "ok") < 2 { try await Loop.sleep(.milliseconds(5)) }
        try await h.server.restart()
        await run.value
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.result(receipt)["renditions"]?.array?.count == 2)
    }

    @Test @Loop func `results are kept as long as the last receipt asks`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        let first = try await h.submit(bytes(origin.url)) { $0.resultTime = ResultTime.bytesOnly }
        let run = try await h.startOne()
        try await origin.asked.wait()
        let second = try await h.submit(bytes(origin.url))
        origin.open()
        await run.value
        for receipt in [first, second] {
            let rendition = try await h.result(receipt)["renditions"]?[0]
            #expect(rendition?["stored"] == ["results"])
            #expect(try await h.store.get(rendition?["key"]?.string ?? "")?.bytes == Array("bytes".utf8))
        }
        let left = try await h.server.command("PTTL", "tintype:{default}:x:" + (h.result(first)["renditions"]?[0]?["key"]?.string ?? ""))
        #expect(Int(left) ?? 0 > 3_000_000)
        origin.close()
    }

    @Test @Loop func `a result that is not kept is in no index, and its bytes wait for the client`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(bytes(h.url("/picture.png?size=64x48"))) { $0.resultTime = ResultTime.bytesOnly }
        try await h.runOne()
        let rendition = try #require(try await h.result(receipt)["renditions"]?[0])
        let key = rendition["key"]?.string ?? ""
        #expect(rendition["stored"] == [] && rendition["expiresAt"]?.double ?? .infinity <= WallClock.now)
        #expect(try await h.server.command("EXISTS", "tintype:{default}:x:" + key) == "0")
        let left = try #require(try await h.store.get(key)?.expiresAt) - WallClock.now
        #expect((50...60).contains(left))
    }

    @Test @Loop func `an outage of Redis that is too long costs the work, but no attempt`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        await h.keeper.start(h.channels)
        let receipt = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        h.server.freeze()
        h.keeper.expire(at: .now + h.queue.times.patience)
        h.server.thaw()
        await run.value
        let snapshot = try await h.snapshot(receipt)
        #expect(snapshot.state == .queued && snapshot.attempts == 0)
        origin.open()
        try await h.runOne()
        #expect(try await h.result(receipt)["attempts"] == 1)
        origin.close()
    }

    @Test @Loop func `work from before the lease was given up is reported when Redis is back`() async throws {
        let h = try await WorkerHarness()
        let origin = try GatedOrigin()
        await h.keeper.start(h.channels)
        let receipt = try await h.submit(bytes(origin.url))
        let run = try await h.startOne()
        try await origin.asked.wait()
        h.server.freeze()
        origin.open()
        while h.metrics.value(.storeOperations, labels: "file", "put", "ok") == 0 { try await Loop.sleep(.milliseconds(5)) }
        h.keeper.expire(at: .now + h.queue.times.patience)
        // The first attempt has to fail, so that the lease matters.
        while h.redis.isConnected { try await Loop.sleep(.milliseconds(20)) }
        h.server.thaw()
        await run.value
        try await h.redis.untilConnected(within: .seconds(20))
        #expect(try await h.result(receipt)["state"] == "succeeded")
        origin.close()
    }

    @Test(arguments: [true, false]) @Loop func `an end waits for the store, unless the request says otherwise`(awaits: Bool) async throws {
        let gate = Gate()
        let h = try await WorkerHarness(wrapping: { GatedStore($0, gate) })
        var use = CacheUse()
        use.awaits = awaits
        let receipt = try await h.submit(
            ["url": .string(h.url("/picture.png?size=64x48&with=Cache-Control:+max-age=60")), "transform": [["op": "resize", "width": 16]]], cache: use)
        let run = try await h.startOne()
        try await gate.asked.wait()
        if awaits {
            // Messages are delivered in their order.
            h.keeper.beat()
            let fetch = try await h.snapshot(receipt).fetch
            while try await h.queue.dump().hash("f:" + fetch)["phase"] != "store" { try await Loop.sleep(.milliseconds(5)) }
            #expect(try await h.snapshot(receipt).ending == nil)
        } else {
            await run.value
            let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
            #expect(try await !h.store.contains(key))
        }
        gate.open()
        await run.value
        await h.scope.drain()
        let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
        #expect(try await h.store.contains(key))
    }

    @Test @Loop func `an end names the phase within a heartbeat, even if nobody asked for progress`() async throws {
        let gate = Gate()
        let h = try await WorkerHarness(wrapping: { GatedStore($0, gate) })
        let receipt = try await h.submit(bytes(h.url("/text")))
        let run = try await h.startOne()
        try await gate.asked.wait()
        let fetch = try await h.snapshot(receipt).fetch
        h.keeper.beat()
        while try await h.queue.dump().hash("f:" + fetch)["phase"] != "store" { try await Loop.sleep(.milliseconds(5)) }
        _ = try await h.queue.cancel(receipt: receipt, reason: "requested")
        #expect(try await h.snapshot(receipt).ending?.body.contains(#""phase":"store""#) == true)
        gate.open()
        await run.value
    }

    @Test(arguments: ["204 No Content", "205 Reset Content", "200 OK"]) @Loop
    func `an answer without a body is a success with no bytes, but no picture`(status: String) async throws {
        let h = try await WorkerHarness()
        let length = status.hasPrefix("204") ? "" : "Content-Length: 0\r\n"
        let server = try CannedServer(["/a": "HTTP/1.1 \(status)\r\n\(length)\r\n"])
        let receipt = try await h.submit(bytes(server.base + "/a"))
        try await h.runOne()
        let rendition = try #require(try await h.result(receipt)["renditions"]?[0])
        #expect(rendition["bytes"]?.int == 0, "\(rendition)")
        // Accepted types do not matter for an answer without a type.
        let typed = try await h.submit(bytes(server.base + "/a", [("fetch", ["acceptableTypes": ["image/png"]])]))
        try await h.runOne()
        #expect(try await h.result(typed)["renditions"]?[0]?["bytes"]?.int == 0)
        let picture = try await h.submit(["url": .string(server.base + "/a")])
        try await h.runOne()
        let error = try await h.failure(picture)
        #expect(error.name == .badImageData && error.isRetryable == false, "\(error)")
    }
}
