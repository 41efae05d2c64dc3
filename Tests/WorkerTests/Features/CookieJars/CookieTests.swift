import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores
import TestSupport
import Testing

@testable import TintypeCookieJars
@testable import Worker

/// `cookies`: a jar that all workers share.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct CookieTests {
    @Loop private func status(_ h: WorkerHarness, _ path: String, jar: String?, scope: String? = nil) async throws -> Int? {
        let fetch: JSON = jar.map { ["cookies": .string($0)] } ?? [:]
        var request: JSONObject = [
            "url": .string(h.url(path)), "as": "bytes", "fetch": .object((fetch.object ?? [:]).merging(["acceptableStatus": ["200", "403"]])),
        ]
        request["cache"] = scope.map { ["scope": .string($0)] }
        let receipt = try await h.submit(.object(request))
        try await h.runOne()
        return try await h.result(receipt)["source"]?["status"]?.int
    }

    @Test @Loop func `cookies of one fetch are sent by the next fetch with the same jar only`() async throws {
        let h = try await WorkerHarness()
        #expect(try await status(h, "/cookie?set=id%3Dsecret7;%20Path%3D/;%20HttpOnly", jar: "a") == 200)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7", jar: "a") == 200)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7&2", jar: "b") == 403)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7&3", jar: nil) == 403)
        #expect(try await h.server.command("HKEYS", CookieJars.key(of: "a")) == "127.0.0.1\t/\tid")
        #expect(try await Int(h.server.command("PTTL", CookieJars.key(of: "a"))) ?? 0 > 86_400_000)
        // The server removes the cookie, and it is gone.
        #expect(try await status(h, "/cookie?set=id%3Dx%3B%20Path%3D/%3B%20Max-Age%3D0", jar: "a") == 200)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7&4", jar: "a") == 403)
        #expect(try await h.server.command("EXISTS", CookieJars.key(of: "a")) == "0")
    }

    @Test @Loop func `a jar belongs to its scope: the same name in another scope, or in none, is another jar`() async throws {
        let h = try await WorkerHarness()
        #expect(try await status(h, "/cookie?set=sid%3DALICE;%20Path%3D/", jar: "session", scope: "alice") == 200)
        #expect(try await status(h, "/cookie?need=sid%3DALICE", jar: "session", scope: "alice") == 200)
        #expect(try await status(h, "/cookie?need=sid%3DALICE&2", jar: "session", scope: "mallory") == 403)
        #expect(try await status(h, "/cookie?need=sid%3DALICE&3", jar: "session") == 403)
    }

    @Test @Loop func `cookies of other hosts and expired cookies are not sent`() async throws {
        let h = try await WorkerHarness()
        let lines = [
            "example.org\tFALSE\t/\tFALSE\t0\tother\t1", "127.0.0.1\tFALSE\t/private\tFALSE\t0\tdeep\t1", "127.0.0.1\tFALSE\t/\tFALSE\t1000\told\t1",
            "127.0.0.1\tFALSE\t/\tFALSE\t0\tmine\t1",
        ]
        for line in lines { try await h.server.command("HSET", CookieJars.key(of: "j"), try #require(CookieLines.key(of: line)).text, line) }
        let receipt = try await h.submit(["url": .string(h.url("/echo")), "as": "bytes", "fetch": ["cookies": "j"]])
        try await h.runOne()
        let key = try await h.result(receipt)["renditions"]?[0]?["key"]?.string ?? ""
        #expect(try JSON(parsing: #require(await h.store.get(key)).bytes)["headers"]?["cookie"] == "mine=1")
        #expect(try await h.server.command("HLEN", CookieJars.key(of: "j")) == "3")
    }

    @Test @Loop func `a jar lives one day, and thirty once a later fetch has read it`() async throws {
        let h = try await WorkerHarness()
        let key = CookieJars.key(of: "a")
        #expect(try await status(h, "/cookie?set=id%3Dx%3B%20Path%3D/", jar: "a") == 200)
        let first = try await Int(h.server.command("PTTL", key)) ?? 0
        #expect(first > 0 && first <= 86_400_000, "\(first)")
        #expect(try await status(h, "/cookie?need=id%3Dx", jar: "a") == 200)
        #expect(try await Int(h.server.command("PTTL", key)) ?? 0 > 29 * 86_400_000)
        #expect(try await status(h, "/cookie?set=id%3Dx%3B%20Path%3D/%3B%20Max-Age%3D0", jar: "a") == 200)
        #expect(try await h.server.command("KEYS", Self.prefix + "*").isEmpty, "nothing is left of a jar without cookies")
    }

    private static let prefix = "tintype:{cookies}:"

    /// Adds a cookie to a jar, as a fetch does.
    @Loop private func add(_ line: String, to jar: String, of scope: String? = nil, _ jars: CookieJars) async throws {
        let before = try await jars.read(jar, of: scope)
        await jars.write(jar, of: scope, from: before, to: Array(before.values) + [line])
    }

    @Test @Loop func `a jar has 64 KiB at most, and its oldest cookies go first`() async throws {
        let h = try await WorkerHarness()
        let jars = CookieJars(redis: h.nodes, logger: WorkerHarness.logger)
        for number in 0..<12 { try await add("a.test\tFALSE\t/\tFALSE\t0\tn\(number)\t" + String(repeating: "x", count: 7000), to: "a", jars) }
        #expect(try await Set(jars.read("a", of: nil).keys.map(\.text)) == Set((3..<12).map { "a.test\t/\tn\($0)" }))
        // A cookie that is set again is young again.
        try await add("a.test\tFALSE\t/\tFALSE\t0\tn12\t" + String(repeating: "x", count: 1000), to: "a", jars)
        var before = try await jars.read("a", of: nil)
        let lines = Array(before.values)
        before["a.test\t/\tn3"] = "a.test\tFALSE\t/\tFALSE\t0\tn3\told"
        await jars.write("a", of: nil, from: before, to: lines)
        try await add("a.test\tFALSE\t/\tFALSE\t0\tn13\t" + String(repeating: "x", count: 7000), to: "a", jars)
        let names = try await Set(jars.read("a", of: nil).keys.map(\.text))
        #expect(names.contains("a.test\t/\tn3") && !names.contains("a.test\t/\tn4"), "\(names)")
    }

    /// Returns the jars in Redis, by the names in their keys.
    @Loop private func jars(_ h: WorkerHarness) async throws -> [String] {
        try await h.server.command("KEYS", Self.prefix + "jar:*").split(separator: "\n").map { String($0.dropFirst(Self.prefix.count + 4)) }.sorted()
    }

    @Test @Loop func `the number of jars is limited per scope and in all, and the least recently used one is removed`() async throws {
        let h = try await WorkerHarness()
        let jars = CookieJars(redis: h.nodes, logger: WorkerHarness.logger, limits: CookieJars.Limits(perScope: 2, jars: 3))
        let line = "a.test\tFALSE\t/\tFALSE\t0\tx\t1"
        for jar in ["a", "b"] { try await add(line, to: jar, of: "s", jars) }
        #expect(try await jars.read("a", of: "s") == ["a.test\t/\tx": line])
        try await add(line, to: "c", of: "s", jars)
        #expect(try await self.jars(h) == ["a@s", "c@s"])
        for jar in ["d", "e"] { try await add(line, to: jar, jars) }
        #expect(try await self.jars(h) == ["c@s", "d", "e"])
        for (set, count) in [("used", "3"), ("used@s", "1"), ("used@", "2"), ("ends", "3")] {
            #expect(try await h.server.command("ZCARD", Self.prefix + set) == count, "\(set)")
        }
        // A jar that has expired by itself makes room before any other is removed.
        try await h.server.command("DEL", CookieJars.key(of: "e"))
        try await h.server.command("ZADD", Self.prefix + "ends", "1", "e")
        try await add(line, to: "f", jars)
        #expect(try await self.jars(h) == ["c@s", "d", "f"])
    }

    @Test func `a jar adds new cookies and drops removed ones, within its limits`() {
        let before: [ExactText: String] = ["a\t/\tx": "a\tFALSE\t/\tFALSE\t0\tx\t1", "a\t/\ty": "a\tFALSE\t/\tFALSE\t0\ty\t1"]
        let after = ["#HttpOnly_A\tFALSE\t/\tFALSE\t0\tx\t2", "b\tFALSE\t/\tFALSE\t0\tz\t3", "nonsense"]
        let changes = CookieLines.changes(from: before, to: after, at: 0)
        #expect(changes.kept.map(\.key) == ["a\t/\tx", "b\t/\tz"] && changes.gone == ["a\t/\ty"])
        #expect(CookieLines.line(kept: "1780000000000000\ta\tFALSE\t/\tFALSE\t0\tx\t1") == "a\tFALSE\t/\tFALSE\t0\tx\t1")
        #expect(CookieLines.line(kept: "a\tFALSE\t/\tFALSE\t0\tx\t1") == "a\tFALSE\t/\tFALSE\t0\tx\t1")
        let many = (0..<400).map { "a\tFALSE\t/\tFALSE\t0\tn\($0)\t1" }
        #expect(CookieLines.changes(from: [:], to: many, at: 0).kept.count == CookieLines.most)
    }

    @Test @Loop func `a source that varies with the cookies of its jar is asked for again`() async throws {
        let h = try await WorkerHarness()
        for number in 1...2 {
            #expect(try await status(h, "/picture.png?size=64x48&with=Cache-Control:+max-age=60|Vary:+Cookie", jar: "a") == 200)
            #expect(try await h.counts()["total"]?.int == number)
        }
    }
}

extension ParserFuzzTests {
    @Test func `cookies survive whatever they are given`() {
        FuzzTarget("cookies", ["#HttpOnly_.a.test\tTRUE\t/\tFALSE\t0\tname\tvalue", "a\tFALSE\t/\tTRUE\t1\tn\tv"]) { bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            let changes = CookieLines.changes(from: [:], to: [line, line], at: 1)
            return "\(changes.kept.count) \(CookieLines.key(of: line) == nil)"
        }.run()
    }
}
