import Testing
import TintypeCore
import TintypeImages
import TintypeStores

/// Where results are saved: names that lead nowhere else, and what becomes of tokens.
struct SaveTargetTests {
    private func saved(_ target: String, url: String = "http://a.test/x/photo.jpg", _ more: String = "") throws -> [String?] {
        let request = try ImageRequest(JSON(parsing: #"{"url":"\#(url)","saveTo":\#(target)\#(more)}"#))
        return request.renditions.map { $0.saveTo?.name.text }
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "../x", "a/../b", "a/..", "..", ".", "./a", "a/./b", ".hidden", "a/.b", "a//b", "a/", "a\\b", "a%2e%2e", "%2e%2e/x", "a\u{0}b",
        "a\nb", "a b", "ü", "a:b", "{stem", "stem}", "{}", "{{stem}}", "{Stem}", "{stem }", "{../x}", "~", "a;b", "$(a)", "a*", "a?b", "a#b",
        "a/b/c/d/e/f/g/h/i",
        String(repeating: "a", count: 256), "{stem}{receipt}{host}", "{receipt}-{stem}-{rendition}.{extension}",
        (1...4).map { _ in String(repeating: "a", count: 250) }.joined(separator: "/"),
    ]) func `a name that could be none, or lead elsewhere, is refused`(name: String) throws {
        #expect(SaveName(name) == nil)
        let request: JSON = ["url": "http://a.test/x", "saveTo": ["place": "p", "name": .string(name)]]
        let error = try #require(throws: TintypeError.self) { try ImageRequest(request) }
        #expect(error.name == .invalidParams && error.details["path"] == "saveTo.name")
        #expect(error.description.contains("1 to 8 parts with / between, each of A–Z a–z 0–9 . _ - and tokens, at most 255 bytes with the longest words"))
    }

    @Test(arguments: ["a", "a.b", "a/b/c/d/e/f/g/h", "{stem}.{extension}", "{host}/{stem}_{width}x{height}.{extension}", "-_", "a..b", "{sha256}"])
    func `other names are taken`(name: String) { #expect(SaveName(name)?.text == name) }

    @Test(arguments: [
        (#"{"place":"","name":"a"}"#, "saveTo.place"), (#"{"place":"a/b"}"#, "saveTo.place"), (#"{"place":"file:///tmp"}"#, "saveTo.place"),
        (#"{"name":"a"}"#, "saveTo.place"), (#"{"place":"p","replace":"never"}"#, "saveTo.replace"), (#"{"place":"p","replace":1}"#, "saveTo.replace"),
        (#"{"place":"p","name":"{receipt}"}"#, "saveTo.name"), (#"{"place":"p","mode":7}"#, "saveTo.mode"), (#""p""#, "saveTo"),
        (#"{"place":"p"},"renditions":[{"name":"a"},{"name":"b"}]"#, "saveTo.name"), (#"{"place":"p"},"cache":{"key":"own"}"#, "cache.key"),
    ]) func `what says no place, or one name for several, is refused`(target: String, path: String) throws {
        let error = try #require(throws: TintypeError.self) { try saved(target) }
        #expect(error.name == .invalidParams && error.details["path"]?.string == path, "\(error)")
    }

    @Test(arguments: [
        (#"{"place":"p"}"#, "http://a.test/x/photo.jpg?y=/../z#/q", "", ["photo.{extension}"]),
        (#"{"place":"p","name":"{host}/{stem}"}"#, "https://a.test:8/..%2f..%2fetc%2fpasswd", "", ["a.test/_._."]),
        (#"{"place":"p","name":"{stem}"}"#, "https://a.test/gr%C3%BCn%20.tar.gz", "", ["gr_n_.tar"]),
        (#"{"place":"p","name":"{stem}"}"#, "https://a.test/%00%2e%2e", "", ["_."]), (#"{"place":"p","name":"{stem}"}"#, "https://a.test", "", ["image"]),
        (#"{"place":"p","name":"{stem}-{host}"}"#, "data:,x", "", ["data-data_"]),
        (#"{"place":"p","name":"{stem}"}"#, "https://a.test/%2e%2e%2f%2e", "", ["_._"]),
        (
            #"{"place":"p","name":"{receipt}/{rendition}"}"#, "http://a.test/", #","receipt":"a:b..","renditions":[{"name":"s"},{"name":".m"}]"#,
            ["a_b../s", "a_b../_m"]
        ),
    ]) func `tokens stand for words that lead nowhere`(target: String, url: String, more: String, names: [String]) throws {
        #expect(try saved(target, url: url, more) == names.map { $0 })
    }

    @Test func `what the result fills in is no longer than was allowed for`() throws {
        let longest = try #require(SaveName("{stem}{rendition}{extension}{width}"))
        let word = String(repeating: "ü/", count: 500)
        let full = longest.filled([.stem: word, .rendition: word, .extension: word, .width: word])
        #expect(full.tokens.isEmpty && full.text.utf8.count == 180 && full.text.allSatisfy { $0 == "_" })
    }

    @Test func `where it is saved is a part of the work, and of nothing else's key`() throws {
        func rendition(_ more: String) throws -> Rendition { try ImageRequest(JSON(parsing: #"{"url":"http://a.test/x"\#(more)}"#)).renditions[0] }
        let (plain, one) = (try rendition(""), try rendition(#","saveTo":{"place":"p","name":"a"}"#))
        #expect(plain.canonical["saveTo"] == nil && one.canonical["saveTo"] == ["place": "p", "name": "a"])
        #expect(try one.digest(source: "s") == rendition(#","saveTo":{"name":"a","place":"p","replace":false}"#).digest(source: "s"))
        for other in [
            "", #","saveTo":{"place":"p","name":"b"}"#, #","saveTo":{"place":"q","name":"a"}"#, #","saveTo":{"place":"p","name":"a","replace":"keep"}"#,
        ] {
            #expect(try rendition(other).digest(source: "s") != one.digest(source: "s"))
        }
        for replace in ["true", "false", "\"keep\""] {
            let wished = try rendition(#","saveTo":{"place":"p","name":"{sha256}","replace":\#(replace)}"#)
            #expect(try Rendition(canonical: JSON(parsing: wished.queued.text)).saveTo == wished.saveTo)
        }
        let told = try ImageRequest(JSON(parsing: #"{"url":"http://a.test/x","describe":["phash"],"saveTo":{"place":"p"}}"#)).renditions
        #expect(told.map { $0.saveTo == nil } == [false, true])
    }

    @Test(arguments: [
        ("a=file:///srv/a", 1), ("a=file:///srv/a, b=s3://bucket/x?endpoint=http://h:1&region=r", 2), ("a=file:///srv/a,a=file:///srv/b", 0), ("a", 0),
        ("a=redis://h", 0), ("a=file:///srv?maxBytes=1GiB", 0), ("a/b=file:///srv", 0), ("=file:///srv", 0), ("a=file:srv", 0), ("a=s3://", 0), ("", 0),
        ("a=file:///,", 0),
        ("a=s3://b?endpoint=http://u:hush@h", 0),
    ]) func `places are named by the operator`(text: String, count: Int) {
        do throws(SettingError) {
            let places = try SettingType.places.parse(text)
            #expect(places.count == count && !places.isEmpty)
        } catch {
            #expect(count == 0 && !error.message.contains("hush"), "\(error.message)")
        }
    }
}
