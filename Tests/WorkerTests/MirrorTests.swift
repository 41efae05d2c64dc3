import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Worker

/// `urls`: the next one is tried after any failure to fetch.
@Suite(.timeLimit(.minutes(1)), .scoped) struct MirrorTests {
    @Loop private func run(_ h: WorkerHarness, _ urls: [String], _ more: [(String, JSON)] = []) async throws -> String {
        let receipt = try await h.submit(.object(JSONObject([("urls", .array(urls.map { .string($0) })), ("as", "bytes")] + more)))
        try await h.runOne()
        return receipt
    }

    @Test(arguments: ["/status/404", "/status/500", "/cut/picture.png?size=64x64&cut=100", "/hang", "/picture.png?size=64x64&type=text/html"])
    @Loop func `a mirror takes over after any failure of the one before`(path: String) async throws {
        let h = try await WorkerHarness()
        let good = h.url("/picture.png?size=64x48")
        let result = try await h.result(
            try await run(h, [h.url(path), good], [("fetch", ["timeouts": ["idle": 2], "acceptableTypes": ["image/*"]])]))
        #expect(result["source"]?["url"] == .string(good) && result["attempts"] == 1)
        let whole = [UInt8](try await HTTP.get(good).body)
        #expect(result["source"]?["sha256"] == .string(Digest.sha256Hex(whole)) && result["source"]?["bytes"] == JSON(whole.count))
        #expect(h.budget.used == 0)
    }

    @Test @Loop func `unreachable hosts and refused addresses are skipped`() async throws {
        let h = try await WorkerHarness()
        let result = try await h.result(try await run(h, ["http://10.0.0.1/", "http://nope.invalid/", "http://127.0.0.1:1/", h.url("/picture.png")]))
        #expect(result["source"]?["status"] == 200)
        #expect(try await h.counts()["total"] == 1)
    }

    @Test @Loop func `the first mirror with a good answer is the only one asked`() async throws {
        let h = try await WorkerHarness()
        _ = try await h.result(try await run(h, [h.url("/picture.png"), h.url("/picture.png?2")]))
        #expect(try await h.counts()["counts"] == ["/picture.png": 1])
        // A broken picture is no failed fetch.
        let receipt = try await h.submit(["urls": [.string(h.url("/text")), .string(h.url("/picture.png?3"))]])
        try await h.runOne()
        #expect(try await h.failure(receipt).name == .badImageData)
        #expect(try await h.counts()["total"] == 2)
    }

    @Test @Loop func `a throttled mirror is not asked, whichever mirror replaces it`() async throws {
        let h = try await WorkerHarness()
        let mirror = h.origin.base.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        for number in 1...2 {
            let urls = [h.url("/status/429?retry=60&n=\(number)"), mirror + "/picture.png?size=8x8&n=\(number)"]
            #expect(try await h.result(try await run(h, urls))["source"]?["url"] == .string(urls[1]))
        }
        // The throttled host is listed as one more failure, and is not waited for if another may be asked sooner.
        let lost = try await h.failure(
            try await run(h, [mirror + "/status/503", h.url("/status/429?retry=60&n=3")], [("fetch", ["retry": ["attempts": 1]])]))
        #expect(lost.details["status"] == 503 && lost.details["mirrors"]?[1]?["status"] == 429)
        let counts = try await h.counts()["counts"]
        #expect(counts?["/status/429?retry=60&n=1"] == 1 && counts?["/status/429?retry=60&n=2"] == nil && counts?["/status/429?retry=60&n=3"] == nil)
        // The queue hears of it: a fetch without a mirror waits, and its host is asked as soon as it is no longer throttled.
        while try await h.queue.info()?.heldHosts["127.0.0.1"] == nil { try await Loop.sleep(.milliseconds(2)) }
        let alone = try await h.submit(["urls": [.string(h.url("/picture.png?alone"))], "as": "bytes"])
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        _ = try await h.redis.command(["ZADD", .string(h.queue.keys.prefix + "held"), "1", "127.0.0.1"])
        try await h.runOne()
        #expect(try await h.result(alone)["source"]?["status"] == 200)
        _ = try await h.failure(try await run(h, [h.url("/status/429?retry=60&n=4")], [("fetch", ["retry": ["attempts": 1]])]))
        #expect(try await h.counts()["counts"]?["/status/429?retry=60&n=4"] == 1)
    }

    @Test @Loop func `a fetch that has waited for a mirror begins with it`() async throws {
        let h = try await WorkerHarness()
        let mirror = h.origin.base.replacingOccurrences(of: "127.0.0.1", with: "localhost")
        // Another worker has throttled the host.
        try await h.queue.hold("127.0.0.1", seconds: 60)
        let first = try await h.result(try await run(h, [h.url("/picture.png?1"), mirror + "/picture.png?2"]))
        #expect(first["source"]?["url"] == .string(mirror + "/picture.png?2"))
        #expect(try await h.counts()["counts"] == ["/picture.png?2": 1])
        // The others are tried after it in their order, except throttled ones.
        let second = try await run(h, [h.url("/picture.png?3"), mirror + "/status/404", h.url("/picture.png?4"), mirror + "/status/410"])
        #expect(try await h.counts()["counts"] == ["/picture.png?2": 1, "/status/404": 1, "/status/410": 1])
        let waiting = try await h.snapshot(second)
        #expect(waiting.state == .delayed && waiting.attempts == 1)
        let third = try await h.result(try await run(h, [h.url("/picture.png?5"), mirror + "/status/404?2", mirror + "/picture.png?6"]))
        #expect(third["source"]?["url"] == .string(mirror + "/picture.png?6"))
    }

    @Test @Loop func `throttling ends with its time, after at most ten minutes`() throws {
        var resting = ThrottledHosts()
        let now = ContinuousClock.now
        func busy(_ host: String, _ seconds: Int64) -> TintypeError {
            TintypeError(
                .httpStatus, .download, "no", retryable: true,
                details: ["status": 503, "retryAfter": .int(seconds), "url": "http://shown.test/a", "host": .string(host)])
        }
        func address(_ host: String) throws -> SourceAddress { try #require(Source(canonical: ["url": .string("http://\(host)/b?secret=1")]).addresses.first) }
        resting.note(busy("a.test", 5), at: now)
        resting.note(busy("a.test", 3), at: now)
        resting.note(busy("b.test", 9_999), at: now)
        let refusal = try #require(resting.refusal(of: address("a.test"), at: now + .seconds(4)))
        #expect(
            refusal.isRetryable && refusal.details["retryAfter"]?.double == 1 && refusal.details["status"] == 503 && !refusal.json.text.contains("secret=1"))
        #expect(try resting.refusal(of: address("a.test"), at: now + .seconds(5)) == nil)
        #expect(
            try resting.refusal(of: address("b.test"), at: now + .seconds(599)) != nil && resting.refusal(of: address("b.test"), at: now + .seconds(600)) == nil
        )
        #expect(try resting.refusal(of: address("c.test"), at: now) == nil)
    }

    @Test @Loop func `if all mirrors fail, each is listed, and transient failures are tried again`() async throws {
        let h = try await WorkerHarness()
        let lost = try await h.failure(try await run(h, [h.url("/status/404"), h.url("/status/410")]))
        #expect(lost.details["status"] == 410 && lost.details["mirrors"]?[0]?["status"] == 404 && lost.details["mirrors"]?[1]?["name"] == "httpStatus")
        let busy = try await h.failure(
            try await run(h, [h.url("/status/503"), h.url("/status/404?2")], [("fetch", ["retry": ["attempts": 1]])]))
        #expect(busy.details["status"] == 503 && busy.isRetryable)
    }
}
