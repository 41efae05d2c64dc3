import Foundation
import TestSupport
import Testing
import TintypeCore

/// Quick pictures first and better ones behind them, through all processes: a real worker makes the AVIF.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PictureDoorQuickTests {
    private static let both = ["-H", "Accept: image/avif,image/webp,*/*;q=0.8"]

    private static func door(root: String? = nil) async throws -> PictureDoorDeployment {
        try await PictureDoorDeployment(["--images-formats", "webp,avif"], root: root)
    }

    private static func ended(_ door: PictureDoorDeployment, _ outcome: String, kind: String = "better") async throws -> Int {
        try await door.deployment.coordinators[0].value(of: #"tintype_door_background_total{kind="\#(kind)",outcome="\#(outcome)"}"#)
    }

    @Test func `a cold picture is a WebP at once and an AVIF later, of one download`() async throws {
        let door = try await Self.door()
        let path = door.path("/picture.png", "w:64")
        let first = try await door.get(path, Self.both)
        #expect(first.status == 200 && PictureBytes(first.body)?.format == "webp", "\(first.headers)")
        #expect(first.headers["cache-control"] == "public, max-age=10, stale-if-error=86400" && first.headers["vary"] == "Accept", "\(first.headers)")
        #expect(first.headers["tintype-next"] == "avif")
        // The connection of this client is closed by now, and nobody else waits.
        try await Gate.until("the better one is there") { try await door.get(path, Self.both).headers["content-type"] == "image/avif" }
        let better = try await door.get(path, Self.both + ["-H", "If-None-Match: \(first.headers["etag"] ?? "")"])
        #expect(better.status == 200 && Array(better.body[4..<12]) == Array("ftypavif".utf8), "\(better.headers)")
        #expect(better.headers["tintype-next"] == nil && better.headers["cache-control"]?.contains("stale-while-revalidate=3600") == true, "\(better.headers)")
        #expect(better.headers["etag"] != first.headers["etag"] && better.headers["server-timing"] == "from;desc=\"memory\"")
        let webp = try await door.get(path, ["-H", "Accept: image/webp"])
        #expect(webp.body == first.body && webp.headers["tintype-next"] == nil && webp.headers["server-timing"] == "from;desc=\"memory\"")
        #expect(try await door.deployment.counts()["total"]?.int == 1, "the kept source serves the second format")
        #expect(try await Self.ended(door, "made") == 1)
        #expect(try await door.deployment.violations(try door.deployment.client()) == [])
    }

    @Test func `a picture that is too small for an AVIF stays a WebP, and is tried once`() async throws {
        let door = try await Self.door()
        // The boxes of an AVIF alone have more bytes than this.
        let path = door.path("/picture.png", "w:8", "mb:200")
        let first = try await door.get(path, Self.both)
        #expect(first.status == 200 && PictureBytes(first.body)?.format == "webp" && first.body.count <= 200, "\(first.headers)")
        try await Gate.until("the better one has failed") { try await Self.ended(door, "failed") == 1 }
        for _ in 1...3 {
            let again = try await door.get(path, Self.both)
            #expect(again.status == 200 && again.body == first.body && again.headers["tintype-next"] == nil, "\(again.headers)")
        }
        #expect(try await Self.ended(door, "failed") == 1)
        #expect(try await door.deployment.counts()["total"]?.int == 1)
    }

    @Test func `an animation has no better picture than the quick one`() async throws {
        let folder = try TemporaryFolder("animation")
        let frames = [0x44, 0x4c].flatMap { [0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, $0, 1, 0] as [UInt8] }
        try Data(Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + frames + [0x3b]).write(
            to: URL(fileURLWithPath: folder.path + "/two.gif"))
        let door = try await Self.door(root: folder.path)
        let path = door.path("/two.gif")
        for _ in 1...2 {
            let answer = try await door.get(path, Self.both)
            #expect(answer.status == 200 && PictureBytes(answer.body)?.format == "webp" && answer.headers["tintype-next"] == nil, "\(answer.headers)")
            #expect(answer.headers["cache-control"]?.contains("max-age=10") == false, "\(answer.headers)")
        }
        #expect(try await door.count("hit") == 1)
        #expect(try await door.deployment.coordinators[0].value(of: #"tintype_submits_total{queue="default",outcome="queued"}"#) == 1)
    }

    @Test func `a client that prefers 202 comes back for its picture`() async throws {
        let door = try await PictureDoorDeployment()
        let path = door.path("/picture.png?gate=async", "w:32", format: "webp")
        let async = ["-H", "Prefer: respond-async"]
        let first = try await door.get(path, async)
        #expect(first.status == 202 && first.headers["location"] == path && first.headers["retry-after"] == "1", "\(first.headers)")
        try await Gate.until("it is asked for") { try await door.deployment.atOrigin() == 1 }
        #expect(try await door.get(path, async).status == 202)
        try await door.deployment.open(gate: "async")
        try await Gate.until("it is made") { try await Self.ended(door, "made", kind: "async") == 1 }
        let picture = try await door.get(path, async)
        #expect(picture.status == 200 && PictureBytes(picture.body)?.width == 32 && picture.headers["preference-applied"] == nil, "\(picture.headers)")
        #expect(try await door.deployment.counts()["total"]?.int == 1)
        #expect(try await door.deployment.violations(try door.deployment.client()) == [])
    }

    @Test func `varnish gives up the quick picture for the better one when its seconds are over`() async throws {
        let door = try await Self.door()
        let server = try await VarnishServer(before: door.port)
        let url = "http://127.0.0.1:\(server.port)" + door.path("/picture.png", "w:48")
        let first = try await HTTP.get(url, Self.both)
        #expect(first.status == 200 && first.headers["content-type"] == "image/webp", "\(first.headers)")
        try await Gate.until("varnish has the better one") { try await HTTP.get(url, Self.both).headers["content-type"] == "image/avif" }
        #expect(try await door.deployment.counts()["total"]?.int == 1)
    }
}
