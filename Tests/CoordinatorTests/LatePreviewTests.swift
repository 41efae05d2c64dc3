import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Coordinator

/// Previews whose picture is still being read while the receipt goes on.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct LatePreviewTests {
    @Test func `a preview is not sent after the end`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let worker = harness.worker
        let key = try #require(await SpilledResults(worker.nodes).hold(preview: Array("jpeg".utf8)))
        func preview(_ fraction: Double) -> JSONObject { ["key": .string(key), "width": 4, "height": 3, "fraction": JSON(fraction)] }
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","progressive":true}"#)
        let fetch = try await worker.claim()
        try await worker.progress(fetch, preview(0.3), type: .preview)
        let shown = await client.notifications { !$0.isEmpty }
        #expect(shown.first?.params?["data"]?.string == Data("jpeg".utf8).base64EncodedString(), "\(shown)")
        // The connection for pictures stands still, the one for events does not.
        let redis = await harness.coordinator.core.queues.redis.servers[0]
        async let still = redis.command(["BLPOP", "still", "0"], timeout: .seconds(60))
        try await Gate.until("it stands still") { try await harness.redis.command("INFO", "clients").contains("blocked_clients:1") }
        try await worker.progress(fetch, preview(0.6), type: .preview)
        try await worker.succeed(fetch)
        #expect(try await answer.state == "succeeded")
        try await harness.redis.command("LPUSH", "still", "go on")
        _ = try await still
        #expect(try await client.call("system.ping").error == nil)
        #expect(client.notifications.count == 1, "\(client.notifications)")
    }
}
