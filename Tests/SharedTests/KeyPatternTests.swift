import Testing

@testable import TintypeCore
@testable import TintypeImages

/// Hosts and paths that are equal in keys.
@Suite(.timeLimit(.minutes(1))) struct KeyPatternTests {
    private func source(_ url: String, _ map: String) throws -> Source {
        let rules = try Rules(text: #"{"rules":[{"key":{"map":[\#(map)],"drop":["sig"]}}]}"#, path: "r.json")
        return try ImageRequest(["url": .string(url)], rules: rules).source
    }

    private func plain(_ url: String) throws -> Source { try ImageRequest(["url": .string(url)]).source }

    private static let cdn = #"{"from":"cdn*.example.org","to":"cdn.example.org"}"#
    private static let paths = #"{"from":"*.img.test/v*/pictures/*","to":"img.test/$1/$3"}"#

    @Test(arguments: [
        (cdn, "http://cdn1.example.org/a?b=1", "http://cdn.example.org/a?b=1"), (cdn, "http://CDN9.example.org/a?sig=1", "http://cdn.example.org/a"),
        (cdn, "https://cdn1.example.org:444/a", "https://cdn.example.org:444/a"), (cdn, "https://cdn1.example.org:443/a", "https://cdn.example.org/a"),
        (cdn, "http://u:p@cdn1.example.org/a", "http://u:p@cdn.example.org/a"), (cdn, "http://x.test/cdn1.example.org", "http://x.test/cdn1.example.org"),
        (cdn, "http://cdn1.evil.test/.example.org", "http://cdn1.evil.test/.example.org"), (cdn, "http://%63dn1.example.org/a", "http://cdn.example.org/a"),
        (paths, "http://a.img.test/v12/pictures/x/y.png?z", "http://img.test/a/x/y.png?z"),
        (paths, "http://a.img.test/v1/other/x", "http://a.img.test/v1/other/x"),
        (paths, "http://a.img.test/q/../v1/%70ictures/x", "http://img.test/a/x"), (paths, "http://a.b.img.test/v/pictures/", "http://img.test/a.b/"),
        (cdn + "," + #"{"from":"*/x","to":"all.test/x"}"#, "http://cdn1.example.org/x", "http://cdn.example.org/x"),
        (#"{"from":"*/$*","to":"all.test/$$2"}"#, "http://a.test/$b", "http://all.test/$b"),
    ])
    func `a URL that fits stands as another in its key, and is downloaded as it is`(map: String, url: String, key: String) throws {
        let mapped = try source(url, map)
        #expect(try mapped.url == url && mapped.digest == plain(key).digest, "\(mapped.addresses)")
        // The worker gets the same key.
        #expect(try Source(canonical: JSON(parsing: mapped.canonical.bytes())).digest == mapped.digest)
    }

    @Test(arguments: [
        (#"{"from":"a b","to":"c"}"#, "from"), (#"{"from":"","to":"c"}"#, "from"), (#"{"from":"/x","to":"c/x"}"#, "from"),
        (#"{"from":"*/**********","to":"c/x"}"#, "from"),
        (#"{"from":"a.test/x","to":"b.test"}"#, "to"), (#"{"from":"a.test","to":"b.test/x"}"#, "to"), (#"{"from":"*.test","to":"$2.test"}"#, "to"),
        (#"{"from":"*.test/*","to":"$2.test/x"}"#, "to"), (#"{"from":"*.test/*","to":"a.test/$3"}"#, "to"), (#"{"from":"*.test","to":"*.test"}"#, "to"),
        (#"{"from":"a.test/x","to":"b.test/x?y"}"#, "to"), (#"{"from":"a.test"}"#, "to"),
    ])
    func `an impossible combination is refused when the file is read`(map: String, member: String) throws {
        let mistake = try #require(throws: SettingError.self) { _ = try source("http://a.test/", map) }
        #expect(mistake.message.hasPrefix("r.json:1: rules[0].key.map[0].\(member): "), "\(mistake.message)")
    }

    @Test func `a star takes as little as will do, and the text is walked once`() {
        func stars(_ pattern: String, _ text: String) -> [String]? {
            StarPattern(pattern.utf8).stars(in: Array(text.utf8))?.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(stars("a*b*c", "aXbYbZc") == ["X", "YbZ"] && stars("a*b", "ab") == [""] && stars("a*b", "a") == nil)
        #expect(stars("ab*ba", "aba") == nil && stars("*", "") == [""] && stars("a", "a") == [] && stars("a", "ab") == nil)
        #expect(stars("**", "x") == ["", "x"] && stars("*aab*", "aaab") == ["a", ""] && stars("*abab*x", "abaababx") == ["aba", ""])
        // No byte is compared more than twice, whatever the text. With backtracking, this test would not end.
        let long = String(repeating: "a", count: 1 << 20)
        #expect(stars("*\(String(repeating: "a", count: 500))b*\(String(repeating: "a", count: 500))b*", long) == nil)
    }
}
