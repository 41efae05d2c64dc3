import Foundation
import TestSupport
import Testing
import TintypeCore
import ImgproxyURLs

/// Options and settings of the picture door, told by the pixels that a real worker makes.
@Suite(.tags(.optimized), .timeLimit(.minutes(3)), .serialized, .scoped) struct PictureDoorOptionTests {
    /// A point of the picture of a source with options, and its color there.
    private struct Row {
        let source: String
        let options: String
        let point: (Int, Int)
        let color: String
    }

    private static let brown = "color:c86432,40x20"

    private static let rows = [
        Row(source: "color:646464,40x20", options: "br:20", point: (5, 5), color: "#787878"),
        Row(source: "color:6496fa,40x20", options: "br:20", point: (5, 5), color: "#78aaff"),
        Row(source: "color:640a96,40x20", options: "br:-20", point: (5, 5), color: "#500082"),
        // The lightness of the picture: 0.3, 0.59 and 0.11 of red, green and blue.
        Row(source: brown, options: "mc:1", point: (5, 5), color: "#7d7d7d"),
        Row(source: brown, options: "mc:0.5", point: (5, 5), color: "#a27057"),
        Row(source: "color:808080,40x20", options: "dt:0.5:000000:ff0000", point: (5, 5), color: "#804040"),
        Row(source: "color:ffffff,40x20", options: "col:0.5:ff0000", point: (5, 5), color: "#ff8080"),
        Row(source: "color:ffffff,200x150", options: "col:1:102030", point: (199, 149), color: "#102030"),
        Row(source: "color:00000000,40x20", options: "col:1:ff0000", point: (5, 5), color: "#ff0000"),
        Row(source: "color:00000000,40x20", options: "col:1:ff0000:1", point: (5, 5), color: "#ff000000"),
        // A padding is behind the color.
        Row(source: "color:ffffff,40x20", options: "col:1:ff0000/pd:4/bg:00f", point: (1, 1), color: "#0000ff"),
    ]

    private static func channels(_ color: String) -> [Int] {
        let digits = Array(color.dropFirst())
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { Int(String(digits[$0...$0 + 1]), radix: 16) }
    }

    /// Returns the color of a point of a picture at the door.
    private func color(_ client: RPCClient, _ url: String, _ point: (Int, Int)) async throws -> String {
        let answer = try await client.call("image.load", #"{"url":"\#(url)","samples":{"points":[[\#(point.0),\#(point.1)]]}}"#)
        return try #require(answer["description"]?["colors"]?["points"]?.array?.first?.string, "\(answer)")
    }

    @Test func `options of imgproxy Pro change pixels as its page says`() async throws {
        let door = try await PictureDoorDeployment()
        let client = try door.deployment.client()
        for row in Self.rows {
            let path = door.signing(PictureURL.text(of: row.source, options: [row.options], fileExtension: "png", isPlain: false))
            let seen = try await color(client, door.base + path, row.point)
            let (found, wanted) = (Self.channels(seen), Self.channels(row.color))
            let isNear = found.count == wanted.count && zip(found, wanted).allSatisfy { abs($0 - $1) <= 2 }
            #expect(isNear, "\(row.source) \(row.options): \(seen) is not \(row.color)")
        }
    }

    @Test func `a corrected crop has its shape, also where the picture ends`() async throws {
        let door = try await PictureDoorDeployment()
        for (options, size) in [
            ("c:300:200/car:1", (200, 200)), ("c:300:200/car:1:1", (300, 300)), ("c:0.5:0.5/car:1", (150, 150)), ("c:0:100/car:2", (200, 100)),
            // 400 × 400 is more than the picture has.
            ("c:400:200/car:1:1", (300, 300)), ("c:300:200:fp:0:0/car:0.5", (100, 200)), ("c:300:200/car:1/w:50", (50, 50)),
        ] {
            let answer = try await door.get(door.path("/picture.png?size=400x300", options, format: "png"))
            let shown = try #require(PictureBytes(answer.body), "\(options): \(answer)")
            #expect((shown.width, shown.height) == size, "\(options): \(shown)")
        }
    }

    @Test func `options of single formats are in the files`() async throws {
        let door = try await PictureDoorDeployment()
        func bytes(_ options: String, _ format: String) async throws -> [UInt8] {
            let answer = try await door.get(door.path("/picture.png?size=64x48", options, format: format))
            #expect(answer.status == 200, "\(options): \(answer)")
            return [UInt8](answer.body)
        }
        #expect(try await bytes("webpo:lossless", "webp")[12..<16].elementsEqual("VP8L".utf8))
        #expect(try await bytes("webpo:lossy", "webp")[12..<16].elementsEqual("VP8 ".utf8))
        #expect(try await bytes("pngo:1", "png")[28] == 1)
        #expect(try await bytes("pngo:0", "png")[28] == 0)
        let (close, far) = (try await bytes("aq:dssim:0.0005", "jpg"), try await bytes("aq:ml:0.1", "jpg"))
        #expect(close.count > far.count, "\(close.count) \(far.count)")
        let size = close.count - 1
        #expect(try await bytes("aq:size:\(size)::100", "jpg").count <= size)
    }

    @Test func `tags of a signed URL purge its picture`() async throws {
        let door = try await PictureDoorDeployment(presets: "default=tag:shop\n")
        let client = try door.deployment.client()
        let path = door.path("/picture.png", "w:10", "ct:red:blue")
        let first = try await door.get(path)
        #expect(first.status == 200 && first.headers["cache-tag"] == "shop,red,blue", "\(first)")
        #expect(try await door.get(path).headers["server-timing"] == "from;desc=\"memory\"")
        #expect(try await client.call("cache.purge", #"{"tag":"blue"}"#)["results"]?.int == 1)
        #expect(try await door.get(path).headers["server-timing"]?.hasPrefix("from;desc=\"memory\"") == false)
    }

    @Test func `the operator's watermark lies over a picture, and pages of the operator may read it`() async throws {
        let door = try await PictureDoorDeployment(["--images-watermark", "color:ff0000,10x10", "--images-cors", "https://shop.example"])
        let client = try door.deployment.client()
        let path = door.signing(PictureURL.text(of: "color:0000ff,40x20", options: ["wm:1:soea:2:3"], fileExtension: "png", isPlain: false))
        for (point, wanted) in [((37, 16), "#ff0000"), ((38, 16), "#0000ff"), ((37, 17), "#0000ff"), ((28, 7), "#ff0000"), ((27, 7), "#0000ff")] {
            #expect(try await color(client, door.base + path, point) == wanted, "\(point)")
        }
        let refused = try await door.get("/_/plain/http://h/a")
        for answer in [try await door.get(path), refused] {
            #expect(answer.headers["access-control-allow-origin"] == "https://shop.example", "\(answer.headers)")
            #expect(answer.headers["timing-allow-origin"] == "https://shop.example")
        }
        #expect(refused.status == 403)
    }

    @Test func `hints of a browser choose the size in steps, and caches are told`() async throws {
        let door = try await PictureDoorDeployment(["--images-client-hints", "--images-formats", "webp"])
        let (free, sized) = (door.path("/picture.png?size=640x480"), door.path("/picture.png?size=640x480", "w:100"))
        func ask(_ path: String, _ headers: String...) async throws -> HTTP.Response { try await door.get(path, headers.flatMap { ["-H", $0] }) }
        var tags: Set<String> = []
        for hint in ["101", "150", "200"] {
            let answer = try await ask(free, "Sec-CH-Width: \(hint)")
            #expect(PictureBytes(answer.body)?.width == 200 && answer.headers["vary"] == "Accept, Sec-CH-Width", "\(hint): \(answer)")
            tags.insert(answer.headers["etag"] ?? "")
            let unchanged = try await ask(free, "Sec-CH-Width: \(hint)", "If-None-Match: \(answer.headers["etag"] ?? "")")
            #expect(unchanged.status == 304 && unchanged.headers["vary"] == "Accept, Sec-CH-Width")
        }
        #expect(tags.count == 1)
        #expect(try await door.deployment.coordinators[0].value(of: #"tintype_cache_entries{tier="memory"}"#) == 1, "steps make few pictures")
        let plain = try await ask(free)
        #expect(PictureBytes(plain.body)?.width == 640 && plain.headers["vary"] == "Accept, Sec-CH-Width", "also without a hint")
        for (headers, width) in [(["Sec-CH-DPR: 1.6"], 200), (["Sec-CH-DPR: 2", "Save-Data: on"], 100), (["Sec-CH-DPR: 99"], 400), (["Sec-CH-DPR: x"], 100)] {
            let answer = try await door.get(sized, headers.flatMap { ["-H", $0] })
            #expect(PictureBytes(answer.body)?.width == width && answer.headers["vary"] == "Accept, Sec-CH-DPR, Save-Data", "\(headers): \(answer)")
        }
    }

    @Test func `a source that leads inside is denied, whatever its spelling`() async throws {
        // Its worker may reach nothing that is not public, unlike those of other tests.
        let deployment = try await Deployment(workers: 0, coordinatorArguments: ["--images", "127.0.0.1:0", "--images-unsigned"])
        _ = try await ServiceProcess("tintype-worker", ["--redis", deployment.address, "--results", "file://\(deployment.results.path)"])
        let base = "http://\(deployment.coordinators[0].ready["images"] ?? "")"
        let port = deployment.url("").split(separator: ":").last ?? ""
        for host in [
            "127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "user@127.0.0.1",
        ] {
            let source = PercentText.encoded("http://\(host):\(port)/picture.png")
            let fallback = Base64.text(of: Array("http://\(host):\(port)/picture.png".utf8)).replacing("/", with: "_").replacing("+", with: "-")
            for path in ["/unsafe/plain/\(source)", "/unsafe/fiu:\(fallback)/plain/http://10.0.0.1/a"] {
                let answer = try await HTTP.get(base + path)
                let error = try JSON(parsing: answer.body)["error"]
                // A name that does not exist is answered so too.
                #expect([400, 502].contains(answer.status) && error?["name"]?.string != nil, "\(host): \(answer)")
                #expect(answer.headers["cache-control"] == "no-store" || answer.headers["cache-control"]?.contains("max-age") == true)
                #expect(!String(decoding: answer.body, as: UTF8.self).contains("loopback"), "strangers are not told what is inside")
            }
        }
        #expect(try await deployment.asked() == 0)
    }
}
