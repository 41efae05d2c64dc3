import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// The answer to each method of each path on a worker's health port.
@Suite(.timeLimit(.minutes(1)), .scoped) struct HealthRouteTests {
    static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]
    static let table: [(path: String, ready: [Int], resting: [Int])] = [
        ("/healthz", [200, 200, 404, 404, 404], [200, 200, 404, 404, 404]), ("/readyz", [200, 200, 404, 404, 404], [503, 503, 404, 404, 404]),
        ("/metrics", [200, 200, 404, 404, 404], [200, 200, 404, 404, 404]), ("/metrics?x", [200, 200, 404, 404, 404], [200, 200, 404, 404, 404]),
        ("/", [404, 404, 404, 404, 404], [404, 404, 404, 404, 404]), ("/healthz/", [404, 404, 404, 404, 404], [404, 404, 404, 404, 404]),
        ("/images/mine", [404, 404, 404, 404, 404], [404, 404, 404, 404, 404]),
    ]

    @Loop private final class Worker { var restsBecause: String? }

    @Test @Loop func `each method of each path has its answer, and only under the worker's own host names`() async throws {
        let worker = Worker()
        let health = try WorkerHealth(
            .tcp(host: "127.0.0.1", port: 0), hosts: AllowedHosts(), metrics: Metrics(), isReady: { worker.restsBecause }, sample: {})
        guard case .tcp(_, let port) = health.address else { throw TestFailure("no port") }
        for row in Self.table {
            for (index, method) in Self.methods.enumerated() {
                worker.restsBecause = nil
                #expect(try await RawClient.ask(port: port, method, row.path).status == row.ready[index], "\(method) \(row.path)")
                worker.restsBecause = "it rests"
                #expect(try await RawClient.ask(port: port, method, row.path).status == row.resting[index], "\(method) \(row.path)")
                // A foreign host name is refused, and an Origin header alone is no reason to refuse.
                #expect(try await RawClient.ask(port: port, method, row.path, ["Host: evil.example"]).status == 403, "\(method) \(row.path)")
                let page = try await RawClient.ask(port: port, method, row.path, ["Host: 127.0.0.1", "Origin: https://evil.example"])
                #expect(page.status == row.resting[index] && page.allow.isEmpty, "\(method) \(row.path): \(page)")
            }
        }
        health.close()
    }
}
