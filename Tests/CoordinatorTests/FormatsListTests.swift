import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The answer of `formats.list` follows from the reports of the workers.
@Suite(.timeLimit(.minutes(1)), .scoped) struct FormatsListTests {
    @Test @Loop func `formats.list names the formats that every live worker supports`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        func formats(_ member: String) async throws -> [String]? { try await client.call("formats.list", "{}")[member]?.strings }
        let all = try await formats("decode")
        #expect(all?.contains("tiff") == true)
        #expect(try await formats("fonts") == ["sans", "serif", "monospace"])
        let queue = h.worker.queue
        let one: JSON = ["decode": ["jpeg", "png", "webp"], "encode": ["jpeg", "png", "webp", "avif"], "lossless": ["webp"], "fonts": ["sans", "monospace"]]
        let other: JSON = ["decode": ["png", "jpeg"], "encode": ["jpeg", "avif", "webp"], "lossless": ["avif", "webp"], "fonts": ["serif", "monospace"]]
        _ = try await queue.beat(worker: "w1", info: ["codecs": one], [])
        _ = try await queue.beat(worker: "w2", info: ["codecs": other], [])
        _ = try await queue.beat(worker: "w3", info: ["id": "w3"], [])
        #expect(try await formats("decode") == ["jpeg", "png"])
        #expect(try await formats("encode") == ["jpeg", "webp", "avif"])
        #expect(try await formats("lossless") == ["webp"])
        #expect(try await formats("fonts") == ["monospace"])
        let list = try await client.call("workers.list", "{}").result?.array
        #expect(list?.count == 3 && list?.allSatisfy { $0["codecs"] == nil } == true)
        for worker in ["w1", "w2"] { try await queue.retire(worker: worker) }
        #expect(try await formats("decode") == all, "nobody has said anything")
    }
}
