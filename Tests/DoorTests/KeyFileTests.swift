import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// The files of keys and presets, and URLs made with them.
@Suite(.scoped) struct KeyFileTests {
    @Test func `a file has a key and its salt a line, and the first pair signs`() throws {
        let pairs = try URLSignature.pairs(text: "# old ones later\n736563726574 68656C6C6F\n\n aa\tbb \n cc\n", path: "keys")
        #expect(pairs.count == 3)
        let signature = URLSignature(pairs: pairs)
        let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        #expect(signature.signing(path) == "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8" + path)
    }

    @Test(arguments: [
        ("", "keys: expected"), ("# only\n", "keys: expected"), ("aa bb cc", "keys:1: expected"), ("aa bb\nxyz 00", "keys:2: expected"),
        ("a bb", "keys:1: expected"),
        ("aa bb\naa bb", "keys:2: the pair is in a line before it"),
    ])
    func `a mistake is named with its line, and no key is shown`(text: String, message: String) throws {
        let error = try #require(throws: SettingError.self) { try URLSignature.pairs(text: text, path: "keys") }
        #expect(error.message.hasPrefix(message) && !error.message.contains("xyz") && !error.message.contains("aa"), "\(error.message)")
    }

    @Test func `a mistake in a file of presets is named with the file and the line`() throws {
        let folder = try TemporaryFolder("presets")
        let path = folder.path + "/presets"
        try Data("a=w:1\nb=queue:web:1\n".utf8).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: SettingError.self) { try PicturePresets.read(path) }
        #expect(error.message.hasPrefix("\(path): line 2: "), "\(error.message)")
    }

    @Test func `queue and priority come from presets, and are refused in URLs`() throws {
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "thumbs=rs:fill:10:10/queue:thumbs/priority:-5\nslow=pr:thumbs/priority:7")
        let door = PictureDoor(URLSignature(pairs: [], unsigned: .named), policy)
        let plan = try door.plan(Array("/_/pr:thumbs/plain/http://h/a".utf8), now: 0)
        #expect(plan.request["queue"] == "thumbs" && plan.request["priority"] == -5)
        #expect(try plan.imageRequest().queue == "thumbs")
        #expect(try door.plan(Array("/_/pr:slow/plain/http://h/a".utf8), now: 0).request["priority"] == 7)
        #expect(try door.plan(Array("/_/plain/http://h/a".utf8), now: 0).request["queue"] == nil)
        for option in ["queue:web", "priority:1"] {
            let refusal = try #require(throws: DoorRefusal.self) { try door.plan(Array("/_/\(option)/plain/http://h/a".utf8), now: 0) }
            #expect(refusal.reason == .notAllowed && refusal.position == 3, "\(refusal)")
        }
        for line in ["a=queue:no such", "a=queue:a%3Ab", "a=priority:11", "a=queue"] {
            #expect(throws: DoorRefusal.self, "\(line)") { try PicturePresets(text: line) }
        }
    }

    @Test(arguments: ["http://h/a.jpg", "https://u:p@h:1/a b/ü?x=1%20&y=@z#f", "http://h/a/../b/./c", "s3://bucket/key with spaces"])
    func `a URL made here says the same source, plain and in Base64`(source: String) throws {
        let pair = try #require(URLSignature.Pair(key: "aa", salt: "bb"))
        let door = PictureDoor(URLSignature(pairs: [pair]))
        var sources: Set<String> = []
        for isPlain in [true, false] {
            let text = PictureURL.text(of: source, options: ["w:5", "q:80"], fileExtension: "webp", isPlain: isPlain)
            let plan = try door.plan(Array(door.signature.signing(text).utf8), now: 0)
            sources.insert(plan.request["url"]?.string ?? "")
            #expect(plan.request["output"]?["format"] == "webp" && plan.request["output"]?["quality"] == 80)
        }
        #expect(sources == [PercentText.escaping(source.utf8) { $0 >= 0x80 || $0 == 0x20 }])
        #expect(URLSignature(pairs: []).signing("/plain/a") == "/unsafe/plain/a")
    }
}
