import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Worker
import TintypeStores

/// The operations that the store keeps with a result, for operators.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct KeptOperationsTests {
    @Test @Loop func `a drawn picture is kept with its operations, and bytes that came as they are with none`() async throws {
        let h = try await WorkerHarness()
        let url = h.url("/picture.png?size=64x48&with=Cache-Control:+max-age=3600")
        @Loop func operations(_ request: JSON) async throws -> JSON? {
            let receipt = try await h.submit(request)
            try await h.runOne()
            let key = try #require(try await h.result(receipt)["renditions"]?[0]?["key"]?.string)
            return try #require(await h.store.get(key)).operations
        }
        let steps: JSON = [["op": "resize", "width": 16], ["op": "blur", "sigma": 2]]
        #expect(try await operations(["url": .string(url), "transform": steps]) == steps)
        #expect(try await operations(["url": .string(url), "output": ["format": "webp"]]) == [])
        #expect(try await operations(["url": .string(url), "as": "bytes"]) == nil)
    }
}
