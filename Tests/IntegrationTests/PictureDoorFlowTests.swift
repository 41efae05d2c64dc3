import Foundation
import TestSupport
import Testing
import TintypeCore

/// Pictures by GET through all processes: a signed URL, a real worker and a real origin.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PictureDoorFlowTests {
    @Test func `a URL that the command line signs becomes the picture that it says`() async throws {
        let door = try await PictureDoorDeployment()
        let words = [
            "url", door.deployment.url("/picture.png"), "--keys", door.folder.path + "/keys", "-o", "rs:fill:64:48/q:70", "--format", "webp", "--at", door.base,
            "--expires-in", "1000",
        ]
        let made = try ChildProcess(ServiceProcess.path("tintype"), words)
        #expect(await made.finished() == 0, "\(made.errors)")
        let url = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let first = try await HTTP.get(url)
        let picture = try #require(PictureBytes(first.body), "\(first)")
        #expect(first.status == 200 && picture.format == "webp" && picture.width == 64 && picture.height == 48)
        #expect(first.headers["content-type"] == "image/webp" && first.headers["content-disposition"] == #"inline; filename="picture.webp""#)
        #expect(first.headers["last-modified"] == "Mon, 02 Nov 2026 10:00:00 GMT")
        #expect(first.headers["etag"] == "\"\(Digest.sha256Hex([UInt8](first.body)))\"")
        let timing = try #require(first.headers["server-timing"])
        #expect(timing.hasPrefix("from;desc=\"remote\"") && timing.contains("download;dur=") && timing.contains("encode;dur="), "\(timing)")
        let age = (first.headers["cache-control"] ?? "").split(separator: ", ").first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
        #expect((900...1000).contains(try #require(age)), "no cache keeps the picture for longer than its URL is good: \(first.headers)")

        let again = try await HTTP.get(url)
        #expect(again.body == first.body && again.headers["server-timing"] == "from;desc=\"memory\"")
        let hits = #"tintype_cache_lookups_total{tier="memory",outcome="hit"}"#
        #expect(try await door.deployment.coordinators[0].value(of: hits) == 1)
        let unchanged = try await HTTP.get(url, ["-H", "If-None-Match: \(first.headers["etag"] ?? "")"])
        #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged.headers["etag"] == first.headers["etag"])
        for (date, status) in [("Mon, 02 Nov 2026 10:00:00 GMT", 304), ("Mon, 02 Nov 2026 09:59:59 GMT", 200)] {
            #expect(try await HTTP.get(url, ["-H", "If-Modified-Since: \(date)"]).status == status)
        }
        #expect(try await HTTP.get(url, ["-H", "If-Modified-Since: Mon, 02 Nov 2026 10:00:00 GMT", "-H", "If-None-Match: \"x\""]).status == 200)
        let head = try await HTTP.get(url, ["-I"])
        #expect(head.status == 200 && head.headers["content-length"] == "\(first.body.count)")
        let part = try await HTTP.get(url, ["-r", "4-9"])
        #expect(part.status == 206 && part.body == first.body[4...9] && part.headers["content-range"] == "bytes 4-9/\(first.body.count)")
        #expect(try await door.deployment.counts()["total"]?.int == 1)
        // A date counts for a picture that has to be made, too.
        let dated = try await door.get(door.path("/picture.png", "w:20"), ["-H", "If-Modified-Since: Mon, 02 Nov 2026 10:00:00 GMT"])
        #expect(dated.status == 304 && dated.body.isEmpty, "\(dated)")
        let forged = try await HTTP.get(url.replacing("fill:64", with: "fill:65").replacing("/q:70", with: "/q:71"))
        #expect(forged.status == 403)
    }

    @Test func `a CDN is told no more than the origin allows`() async throws {
        let door = try await PictureDoorDeployment()
        let rows = [
            ("max-age=60", "stale-while-revalidate=3600, stale-if-error=86400"), ("max-age=60,+must-revalidate", ""), ("max-age=60,+proxy-revalidate", ""),
            ("s-maxage=60", ""), ("max-age=60,+stale-while-revalidate=0", "stale-if-error=86400"),
            ("max-age=60,+stale-if-error=5", "stale-while-revalidate=3600, stale-if-error=5"), ("no-store", "no-store"),
        ]
        for (index, (said, told)) in rows.enumerated() {
            let source = "/picture.png?size=64x\(40 + index)&with=Cache-Control:+\(said)"
            // From the origin, from memory, and from the kept source.
            for options in ["w:20", "w:20", "w:30"] {
                let answer = try await door.get(door.path(source, options, format: "png"))
                let control = (answer.headers["cache-control"] ?? "").split(separator: ", ").filter { $0 != "public" && !$0.hasPrefix("max-age") }
                #expect(answer.status == 200 && control.joined(separator: ", ") == told, "\(said): \(answer.headers)")
            }
        }
    }

    @Test func `URLs of builders by other authors become pictures of their sizes`() async throws {
        guard let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"], !python.isEmpty else {
            Issue.record("TINTYPE_CLIENTS names no Python with the clients: run the tests by scripts/test")
            return
        }
        let door = try await PictureDoorDeployment()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Clients/imgproxy_urls.py"
        let made = try ChildProcess(python, [script, PictureDoorDeployment.key, PictureDoorDeployment.salt, door.deployment.url("/picture.png")])
        #expect(await made.finished() == 0, "\(made.errors)")
        let lines = made.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.count == 6)
        for line in lines {
            let answer = try await door.get(line[4])
            let picture = try #require(PictureBytes(answer.body), "\(line): \(answer)")
            #expect("\(picture.width) \(picture.height)" == "\(line[1]) \(line[2])", "\(line)")
            #expect(picture.format == (line[3] == "jpg" ? "jpeg" : line[3]), "\(line)")
        }
        #expect(try await door.deployment.counts()["total"]?.int == 1)
    }

    @Test func `Accept chooses among the operator's formats, and every answer says so to caches`() async throws {
        let door = try await PictureDoorDeployment(["--images-formats", "webp,avif", "--images-best-first"])
        let path = door.path("/picture.png", "w:32")
        var tags: [String: String] = [:]
        for (accept, type) in [
            ("image/webp,*/*", "image/webp"), ("image/avif,image/webp,*/*;q=0.8", "image/avif"), ("*/*", "image/png"), ("image/jxl,image/png", "image/png"),
        ] {
            let answer = try await door.get(path, ["-H", "Accept: \(accept)"])
            #expect(answer.status == 200 && answer.headers["content-type"] == type && answer.headers["vary"] == "Accept", "\(accept): \(answer.headers)")
            tags[type] = answer.headers["etag"]
            let same = try await door.get(path, ["-H", "Accept: \(accept)", "-H", "If-None-Match: \(answer.headers["etag"] ?? "")"])
            #expect(same.status == 304 && same.headers["vary"] == "Accept")
        }
        #expect(Set(tags.values).count == 3)
        #expect(try await door.get(door.path("/picture.png", "w:32", format: "png"), ["-H", "Accept: image/webp"]).headers["vary"] == nil)
    }

    @Test func `a browser that goes withdraws its work at the origin, and a client of JSON-RPC keeps what it shares`() async throws {
        let door = try await PictureDoorDeployment()
        let deployment = door.deployment
        let alone = try RawClient(port: door.port)
        alone.send("GET \(door.path("/hang?alone")) HTTP/1.1\r\nHost: h\r\n\r\n")
        try await Gate.until("it is asked for") { try await deployment.atOrigin() == 1 }
        alone.close()
        try await Gate.until("the origin's connection is closed") { try await deployment.atOrigin() == 0 }

        let (browser, client) = (try RawClient(port: door.port), try deployment.client())
        browser.send("GET \(door.path("/picture.png?gate=shared", "w:20")) HTTP/1.1\r\nHost: h\r\n\r\n")
        async let load = client.call("image.load", #"{"url":"\#(deployment.url("/picture.png?gate=shared"))","transform":[{"op":"resize","width":20}]}"#)
        try await Gate.until("both wait") {
            let live = try await deployment.coordinators[0].value(of: "tintype_receipts_live")
            return try await deployment.atOrigin() == 1 && live == 2
        }
        browser.close()
        try await Gate.until("the browser is gone") { try await door.count("gone") == 2 }
        try await deployment.open(gate: "shared")
        #expect(try await load.state == "succeeded")
        #expect(try await deployment.asked() == 2)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `failures of origins and pictures have their statuses, and the second one may be kept`() async throws {
        let door = try await PictureDoorDeployment()
        for (source, status) in [("/status/404", 404), ("/text", 415), ("/truncated.png?type=image/png", 422), ("/status/403", 502)] {
            let path = door.path(source, "w:10")
            let first = try await door.get(path)
            #expect(first.headers["cache-control"] == "no-store" && first.headers["tintype-error"] != nil, "\(source): \(first.headers)")
            #expect(
                first.status == status || source == "/text" && first.status == 422, "\(source): \(first.status) \(String(decoding: first.body, as: UTF8.self))")
            let json = try JSON(parsing: first.body)
            #expect(json["error"]?["name"]?.string != nil && json["error"]?["message"]?.string != nil)
        }
        let listed = try await door.get(door.path("/status/404", "w:10"))
        #expect(listed.status == 404 && listed.headers["cache-control"]?.hasPrefix("public, max-age=") == true, "\(listed.headers)")
        let shown = try await door.get(door.path("/status/404", "w:10"), ["-H", "Accept: image/avif,image/webp,*/*;q=0.8"])
        #expect(shown.status == 404 && PictureBytes(shown.body)?.format == "png")
        let inward = try await door.get(door.signing("/plain/http://10.0.0.1/a.png"))
        #expect(inward.status == 403, "\(inward.status) \(String(decoding: inward.body, as: UTF8.self))")
    }

    @Test func `a fallback is shown for a short time, and is not kept as the picture`() async throws {
        let door = try await PictureDoorDeployment()
        let fallback = Base64.text(of: Array(door.deployment.url("/picture.png?size=50x50").utf8)).replacing("=", with: "").replacing("+", with: "-").replacing(
            "/", with: "_")
        // The origin answers 503 at first, then the picture.
        let path = door.path("/status/403?times=1", "w:30", "fiu:\(fallback)", format: "png")
        let first = try await door.get(path)
        #expect(first.status == 200 && PictureBytes(first.body)?.height == 30, "\(first.headers) \(String(decoding: first.body.prefix(300), as: UTF8.self))")
        #expect(first.headers["tintype-from"] == "fallback" && first.headers["cache-control"] == "public, max-age=60")
        let second = try await door.get(path)
        #expect(second.status == 200 && second.headers["tintype-from"] == nil && second.headers["etag"] != first.headers["etag"], "\(second.headers)")
        #expect(try await door.count("fallback") == 1)
    }

    @Test func `presets only, and the queue that a preset names`() async throws {
        let door = try await PictureDoorDeployment(
            presets: "default=q:50\nthumb=rs:fill:16:16/queue:thumbs/priority:3\n", ["--images-presets-only"], workers: ["--queues", "default,thumbs"])
        let client = try door.deployment.client()
        _ = try await client.call("queue.configure", #"{"queue":"thumbs","maxConcurrent":4}"#)
        let path = door.path("/picture.png", "thumb", format: "jpg")
        let answer = try await door.get(path)
        #expect(answer.status == 200 && PictureBytes(answer.body)?.width == 16, "\(answer.headers) \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
        #expect(try await door.deployment.coordinators[0].value(of: #"tintype_submits_total{queue="thumbs",outcome="queued"}"#) == 1)
        #expect(try await door.get(door.path("/picture.png", "w:10")).status == 400)
    }

    @Test func `both entrances count their requests for the objective, and clients that leave late`() async throws {
        let door = try await PictureDoorDeployment()
        let (deployment, coordinator) = (door.deployment, door.deployment.coordinators[0])
        func counts(_ entrance: String) async throws -> [Int] {
            var counts: [Int] = []
            for verdict in ["good", "slow", "failed"] {
                counts.append(try await coordinator.value(of: #"tintype_objective_total{entrance="\#(entrance)",verdict="\#(verdict)"}"#))
            }
            return counts
        }
        let client = try deployment.client()
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png"))","deadline":60}"#).state == "succeeded")
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/status/404"))","deadline":60}"#).error?.name == "httpStatus")
        for _ in 0..<2 { #expect(try await door.get(door.path("/picture.png", "w:32")).status == 200) }
        #expect(try await door.get("/unsafe/plain/x").status == 403)
        // A busy machine may have been slow.
        let before = (load: try await counts("load"), door: try await counts("door"))
        #expect(before.load[0] + before.load[1] == 2 && before.load[2] == 0, "\(before)")
        #expect(before.door[0] + before.door[1] == 3 && before.door[2] == 0, "\(before)")

        // Clients of this patience leave after the bound of the objective.
        let patience = ["--max-time", "2.5"]
        let message = #"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"\#(deployment.url("/hang?n=1"))","deadline":60}}"#
        async let caller: TestFailure? = #expect(throws: TestFailure.self) {
            try await HTTP.get(coordinator.base + "/rpc", patience + ["-H", "Content-Type: application/json", "-d", message])
        }
        async let browser: TestFailure? = #expect(throws: TestFailure.self) { try await door.get(door.path("/hang?n=2"), patience) }
        _ = await (caller, browser)
        try await Gate.until("both count as slow") {
            let (load, door) = (try await counts("load"), try await counts("door"))
            return load[1] == before.load[1] + 1 && door[1] == before.door[1] + 1
        }

        await deployment.workers[0].kill9()
        try await deployment.configure(client, #""maxQueued":1"#)
        #expect(try await client.call("image.submit", #"{"url":"\#(deployment.url("/picture.png?n=3"))","deadline":600}"#).error == nil)
        #expect(try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png?n=4"))"}"#).error?.name == "overloaded")
        #expect(try await door.get(door.path("/picture.png?n=5")).status == 503)
        let after = (load: try await counts("load"), door: try await counts("door"))
        #expect(after.load[2] == 1 && after.door[2] == 1, "\(after)")
    }
}
