import Foundation
import Shared
import TestSupport
import Testing

@testable import Worker

/// Downloads that go on, against nginx, which has ranges of its own.
@Suite(.timeLimit(.minutes(1)), .serialized) struct ResumeTests {
    private static let whole: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    @Test(arguments: [
        (40_000, 0, true, 60.0, ["206"]), (100_000, 0, true, 60, ["416", "200"]), (100_000, 5000, true, 60, ["416", "200"]),
        (40_000, 0, false, 60, ["200"]), (40_000, 0, true, -1, ["200"]),
    ])
    @Loop func `a beginning is gone on with, or given up, and is gone when the whole is there`(
        kept: Int, more: Int, isOfToday: Bool, lifetime: Double, statuses: [String]
    ) async throws {
        try await goOn(with: kept, more: more, isOfToday: isOfToday, lifetime: lifetime, statuses)
    }

    /// What receipts of one download take; what does not fit is what comes of our asking for a part.
    @Test(arguments: [
        (40_000, [["200"]], ["206"]), (40_000, [["200-299"], ["200"]], ["206"]), (100_000, [["200-499"]], ["416", "200"]),
        (100_000, [["200"], ["200-499"]], ["416", "200"]),
    ])
    @Loop func `whoever takes the whole takes a beginning with its rest, and nobody the answer that there is no rest`(
        kept: Int, terms: [[String]], statuses: [String]
    ) async throws {
        try await goOn(with: kept, more: 0, isOfToday: true, lifetime: 60, accepting: terms, statuses)
    }

    @Test @Loop func `what another mirror has begun is not gone on with`() async throws {
        try await goOn(with: 40_000, more: 0, isOfToday: true, lifetime: 60, of: "http://mirror.test/source.bin", ["200"])
    }

    /// - Parameters:
    ///   - mirror: where the beginning came from, if not from nginx.
    ///   - terms: the statuses that each receipt takes.
    @Loop private func goOn(
        with kept: Int, more: Int, isOfToday: Bool, lifetime: Double, of mirror: String? = nil, accepting terms: [[String]] = [["200-299"]],
        _ statuses: [String]
    ) async throws {
        let h = try await WorkerHarness()
        let nginx = try await NginxServer("listen PORT; access_log FOLDER/log;", files: ["source.bin": Data(Self.whole)])
        let url = "http://127.0.0.1:\(nginx.port)/source.bin"
        let etag = try #require(try await HTTP.get(url, ["-I"]).headers["etag"])
        let request: JSON = ["url": .string(url), "as": "bytes"]
        let key = PartialSource.key(try ImageRequest(request).source.digest)
        let now = Timestamp.now().seconds
        try await h.tools.sources.put(
            StoredImage(
                key: key, contentType: "application/octet-stream",
                info: ["url": .string(mirror ?? url), "validator": .string(isOfToday ? etag : "\"of-yesterday\""), "total": 100_000],
                source: [:], bytes: Self.whole.prefix(kept) + [UInt8](repeating: 0, count: more), storedAt: now, expiresAt: now + lifetime))
        var receipts: [String] = []
        for status in terms {
            let fetch: JSON = ["acceptableStatus": .array(status.map { .string($0) })]
            receipts.append(try await h.submit(["url": .string(url), "as": "bytes", "fetch": fetch]))
        }
        try await h.runOne()
        for receipt in receipts {
            let result = try await h.result(receipt)
            #expect(result["source"]?["sha256"] == .string(Digest.sha256Hex(Self.whole)) && result["source"]?["bytes"] == 100_000)
            #expect(result["source"]?["status"] == 200 && result["attempts"] == 1)
        }
        if mirror == nil { #expect(try await h.tools.sources.get(key) == nil) }
        var lines: [Substring] = []
        try await TestSupport.Gate.until("nginx has written it down, which it does behind its answer") {
            lines = try String(contentsOfFile: nginx.folder.path + "/log", encoding: .utf8).split(separator: "\n").filter { $0.contains("\"GET /source.bin") }
            return lines.count >= statuses.count
        }
        #expect(lines.compactMap { $0.components(separatedBy: "\" ").dropFirst().first?.prefix(3) }.map(String.init) == statuses, "\(lines)")
        await nginx.stop()
        await h.stop()
    }

    @Test @Loop func `what is kept of a broken download is over after an hour`() async throws {
        let h = try await WorkerHarness()
        let request: JSON = ["url": .string(h.url("/cut/picture.png?size=400x300&cut=150000&times=1")), "as": "bytes"]
        try await h.submit(request)
        try await h.runOne()
        let kept = try #require(try await h.tools.sources.get(PartialSource.key(try ImageRequest(request).source.digest)))
        let left = try #require(kept.expiresAt) - Timestamp.now().seconds
        #expect(kept.bytes.count > 100_000 && abs(left - 3600) < 60)
        await h.stop()
    }

    @Test @Loop func `a beginning that is still being written when its download ends is not kept`() async throws {
        let (h, gate) = (try await WorkerHarness(), Gate())
        let cache = SourceCache(store: GatedStore(h.tools.sources, gate), metrics: h.metrics, logger: WorkerHarness.logger)
        let stored = StoredImage(
            key: "", contentType: "", info: ["url": "http://a.test/", "validator": "\"x\""], source: [:], bytes: Array(Self.whole.prefix(40_000)), storedAt: 0)
        let broken = BrokenDownload(partial: try #require(PartialSource(stored)), digest: "d", isLive: true)
        let (first, second) = (h.scope.run("first") { await cache.keep(broken) }, h.scope.run("second") { await cache.keep(broken) })
        try await gate.asked.wait()
        await cache.forgetPartial("d")
        gate.open()
        for task in [first, second] { await task.value }
        #expect(try await h.tools.sources.get(PartialSource.key("d")) == nil)
        // The next download's is.
        await cache.keep(broken)
        #expect(try await h.tools.sources.get(PartialSource.key("d")) != nil)
        await h.stop()
    }
}
