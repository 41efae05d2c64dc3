import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator

/// The dashboard's files and sessions over HTTP.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PageRouteTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources/Coordinator/Page/Files")

    @Test func `every file of the folder is served, and nothing else`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(PageFile.all.keys.sorted() == names)
        for name in names {
            let answer = PageRoute.answer(name == "index.html" ? "/" : "/page/\(name)", ifNoneMatch: nil)
            #expect(answer.status == 200 && !answer.body.isEmpty, "\(name)")
        }
        for path in ["/page/", "/page/none.js", "/page/../main.js", "/page/Files/main.js", "/page/main.js/", "/page/MAIN.JS"] {
            #expect(PageRoute.answer(path, ifNoneMatch: nil).status == 404, "\(path)")
        }
    }

    static let lines: [(source: String, served: String)] = [
        ("", ""), ("let a = 1;", "let a = 1;\n"), ("  // why\n  let a = 1; // not alone\n\n", "let a = 1; // not alone\n"),
        ("/** What.\n * @param a\n */\nlet a = \"//\";\n", "let a = \"//\";\n"), ("* { margin: 0 }\n", "* { margin: 0 }\n"),
        ("/* one */\n* { margin: 0 }", "* { margin: 0 }\n"), ("/* one\n   two */\na", "a\n"),
    ]

    @Test(arguments: lines) func `comments on lines of their own and indentation are left out`(source: String, served: String) {
        #expect(String(decoding: PageFile.served(Array(source.utf8)), as: UTF8.self) == served)
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
        try await h.until { h.services.readiness.obstacle == nil }
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

    @Test @Loop func `a token gives a cookie, the cookie stands for the token, and its end ends it`() async throws {
        let h = try await guarded()
        #expect(try await HTTP.get(h.base + "/").status == 200)
        #expect(try await queues(h.base, []).contains("unauthenticated"))
        let (status, cookie) = try await post(h.base, #"{"token":"admin-admin-admin"}"#)
        let set = try #require(cookie)
        #expect(status == 204 && set.contains("; HttpOnly") && set.contains("; SameSite=Strict") && set.contains("; Path=/") && !set.contains("admin"))
        let pair = ["-H", "Cookie: other=1; " + set.prefix { $0 != ";" }]
        #expect(try await queues(h.base, pair).contains(#""name":"default""#))
        #expect(try await HTTP.get(h.base + "/images/none", pair).status == 404)
        #expect(try await HTTP.get(h.base + "/session", ["-X", "DELETE"] + pair).status == 204)
        #expect(try await queues(h.base, pair).contains("unauthenticated"))
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
        #expect(h.services.door.sessions.isEmpty)
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

    @Test func `a session ends by its time, by its end, and when there are too many`() {
        var sessions = PageSessions()
        let first = sessions.begin([1], at: 0)
        #expect(first.utf8.count == 64 && sessions.token(first, at: PageSessions.lifetime - 1) == [1])
        #expect(sessions.token(first, at: PageSessions.lifetime) == nil)
        #expect(sessions.token("", at: 0) == nil && sessions.token(String(first.dropLast()) + "g", at: 0) == nil)
        let second = sessions.begin([2], at: 1)
        sessions.end(second)
        #expect(sessions.token(second, at: 1) == nil && sessions.count == 1)
        for _ in 0..<3 * PageSessions.most { _ = sessions.begin([3], at: 2) }
        #expect(sessions.count <= PageSessions.most && sessions.token(first, at: 2) == nil)
    }

    static let cookies: [(header: String?, isFound: Bool)] = [
        (nil, false), ("", false), ("tintype-session=", false), ("a=b; tintype-session=\(String(repeating: "a", count: 64))", true),
        ("tintype-session=\(String(repeating: "a", count: 64)); c", true), ("xtintype-session=\(String(repeating: "a", count: 64))", false),
        ("tintype-session=\(String(repeating: "a", count: 65))", false), (";;;==;", false),
    ]

    @Test(arguments: cookies) func `the id of a session is found among other cookies`(header: String?, isFound: Bool) {
        #expect((PageSessions.id(in: header) != nil) == isFound)
    }
}
