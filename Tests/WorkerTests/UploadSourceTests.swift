import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// `upload:` URLs: bytes that a coordinator has put into the store of sources.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct UploadSourceTests {
    @Loop private func put(_ bytes: [UInt8], _ h: WorkerHarness, for lifetime: Double = 100, storedAt: Double = WallClock.now) async throws -> UploadedSource {
        let upload = UploadedSource(of: nil)
        try await h.sources.put(
            StoredImage(
                key: upload.key, contentType: "image/gif", info: [:], source: [:], bytes: bytes, storedAt: storedAt, expiresAt: storedAt + lifetime))
        return upload
    }

    @Loop private func run(_ h: WorkerHarness, _ upload: UploadedSource, _ more: JSONObject = [:]) async throws -> String {
        let request: JSONObject = ["url": .string(upload.url), "as": "bytes"]
        let receipt = try await h.submit(.object(request.merging(more))) { $0.readResults = false }
        try await h.runOne()
        return receipt
    }

    @Test @Loop func `the bytes of an upload are the source, as private as its id`() async throws {
        let h = try await WorkerHarness()
        let upload = try await put(Array("hello".utf8), h)
        let result = try await h.result(run(h, upload))
        #expect(result["source"]?["sha256"]?.string == Digest.sha256Hex(Array("hello".utf8)) && result["source"]?["bytes"]?.int == 5)
        #expect(result["renditions"]?[0]?["private"] == true && result["text"] != nil || result["renditions"]?[0]?["private"] == true)
        // The id is not in the result, which others may read.
        #expect(result["source"]?["url"]?.string == "upload:\(upload.id.prefix(8))***" && !result.text.contains(upload.id))
        // The network was not asked, and no second copy is kept.
        #expect(try await h.sources.statistics().count == 1)
        #expect(h.budget.used == 0)
    }

    @Test @Loop func `an upload that has expired, was removed or is unknown fails at once, and says what to do`() async throws {
        let h = try await WorkerHarness()
        let old = try await put([1], h, for: 100, storedAt: WallClock.now - 1000)
        let removed = try await put([1], h)
        _ = try await h.sources.remove(removed.key)
        for upload in [old, removed, UploadedSource(of: nil)] {
            let failure = try await h.failure(run(h, upload))
            #expect(failure.name == .httpStatus && !failure.isRetryable && failure.details["status"] == 404, "\(failure)")
            #expect(failure.message.contains("PUT /uploads") && failure.message.contains("--upload-ttl"), "\(failure)")
            #expect(!failure.json.text.contains(upload.id))
        }
    }

    @Test @Loop func `the limit of a request holds for uploads too`() async throws {
        let h = try await WorkerHarness()
        let upload = try await put(Array("hello".utf8), h)
        #expect(try await h.failure(run(h, upload, ["fetch": ["maxBytes": 4]])).name == .limitExceeded)
        #expect(try await h.result(run(h, upload, ["fetch": ["maxBytes": 5]]))["source"]?["bytes"] == 5)
    }

    @Test @Loop func `no key of the operator decrypts what a client has sent`() async throws {
        var policy = DownloadPolicy()
        policy.keys = try DecryptionKeys(text: "mine: aes-256-gcm \(String(repeating: "00", count: 32)) hosts=*", path: "keys")
        let h = try await WorkerHarness(policy: policy)
        let upload = try await put([UInt8](repeating: 0, count: 64), h)
        #expect(try await h.failure(run(h, upload, ["fetch": ["decrypt": "mine"]])).name == .forbidden)
    }

    @Test @Loop func `a store that does not answer is a failure that may pass`() async throws {
        let h = try await WorkerHarness(keeping: { BrokenStore($0) })
        let upload = UploadedSource(of: nil)
        let loaded = await h.failure(upload.url, under: DownloadPolicy())
        #expect(loaded?.name == .storeFailed && loaded?.isRetryable == true, "\(String(describing: loaded))")
    }
}

/// A store whose reads fail.
private struct BrokenStore: ResultStore {
    private let store: any ResultStore

    init(_ store: any ResultStore) { self.store = store }

    var kind: String { store.kind }
    @Loop func put(_ image: StoredImage) async throws(TintypeError) { try await store.put(image) }
    @Loop func look(up key: String) async throws(TintypeError) -> StoreLookup { throw TintypeError(.storeFailed, .store, "broken", retryable: true) }
    @Loop func contains(_ key: String) async throws(TintypeError) -> Bool { try await store.contains(key) }
    @Loop func remove(_ key: String) async throws(TintypeError) -> StoreStatistics { try await store.remove(key) }
    @Loop func remove(_ mark: StoredMark) async throws(TintypeError) { try await store.remove(mark) }
    @Loop func clear() async throws(TintypeError) -> StoreStatistics { try await store.clear() }
    @Loop func trim() async throws(TintypeError) -> StoreStatistics { try await store.trim() }
    @Loop func statistics() async throws(TintypeError) -> StoreStatistics { try await store.statistics() }
    @Loop func close() { store.close() }
}
