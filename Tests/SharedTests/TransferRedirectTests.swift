import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

@Suite(.timeLimit(.minutes(1)), .scoped)
struct TransferRedirectTests {
    private func plan(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) throws -> RedirectPlan {
        var request = TransferRequest(url: url)
        change(&request)
        return try RedirectPlan(request)
    }

    @Test(arguments: [
        ("http://h/a/b?c", "d", "http://h/a/d"), ("http://h/a/b", "/d", "http://h/d"), ("http://h/a", "//o/x", "http://o/x"),
        ("http://h/a", "?q=1", "http://h/a?q=1"), ("http://h/a", "https://h/b", "https://h/b"), ("http://h/a", "/x y", "http://h/x%20y"),
        ("http://h/a", "/<x>?q=\"y\"", "http://h/%3Cx%3E?q=%22y%22"), ("http://h/a", "/x?q=a b+c&r=%20", "http://h/x?q=a%20b+c&r=%20"),
        ("http://h/a", "?a b", "http://h/a?a%20b"),
        ("http://u:p@h/a", "/d", "http://h/d"), ("http://h/a", "/d#f", "http://h/d"),
    ])
    func `a location is resolved as a browser would`(from: String, location: String, to: String) throws {
        var plan = try plan(from)
        try plan.follow(TransferHop(status: 302), location: location)
        #expect(plan.url.text == to)
    }

    @Test(arguments: ["http://other/x", "http://h:81/x", "https://h/x", "//other/x"])
    func `credentials stay behind when the origin changes`(location: String) throws {
        var plan = try plan("http://user:word@h/a") {
            $0.headers = [("Authorization", "a"), ("Cookie", "c"), ("X-Api-Key", "k"), ("Accept", "image/*")]
        }
        #expect(plan.credentials != nil)
        try plan.follow(TransferHop(status: 302), location: location)
        #expect(plan.credentials == nil)
        #expect(plan.headers.map(\.name) == ["Accept"])
        #expect(!plan.url.text.contains("word"))
    }

    @Test func `credentials stay on redirects within one origin`() throws {
        var plan = try plan("http://h/a") { request in
            request.credentials = .bearer("t")
            request.headers = [("X-Api-Key", "k")]
        }
        try plan.follow(TransferHop(status: 302), location: "http://h:80/b")
        #expect(plan.credentials != nil)
        #expect(plan.headers.count == 1)
    }

    @Test(arguments: [
        (ErrorName.connect, "https://cdn.test/x?sig=hush", "https://cdn.test/x?sig=***"), (.tls, "https://8.8.8.8/x", "https://8.8.8.8/x"),
        (.denied, "https://cdn.test/x", "http://a.test/first?k=***"), (.connect, "http://10.0.0.7/x", "http://a.test/first?k=***"),
        (.timeout, "http://[fd00::1]/x", "http://a.test/first?k=***"), (.dns, "http://vault/x", "http://a.test/first?k=***"),
        (.dns, "http://vault.internal/x", "http://a.test/first?k=***"),
    ])
    func `a failure names the failed hop, but not an inner address`(name: ErrorName, hop: String, shown: String) throws {
        let request = TransferRequest(url: "http://a.test/first?k=hush")
        let error = TransferFailure.placed(TintypeError(name, .download, "no"), at: try #require(TransferURL(hop)), of: request)
        #expect(error.details["url"]?.string == shown)
    }

    @Test(arguments: [
        ("https://h/a", "http://h/b", ErrorName.denied), ("http://h/a", "ftp://h/b", .denied), ("http://h/a", "file:///etc/passwd", .denied),
        ("http://h/a", "http://", .invalidURL),
        ("http://h/a", "data:image/png,***", .denied), ("http://h/a", "JavaScript:alert(1)", .denied), ("http://h/a", "http:", .invalidURL),
    ])
    func `a redirect out of what is allowed is refused`(from: String, location: String, name: ErrorName) throws {
        var plan = try plan(from)
        #expect { try plan.follow(TransferHop(status: 302), location: location) } throws: { ($0 as? TintypeError)?.name == name }
    }

    @Test func `redirects stop at their limit, and at another host if that is refused`() throws {
        var few = try plan("http://h/a") { $0.maxRedirects = 2 }
        try few.follow(TransferHop(status: 302), location: "/b")
        try few.follow(TransferHop(status: 307), location: "/c")
        #expect { try few.follow(TransferHop(status: 302), location: "/d") } throws: { ($0 as? TintypeError)?.name == .tooManyRedirects }
        var same = try plan("http://h/a") { $0.sameHostRedirects = true }
        try same.follow(TransferHop(status: 302), location: "https://h/b")
        #expect { try same.follow(TransferHop(status: 302), location: "https://o/b") } throws: { ($0 as? TintypeError)?.name == .denied }
    }

    @Test(arguments: [(303, "PUT", "GET"), (302, "POST", "GET"), (301, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"), (303, "HEAD", "HEAD")])
    func `the method changes as HTTP requires`(status: Int, before: String, after: String) throws {
        var plan = try plan("http://h/a") { request in
            request.method = before
            request.body = [1]
        }
        try plan.follow(TransferHop(status: status), location: "/b")
        #expect(plan.method == after)
        #expect((plan.body == nil) == (after == "GET"))
    }

    /// The target of the first request, the known resource with its validators, and whether the request is conditional.
    @Test(
        arguments: [
            ("http://h/a", nil, ["/b"], [true, false]), ("http://h/a", "http://h/b", ["/b", "/c"], [false, true, false]),
            ("http://h/a", "http://o/b", ["/b", "http://o/b"], [false, false, true]), ("http://u:p@h/a?token=1", "http://h/a?token=***", [], [true]),
            (
                "http://h/a", "http://h/b?v=1&X-Amz-Date=1&X-Amz-Signature=***",
                ["/b?v=1&X-Amz-Date=2&X-Amz-Signature=s", "/b?v=2&X-Amz-Date=2&X-Amz-Signature=s", "/b?v=1"], [false, true, false, true]
            ),
            ("http://h/a", "http://h/b?Expires=1", ["/b?Expires=2"], [false, false]),
        ] as [(String, String?, [String], [Bool])])
    func `validators and ranges go only to their own resource`(url: String, subject: String?, places: [String], isAsked: [Bool]) throws {
        var plan = try plan(url) {
            $0.conditions = [("If-None-Match", "\"a\"")]
            $0.resume = TransferRequest.Resume(offset: 1, validator: "\"a\"", total: nil)
            $0.subject = subject
        }
        var found = [(plan.resume != nil, plan.conditions.isEmpty)]
        for place in places {
            try plan.follow(TransferHop(status: 302), location: place)
            found.append((plan.resume != nil, plan.conditions.isEmpty))
        }
        #expect(found.map(\.0) == isAsked && found.map(\.1) == isAsked.map { !$0 })
    }

    @Test(arguments: [("X\r\nY", "a"), ("X", "a\r\nEvil: 1"), ("", "a"), ("X:", "a"), ("X", "a\0")])
    func `a header cannot smuggle another`(name: String, value: String) {
        #expect(throws: TintypeError.self) { try self.plan("http://h/") { $0.headers = [(name, value)] } }
    }

    @Test @Loop func `redirects are followed over the wire and counted in the timings`() async throws {
        let target = try CannedServer(["/end": "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend"])
        let start = try CannedServer([
            "/1": "HTTP/1.1 302 Found\r\nLocation: /2\r\nContent-Length: 9\r\n\r\nmoved on.",
            "/2": "HTTP/1.1 301 Moved\r\nLocation: \(target.base)/end\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            "/loop": "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n",
        ])
        let pool = LoopbackTransfers().pool
        var request = TransferRequest(url: start.base + "/1")
        request.credentials = .basic(user: "u", password: "p")
        var body: [UInt8] = []
        let summary = try await pool.run(request, onHead: { #expect($0.status == 200) }) { bytes, _, _ in
            body += bytes
            return .proceed
        }
        #expect(body == Array("end".utf8))
        #expect(summary.redirects == 2)
        #expect(summary.head.url == target.base + "/end")
        #expect(start.requests.allSatisfy { $0.contains("Authorization: Basic dTpw") })
        #expect(start.requests.count == 2)
        #expect(!target.requests[0].contains("Authorization"))
        do {
            _ = try await pool.run(TransferRequest(url: start.base + "/loop"), onHead: { _ in }) { _, _, _ in .proceed }
            Issue.record("a loop has no end")
        } catch {
            #expect(error.name == .tooManyRedirects)
        }
        #expect(start.requests.count == 8)
        target.close()
        start.close()
    }

    /// A body that is cut, that never comes, that is no chunk, that cannot be unpacked, and that is longer than anyone reads on for.
    @Test(
        arguments: [
            ("Content-Length: 100\r\n\r\nmoved", CannedServer.Then.close), ("Content-Length: 100\r\n\r\nmoved", .keep), ("Content-Length: 5\r\n\r\n", .keep),
            ("Transfer-Encoding: chunked\r\n\r\nzz\r\n", .keep), ("Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nmoved", .keep),
            ("Content-Length: 200000\r\n\r\n" + String(repeating: "x", count: 100_000), .keep),
        ] as [(String, CannedServer.Then)]) @Loop func `a redirect is followed by its head, whatever its body is`(rest: String, then: CannedServer.Then)
        async throws
    {
        let server = try CannedServer { target, stream in
            stream.write(Array((target == "/end" ? "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend" : "HTTP/1.1 302 Found\r\nLocation: /end\r\n" + rest).utf8))
            return target == "/end" ? .keep : then
        }
        #expect(try await LoopbackTransfers().get(TransferRequest(url: server.base + "/a")).body == Array("end".utf8))
        server.close()
    }
}
