import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeStreams

/// `GET /events` for the `EventSource` of another author, which connects again by itself: that of Deno.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct EventSourceTests {
    @Test @Loop func `an EventSource gets each event once over a broken connection, and stops after the last one`() async throws {
        guard let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"], !python.isEmpty else {
            Issue.record("TINTYPE_CLIENTS names no Python beside Deno: run the tests by scripts/test")
            return
        }
        let h = try await CoordinatorHarness()
        let (client, events) = (try h.client(), h.coordinator.part(EventRoute.self))
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r","detached":true,"progress":true}"#)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        let browser = try ChildProcess(
            URL(fileURLWithPath: python).deletingLastPathComponent().path + "/deno",
            ["run", "--quiet", "--no-lock", "--allow-net", "\(folder)/IntegrationTests/Clients/event_source.ts", "\(h.base)/events?receipt=r"])
        try await h.until { events.count == 1 }
        let fetch = try await h.worker.claim()
        try await h.until { browser.output.contains("started") }
        // For a moment, the client without a token may not read the stream.
        h.coordinator.core.access.control.tokens = try AccessTokens(text: "another-token", path: "tokens")
        h.coordinator.part(EventRoute.self).expel()
        try await h.until { events.count == 0 }
        h.coordinator.core.access.control.tokens = nil
        try await h.worker.progress(fetch, ["receivedBytes": 10])
        try await h.until { events.count == 1 }
        try await h.worker.succeed(fetch)
        #expect(await browser.finished() == 0)
        #expect(browser.output == "1 state\n2 started\n3 progress\n4 rendition\n5 succeeded\nclosed\n", "\(browser.errors)")
    }
}
