import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeStores
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// Clients that read large pictures slowly, and all others.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct SlowReaderTests {
    @Test @Loop func `slow readers of large pictures keep nobody out, of known pictures and of new ones`() async throws {
        let setup = try await DoorHarness()
        let (harness, answers) = (setup.harness, setup.harness.coordinator.core.http.unsent)
        guard case .tcp(_, let port) = harness.coordinator.httpAddress else { throw TestFailure("no port") }
        let (long, short) = (24 << 20, [UInt8](repeating: 65, count: 400 << 10))
        answers.limit = 2 * long
        var slow: [RawClient] = []
        for name in ["one", "two"] {
            keep(name, long, harness)
            let client = try RawClient(port: port, reads: false)
            client.send("GET /images/\(name) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            slow.append(client)
            let all = slow.count * long
            try await harness.until { answers.used == all }
        }
        // The room is common to both ports.
        let cat = "/unsafe/w:10/plain/http://origin.test/cat.png"
        func check(_ answer: RawClient.Answer) { #expect(answer.status == 200 && answer.description.utf8.count > short.count) }
        check(try await setup.made(cat, bytes: short))
        for _ in 0..<30 { check(try await setup.get(cat)) }
        #expect(setup.value(of: "tintype_http_cuts_total{reason=\"full\"}") == 1 && answers.used == long)
        let shown = try await RawClient.ask(port: port, "GET", "/metrics").description
        #expect(shown.contains("\ntintype_http_unsent_bytes \(long)\n"))
        for client in slow { client.close() }
        try await harness.until { answers.used == 0 }
    }

    /// Puts a picture into the memory of a coordinator.
    @Loop private func keep(_ key: String, _ count: Int, _ harness: CoordinatorHarness) {
        // Two pictures of the same bytes would have one entity tag, and be one body.
        let bytes = [UInt8](repeating: key.utf8.first ?? 0, count: count)
        let info = RenditionInfo(
            key: key, contentType: "image/png", bytes: count, sha256: Digest.sha256Hex(bytes), stored: [.results], isApplied: true)
        let source = SourceInfo(url: "http://origin.test/", finalURL: "http://origin.test/", status: 200, bytes: count)
        harness.coordinator.core.storage.memory.remember(
            StoredImage(key: key, contentType: "image/png", info: info.json, source: source.json, bytes: bytes, storedAt: WallClock.now))
        #expect(harness.coordinator.core.storage.kept.held(key) != nil)
    }

    @Test @Loop func `a short part of a picture does not keep the picture in memory`() async throws {
        let harness = try await CoordinatorHarness()
        keep("mine", 1 << 20, harness)
        let sender = ImageSender(harness.coordinator.core.storage.kept, harness.coordinator.core.http.unsent)
        let answer = try #require(sender.atOnce("mine", ImageConditions(range: "bytes=1000-1999"), isWanted: true) { _, _ in HeaderLines() })
        #expect(answer.status == 206 && answer.body.indices == 0..<1000)
    }
}
