import Foundation
import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeSettings
import TintypeStores
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeUploads
@testable import TintypeTransport

/// `PUT /uploads` and `DELETE /uploads/{id}` of a whole coordinator.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct UploadRouteTests {
    private static let most = 1 << 20
    private static let gif = Array("GIF89a-and-more".utf8)

    @Loop private func harness(
        _ tokens: String? = nil, _ change: (inout CoordinatorSettings) -> Void = { _ in }, uploads: (inout UploadSettings) -> Void = { $0.most = Self.most }
    ) async throws -> CoordinatorHarness {
        let folder = try TemporaryFolder("uploads")
        if let tokens { try Data(tokens.utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens")) }
        let h = try await CoordinatorHarness(features: Feature.all { uploads(&$0.uploads) }) {
            if tokens != nil { $0.tokenFile = folder.path + "/tokens" }
            change(&$0)
        }
        try await h.until { h.coordinator.readiness.obstacle == nil }
        withExtendedLifetime(folder) {}
        return h
    }

    @Loop private func http(_ h: CoordinatorHarness) throws -> UInt16 {
        guard case .tcp(_, let port) = h.coordinator.httpAddress else { throw TestFailure("no port") }
        return port
    }

    /// Sends a request, and returns its status and the JSON of its answer.
    @Loop private func ask(
        _ h: CoordinatorHarness, _ method: String = "PUT", _ path: String = "/uploads", _ headers: [String] = [], token: String? = nil, body: [UInt8] = []
    ) async throws -> (status: Int, json: JSON, text: String) {
        let lines = ["Host: 127.0.0.1"] + headers + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        let answer = try await RawClient.ask(port: http(h), method, path, lines, body: body)
        let json = answer.description.range(of: "\r\n\r\n").flatMap { try? JSON(parsing: String(answer.description[$0.upperBound...])) }
        return (answer.status, json ?? .null, answer.description)
    }

    private func upload(_ json: JSON) throws -> UploadedSource { try #require(UploadedSource(url: json["url"]?.string ?? "")) }

    @Test @Loop func `the bytes are stored whole under an id that expires`() async throws {
        let h = try await harness(uploads: { ($0.most, $0.lifetime) = (Self.most, .seconds(100)) })
        let now = WallClock.now
        // The type that the client names does not count.
        let answer = try await ask(h, "PUT", "/uploads", ["Content-Type: text/html"], body: Self.gif)
        #expect(answer.status == 201, "\(answer.text)")
        let upload = try upload(answer.json)
        #expect(answer.json["bytes"]?.int == Self.gif.count && answer.json["sha256"]?.string == Digest.sha256Hex(Self.gif))
        #expect(answer.json["contentType"] == "image/gif" && answer.text.contains("\r\nLocation: /uploads/\(upload.id)\r\n"))
        let end = try #require(answer.json["expiresAt"]?.double)
        #expect((now + 100 - 1...WallClock.now + 100 + 1).contains(end))
        let image = try #require(try await h.coordinator.core.storage.sources.get(upload.key))
        #expect(image.bytes == Self.gif && abs((image.expiresAt ?? 0) - end) < 1)
        // Nobody reads it by way of results, and two uploads are two sources.
        #expect(try await ask(h, "GET", "/images/\(upload.key)").status == 404)
        let other = try await ask(h, body: Array("text".utf8))
        #expect(other.json["url"] != answer.json["url"] && other.json["contentType"] == nil)
    }

    @Test @Loop func `a body that is too long is refused by its head, or by the size of its chunks`() async throws {
        let h = try await harness()
        let start = "PUT /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for rest in ["Content-Length: \(Self.most + 1)\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n100001\r\n"] {
            // Not one byte of the body is sent.
            let client = try RawClient(port: http(h))
            client.send(start + rest)
            let text = String(decoding: await client.untilClosed(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 413 ") && text.contains("at most 1048576 bytes"), "\(text)")
        }
        let client = try RawClient(port: http(h))
        client.send(start + "Transfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("80000\r\n".utf8) + [UInt8](repeating: 7, count: 1 << 19) + Array("\r\n".utf8)
        for _ in 0..<2 { client.send(chunk) }
        client.send("1\r\n")
        #expect(String(decoding: await client.untilClosed(), as: UTF8.self).hasPrefix("HTTP/1.1 413 "))
        #expect(h.coordinator.part(Uploads.self).arriving.used == 0)
        #expect(try await h.coordinator.core.storage.sources.statistics().count == 0)
        // The longest one, in chunks.
        let last = try RawClient(port: http(h))
        last.send(start + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<2 { last.send(chunk) }
        last.send("0\r\n\r\n")
        #expect(String(decoding: await last.untilClosed(), as: UTF8.self).hasPrefix("HTTP/1.1 201 "))
    }

    @Test @Loop func `a client that stops sending is cut, and its room is free again`() async throws {
        let h = try await harness()
        let (coordinator, budget) = (h.coordinator, BodyBudget(Self.most))
        let routes = RouteTable<WebAction>([
            Route(UploadRoute.name, ["PUT"], .exact(UploadRoute.path), .token(UploadRoute.role), maxBody: Self.most) { _, _ in }
        ])
        let server = try HTTPServer(
            .tcp(host: "127.0.0.1", port: 0), maxBody: Self.most,
            bodyLimiter: BodyAdmission(routes, coordinator.core.access.control, coordinator.core.process.metrics, bodies: [UploadRoute.name: budget]),
            pace: MinimumBodyRate(first: .milliseconds(50), bytesPerSecond: 1 << 30)
        ) { _ in }
        defer { server.close() }
        let client = try RawClient(server.address)
        client.send("PUT /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: \(Self.most)\r\n\r\n")
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(text.contains("HTTP/1.1 100 ") && text.contains("HTTP/1.1 408 "), "\(text)")
        #expect(budget.used == 0)
    }

    @Test @Loop func `uploads beyond the budget are asked to come again`() async throws {
        let h = try await harness()
        let head = "PUT /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: \(Self.most)\r\n\r\n"
        var clients: [RawClient] = []
        for _ in 0..<2 {
            clients.append(try RawClient(port: http(h)))
            clients.last?.send(head)
            #expect(String(decoding: await clients[clients.count - 1].received { !$0.isEmpty }, as: UTF8.self).hasPrefix("HTTP/1.1 100 "))
        }
        let third = try RawClient(port: http(h))
        third.send(head)
        let refusal = String(decoding: await third.untilClosed(), as: UTF8.self)
        #expect(refusal.hasPrefix("HTTP/1.1 503 ") && refusal.contains("\r\nRetry-After: 1\r\n"), "\(refusal)")
        // Images have a budget of their own.
        #expect(try await ask(h, "PUT", "/images/mine", body: Self.gif).status == 201)
        for client in clients { client.close() }
        try await h.until { h.coordinator.part(Uploads.self).arriving.used == 0 }
        #expect(try await ask(h, body: [UInt8](repeating: 7, count: Self.most)).status == 201)
    }

    @Test @Loop func `bytes that wait for the store count even if their client has gone`() async throws {
        let h = try await harness()
        let release = h.holdImages()
        let body = [UInt8](repeating: 7, count: Self.most)
        for count in 1...2 {
            let client = try RawClient(port: http(h))
            client.send(Array("PUT /uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(Self.most)\r\n\r\n".utf8) + body)
            try await h.until { h.coordinator.part(Uploads.self).waiting == count * Self.most }
            client.close()
            try await h.until { h.coordinator.part(Uploads.self).arriving.used == 0 }
        }
        let third = try await ask(h, body: body)
        #expect(third.status == 503 && third.json["error"]?["data"]?["name"] == "overloaded" && third.text.contains("\r\nRetry-After: 1\r\n"), "\(third.text)")
        release()
        try await h.until { h.coordinator.part(Uploads.self).waiting == 0 }
        #expect(try await ask(h, body: body).status == 201)
    }

    @Test @Loop func `what is no whole upload is refused, and nothing is stored`() async throws {
        let h = try await harness()
        func refused(_ path: String = "/uploads", _ headers: [String] = [], body: [UInt8] = Self.gif) async throws -> (Int, String) {
            let answer = try await ask(h, "PUT", path, headers, body: body)
            return (answer.status, answer.json["error"]?["message"]?.string ?? answer.text)
        }
        #expect(try await refused(body: []).0 == 400)
        let query = try await refused("/uploads?ttl=5")
        #expect(query.0 == 400 && query.1.contains("no query"))
        #expect(try await refused("/uploads", ["Content-Range: bytes 0-3/9"]).0 == 400)
        #expect(try await refused("/uploads", ["Content-Encoding: gzip"]).0 == 415)
        let digest = "Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
        let other = try await refused("/uploads", [digest])
        #expect(other.0 == 400 && other.1.contains(Digest.sha256Hex(Self.gif)), "\(other)")
        #expect(try await refused("/uploads", ["Content-Digest: sha-256=:no:"]).0 == 400)
        #expect(try await h.coordinator.core.storage.sources.statistics().count == 0)
        #expect(try await ask(h, "PUT", "/uploads", [digest], body: Array("hello".utf8)).status == 201)
        let off = try await harness(uploads: { $0.most = 0 })
        #expect(try await ask(off, body: Self.gif).status == 413)
    }

    private static let tokens = """
        admin-admin
        mine-mine role=put name=mine
        again-again role=load name=mine
        other-other role=put name=other
        """

    @Test @Loop func `an upload is a source for its own client and for admins, who alone may remove it`() async throws {
        let h = try await harness(Self.tokens)
        #expect(try await ask(h, body: Self.gif).status == 401)
        let low = try await ask(h, token: "again-again", body: Self.gif)
        #expect(low.status == 403 && low.json["error"]?["message"]?.string?.contains("role put") == true, "\(low.text)")
        let upload = try upload(try await ask(h, token: "mine-mine", body: Self.gif).json)

        func submit(_ token: String, _ method: String = "image.submit", _ params: String? = nil) async throws -> String? {
            let client = try h.client()
            defer { client.close() }
            try await client.call("session.authenticate", #"{"token":"\#(token)"}"#)
            return try await client.call(method, params ?? #"{"url":"\#(upload.url)"}"#).error?.name
        }
        for token in ["admin-admin", "mine-mine", "again-again"] { #expect(try await submit(token) == nil, "\(token)") }
        #expect(try await submit("other-other") == "forbidden")
        // The same parameters were just planned for others.
        #expect(try await submit("other-other", "image.load") == "forbidden")
        #expect(try await submit("other-other", "image.probe") == "forbidden")

        #expect(try await ask(h, "DELETE", "/uploads/\(upload.id)", token: "other-other").status == 404)
        #expect(try await ask(h, "DELETE", "/uploads/\(upload.id)", token: "again-again").status == 403)
        #expect(try await h.coordinator.core.storage.sources.contains(upload.key))
        #expect(try await ask(h, "DELETE", "/uploads/\(upload.id)", token: "mine-mine").status == 204)
        #expect(try await !h.coordinator.core.storage.sources.contains(upload.key))
        #expect(try await ask(h, "DELETE", "/uploads/\(upload.id)", token: "mine-mine").status == 404)
        for path in ["", "x", upload.id.uppercased(), "\(upload.id)/"] {
            #expect(try await ask(h, "DELETE", "/uploads/\(path)", token: "admin-admin").status == 404)
        }

        let admins = try self.upload(try await ask(h, token: "admin-admin", body: Self.gif).json)
        #expect(try await submit("mine-mine", "image.submit", #"{"url":"\#(admins.url)"}"#) == "forbidden")
    }

    @Test @Loop func `an item of a group does not use the upload of another client`() async throws {
        let h = try await harness(Self.tokens)
        let upload = try upload(try await ask(h, token: "mine-mine", body: Self.gif).json)
        let client = try h.client()
        try await client.call("session.authenticate", #"{"token":"other-other"}"#)
        let group = try #require(try await client.call("batch.start", #"{"items":[{"url":"\#(upload.url)"}]}"#).group)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":30}"#)
        #expect(end["results"]?[0]?["error"]?["data"]?["name"] == "forbidden", "\(end)")
    }

    @Test @Loop func `a client above its share loses its own oldest uploads, and no other client loses one`() async throws {
        let tokens = "alice-alice role=put name=alice\nmallory-mallory role=put name=mallory uploads=3MiB"
        let h = try await harness(tokens) { $0.common.results = $0.common.results.map { $0 + "?maxBytes=6MiB" } }
        let body = [UInt8](repeating: 7, count: Self.most)
        func put(_ token: String) async throws -> UploadedSource { try upload(try await ask(h, token: token, body: body).json) }
        let sources = h.coordinator.core.storage.sources
        let alices = try await put("alice-alice")
        var mallorys: [UploadedSource] = []
        for _ in 0..<14 { mallorys.append(try await put("mallory-mallory")) }
        #expect(try await sources.contains(alices.key))
        #expect(try await sources.statistics().count == 4)
        for (number, one) in mallorys.enumerated() { #expect(try await sources.contains(one.key) == (number > 10), "\(number)") }
        // An upload that its client removes makes room for another one.
        #expect(try await ask(h, "DELETE", "/uploads/\(mallorys[12].id)", token: "mallory-mallory").status == 204)
        _ = try await put("mallory-mallory")
        #expect(try await sources.contains(mallorys[11].key))
        let client = try h.client()
        try await client.call("session.authenticate", #"{"token":"mallory-mallory"}"#)
        let identity = try await client.call("system.info")["identity"]
        #expect(identity?["limits"] == ["uploads": 3_145_728] && identity?["left"] == ["uploads": 0], "\(identity ?? .null)")
        let small = try await harness("mallory-mallory role=put name=mallory uploads=100")
        let large = try await ask(small, token: "mallory-mallory", body: Array(body.prefix(101)))
        #expect(large.status == 413 && large.json["error"]?["data"]?["name"] == "limitExceeded", "\(large.text)")
        #expect(large.json["error"]?["data"]?["allowed"]?.int == 100)
        #expect(try await ask(small, token: "mallory-mallory", body: Array(body.prefix(100))).status == 201)
    }

    @Test @Loop func `one upload removes a few hundred older ones at the most, and the next one waits for the rest`() async throws {
        let h = try await harness("alice-alice role=put name=alice uploads=1MiB")
        func put(_ bytes: [UInt8]) async throws -> (status: Int, json: JSON, text: String) { try await ask(h, token: "alice-alice", body: bytes) }
        for _ in 0..<600 { #expect(try await put([7]).status == 201) }
        let large = try await put([UInt8](repeating: 7, count: Self.most))
        #expect(large.status == 201, "\(large.text)")
        let sources = h.coordinator.core.storage.sources
        #expect(try await sources.statistics().count == 601 - 256)
        let early = try await put([7])
        #expect(early.status == 503 && early.json["error"]?["data"]?["retryAfter"]?.int == 1, "\(early.text)")
        #expect(try await sources.statistics().count == 601 - 2 * 256)
        // The large one leaves no room for another byte.
        #expect(try await put([7]).status == 201)
        #expect(try await sources.statistics().count == 1)
        #expect(try await sources.contains(try upload(large.json).key) == false)
    }

    @Test @Loop func `a Redis without room for requests takes no uploads`() async throws {
        let h = try await harness {
            $0.common.results = $0.common.redis
            $0.maxQueueBytes = 1 << 20
        }
        let answer = try await ask(h, body: [UInt8](repeating: 7, count: Self.most))
        #expect(answer.status == 503 && answer.text.contains("--max-queue-bytes") && answer.text.contains("\r\nRetry-After: 5\r\n"), "\(answer.text)")
        #expect(try await h.coordinator.core.storage.sources.statistics().count == 0)
    }
}
