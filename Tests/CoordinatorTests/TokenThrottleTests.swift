import Foundation
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeTransport

/// Addresses that send wrong tokens, over TCP and HTTP.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TokenThrottleTests {
    @Loop final class Clock {
        var now = 1000.0
    }

    @Loop private func harness(_ folder: TemporaryFolder, _ clock: Clock, most: Int = 3) async throws -> CoordinatorHarness {
        try Data("sesame-sesame role=put name=shop".utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let h = try await CoordinatorHarness {
            $0.tokenFile = folder.path + "/tokens"
            $0.maxWrongTokens = most
        }
        h.coordinator.core.access.clients.clock = { clock.now }
        return h
    }

    private func bearer(_ token: String, from address: String = "127.0.0.1") -> [String] {
        ["--interface", address, "-H", "Authorization: Bearer \(token)"]
    }

    @Test @Loop func `after too many wrong tokens no token of the address is looked at, and others are not affected`() async throws {
        let (folder, clock) = (try TemporaryFolder("wrong"), Clock())
        let h = try await harness(folder, clock)
        let (early, guesser) = (try h.client(), try h.client())
        #expect(try await early.call("session.authenticate", #"{"token":"sesame-sesame"}"#).error == nil)
        for _ in 0..<3 { #expect(try await guesser.call("session.authenticate", #"{"token":"sesame-sesamf"}"#).error?.name == "unauthenticated") }
        clock.now += 18
        for token in ["sesame-sesamf", "sesame-sesame"] {
            let refused = try await guesser.call("session.authenticate", #"{"token":"\#(token)"}"#).error
            #expect(refused?.name == "overloaded" && refused?.data["limit"]?.string == "wrongTokens", "\(String(describing: refused))")
            #expect(refused?.data["retryAfter"]?.int == 42 && !"\(String(describing: refused))".contains("sesame"))
            for path in ["/images/mine", "/nothing"] {
                let page = try await HTTP.get(h.base + path, bearer(token))
                #expect(page.status == 429 && page.headers["retry-after"] == "42", "\(path): \(page)")
            }
            let rpc = try await HTTP.get(h.base + "/rpc", bearer(token) + ["-d", #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#])
            #expect(rpc.status == 429 && rpc.headers["retry-after"] == "42", "\(rpc)")
        }
        // Connections that are authenticated go on, and paths without a token too.
        #expect(try await early.call("system.ping").error == nil)
        #expect(try await HTTP.get(h.base + "/healthz", bearer("sesame-sesamf")).status == 200)
        #expect(try await HTTP.get(h.base + "/images/mine").status == 401)
        // A right token from another address is accepted.
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("sesame-sesame", from: "127.0.0.2")).status == 404)
        #expect(h.coordinator.core.process.metrics.value(.tokensRefused, labels: "wrong") == 3)
        #expect(h.coordinator.core.process.metrics.value(.tokensRefused, labels: "throttled") == 8)
        clock.now += 42
        #expect(try await guesser.call("session.authenticate", #"{"token":"sesame-sesame"}"#).error == nil)
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("sesame-sesame")).status == 404)
    }

    @Test @Loop func `over HTTP each wrong token counts once, with a body of any length`() async throws {
        let (folder, clock) = (try TemporaryFolder("wrong"), Clock())
        let h = try await harness(folder, clock, most: 5)
        try Data(repeating: 1, count: 200_000).write(to: URL(fileURLWithPath: folder.path + "/long"))
        let put = ["-X", "PUT", "--data-binary"]
        func wrong() -> Double { h.coordinator.core.process.metrics.value(.tokensRefused, labels: "wrong") }
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("wrong-wrong")).status == 401 && wrong() == 1)
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("wrong-wrong") + put + ["picture"]).status == 401 && wrong() == 2)
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("wrong-wrong") + put + ["@\(folder.path)/long"]).status == 401 && wrong() == 3)
        // A batch is one attempt.
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#
        #expect(try await HTTP.get(h.base + "/rpc", bearer("wrong-wrong") + ["-d", "[\(ping),\(ping),\(ping)]"]).status == 200 && wrong() == 4)
        // A request without a token is none.
        #expect(try await HTTP.get(h.base + "/images/mine", ["--interface", "127.0.0.1"]).status == 401 && wrong() == 4)
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("wrong-wrong")).status == 401 && wrong() == 5)
        // From now on the length of a body shows nothing: a right token is answered as a wrong one.
        for token in ["sesame-sesame", "wrong-wrong"] {
            for body in ["picture", "@\(folder.path)/long"] {
                #expect(try await HTTP.get(h.base + "/images/mine", bearer(token) + put + [body]).status == 429, "\(token) \(body)")
            }
        }
        #expect(wrong() == 5)
    }

    @Test @Loop func `the last Authorization of a request decides, with a body of any length`() async throws {
        let (folder, clock) = (try TemporaryFolder("wrong"), Clock())
        let h = try await harness(folder, clock, most: 5)
        guard case .tcp(_, let port) = h.coordinator.httpAddress else { throw TestFailure("no port") }
        func put(_ tokens: [String], _ count: Int) async throws -> Int {
            let lines = ["Host: 127.0.0.1"] + tokens.map { "Authorization: Bearer \($0)" }
            return try await RawClient.ask(port: port, "PUT", "/images/mine", lines, body: [UInt8](repeating: 7, count: count)).status
        }
        for count in [10, 200_000] {
            #expect(try await put(["wrong-wrong", "sesame-sesame"], count) / 100 == 2)
            #expect(try await put(["sesame-sesame", "wrong-wrong"], count) == 401)
        }
        #expect(h.coordinator.core.process.metrics.value(.tokensRefused, labels: "wrong") == 2)
    }

    @Test @Loop func `the token of a head that is not whole does not count`() async throws {
        let (folder, clock) = (try TemporaryFolder("wrong"), Clock())
        let h = try await harness(folder, clock, most: 1)
        let bodyLimiter = BodyAdmission(RouteTable<WebAction>([]), h.coordinator.core.access.control, h.coordinator.core.process.metrics, bodies: [:])
        let server = try HTTPServer(
            .tcp(host: "127.0.0.1", port: 0), maxBody: 100, bodyLimiter: bodyLimiter, pace: MinimumBodyRate(first: .milliseconds(50), bytesPerSecond: 1 << 30)
        ) { _ in }
        defer { server.close() }
        let start = "GET /images/mine HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        let filler = "X: \(String(repeating: "x", count: HTTPHead.Scanner.limit))\r\n\r\n"
        for (address, rest, status) in [
            (server.address, "Authorization: Bearer sesame-ses", "408"),
            (h.coordinator.httpAddress, "Authorization: Bearer wrong-wrong\r\n\(filler)", "413"),
        ] {
            let client = try RawClient(address)
            client.send(start + rest)
            let text = String(decoding: await client.untilClosed(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
        }
        #expect(h.coordinator.core.process.metrics.value(.tokensRefused, labels: "wrong") == 0)
        #expect(try await HTTP.get(h.base + "/images/mine", bearer("sesame-sesame")).status == 404)
    }

    @Test @Loop func `with the limit 0 any number of wrong tokens is answered, as behind a proxy`() async throws {
        let (folder, clock) = (try TemporaryFolder("wrong"), Clock())
        let h = try await harness(folder, clock, most: 0)
        let client = try h.client()
        for _ in 0..<200 { #expect(try await client.call("session.authenticate", #"{"token":"sesame-sesamf"}"#).error?.name == "unauthenticated") }
        #expect(try await client.call("session.authenticate", #"{"token":"sesame-sesame"}"#).error == nil)
    }

    @Test @Loop func `a session with a certificate is its client without a token, until the file has it no more`() async throws {
        let (folder, clock) = (try TemporaryFolder("wrong"), Clock())
        let h = try await harness(folder, clock)
        let access = h.coordinator.core.access.control
        access.tokens = try AccessTokens(text: "certificate=spiffe://prod/shop role=load name=shop\nadmin-admin", path: "t")
        func session(_ uri: String?) -> Session {
            let names = uri.map { CertificateNames(uris: [$0]) }
            return Session(peer: "10.0.0.1:9", ownsReceipts: true, certificate: { names }, send: nil)
        }
        let shop = session("spiffe://prod/shop")
        #expect(access.grant(shop)?.client.name == "shop" && !access.admits(session("spiffe://prod/other")) && !access.admits(session(nil)))
        // A token that is sent counts instead of the certificate.
        #expect(throws: TintypeError.self) { try access.authenticate(shop, "wrong-wrong") }
        #expect(access.grant(shop)?.client.name == "shop")
        #expect(try access.authenticate(shop, "admin-admin").role == .admin && access.grant(shop)?.role == .admin)
        access.tokens = try AccessTokens(text: "admin-admin", path: "t")
        #expect(!access.admits(session("spiffe://prod/shop")))
    }
}
