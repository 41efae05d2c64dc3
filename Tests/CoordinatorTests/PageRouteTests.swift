import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeDashboard
@testable import TintypeStreams

/// The dashboard's files and sessions over HTTP.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PageRouteTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources/Features/Dashboard/Files")

    @Test func `every file of the folder is served, and nothing else`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(PageFile.all.keys.sorted() == names)
        for name in names {
            let answer = PageRoute.answer(name == "index.html" ? "/" : "/page/\(name)", ifNoneMatch: nil)
            #expect(answer.status == 200, "\(name)")
            #expect(try Array(answer.body) == Array(Data(contentsOf: Self.folder.appending(path: name))), "\(name)")
        }
        for path in ["/page/", "/page/none.js", "/page/../main.js", "/page/Files/main.js", "/page/main.js/", "/page/MAIN.JS"] {
            #expect(PageRoute.answer(path, ifNoneMatch: nil).status == 404, "\(path)")
        }
    }

    @Test func `a file that the browser has already is not sent again`() {
        let first = PageRoute.answer("/page/main.js", ifNoneMatch: nil)
        let tag = first.headers.first { $0.0 == "ETag" }?.1
        let second = PageRoute.answer("/page/main.js", ifNoneMatch: tag)
        #expect(second.status == 304 && second.body.isEmpty)
        #expect(PageRoute.answer("/page/main.js", ifNoneMatch: "\"other\"").status == 200)
    }

    @Test(arguments: ["/", "/page/main.js", "/page/page.css"]) func `a browser may do nothing with the page but show it`(path: String) throws {
        let headers = Dictionary(uniqueKeysWithValues: PageRoute.answer(path, ifNoneMatch: nil).headers)
        let policy = try #require(headers["Content-Security-Policy"])
        let parts = ["default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"]
        for part in parts + ["require-trusted-types-for 'script'"] {
            #expect(policy.contains(part), "\(part)")
        }
        #expect(!policy.contains("unsafe"))
        #expect(headers["X-Content-Type-Options"] == "nosniff" && headers["Referrer-Policy"] == "no-referrer" && headers["Cache-Control"] == "no-cache")
    }

    // MARK: Sessions

    @Loop private func guarded(_ tokens: String = "admin-admin-admin\nload-load-load role=load") async throws -> CoordinatorHarness {
        let folder = try TemporaryFolder("page")
        try Data(tokens.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let h = try await CoordinatorHarness { $0.tokenFile = folder.path + "/tokens" }
        try await h.until { h.coordinator.readiness.obstacle == nil }
        return h
    }

    private func post(_ base: String, _ body: String, _ more: [String] = []) async throws -> (status: Int, cookie: String?) {
        let answer = try await HTTP.get(base + "/session", ["-X", "POST", "--data-binary", body] + more)
        return (answer.status, answer.headers["set-cookie"])
    }

    private func queues(_ base: String, _ more: [String]) async throws -> String {
        let body = #"{"jsonrpc":"2.0","id":1,"method":"queue.list","params":{}}"#
        return String(decoding: try await HTTP.get(base + "/rpc", ["-X", "POST", "--data-binary", body] + more).body, as: UTF8.self)
    }

    @Test @Loop func `a token gives a cookie that stands for it, and the browser is told to forget it`() async throws {
        let h = try await guarded()
        #expect(try await HTTP.get(h.base + "/").status == 200)
        #expect(try await queues(h.base, []).contains("unauthenticated"))
        let (status, cookie) = try await post(h.base, #"{"token":"admin-admin-admin"}"#)
        let set = try #require(cookie)
        #expect(status == 204 && set.contains("; HttpOnly") && set.contains("; SameSite=Strict") && set.contains("; Path=/") && !set.contains("admin"))
        let name = "tintype-session-" + (h.base.split(separator: ":").last ?? "")
        #expect(set.hasPrefix(name + "=") && !set.contains("Secure"), "\(set)")
        let pair = ["-H", "Cookie: other=1; " + set.prefix { $0 != ";" }]
        #expect(try await queues(h.base, pair).contains(#""name":"default""#))
        #expect(try await HTTP.get(h.base + "/images/none", pair).status == 404)
        let end = try await HTTP.get(h.base + "/session", ["-X", "DELETE"] + pair)
        #expect(end.status == 204 && end.headers["set-cookie"]?.hasPrefix("\(name)=; Path=/; Max-Age=0; ") == true)
    }

    @Test @Loop func `over TLS the cookie is bound to its host and to TLS`() async throws {
        let h = try await guarded()
        let page = ["-H", "Host: board.example", "-H", "Origin: https://board.example"]
        let set = try #require(try await post(h.base, #"{"token":"admin-admin-admin"}"#, page).cookie)
        #expect(set.hasPrefix("__Host-tintype-session=") && set.hasSuffix("; Secure") && set.contains("; Path=/;") && !set.contains("Domain"), "\(set)")
        let value = set.prefix { $0 != ";" }
        #expect(try await queues(h.base, page + ["-H", "Cookie: \(value)"]).contains(#""name":"default""#))
        // A cookie without the prefix may have come from another host of the site.
        #expect(try await queues(h.base, page + ["-H", "Cookie: \(value.dropFirst(7))"]).contains("unauthenticated"))
    }

    @Test @Loop func `every coordinator with the token takes the cookie, at any time with the rights of that time`() async throws {
        let folder = try TemporaryFolder("page")
        let (path, page) = (folder.path + "/tokens", ["-H", "Host: board.example"])
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        try write("admin-admin-admin\nother-other-other")
        let h = try await CoordinatorHarness { $0.tokenFile = path }
        let other = try await h.another { $0.tokenFile = path }
        let bases = [h.base, "http://\(other.httpAddress)"]
        let set = try #require(try await post(h.base, #"{"token":"admin-admin-admin"}"#, page).cookie)
        let pair = page + ["-H", "Cookie: " + set.prefix { $0 != ";" }]
        func answers() async throws -> [String] {
            for coordinator in [h.coordinator, other] { await coordinator.reload() }
            var found: [String] = []
            for base in bases {
                let text = try await queues(base, pair)
                found.append(["forbidden", "unauthenticated", #""name":"default""#].first { text.contains($0) } ?? text)
            }
            return found
        }
        try await h.until { h.coordinator.readiness.obstacle == nil }
        #expect(try await answers() == [#""name":"default""#, #""name":"default""#])
        try write("other-other-other\nadmin-admin-admin role=load")
        #expect(try await answers() == ["forbidden", "forbidden"])
        try write("other-other-other\nadmin-admin-admix")
        #expect(try await answers() == ["unauthenticated", "unauthenticated"])
        try write("admin-admin-admin")
        #expect(try await answers() == [#""name":"default""#, #""name":"default""#])
    }

    @Test @Loop func `a stream of events ends with the session of its browser`() async throws {
        let h = try await guarded()
        h.coordinator.part(EventRoute.self).limits.keepAlive = .milliseconds(20)
        let host = ["-H", "Host: 127.0.0.1"]
        let set = try #require(try await post(h.base, #"{"token":"admin-admin-admin"}"#, host).cookie)
        let cookie = "Cookie: " + set.prefix { $0 != ";" }
        let session = try EventSourceClient(h.coordinator.httpAddress, "?stats=1", headers: [cookie])
        let token = try EventSourceClient(h.coordinator.httpAddress, "?stats=1", headers: ["Authorization: Bearer admin-admin-admin"])
        #expect(await session.events(1).count == 1)
        #expect(await token.events(1).count == 1)
        let end = WallClock.now + PageSessions.lifetime + 1
        h.coordinator.core.access.control.wallClock = { end }
        try await h.until { h.coordinator.part(EventRoute.self).count == 1 }
        #expect(try await queues(h.base, host + ["-H", cookie]).contains("unauthenticated"))
    }

    @Test @Loop func `guesses by cookies count as wrong tokens, and the cookie of a removed token counts once`() async throws {
        let folder = try TemporaryFolder("page")
        try Data("admin-admin-admin".utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let h = try await CoordinatorHarness {
            $0.tokenFile = folder.path + "/tokens"
            $0.maxWrongTokens = 2
        }
        let (host, bearer) = ("board.example", ["-H", "Authorization: Bearer admin-admin-admin"])
        // A session that begins a second later has another cookie.
        let begun = WallClock.now
        func guess(_ token: String) throws -> [String] {
            let tokens = try AccessTokens(text: token, path: "t")
            let name = PageSessions.cookie(host: host, isSecure: false)
            let value = try #require(PageSessions(tokens).begin(AccessTokens.digest(token), in: name, at: begun))
            return ["-H", "Host: \(host)", "-H", "Cookie: \(name)=\(value)"]
        }
        #expect(try await queues(h.base, try guess("admin-admin-admin")).contains("\"result\""))
        for _ in 0..<5 { #expect(try await queues(h.base, try guess("guess-1-guess")).contains("unauthenticated")) }
        #expect(try await queues(h.base, bearer).contains("\"result\""))
        #expect(try await queues(h.base, try guess("guess-2-guess")).contains("unauthenticated"))
        #expect(try await queues(h.base, try guess("admin-admin-admin")).contains("wrongTokens"))
        #expect(try await queues(h.base, bearer).contains("wrongTokens"))
    }

    @Test @Loop func `a cookie counts only for pages of the same origin`() async throws {
        let h = try await guarded()
        let set = try #require(try await post(h.base, #"{"token":"admin-admin-admin"}"#).cookie)
        let pair = ["-H", "Cookie: " + set.prefix { $0 != ";" }]
        for header in ["Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"] {
            #expect(try await queues(h.base, pair + ["-H", header]).contains("unauthenticated"), "\(header)")
            #expect(try await HTTP.get(h.base + "/images/none", pair + ["-H", header]).status == 401, "\(header)")
        }
        for header in ["Origin: \(h.base)", "Sec-Fetch-Site: same-origin"] {
            #expect(try await queues(h.base, pair + ["-H", header]).contains(#""name":"default""#), "\(header)")
        }
        // A token is not a browser's to send: no page brings it by itself.
        #expect(try await queues(h.base, ["-H", "Authorization: Bearer wrong-wrong-wrong"] + pair).contains("unauthenticated"))
    }

    static let hostile: [(body: String, headers: [String], status: Int)] = [
        ("", [], 400), ("{", [], 400), ("[]", [], 400), (#"{"token":7}"#, [], 400), (#"{"token":""}"#, [], 400), (#"{"token":"wrong-wrong-wrong"}"#, [], 401),
        (#"{"token":"admin-admin-admin"}"#, ["Origin: http://evil.example"], 403), (#"{"token":"admin-admin-admin"}"#, ["Sec-Fetch-Site: same-site"], 403),
    ]

    @Test @Loop func `what is no right token of a page of ours begins no session`() async throws {
        let h = try await guarded()
        for (body, headers, status) in Self.hostile {
            let answer = try await post(h.base, body, headers.flatMap { ["-H", $0] })
            #expect(answer.status == status && answer.cookie == nil, "\(body) \(headers): \(answer)")
        }
    }

    @Test @Loop func `wrong tokens of sessions count as all others do`() async throws {
        let folder = try TemporaryFolder("page")
        try Data("admin-admin-admin".utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let h = try await CoordinatorHarness {
            $0.tokenFile = folder.path + "/tokens"
            $0.maxWrongTokens = 2
        }
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await post(h.base, #"{"token":"wrong-wrong-wrong"}"#).status) }
        #expect(statuses == [401, 401, 429])
    }

    @Test @Loop func `without tokens a session needs no cookie`() async throws {
        let h = try await CoordinatorHarness()
        let answer = try await post(h.base, #"{"token":"any-any-any"}"#)
        #expect(answer.status == 204 && answer.cookie == nil)
    }

    static let hosts: [(host: String?, isSecure: Bool, name: String)] = [
        (nil, false, "tintype-session"), ("a.test", false, "tintype-session"), ("a.test:80", false, "tintype-session-80"),
        ("a.test", true, "__Host-tintype-session"), ("a.test:7412", true, "__Host-tintype-session-7412"), ("[::1]:7412", false, "tintype-session-7412"),
        ("[::1]", false, "tintype-session"), ("a.test:", false, "tintype-session"), ("a:123456", false, "tintype-session"),
        ("a:1;b=", false, "tintype-session"),
    ]

    @Test(arguments: hosts) func `each port of a host has its own cookie`(host: String?, isSecure: Bool, name: String) {
        #expect(PageSessions.cookie(host: host, isSecure: isSecure) == name)
    }

    private let name = "tintype-session-7412"

    /// The sessions of some tokens, and a cookie of the first token that begins at 1000.
    private func sealed(_ tokens: String = "first-first\nsecond-second") throws -> (PageSessions, String) {
        let sessions = PageSessions(try AccessTokens(text: tokens, path: "t"))
        let token = String(try #require(tokens.split(whereSeparator: \.isWhitespace).first))
        return (sessions, try #require(sessions.begin(AccessTokens.digest(token), in: name, at: 1000)))
    }

    @Test func `a cookie holds for a day, and for its own name and token only`() throws {
        let (sessions, value) = try sealed()
        func read(_ cookies: String?, host: String? = "a.test:7412", at now: Double = 1000, _ by: PageSessions? = nil) -> PageSessions.Reading {
            (by ?? sessions).read(cookies, host: host, at: now)
        }
        let session = PageSessions.Reading.session(token: AccessTokens.digest("first-first"), until: 1000 + PageSessions.lifetime)
        for cookies in ["\(name)=\(value)", "a=b; \(name)=\(value); c", ";;=;\(name)=\(value)"] {
            #expect(read(cookies, at: 999 + PageSessions.lifetime) == session, "\(cookies)")
        }
        #expect(read("\(name)=\(value)", at: 1000 + PageSessions.lifetime) == .nothing)
        for cookies in [nil, "", name, "\(name)=", "x\(name)=\(value)", "\(name)=\(value)0", "\(name)=\(value.dropLast())", "\(name)=a.b.c", "\(name)=..;"] {
            #expect(read(cookies) == .nothing, "\(cookies ?? "nil")")
        }
        #expect(read("\(name)=\(value)", host: "a.test:7413") == .nothing, "the name has another port")
        #expect(read("tintype-session-7413=\(value)", host: "a.test:7413") == .wrong(value), "the seal has another name")
        #expect(read("__Host-\(name)=\(value)") == .wrong(value))
        #expect(read("\(name)=\(value); __Host-\(name)=") == .nothing, "the bound one decides")
        #expect(read("\(name)=\(value)", PageSessions(try AccessTokens(text: "second-second\nfirst-firsu", path: "t"))) == .wrong(value))
        #expect(read("\(name)=\(value)", PageSessions()) == .wrong(value))
        #expect(sessions.begin(AccessTokens.digest("third-third"), in: name, at: 0) == nil)
    }

    @Test func `a cookie with one changed character stands for nothing`() throws {
        let (sessions, value) = try sealed()
        for index in value.indices {
            var changed = value
            changed.replaceSubrange(index...index, with: value[index] == "0" ? "1" : "0")
            if case .session = sessions.read("\(name)=\(changed)", host: "a:7412", at: 0) { Issue.record("\(changed)") }
        }
    }

    @Test func `a cookie that was counted is not counted again, among the latest thousand`() {
        var cookies = CountedCookies()
        #expect(["a", "a", "b", "a"].map { cookies.isNew($0) } == [true, false, true, false])
        #expect((0..<CountedCookies.most).map { cookies.isNew("\($0)") }.allSatisfy { $0 })
        let isNewAgain = cookies.isNew("a")
        #expect(isNewAgain)
    }
}
