import Foundation
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeTransport

/// Pages in a browser, which can send requests to ports of its machine.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PageOriginTests {
    static let cases: [(origin: String?, site: String?, host: String?, isRefused: Bool)] = [
        (nil, nil, "coordinator:7412", false), (nil, nil, nil, false), (nil, "none", "127.0.0.1:7412", false),
        (nil, "cross-site", "127.0.0.1:7412", true), (nil, "same-site", "127.0.0.1:7412", true),
        ("http://127.0.0.1:7412", nil, "127.0.0.1:7412", false), ("http://127.0.0.1:7412", "same-origin", "127.0.0.1:7412", false),
        ("http://LocalHost:7412", nil, "localhost:7412", false), ("http://[::1]:7412", nil, "[::1]:7412", false), ("https://10.0.0.1", nil, "10.0.0.1", false),
        ("http://app.localhost:7412", nil, "app.localhost:7412", false),
        ("http://evil.example", nil, "127.0.0.1:7412", true), ("null", nil, "127.0.0.1:7412", true), ("", nil, "127.0.0.1:7412", true),
        ("http://127.0.0.1:8000", nil, "127.0.0.1:7412", true), ("http://127.0.0.1", nil, "127.0.0.1:7412", true), ("http://", nil, "", true),
        // A name that was made to point here.
        ("http://evil.example:7412", nil, "evil.example:7412", true), ("http://evil.example:7412", "same-origin", "evil.example:7412", true),
        ("http://127.0.0.1.evil.example:7412", nil, "127.0.0.1.evil.example:7412", true), ("http://notlocalhost", nil, "notlocalhost", true),
        ("http://[::1].evil.example", nil, "[::1].evil.example", true),
    ]

    static let names: [(host: String?, answers: Bool, answersWithNames: Bool)] = [
        (nil, true, true), ("", true, true), ("127.0.0.1:7412", true, true), ("[::1]:7412", true, true), ("[::1]", true, true), ("localhost", true, true),
        ("app.localhost:1", true, true), ("coordinator:7412", true, true), ("evil.example", false, false), ("evil.example:7412", false, false),
        ("127.0.0.1.evil.example", false, false), ("[::1].evil.example", false, false), ("localhost.", false, false),
        ("127.0.0.1:80.evil.example", false, false), ("localhost:evil.example", false, false), ("coordinator:80a", false, false),
        ("[::1]:80.evil.example", false, false), ("évil", false, false),
        (".", false, false),
        ("pictures.example:80", false, true), ("Pictures.Example", false, true), ("a.cdn.example", false, true), ("cdn.example", false, false),
        ("evilcdn.example", false, false), ("pictures.example.evil.example", false, false), (":80", false, false),
    ]

    @Test(arguments: names) func `the service answers only to host names that a page cannot claim`(host: String?, answers: Bool, answersWithNames: Bool) {
        #expect(AllowedHosts().answers(to: host) == answers)
        #expect(AllowedHosts(["pictures.EXAMPLE", ".cdn.example"]).answers(to: host) == answersWithNames)
        #expect(AllowedHosts(["*"]).answers(to: host))
    }

    @Test @Loop func `a page under its own host name reads nothing, and one under the operator's name does`() async throws {
        let h = try await CoordinatorHarness { $0.common.hostNames = ["pictures.example"] }
        #expect(try await HTTP.get(h.base + "/images/mine", ["-X", "PUT", "--data-binary", "picture"]).status == 201)
        for path in ["/images/mine", "/healthz", "/readyz", "/metrics"] {
            // A browser asks its own origin without `Origin`.
            #expect(try await HTTP.get(h.base + path, ["-H", "Host: evil.example:7412"]).status == 403, "\(path)")
            for name in ["pictures.example", "coordinator:7412"] {
                #expect(try await HTTP.get(h.base + path, ["-H", "Host: \(name)"]).status == 200, "\(path) \(name)")
            }
        }
        let own = ["-H", "Host: pictures.example", "-H", "Origin: https://pictures.example"]
        #expect(String(decoding: try await HTTP.get(h.base + "/rpc", ping + own).body, as: UTF8.self).contains("pong"))
        #expect(try await HTTP.get(h.base + "/rpc", ping + ["-H", "Host: evil.example"]).status == 403)
    }

    @Test(arguments: cases)
    func `only pages of this service under an address or localhost may send requests`(origin: String?, site: String?, host: String?, isRefused: Bool) {
        let refusal = PageOrigin.refusal(origin: origin, site: site, host: host)
        #expect((refusal?.name == .forbidden) == isRefused, "\(String(describing: refusal))")
    }

    private let ping = ["-d", #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#]

    @Test @Loop func `a foreign page changes nothing, and any page may show pictures`() async throws {
        let h = try await CoordinatorHarness()
        let foreign = ["-H", "Origin: https://evil.example"]
        let clear = ["-d", #"{"jsonrpc":"2.0","id":1,"method":"cache.clear"}"#]
        #expect(try await HTTP.get(h.base + "/images/mine", ["-X", "PUT", "--data-binary", "picture"]).status == 201)
        let refused = try await HTTP.get(h.base + "/rpc", clear + foreign)
        #expect(refused.status == 403 && String(decoding: refused.body, as: UTF8.self).contains(#""name":"forbidden""#))
        #expect(try await HTTP.get(h.base + "/images/other", ["-X", "PUT", "--data-binary", "x"] + foreign).status == 403)
        let rebound = ["-H", "Host: evil.example:7412", "-H", "Origin: http://evil.example:7412"]
        #expect(try await HTTP.get(h.base + "/rpc", ping + rebound).status == 403)
        #expect(try await HTTP.get(h.base + "/images/mine", foreign).status == 200)
        // Programs may use any name, and the service's own pages are allowed.
        for words in [[], ["-H", "Host: coordinator:7412"], ["-H", "Origin: \(h.base)"]] {
            #expect(String(decoding: try await HTTP.get(h.base + "/rpc", ping + words).body, as: UTF8.self).contains("pong"), "\(words)")
        }
    }

    static let types: [(type: String, isServed: Bool)] = [
        ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true), ("text/plain", false), ("", false),
        ("application/x-www-form-urlencoded", false), ("multipart/form-data; boundary=application/json", false), ("application/jsonp", false),
    ]

    @Test(arguments: types) @Loop func `a message has a type that no page may send to another site`(type: String, isServed: Bool) async throws {
        let h = try await CoordinatorHarness()
        // curl takes a header without a value out of the request.
        let pause = ["-H", String("Content-Type: \(type)".trimmed), "-d", #"{"jsonrpc":"2.0","id":1,"method":"queue.pause","params":{"queue":"default"}}"#]
        let answer = try await HTTP.get(h.base + "/rpc", pause)
        #expect(answer.status == (isServed ? 200 : 415), "\(answer)")
        let error = try JSON(parsing: answer.body)["error"]?["message"]?.string
        #expect(isServed ? error == nil : error?.hasPrefix("Content-Type: expected application/json, not") == true, "\(answer)")
        #expect(try await h.worker.queue.info()?.paused == isServed)
    }

    static let certificates: [(headers: [String], counts: Bool)] = [
        (["Host: 127.0.0.1:7412"], true), (["Host: coordinator:7412"], true), (["Host: pictures.example"], true),
        (["Host: pictures.example", "Origin: https://pictures.example", "Sec-Fetch-Site: same-origin"], true),
        (["Host: localhost:7412", "Sec-Fetch-Site: none"], true),
        (["Host: localhost:7412", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"], false),
        (["Host: localhost:7412", "Sec-Fetch-Site: cross-site"], false), (["Host: localhost:7412", "Sec-Fetch-Site: same-site"], false),
        (["Host: localhost:7412", "Origin: null"], false), (["Host: localhost:7412", "Origin: https://localhost:8000"], false),
        // A name that was made to point here, with and without the headers of a browser.
        (["Host: evil.example", "Origin: https://evil.example", "Sec-Fetch-Site: same-origin"], false), (["Host: evil.example"], false),
        // A wrong cookie, and words that are no token, change nothing.
        (["Host: localhost:7412", "Origin: https://evil.example", "Cookie: tintype=a.1.b"], false),
        (["Host: localhost:7412", "Origin: https://evil.example", "Authorization: Basic b3Bz"], false),
        (["Host: localhost:7412", "Authorization: Basic b3Bz"], true),
    ]

    @Test(arguments: certificates) @Loop func `a certificate counts only for pages and names of this service`(headers: [String], counts: Bool) throws {
        let (metrics, logger) = (Metrics(), Logger(label: "test", level: .error))
        let access = AccessControl(
            ClientQuotas(metrics: metrics, logger: logger), hosts: AllowedHosts(["pictures.example"]), wrongTokens: WrongTokens(most: 0), metrics: metrics,
            logger: logger)
        access.tokens = try AccessTokens(text: "certificate=ops.example name=ops\nsesame-sesame role=load", path: "t")
        func head(_ more: [String] = []) -> HTTPHead { HTTPHead((["POST /rpc HTTP/1.1"] + headers + more + ["", ""]).joined(separator: "\r\n").utf8) }
        let ops = ConnectionPeer(address: "10.0.0.1", certificate: CertificateNames(dns: ["ops.example"]))
        let attempt = access.attempt(head(), from: ops)
        #expect(attempt.grant?.client.name == (counts ? "ops" : nil) && access.grant(head(), from: ops)?.role == (counts ? .admin : nil), "\(attempt)")
        let isStrange = if case .strange = attempt { true } else { false }
        #expect(isStrange != counts)
        // The page of another site brings a token by itself, and no other certificate would have counted.
        #expect(access.attempt(head(["Authorization: Bearer sesame-sesame"]), from: ops).grant?.role == .load)
        let stranger = access.attempt(head(), from: ConnectionPeer(address: "10.0.0.1", certificate: CertificateNames(dns: ["other.example"])))
        let isRefused = if case .refused = stranger { true } else { false }
        #expect(isRefused)
    }

    @Test @Loop func `a request with a token may come from any page`() async throws {
        let folder = try TemporaryFolder("token")
        try Data("sesame-sesame\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/token"))
        let h = try await CoordinatorHarness { $0.tokenFile = folder.path + "/token" }
        let page = ["-H", "Host: pictures.example", "-H", "Origin: https://pictures.example"]
        let answer = try await HTTP.get(h.base + "/rpc", ping + page + ["-H", "Authorization: Bearer sesame-sesame"])
        #expect(String(decoding: answer.body, as: UTF8.self).contains("pong"))
        #expect(String(decoding: try await HTTP.get(h.base + "/rpc", ping + page).body, as: UTF8.self).contains("unauthenticated"))
        // These paths require no token, so only the host name protects them from pages.
        #expect(try await HTTP.get(h.base + "/metrics", page).status == 403)
    }
}
