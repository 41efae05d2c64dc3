import Foundation
import Testing
import TintypeCore

@testable import ImgproxyURLs

/// URLs of other people's builders, which `Fixtures/make.py` has written: each passes its signature, and says what its builder meant.
@Suite struct ForeignURLTests {
    private static let lines: [[String]] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/foreign.tsv").path
        return ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }()

    @Test func `the file has lines of both builders`() {
        #expect(Set(Self.lines.map { $0[0] }) == ["imgproxy 1.0.0", "pyimgproxy 0.4"] && Self.lines.count > 150)
    }

    @Test func `every URL is signed, and becomes a request of its source or a refusal of an option`() throws {
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "sharp=sh:0.7\nsoft=bl:1")
        let pair = try #require(URLSignature.Pair(key: "736563726574", salt: "68656C6C6F"))
        let door = PictureDoor(URLSignature(pairs: [pair]), policy)
        var refused: [String: Int] = [:]
        for line in Self.lines {
            do {
                let plan = try door.plan(Array(line[1].utf8), now: 0)
                let expected = line[2].replacing(" ", with: "%20").replacing("ü", with: "%C3%BC")
                #expect(plan.request["url"]?.string == expected, "\(line[1])")
                _ = try plan.imageRequest()
                let other = line[1].prefix(5) + (line[1].dropFirst(5).first == "A" ? "B" : "A") + line[1].dropFirst(6)
                #expect(throws: DoorRefusal.self) { try door.plan(Array(other.utf8), now: 0) }
            } catch let refusal as DoorRefusal {
                #expect(refusal.reason == .notSupported, "\(refusal): \(line[1])")
                refused[refusal.option ?? "", default: 0] += 1
            }
        }
        #expect(refused.isEmpty, "\(refused)")
    }

    @Test func `a builder's request is what it meant`() throws {
        let pair = try #require(URLSignature.Pair(key: "736563726574", salt: "68656C6C6F"))
        let door = PictureDoor(URLSignature(pairs: [pair]))
        func shown(_ builder: String, _ part: String) throws -> String {
            let line = try #require(Self.lines.first { $0[0].hasPrefix(builder) && $0[1].contains(part) })
            return PictureOptionTests.show(try door.plan(Array(line[1].utf8), now: 0).request)
        }
        #expect(
            try shown("imgproxy", "/g:fp:0.25:0.75/rs:fill:300:400:0/")
                == "resize(width=300,height=400,fit=cover,gravity=x:0.25;y:0.75) output(format=webp)")
        #expect(
            try shown("pyimgproxy", "/resize:fill:30:40:True:True:no/")
                == "resize(width=30,height=40,fit=cover,gravity=center,enlarge=true) pad(width=30,height=40,gravity=top)")
        #expect(try shown("pyimgproxy", "/auto_rotate:False/rotate:90/") == "autorotate(enabled=false) rotate(angle=90)")
    }
}
