import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

@testable import Coordinator

/// How a result was made, for the dashboard.
@Suite(.timeLimit(.minutes(1)), .scoped) struct PicturesGetTests {
    @Test @Loop func `the operations come from the store, and a result that is gone is a miss`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        func keep(_ key: String, _ operations: JSON?) async throws {
            let image = StoredImage(
                key: key, contentType: "image/png", info: ["key": .string(key)], source: [:], operations: operations, bytes: [1, 2],
                storedAt: WallClock.now)
            try await h.coordinator.core.storage.results.put(image)
        }
        try await keep("made", [["op": "resize", "width": 20]])
        try await keep("plain", nil)
        #expect(try await client.call("pictures.get", #"{"key":"made"}"#).result?.text == #"{"key":"made","operations":[{"op":"resize","width":20}]}"#)
        // From memory, now.
        #expect(try await client.call("pictures.get", #"{"key":"made"}"#)["operations"]?[0]?["op"] == "resize")
        #expect(try await client.call("pictures.get", #"{"key":"plain"}"#)["operations"] == .null)
        #expect(try await client.call("pictures.get", #"{"key":"gone"}"#).error?.name == "cacheMiss")
    }
}
