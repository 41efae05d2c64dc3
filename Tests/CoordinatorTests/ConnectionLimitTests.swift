import TintypeCore
@testable import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
import TintypeSettings

/// Connections above the limit, on both ports.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ConnectionLimitTests {
    @Test @Loop func `a connection above the limit is refused, counted and closed, on each port separately`() async throws {
        let h = try await CoordinatorHarness { $0.connections = ConnectionLimits(total: 1, perAddress: 1) }
        guard case .tcp(_, let http) = h.coordinator.httpAddress else { throw TestFailure("no port") }
        let client = try h.client()
        #expect(try await client.call("system.ping", "{}").error?.name == nil)
        let second = String(decoding: await (try RawClient(port: h.port)).untilClosed(), as: UTF8.self)
        #expect(second.hasSuffix("\n") && second.contains(#""name":"overloaded""#) && second.contains(#""retryAfter":1"#), "\(second)")
        // The other port has a count of its own.
        let page = try RawClient(port: http)
        page.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(String(decoding: await page.received { $0.last == UInt8(ascii: "}") }, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        let refused = String(decoding: await (try RawClient(port: http)).untilClosed(), as: UTF8.self)
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains(#""name":"overloaded""#), "\(refused)")
        #expect(h.coordinator.core.process.metrics.value(.connectionsRefused, labels: "rpc", "total") == 1)
        #expect(h.coordinator.core.process.metrics.value(.connectionsRefused, labels: "http", "total") == 1)
        #expect(try await client.call("system.ping", "{}").error?.name == nil)
        client.close()
        try await h.until { (try? await h.client().call("system.ping", "{}").result) != nil }
    }
}
