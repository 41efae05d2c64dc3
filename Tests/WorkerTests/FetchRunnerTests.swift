import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

@Suite(.tags(.realTimes), .timeLimit(.minutes(3)), .scoped)
struct FetchRunnerTests {
    func bytes(_ url: String, _ more: [(String, JSON)] = []) -> JSON {
        .object(JSONObject([("url", .string(url)), ("as", "bytes")] + more))
    }

    @Test @Loop func `a source passed through ends in a result as the protocol describes`() async throws {
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
        let stored = try await h.store.get(rendition["key"]?.string ?? "")
        #expect(stored?.bytes == whole)
        #expect(stored?.contentType == "image/png")
        let lifetime = try #require(rendition["expiresAt"]?.double) - WallClock.now
        #expect((3500...3600).contains(lifetime), "an hour by default")
    }

    @Test @Loop func `a fetch without extras costs three round trips`() async throws {
        let h = try await WorkerHarness()
        try await h.server.command("CONFIG", "RESETSTAT")
        let receipt = try await h.submit(bytes("data:text/plain,hello")) { $0.resultTime = 0 }
        try await h.runOne()
        let statistics = try await h.server.command("INFO", "commandstats")
        #expect(statistics.contains("cmdstat_evalsha:calls=3,"))
        #expect(try await h.result(receipt)["renditions"]?[0]?["stored"] == [])
    }

    /// Runs the one waiting fetch.
    /// - Returns: the events of its receipt, up to its success.
    @Loop private func runTelling(_ h: WorkerHarness, _ receipt: String) async throws -> [JSON] {
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
        return events
    }

    @Test @Loop func `progress is reported to receipts that asked, the last report before the end`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(bytes(h.url("/picture.png?size=200x200&rate=200000"), [("progress", true)]))
        let events = try await runTelling(h, receipt)
        #expect(events.map { $0["type"]?.string }.prefix(2) == ["started", "response"])
        #expect(events[1]["status"] == 200 && events[1]["headers"]?["content-type"] == "image/png")
        let downloads = events.filter { $0["type"] == "progress" && $0["phase"] == "download" }
        let total = events[1]["expectedBytes"]
        #expect(downloads.last?["receivedBytes"] == total && downloads.last?["fraction"] == 1)
        #expect(zip(downloads, downloads.dropFirst()).allSatisfy { ($0["receivedBytes"]?.int ?? 0) < ($1["receivedBytes"]?.int ?? 0) })
    }

    @Test @Loop func `the upload of a long body is reported before its answer`() async throws {
        let h = try await WorkerHarness()
        let size = 3 << 20
        let server = try SlowReader(body: size, room: 1 << 18, every: .milliseconds(20))
        let fetch: JSON = ["method": "PUT", "body": .string(String(repeating: "x", count: size))]
        let receipt = try await h.submit(bytes(server.url, [("progress", ["interval": 0.02]), ("fetch", fetch)]))
        let events = try await runTelling(h, receipt)
        let phases = events.filter { $0["type"] == "progress" }.compactMap { $0["phase"]?.string }
        let uploads = events.filter { $0["phase"] == "upload" }
        #expect(!uploads.isEmpty && uploads.allSatisfy { $0["totalBytes"]?.int == size }, "\(events)")
        #expect(zip(uploads, uploads.dropFirst()).allSatisfy { ($0["sentBytes"]?.int ?? 0) < ($1["sentBytes"]?.int ?? 0) })
        #expect(phases.drop { $0 == "upload" }.allSatisfy { $0 != "upload" })
        server.close()
    }

    @Test @Loop func `a host that sends Retry-After is throttled in every queue`() async throws {
        let h = try await WorkerHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        _ = try await bulk.configure(QueueChange())
        try await h.submit(bytes(h.url("/status/429?retry=60")))
        try await h.runOne()
        for queue in [h.queue, bulk] { #expect(try await queue.info()?.heldHosts.keys.sorted() == ["127.0.0.1"]) }
    }

    @Test(arguments: [("/status/404", ErrorName.httpStatus, false), ("/hang", .timeout, true)])
    @Loop func `a failure has its own error, and a transient one is tried again`(path: String, name: ErrorName, again: Bool) async throws {
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
    }

    @Test @Loop func `canceling the last receipt closes the connection to the origin`() async throws {
        let h = try await WorkerHarness()
        await h.keeper.start(h.channels)
        let receipt = try await h.submit(bytes(h.url("/hang")))
        let run = try await h.startOne()
        try await h.untilOriginRuns(1)  // and would for ever
        #expect(try await h.queue.cancel(receipt: receipt, reason: "requested") == .dropped)
        await run.value
        try await h.untilOriginRuns(0)
        #expect(h.keeper.count == 0 && h.budget.used == 0)
        #expect(try await h.queue.info()?.running == 0)
    }

    @Test @Loop func `a download that is paused stops, and goes on by what has come of it`() async throws {
        let h = try await WorkerHarness()
        await h.keeper.start(h.channels)
        let request: JSON = ["url": .string(h.url("/slow/picture.png?size=1000x1000&rate=400000")), "as": "bytes", "progress": true]
        let digest = try ImageRequest(request).source.digest
        let receipt = try await h.submit(request)
        let run = try await h.startOne()
        func received() async throws -> Int { try await JSON(parsing: "{\(h.snapshot(receipt).progress)}")["receivedBytes"]?.int ?? 0 }
        while try await received() < PartialSource.least * 2 { try await Loop.sleep(.milliseconds(20)) }
        #expect(try await h.queue.pause(receipt: receipt, true) == .paused)
        await run.value
        try await h.untilOriginRuns(0)
        let paused = try await h.snapshot(receipt)
        #expect(paused.state == .paused && paused.attempts == 0 && h.budget.used == 0)
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        let beginning = await h.sourceCache.partial(digest)?.bytes.count ?? 0
        #expect(beginning > 0)
        #expect(try await h.queue.pause(receipt: receipt, false) == .queued)
        try await h.runOne()
        let source = try await h.result(receipt)["source"]
        #expect(source?["status"] == 200 && source?["bytes"]?.int ?? 0 > beginning)
        #expect(await h.sourceCache.partial(digest) == nil)
    }

    @Test @Loop func `a run that yields goes back to its queue without an attempt counted, and its receipt waits on`() async throws {
        let h = try await WorkerHarness()
        await h.keeper.start(h.channels)
        let runs = try await h.runsOfTwoClients()
        let tasks = runs.map { FetchRunner($0, queue: h.queue, parts: h.parts).run(h.keeper, claimedAt: .now) }
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
        // No other client is left to yield to.
        let again = try await h.claim()
        #expect(again.lease.fetch == yielded.fetch && again.attempt == 1)
        for receipt in ["a0", "a1"] { _ = try await h.queue.cancel(receipt: receipt, reason: "requested") }
        await tasks[states[0] == .queued ? 1 : 0].value
    }

    @Test @Loop func `a run that waits for a layer yields, and one that has loaded everything continues`() async throws {
        let drawn = Gate()
        let h = try await WorkerHarness(wrapping: { GatedStore($0, drawn) })
        await h.keeper.start(h.channels)
        let ready = OneShot<Void>()
        var messages = 0
        h.subscriber.subscribe(h.queue.keys.control, .sharded, confirmed: { ready.complete(.success(())) }) { _, _ in messages += 1 }
        try await ready.wait()
        func yield(_ lease: RunLease) async throws {
            let before = messages
            _ = try await h.redis.command(["SPUBLISH", .string(h.queue.keys.control), .string("yield|\(lease.fetch)|\(lease.token)")])
            while messages == before { try await Loop.sleep(.milliseconds(5)) }
        }
        let layered: JSON = [
            "url": .string(h.url("/picture.png?size=64x48")), "transform": [["op": "composite", "url": .string(h.url("/hang"))]],
        ]
        let waits = try await h.submit(layered)
        let first = try await h.claim()
        let one = FetchRunner(first, queue: h.queue, parts: h.parts).run(h.keeper, claimedAt: .now)
        try await h.untilAsked(2)
        try await yield(first.lease)
        await one.value
        let snapshot = try await h.snapshot(waits)
        #expect(snapshot.state == .queued && snapshot.attempts == 0)
        _ = try await h.queue.cancel(receipt: waits, reason: "requested")

        let goes = try await h.submit(bytes(h.url("/picture.png?size=64x48&n=2")))
        let second = try await h.claim()
        let other = FetchRunner(second, queue: h.queue, parts: h.parts).run(h.keeper, claimedAt: .now)
        try await drawn.asked.wait()
        try await yield(second.lease)
        drawn.open()
        await other.value
        #expect(try await h.result(goes)["attempts"] == 1)
    }
}
