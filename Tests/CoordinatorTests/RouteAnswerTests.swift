import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator

/// The answer to each method of each path on the HTTP port, for each kind of client.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RouteAnswerTests {
    static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]

    /// The kinds of clients where a token is required.
    enum Client: String, CaseIterable {
        case stranger, wrong, load, put, admin

        var headers: [String] {
            let token = self == .stranger ? [] : ["Authorization: Bearer \(rawValue)-\(rawValue)-\(rawValue)"]
            return ["Host: 127.0.0.1"] + token
        }
        var isKnown: Bool { self != .stranger && self != .wrong }
    }

    private static let reading = [200, 200, 405, 405, 405]
    private static let missing = [404, 404, 405, 405, 405]
    private static let session = [405, 405, 400, 405, 204]
    private static let nothing = [404, 404, 404, 404, 404]
    private static let refused = [401, 401, 401, 401, 401]

    /// A path, its `Allow`, and the statuses of `methods` for four kinds of clients. `all` is for every client where no token is required, and
    /// for admins; `put` and `load` are roles; `stranger` has no token.
    static let table: [(path: String, allow: String, all: [Int], put: [Int], load: [Int], stranger: [Int])] = [
        ("/healthz", "GET, HEAD", reading, reading, reading, reading), ("/readyz", "GET, HEAD", reading, reading, reading, reading),
        ("/metrics", "GET, HEAD", reading, reading, reading, reading), ("/metrics?x=y", "GET, HEAD", reading, reading, reading, reading),
        ("/scale", "GET, HEAD", reading, reading, reading, reading),
        ("/rpc", "POST", [405, 405, 200, 405, 405], [405, 405, 200, 405, 405], [405, 405, 200, 405, 405], [405, 405, 200, 405, 405]),
        ("/%72pc", "POST", [405, 405, 200, 405, 405], [405, 405, 200, 405, 405], [405, 405, 200, 405, 405], [405, 405, 200, 405, 405]),
        ("/images/mine", "GET, HEAD, PUT", [200, 200, 405, 201, 405], [200, 200, 405, 201, 405], [200, 200, 405, 403, 405], refused),
        ("/images/no%20key", "GET, HEAD, PUT", [404, 404, 405, 400, 405], [404, 404, 405, 400, 405], [404, 404, 405, 403, 405], refused),
        ("/images/", "GET, HEAD, PUT", [404, 404, 405, 400, 405], [404, 404, 405, 400, 405], [404, 404, 405, 403, 405], refused),
        ("/uploads", "PUT", [405, 405, 405, 201, 405], [405, 405, 405, 201, 405], [405, 405, 405, 403, 405], refused),
        ("/%75ploads", "PUT", [405, 405, 405, 201, 405], [405, 405, 405, 201, 405], [405, 405, 405, 403, 405], refused),
        ("/uploads/none", "DELETE", [405, 405, 405, 405, 404], [405, 405, 405, 405, 404], [405, 405, 405, 405, 403], refused),
        ("/uploads/", "DELETE", [405, 405, 405, 405, 404], [405, 405, 405, 405, 404], [405, 405, 405, 405, 403], refused),
        ("/images", "", nothing, nothing, nothing, refused), ("/page", "", nothing, nothing, nothing, refused),
        ("/", "GET, HEAD", reading, reading, reading, reading), ("/page/main.js", "GET, HEAD", reading, reading, reading, reading),
        ("/page/none", "GET, HEAD", missing, missing, missing, missing), ("/session", "POST, DELETE", session, session, session, session),
        ("/healthz/", "", nothing, nothing, nothing, refused), ("/rpc/", "", nothing, nothing, nothing, refused),
        ("/nothing", "", nothing, nothing, nothing, refused),
    ]

    @Loop private func harness(_ folder: TemporaryFolder? = nil) async throws -> UInt16 {
        if let folder {
            let tokens = "load-load-load role=load\nput-put-put role=put\nadmin-admin-admin"
            try Data(tokens.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        }
        let h = try await CoordinatorHarness { $0.tokenFile = folder.map { $0.path + "/tokens" } }
        try await h.until { h.coordinator.readiness.obstacle == nil }
        guard case .tcp(_, let port) = h.coordinator.httpAddress else { throw TestFailure("no port") }
        let admin = Client.admin.headers
        #expect(try await RawClient.ask(port: port, "PUT", "/images/mine", admin, body: Array("picture".utf8)).status == 201)
        return port
    }

    private func body(_ method: String) -> [UInt8] { method == "POST" || method == "PUT" ? Array("picture".utf8) : [] }

    /// Sends a request. A POST has the type that messages need.
    private func ask(
        _ port: UInt16, _ method: String, _ path: String, _ headers: [String] = ["Host: 127.0.0.1"], body: [UInt8]
    ) async throws -> RawClient.Answer {
        try await RawClient.ask(port: port, method, path, headers + (method == "POST" ? ["Content-Type: application/json"] : []), body: body)
    }

    @Test @Loop func `each method of each path has its answer when no token is required`() async throws {
        let port = try await harness()
        for row in Self.table {
            for (method, status) in zip(Self.methods, row.all) {
                let answer = try await ask(port, method, row.path, body: body(method))
                #expect(answer.status == status && answer.allow == (status == 405 ? row.allow : ""), "\(method) \(row.path): \(answer)")
            }
        }
    }

    @Test @Loop func `each method of each path has its answer for each role when tokens are required`() async throws {
        let folder = try TemporaryFolder("routes")
        let port = try await harness(folder)
        for row in Self.table {
            for client in Client.allCases {
                let expected =
                    switch client {
                    case .stranger, .wrong: row.stranger
                    case .load: row.load
                    case .put: row.put
                    case .admin: row.all
                    }
                for (method, status) in zip(Self.methods, expected) {
                    let answer = try await ask(port, method, row.path, client.headers, body: body(method))
                    #expect(answer.status == status && answer.allow == (status == 405 ? row.allow : ""), "\(method) \(row.path) \(client): \(answer)")
                }
            }
        }
    }

    private static let open: Set = ["/healthz", "/readyz", "/metrics", "/metrics?x=y", "/scale"]

    @Test @Loop func `foreign pages and host names are refused by method when no token is required`() async throws {
        let port = try await harness()
        for row in Self.table {
            for (method, status) in zip(Self.methods, row.all) {
                let named = try await ask(port, method, row.path, ["Host: evil.example"], body: body(method))
                #expect(named.status == 403, "\(method) \(row.path): \(named)")
                let page = try await ask(port, method, row.path, ["Host: 127.0.0.1", "Origin: https://evil.example"], body: body(method))
                let reads = method == "GET" || method == "HEAD"
                #expect(page.status == (reads ? status : 403), "\(method) \(row.path): \(page)")
            }
        }
    }

    @Test @Loop func `foreign pages and host names are refused only on open paths when tokens are required`() async throws {
        let folder = try TemporaryFolder("routes")
        let port = try await harness(folder)
        let token = "Authorization: Bearer admin-admin-admin"
        for row in Self.table {
            let isOpen = Self.open.contains(row.path)
            for (method, status) in zip(Self.methods, row.all) {
                let named = try await ask(port, method, row.path, ["Host: evil.example", token], body: body(method))
                #expect(named.status == (isOpen ? 403 : status), "\(method) \(row.path): \(named)")
                let headers = ["Host: 127.0.0.1", "Origin: https://evil.example", token]
                let page = try await ask(port, method, row.path, headers, body: body(method))
                let reads = method == "GET" || method == "HEAD"
                // A session is begun and ended by pages of ours only.
                let isRefused = isOpen && !reads || row.path == "/session" && status != 405
                #expect(page.status == (isRefused ? 403 : status), "\(method) \(row.path): \(page)")
            }
        }
    }

    /// A path and a method with a body of 70,000 bytes, and the statuses for the same four kinds of clients.
    static let long: [(method: String, path: String, all: Int, put: Int, load: Int, stranger: Int)] = [
        ("POST", "/rpc", 200, 200, 200, 401), ("PUT", "/rpc", 413, 413, 403, 401), ("PUT", "/images/long", 201, 201, 403, 401),
        ("PUT", "/%69mages/long", 413, 413, 403, 401), ("POST", "/%72pc", 413, 413, 413, 401), ("POST", "/images/long", 413, 413, 413, 401),
        ("GET", "/images/long", 413, 413, 413, 401), ("POST", "/healthz", 413, 413, 413, 401), ("PUT", "/metrics", 413, 413, 403, 401),
        ("POST", "/nothing", 413, 413, 413, 401), ("PUT", "/nothing", 413, 413, 403, 401),
    ]

    @Test @Loop func `a long body is accepted only for methods and paths that use it`() async throws {
        let folder = try TemporaryFolder("routes")
        let (openPort, port) = (try await harness(), try await harness(folder))
        let body = [UInt8](repeating: 1, count: 70_000)
        for row in Self.long {
            let all = try await ask(openPort, row.method, row.path, body: body)
            #expect(all.status == row.all, "\(row.method) \(row.path): \(all)")
            for (client, status) in [(Client.stranger, row.stranger), (.wrong, row.stranger), (.load, row.load), (.put, row.put), (.admin, row.all)] {
                let answer = try await ask(port, row.method, row.path, client.headers, body: body)
                #expect(answer.status == status, "\(row.method) \(row.path) \(client): \(answer)")
            }
        }
    }
}
