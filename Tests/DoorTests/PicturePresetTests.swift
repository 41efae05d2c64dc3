import TestSupport
import Testing
import TintypeCore

@testable import ImgproxyURLs

/// The file of presets: each line is checked when the file is read.
@Suite(.tags(.optimized)) struct PicturePresetTests {
    private static func show(_ options: String, _ file: String) throws -> String {
        var policy = PictureOptionTests.policy
        policy.presets = try PicturePresets(text: file)
        return PictureOptionTests.show(try PictureOptionTests.plan(options, policy).request)
    }

    @Test(arguments: [
        ("", "w:5", "resize(width=5)"), ("default=w:3", "", "resize(width=3)"), ("default=w:3", "w:5", "resize(width=5)"),
        ("default=w:3/el:1\n\n# no preset\n  sharp = sharpen:0.7  \r\n", "pr:sharp", "resize(width=3,enlarge=true) sharpen(sigma=0.7)"),
        ("a=pr:b/w:1\nb=pr:c/h:2\nc=bl:3", "pr:a", "resize(width=1,height=2) blur(sigma=3)"), ("a=pr:b:b\nb=pr:c:c\nc=w:1", "pr:a:a", "resize(width=1)"),
        ("default=pr:b\nb=w:9", "", "resize(width=9)"), ("a=", "pr:a", ""), ("default=f:webp", " @png", "output(format=png)"), ("a=cb:x=y", "pr:a", ""),
    ]) func `presets are replaced by their options`(file: String, options: String, expected: String) throws {
        #expect(try Self.show(options, file) == expected)
    }

    @Test(arguments: [
        ("w:5", DoorRefusal.Reason.wrongArgument, 1), ("\n=w:5", .wrongArgument, 2), ("a b=w:5", .wrongArgument, 1), ("a:b=w:5", .wrongArgument, 1),
        ("a=w:5\na=w:6", .wrongArgument, 2), ("a=w:5\nb=w:x", .wrongArgument, 2), ("a=nothing:1", .unknownOption, 1), ("a=w:1//h:1", .unknownOption, 1),
        ("a=w:1:2", .tooManyArguments, 1), ("a=w:1\nb=pr:x", .unknownPreset, 2), ("a=pr:a", .wrongArgument, 1),
        ("a=w:1\nb=pr:c\nc=pr:d\nd=pr:b", .wrongArgument, 2),
        ("a=hs:x", .notSupported, 1), ("default=pr:default", .wrongArgument, 1),
    ]) func `a wrong line is refused by its number`(file: String, reason: DoorRefusal.Reason, line: Int) throws {
        let refusal = try #require(throws: DoorRefusal.self) { try PicturePresets(text: file) }
        #expect(refusal.reason == reason && refusal.message.hasPrefix("line \(line): "), "\(refusal)")
    }

    @Test func `presets that double each other end`() throws {
        let file = (0..<12).map { "p\($0)=pr:p\($0 + 1):p\($0 + 1)" }.joined(separator: "\n") + "\np12=w:1"
        #expect(try #require(throws: DoorRefusal.self) { try PicturePresets(text: file) }.reason == .tooManyOptions)
        let chain = (0..<5000).map { "p\($0)=pr:p\($0 + 1)" }.joined(separator: "\n") + "\np5000=w:1"
        #expect(throws: DoorRefusal.self) { try PicturePresets(text: chain) }
    }

    @Test func `with presets only, expires and cachebuster stay allowed`() throws {
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "thumb=rs:fill:30:40\nblurry=bl:2")
        policy.allowsOnlyPresets = true
        func plan(_ options: String, now: Int = 0) throws(DoorRefusal) -> String {
            PictureOptionTests.show(try PictureOptionTests.plan(options, policy, now: now).request)
        }
        #expect(try plan("thumb:blurry") == "resize(width=30,height=40,fit=cover,gravity=center) blur(sigma=2)")
        #expect(try plan("thumb/exp:5/cb:1") == "resize(width=30,height=40,fit=cover,gravity=center)" && plan("") == "")
        #expect(try #require(throws: DoorRefusal.self) { try plan("thumb/exp:5", now: 5) }.reason == .expired)
        #expect(try #require(throws: DoorRefusal.self) { try plan("w:5") }.reason == .unknownPreset)
        #expect(try #require(throws: DoorRefusal.self) { try plan("thumb/w:5") }.reason == .notAllowed)
    }

    @Test func `a URL that names an unknown preset says where`() throws {
        let refusal = try #require(throws: DoorRefusal.self) { try PictureOptionTests.plan("w:1/pr:sharp:other") }
        #expect(refusal.reason == .unknownPreset && refusal.position == 7)
    }
}
