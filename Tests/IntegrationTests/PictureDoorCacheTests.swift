import Foundation
import TestSupport
import Testing
import TintypeCore

/// nginx and varnish in front of the picture door: they keep pictures, tell clients apart by Accept, and show stale pictures while they ask.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PictureDoorCacheTests {
    private static let webp = ["-H", "Accept: image/webp,*/*"]

    /// As docs/picture-door.md shows it.
    private func nginx(_ door: PictureDoorDeployment) async throws -> NginxServer {
        try await NginxServer(
            """
            listen PORT;
            merge_slashes off;
            location / {
                proxy_pass http://127.0.0.1:\(door.port);
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $http_host;
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_cache pictures;
                proxy_cache_key $picture;
                proxy_cache_lock on;
                proxy_cache_revalidate on;
                proxy_cache_background_update on;
                proxy_cache_use_stale error timeout updating http_500 http_502 http_503 http_504;
                add_header X-Cache $upstream_cache_status always;
            }
            """, before: #"proxy_cache_path FOLDER/cache keys_zone=pictures:1m; map $request_uri $picture { "~^([^?]*)" $1; }"#)
    }

    @Test func `nginx keeps a picture for each class of clients, and answers with it while the service is down`() async throws {
        let door = try await PictureDoorDeployment(["--images-formats", "webp"])
        let server = try await nginx(door)
        let base = "http://127.0.0.1:\(server.port)"
        let plain = door.signing("/w:24/plain/" + PercentText.encoded(door.deployment.url("/picture.png")))
        let first = try await HTTP.get(base + plain, Self.webp)
        #expect(first.status == 200 && first.headers["content-type"] == "image/webp" && first.headers["x-cache"] == "MISS", "\(first.headers)")
        let second = try await HTTP.get(base + plain, Self.webp)
        #expect(second.headers["x-cache"] == "HIT" && second.body == first.body)
        let queried = try await HTTP.get(base + plain + "?random", Self.webp)
        #expect(queried.headers["x-cache"] == "HIT" && queried.body == first.body, "a query passes no cache")
        let other = try await HTTP.get(base + plain, ["-H", "Accept: */*"])
        #expect(other.headers["content-type"] == "image/png" && other.headers["x-cache"] == "MISS", "\(other.headers)")
        let unchanged = try await HTTP.get(base + plain, Self.webp + ["-H", "If-None-Match: \(first.headers["etag"] ?? "")"])
        #expect(unchanged.status == 304 && unchanged.headers["x-cache"] == "HIT")
        let part = try await HTTP.get(base + plain, Self.webp + ["-r", "0-3"])
        #expect(part.status == 206 && Array(part.body) == Array("RIFF".utf8))
        let refused = try await HTTP.get(base + plain.replacing("w:24", with: "w:25"), Self.webp)
        #expect(refused.status == 403 && refused.headers["x-cache"] == "MISS")
        #expect(try await HTTP.get(base + plain.replacing("w:24", with: "w:25"), Self.webp).headers["x-cache"] == "MISS", "a failure is not kept")
        #expect(try await door.count("made") == 2)
    }

    @Test func `nginx shows a stale picture at once while it asks, and while the service is down`() async throws {
        let door = try await PictureDoorDeployment()
        let server = try await nginx(door)
        let base = "http://127.0.0.1:\(server.port)"
        let path = door.path("/picture.png?with=Cache-Control:+max-age=5", "w:24")
        let first = try await HTTP.get(base + path)
        #expect(first.status == 200 && first.headers["x-cache"] == "MISS", "\(first.headers)")
        try await Gate.until("it is stale") { ["STALE", "UPDATING"].contains(try await HTTP.get(base + path).headers["x-cache"] ?? "") }
        await door.deployment.coordinators[0].kill9()
        let stale = try await HTTP.get(base + path)
        #expect(
            stale.status == 200 && stale.body == first.body && ["STALE", "UPDATING", "HIT", "REVALIDATED"].contains(stale.headers["x-cache"] ?? ""),
            "\(stale.headers)")
    }

    @Test func `varnish keeps a picture for each class of clients, and asks about it by its tag`() async throws {
        let door = try await PictureDoorDeployment(["--images-formats", "webp"])
        let server = try await VarnishServer(before: door.port, rules: #"sub vcl_recv { set req.url = regsub(req.url, "\?.*", ""); }"#)
        let base = "http://127.0.0.1:\(server.port)"
        let path = door.path("/picture.png", "w:24")
        let first = try await HTTP.get(base + path, Self.webp)
        #expect(first.status == 200 && first.headers["content-type"] == "image/webp", "\(first.headers)")
        let second = try await HTTP.get(base + path, Self.webp)
        // The ids of this request and of the one that brought the picture.
        #expect(second.headers["x-varnish"]?.split(separator: " ").count == 2 && second.body == first.body, "\(second.headers)")
        let queried = try await HTTP.get(base + path + "?random", Self.webp)
        #expect(queried.headers["x-varnish"]?.split(separator: " ").count == 2 && queried.body == first.body, "\(queried.headers)")
        let other = try await HTTP.get(base + path, ["-H", "Accept: */*"])
        #expect(other.headers["content-type"] == "image/png" && other.headers["x-varnish"]?.split(separator: " ").count == 1, "\(other.headers)")
        #expect(try await HTTP.get(base + path, Self.webp + ["-H", "If-None-Match: \(first.headers["etag"] ?? "")"]).status == 304)
        #expect(try await door.count("made") == 2)

        let brief = door.path("/picture.png?with=Cache-Control:+max-age=5", "w:25", format: "png")
        #expect(try await HTTP.get(base + brief).status == 200)
        try await Gate.until("varnish has asked by the tag") {
            let answer = try await HTTP.get(base + brief)
            #expect(answer.status == 200)
            return try await door.count("unchanged") > 1
        }
    }
}
