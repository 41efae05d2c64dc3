import TintypeContracts
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeImages

/// Texts from outside are compared as bytes. For Swift's `==`, both texts of each pair are equal.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct ExactTextTests {
    /// One character and a letter with an accent; two orders of accents, of one length; characters that equal ASCII; a syllable and its letters.
    static let pairs = [
        ("José", "Jose\u{301}"), ("a\u{323}\u{307}", "a\u{307}\u{323}"), ("K", "\u{212a}"), ("a;b", "a\u{37e}b"), ("\u{ac00}", "\u{1100}\u{1161}"),
        ("a longer text with an é in it", "a longer text with an e\u{301} in it"),
    ]

    @Test(arguments: pairs) func `texts, and all that is made of them, are different by their bytes`(one: String, other: String) throws {
        #expect(one == other, "the pair proves nothing")
        #expect(!one.isExactly(other) && one.isExactly(String(decoding: Array(one.utf8), as: UTF8.self)))
        #expect(Set([ExactText(one), ExactText(other), ExactText(one)]).count == 2)
        #expect((ExactText(one) < ExactText(other)) == one.utf8.lexicographicallyPrecedes(other.utf8))
        #expect(JSON.string(one) != .string(other) && Set([JSON.string(one), .string(other)]).count == 2)
        #expect(JSON.object([one: 1]) != .object([other: 1]) && Set([JSON.object([one: 1]), .object([other: 1])]).count == 2)
        #expect([JSON.string(one)] as JSON != [.string(other)])
        // With few members and with many, which have an index.
        for size in [0, 40] {
            var object = JSONObject((0..<size).map { ("k\($0)", JSON($0)) })
            object[one] = 1
            #expect(object[other] == nil)
            object[other] = 2
            #expect(object[one] == 1 && object[other] == 2 && object.count == size + 2)
            let read = try #require(JSON(parsing: JSON.object(object).bytes()).object)
            #expect(read == object && read.hashValue == object.hashValue && JSONObject(object.members.reversed()) == object)
        }
    }

    @Test(arguments: pairs) func `rules judge names by their bytes`(one: String, other: String) throws {
        #expect(NamePattern(one).matches(one) && !NamePattern(one).matches(other))
        #expect(NamePattern(one + "*").matches(one + "x") && !NamePattern(one + "*").matches(other + "x"))
        // An accent behind the beginning makes another Character of its last letter, and no other name.
        #expect(NamePattern("utm_*").matches("utm_\u{301}x"))
        let name = PercentText.encoded(one)
        func filtered(_ filter: JSON) throws -> String {
            var url = try #require(URLParts("http://h.test/?\(name)=1"))
            try URLFilter(filter, at: "").apply(to: &url)
            return url.text
        }
        #expect(try filtered(["setParams": .object([other: "2"])]) == "http://h.test/?\(name)=1&\(PercentText.encoded(other))=2")
        #expect(try filtered(["addParams": .object([other: "2"])]) == "http://h.test/?\(name)=1&\(PercentText.encoded(other))=2")
        #expect(try filtered(["setParams": .object([one: "2"])]) == "http://h.test/?\(name)=2")
    }

    @Test(arguments: pairs) func `a base, a scope and a secret are found by their bytes`(one: String, other: String) throws {
        let bases = JSON.object(["bases": .object([one: "http://b.test/"])]).text
        let rules = try Rules(text: bases, path: "r")
        #expect(try ImageRequest(["url": "x", "fetch": ["base": .string(one)]], rules: rules).source.url == "http://b.test/x")
        #expect(throws: TintypeError.self) { try ImageRequest(["url": "x", "fetch": ["base": .string(other)]], rules: rules) }

        let grant = AccessGrant(role: .load, scope: one, client: .anyone)
        let method = try #require(MethodCatalog.method("image.load"))
        func bound(_ scope: String) throws -> JSONObject { try grant.bound(["url": "http://h.test/", "cache": ["scope": .string(scope)]], of: method) }
        #expect(throws: Never.self) { try bound(one) }
        #expect(try #require(throws: TintypeError.self) { try bound(other) }.name == .forbidden)

        let secret = "hush" + one
        let words = SecretScrubber(of: try ImageRequest(["url": "http://h.test/", "fetch": ["auth": ["bearer": .string(secret)]]]).source)
        #expect(words.hide(in: "no: \(secret)\u{301} \(secret).") == "no: ***\u{301} ***.")
    }

    @Test(arguments: [
        ("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("aéb", 2, "a…"), ("aéb", 3, "aé…"), ("e\u{301}\u{301}\u{301}", 3, "e\u{301}…"),
    ]) func `a text is cut at bytes, between its characters`(text: String, limit: Int, cut: String) {
        #expect(text.cut(to: limit).isExactly(cut))
    }
}
