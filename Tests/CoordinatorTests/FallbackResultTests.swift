import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeSettings
import TintypeStores
import TintypeTransport

@testable import Coordinator

/// A second place of results that is read and never written, on a real Redis and real folders.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct FallbackResultTests {
    private static let url = "http://origin.test/a"
    private static let bytes = Array("picture".utf8)

    private static func image(_ request: JSON, expiresIn seconds: Double = 600, change: (inout RenditionInfo) -> Void = { _ in }) throws -> StoredImage {
        let request = try ImageRequest(request)
        let (key, now) = (request.renditions[0].digest(source: request.source.digest), WallClock.now)
        var info = RenditionInfo(
            key: key, contentType: "image/png", bytes: bytes.count, sha256: Digest.sha256Hex(bytes), stored: [.results], isApplied: true)
        (info.expiresAt, info.storedAt) = (now + seconds, now)
        change(&info)
        return StoredImage(
            key: key, contentType: "image/png", info: info.json, source: SourceInfo(url: url, finalURL: url, status: 200, bytes: 7).json, bytes: bytes,
            storedAt: now, expiresAt: now + seconds)
    }

    /// Puts images into a folder as an older service would.
    @Loop private func fill(_ folder: TemporaryFolder, _ images: [StoredImage]) async throws {
        let pool = BlockingPool(threads: 1, name: "old")
        let store = try FileStore(directory: folder.path, pool: pool)
        for image in images { try await store.put(image) }
        store.close()
        pool.stop()
    }

    /// Returns the whole content of a folder: names, sizes, times and modes.
    private func everything(in folder: TemporaryFolder) throws -> [String: String] {
        var all: [String: String] = [:]
        for name in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            var status = stat()
            guard lstat(folder.path + "/" + name, &status) == 0 else { continue }
            all[name] = "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_atim.tv_sec) \(status.st_atim.tv_nsec) \(status.st_mode)"
        }
        return all
    }

    @Test func `a fallback result answers a request and is copied, and the fallback stays unchanged`() async throws {
        let old = try TemporaryFolder("old")
        let image = try Self.image(["url": .string(Self.url)])
        let over = try Self.image(["url": "http://origin.test/over"], expiresIn: -10)
        let versioned = try Self.image(["url": "http://origin.test/version"]) { $0.version = 7 }
        try await fill(old, [image, over, versioned])
        let before = try everything(in: old)
        let harness = try await CoordinatorHarness { $0.resultsFallback = "file://\(old.path)" }
        let client = try await harness.client()
        let answer = try await client.call("image.load", #"{"url":"\#(Self.url)","deliver":"inline"}"#)
        #expect(answer.from == "results" && answer.renditions.first?["data"]?.string == Data(Self.bytes).base64EncodedString(), "\(answer)")
        #expect(try await harness.coordinator.core.storage.results.get(image.key)?.bytes == Self.bytes, "the first place has it, too")
        #expect(try await client.call("image.load", #"{"url":"\#(Self.url)","cache":{"policy":"only","read":["results"]}}"#).from == "results")
        // Expired results, and results of another version, count as missing.
        for other in ["over", "version"] {
            let only = try await client.call("image.load", #"{"url":"http://origin.test/\#(other)","cache":{"policy":"only","read":["memory","results"]}}"#)
            #expect(only.error?.name == "cacheMiss", "\(only)")
        }
        #expect(try everything(in: old) == before)
    }

    @Test func `a fallback result is served by its key`() async throws {
        let old = try TemporaryFolder("old")
        let image = try Self.image(["url": .string(Self.url)])
        try await fill(old, [image])
        let harness = try await CoordinatorHarness { $0.resultsFallback = "file://\(old.path)" }
        let got = try await HTTP.get(await harness.base + "/images/" + image.key)
        #expect(got.status == 200 && Array(got.body) == Self.bytes)
        let client = try await harness.client()
        #expect(try await client.call("cache.get", #"{"key":"\#(image.key)","tier":"results"}"#).error == nil)
        #expect(try await harness.coordinator.core.storage.results.get(image.key) == nil, "it stays where it is")
        #expect(try await HTTP.get(await harness.base + "/images/nothing").status == 404)
    }

    @Test(arguments: ["file:///nonexistent/folder", "redis://127.0.0.1:1"]) func `a failing fallback store costs no result`(place: String) async throws {
        let harness = try await CoordinatorHarness { $0.resultsFallback = place }
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"\#(Self.url)"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.from == "remote")
        #expect(try await HTTP.get(await harness.base + "/images/nothing").status == 404)
    }

    @Test @Loop func `a read-only folder accepts no limits`() {
        do throws(TintypeError) {
            _ = try ResultStores.openToRead("file:///a?maxBytes=1GiB", name: "test", logger: Logger(label: "test", level: .error))
            Issue.record("opened")
        } catch {
            #expect(error.name == .storeFailed)
        }
    }

    /// A place that answers when the test lets it.
    @Loop private final class Silent: ResultReader {
        nonisolated let kind = "silent"
        private(set) var asked = 0
        let answer = OneShot<StoreLookup>()
        func look(up key: String) async throws(TintypeError) -> StoreLookup {
            asked += 1
            return (try? await answer.wait()) ?? .absent
        }
        func close() {}
    }

    @Test @Loop func `a slow fallback store is given up after its limit and then not asked for a while`() async throws {
        let (silent, metrics, scope) = (Silent(), Metrics(), TaskScope())
        let fallback = SecondaryResults(
            silent, patience: .milliseconds(20), scope: scope, metrics: metrics, logger: Logger(label: "test", level: .error))
        #expect(await fallback.image("a") == nil)
        #expect(silent.asked == 1 && metrics.value(.storeOperations, labels: "silent", "fallback", "failed") == 1)
        #expect(await fallback.image("a") == nil)
        #expect(silent.asked == 1)
        silent.answer.complete(.success(.absent))
        await scope.drain()
    }

    @Test @Loop func `unanswered questions limit further questions to the fallback store`() async throws {
        let (silent, scope) = (Silent(), TaskScope())
        let fallback = SecondaryResults(silent, patience: .seconds(60), scope: scope, metrics: Metrics(), logger: Logger(label: "test", level: .error))
        let image = try Self.image(["url": .string(Self.url)])
        let waiting = (0..<SecondaryResults.most).map { number in Task { @Loop in await fallback.image("\(number)") } }
        while silent.asked < SecondaryResults.most { await Task.yield() }
        #expect(await fallback.image("one more") == nil && silent.asked == SecondaryResults.most)
        silent.answer.complete(.success(.found(image)))
        for one in waiting { #expect(await one.value == image) }
        #expect(await fallback.image("now") == image)
    }
}
