import Shared
import TestSupport
import Testing

@testable import Worker

/// `cookies`: a jar that the fleet shares.
@Suite(.timeLimit(.minutes(1))) struct CookieTests {
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

    @Test @Loop func `what one fetch is given the next one brings along, of the same jar alone`() async throws {
        let h = try await WorkerHarness()
        #expect(try await status(h, "/cookie?set=id%3Dsecret7;%20Path%3D/;%20HttpOnly", jar: "a") == 200)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7", jar: "a") == 200)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7&2", jar: "b") == 403)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7&3", jar: nil) == 403)
        #expect(try await h.server.command("HKEYS", CookieJars.key(of: "a")) == "127.0.0.1\t/\tid")
        #expect(try await Int(h.server.command("PTTL", CookieJars.key(of: "a"))) ?? 0 > 86_400_000)
        // Taken back by the server it is gone.
        #expect(try await status(h, "/cookie?set=id%3Dx;%20Path%3D/;%20Max-Age%3D0", jar: "a") == 200)
        #expect(try await status(h, "/cookie?need=id%3Dsecret7&4", jar: "a") == 403)
        #expect(try await h.server.command("EXISTS", CookieJars.key(of: "a")) == "0")
        await h.stop()
    }

    @Test @Loop func `a jar belongs to its scope: the same name in another scope, or in none, is another jar`() async throws {
        let h = try await WorkerHarness()
        #expect(try await status(h, "/cookie?set=sid%3DALICE;%20Path%3D/", jar: "session", scope: "alice") == 200)
        #expect(try await status(h, "/cookie?need=sid%3DALICE", jar: "session", scope: "alice") == 200)
        #expect(try await status(h, "/cookie?need=sid%3DALICE&2", jar: "session", scope: "mallory") == 403)
        #expect(try await status(h, "/cookie?need=sid%3DALICE&3", jar: "session") == 403)
        await h.stop()
    }

    @Test @Loop func `cookies of elsewhere and cookies that have run out are not sent`() async throws {
        let h = try await WorkerHarness()
        let lines = [
            "example.org\tFALSE\t/\tFALSE\t0\tother\t1", "127.0.0.1\tFALSE\t/private\tFALSE\t0\tdeep\t1", "127.0.0.1\tFALSE\t/\tFALSE\t1000\told\t1",
            "127.0.0.1\tFALSE\t/\tFALSE\t0\tmine\t1",
        ]
        for line in lines { try await h.server.command("HSET", CookieJars.key(of: "j"), try #require(CookieLines.key(of: line)), line) }
        let receipt = try await h.submit(["url": .string(h.url("/echo")), "as": "bytes", "fetch": ["cookies": "j"]])
        try await h.runOne()
        let key = try await h.result(receipt)["renditions"]?[0]?["key"]?.string ?? ""
        #expect(try JSON(parsing: #require(await h.tools.store.get(key)).bytes)["headers"]?["cookie"] == "mine=1")
        #expect(try await h.server.command("HLEN", CookieJars.key(of: "j")) == "3")
        await h.stop()
    }

    @Test func `a jar takes what is new and gives up what is gone, within its limits`() {
        let before = ["a\t/\tx": "a\tFALSE\t/\tFALSE\t0\tx\t1", "a\t/\ty": "a\tFALSE\t/\tFALSE\t0\ty\t1"]
        let after = ["#HttpOnly_A\tFALSE\t/\tFALSE\t0\tx\t2", "b\tFALSE\t/\tFALSE\t0\tz\t3", "nonsense"]
        let changes = CookieLines.changes(from: before, to: after)
        #expect(changes.kept.map(\.key) == ["a\t/\tx", "b\t/\tz"] && changes.gone == ["a\t/\ty"])
        let many = (0..<400).map { "a\tFALSE\t/\tFALSE\t0\tn\($0)\t1" }
        #expect(CookieLines.changes(from: [:], to: many).kept.count == CookieLines.most)
    }
}
