import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Worker

/// Sources behind redirects, kept and revalidated, against nginx.
@Suite(.timeLimit(.minutes(1)), .scoped)
struct RedirectedSourceTests {
    @Loop private func load(_ h: WorkerHarness, _ nginx: NginxServer, _ path: String, scope: String? = nil) async throws -> JSON {
        var request: JSONObject = ["url": .string("http://127.0.0.1:\(nginx.port)\(path)"), "as": "bytes"]
        if let scope { request["cache"] = ["scope": .string(scope)] }
        let receipt = try await h.submit(.object(request)) { $0.readResults = false }
        try await h.runOne()
        return try await h.result(receipt)
    }

    /// Returns the requests to nginx, such as `302 /latest`.
    private func asked(_ nginx: NginxServer) async throws -> [String] {
        // nginx writes its lines in order: once it has answered this request, it has written all earlier ones.
        _ = try await HTTP.get("http://127.0.0.1:\(nginx.port)/end")
        return try String(contentsOfFile: nginx.folder.path + "/log", encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let verb = words.firstIndex(of: "\"GET"), words.count > verb + 3, words[verb + 1] != "/end", words[verb + 1] != "/" else { return nil }
            return "\(words[verb + 3]) \(words[verb + 1].prefix { $0 != "?" })"
        }
    }

    /// Returns a place that leads to another one, which is fresh for a year.
    private func redirecting(_ status: Int, _ control: String) async throws -> NginxServer {
        let said = control.isEmpty ? "" : "add_header Cache-Control \"\(control)\";"
        return try await NginxServer(
            """
            listen PORT; absolute_redirect off; access_log FOLDER/log;
            location = /latest { \(said) return \(status) /v1.txt; }
            location = /v1.txt { add_header Cache-Control "max-age=31536000, immutable"; }
            """, files: ["v1.txt": Data("one".utf8)])
    }

    @Test(arguments: [
        (302, "no-cache", true), (302, "", true), (303, "", true), (307, "", true), (302, "max-age=60", false), (301, "", false), (308, "", false),
        (301, "no-cache", true), (302, "max-age=0", true),
    ])
    @Loop func `a redirect is kept for its own freshness, not for that of its target`(
        status: Int, control: String, isAsked: Bool
    ) async throws {
        let h = try await WorkerHarness()
        let nginx = try await redirecting(status, control)
        #expect(try await load(h, nginx, "/latest")["from"] == "remote")
        let second = try await load(h, nginx, "/latest")
        #expect(second["from"] == "sources" && second["notModified"] == .bool(isAsked))
        let left = try #require(second["source"]?["expiresAt"]?.double ?? 0) - WallClock.now
        #expect(isAsked ? left < 1 : left > 30, "\(left)")
        let both = ["\(status) /latest", "200 /v1.txt"]
        #expect(try await asked(nginx) == (isAsked ? both + ["\(status) /latest", "304 /v1.txt"] : both))
    }

    @Test(arguments: [("no-store", "anna", "remote"), ("private", nil, "remote"), ("private", "anna", "sources")])
    @Loop func `a source that a redirect forbids to keep is not kept`(control: String, scope: String?, from: String) async throws {
        let h = try await WorkerHarness()
        let nginx = try await redirecting(302, "\(control), max-age=60")
        let first = try await load(h, nginx, "/latest", scope: scope)
        let second = try await load(h, nginx, "/latest", scope: scope)
        #expect(first["from"] == "remote" && second["from"] == .string(from))
        for result in [first, second] { #expect(result["renditions"]?[0]?["private"] == true, "\(result)") }
    }

    /// Signed again each time, with dates for validators.
    @Test @Loop func `a revalidation asks the URL that its validators came from`() async throws {
        let h = try await WorkerHarness()
        let nginx = try await NginxServer(
            """
            listen PORT; absolute_redirect off; access_log FOLDER/log; etag off; if_modified_since before;
            location = /latest { if (-f FOLDER/files/back) { return 302 /v1.txt; } return 302 /v2.txt?X-Amz-Date=$msec&X-Amz-Signature=$request_id; }
            """, files: ["v1.txt": Data("one".utf8), "v2.txt": Data("newer".utf8)])
        let files = nginx.folder.path + "/files/"
        for (name, seconds) in [("v1.txt", 1_767_600_000.0), ("v2.txt", 1_768_000_000)] {
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: files + name)
        }
        #expect(try await load(h, nginx, "/latest")["source"]?["bytes"] == 5)
        #expect(try await load(h, nginx, "/latest")["notModified"] == true)
        // Older than the file that it replaces.
        try Data().write(to: URL(fileURLWithPath: files + "back"))
        let third = try await load(h, nginx, "/latest")
        #expect(third["from"] == "remote" && third["notModified"] == false && third["source"]?["bytes"] == 3)
        #expect(try await load(h, nginx, "/latest")["notModified"] == true)
        let answers = try await asked(nginx).filter { $0 != "302 /latest" }
        #expect(answers == ["200 /v2.txt", "304 /v2.txt", "200 /v1.txt", "304 /v1.txt"], "\(answers)")
    }

    @Test(arguments: [("/same.bin", ["206 /same.bin"]), ("/other.bin", ["200 /other.bin"])])
    @Loop func `a download resumes at the URL of its beginning`(place: String, answers: [String]) async throws {
        let h = try await WorkerHarness()
        let whole = [UInt8]((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        // Both have the same validator: nginx makes it from date and length.
        let nginx = try await NginxServer(
            "listen PORT; absolute_redirect off; access_log FOLDER/log; location = /latest { return 302 \(place); }",
            files: ["same.bin": Data(whole), "other.bin": Data(whole.reversed())])
        for name in ["same.bin", "other.bin"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_768_000_000)], ofItemAtPath: nginx.folder.path + "/files/" + name)
        }
        let base = "http://127.0.0.1:\(nginx.port)"
        let etag = try #require(try await HTTP.get(base + "/same.bin", ["-I"]).headers["etag"])
        let now = WallClock.now
        try await h.sources.put(
            StoredImage(
                key: PartialSource.key(try ImageRequest(["url": .string(base + "/latest")]).source.digest), contentType: "application/octet-stream",
                info: [
                    "url": .string(base + "/latest"), "finalURL": .string(base + "/same.bin"), "validator": .string(etag), "total": 100_000,
                    "headers": [["content-type", "image/x-kept"]],
                ], source: [:], bytes: Array(whole.prefix(40_000)), storedAt: now, expiresAt: now + 60))
        let loaded = try await load(h, nginx, "/latest")
        #expect(loaded["source"]?["sha256"] == .string(Digest.sha256Hex(place == "/same.bin" ? whole : whole.reversed())))
        #expect(try await asked(nginx).filter { $0.hasPrefix("20") }.suffix(1) == answers)
    }
}
