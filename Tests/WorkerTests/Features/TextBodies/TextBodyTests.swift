import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores
import TestSupport
import Testing

@testable import TintypeTextBodies
@testable import Worker

/// `as: text` and `as: xml`: bodies that are read by their charset.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct TextBodyTests {
    private static func text(_ bytes: [UInt8], _ type: String?, isXML: Bool = false, most: Int = 1 << 20) -> Result<String, TintypeError> {
        Result { () throws(TintypeError) in
            String(decoding: try TextReader().text(of: bytes, isXML: isXML, type: type, mostBytes: most), as: UTF8.self)
        }
    }

    private static let samples: [(bytes: [UInt8], type: String?, text: String)] = [
        ([], nil, ""), (Array("grün".utf8), nil, "grün"), (Array("grün".utf8), "text/plain", "grün"), ([0xef, 0xbb, 0xbf, 0x61], "text/plain", "a"),
        ([0x67, 0x72, 0xfc, 0x6e], "text/plain; charset=ISO-8859-1", "grün"), ([0x93, 0x80, 0x94], "text/plain;charset=\"windows-1252\"", "“€”"),
        ([0xa4], "text/html; a=b; Charset=iso-8859-15", "€"), ([0xff, 0xfe, 0xac, 0x20], "text/plain; charset=us-ascii", "€"),
        ([0xfe, 0xff, 0x20, 0xac], nil, "€"), ([0x61, 0, 0x3d, 0xd8, 0, 0xde], "text/plain; charset=utf-16", "a😀"),
        ([0x20, 0xac], "text/plain; charset=utf-16be", "€"), ([0x82, 0xa0], "text/plain; charset=Shift_JIS", "あ"),
        ([0xc4, 0xe3], "text/plain; charset=gbk", "你"), ([0x81, 0x30, 0x81, 0x30], "text/plain; charset=gb18030", "\u{80}"),
        // The letter is held back until no accent follows.
        ([0x41, 0x61], "text/plain; charset=windows-1258", "Aa"), ([0xcf, 0xf0], "text/plain; charset=koi8-r", "оП"),
    ]

    @Test(arguments: samples) func `a body is read by its mark, its header, or as UTF-8`(bytes: [UInt8], type: String?, text: String) throws {
        #expect(try Self.text(bytes, type).get() == text)
    }

    @Test(arguments: [
        ([0xff] as [UInt8], nil as String?, "utf-8", "byte 0"), ([0x61, 0xe9], "text/plain; charset=us-ascii", "us-ascii", "byte 1"),
        ([0x81], "text/plain; charset=windows-1252", "windows-1252", "byte 0"), ([0x3d, 0xd8], "text/plain; charset=utf-16", "utf-16le", "byte 0"),
        ([0x82], "text/plain; charset=shift_jis", "shift_jis", "byte 0"), ([0x61], "text/plain; charset=x-own", "x-own", "not read here"),
        ([0x61], "text/plain; charset=UTF-8//IGNORE", "UTF-8//IGNORE", "not read here"),
        ([0x61], "text/plain; charset=iso-2022-jp-3", "iso-2022-jp-3", "not read"),
        ([0xed, 0xa0, 0x80], "text/plain; charset=utf-8", "utf-8", "is not utf-8"),
    ]) func `bytes that its charset does not have are an error that names it`(bytes: [UInt8], type: String?, charset: String, words: String) throws {
        guard case .failure(let error) = Self.text(bytes, type) else { throw TestFailure("taken") }
        #expect(error.name == .textInvalid && error.details["charset"]?.string == charset && !error.isRetryable)
        #expect(charset == "utf-8" || error.message.contains(words), "\(error)")
    }

    @Test func `text is no longer than the bytes that are allowed, also where it grows`() throws {
        #expect(try Self.text([0xe9, 0xe9], "text/plain; charset=latin1", most: 4).get() == "éé")
        for (bytes, type) in [([0xe9, 0xe9, 0xe9], "text/plain; charset=latin1"), ([UInt8](repeating: 0x61, count: 5), "text/plain")] {
            guard case .failure(let error) = Self.text(bytes, type, most: 4) else { throw TestFailure("taken") }
            #expect(error.name == .limitExceeded && error.details["limit"] == "maxBytes")
        }
        let long = [UInt8](repeating: 0xe9, count: 200_000)
        #expect(try Self.text(long, "text/plain; charset=latin1").get().utf8.count == 400_000)
    }

    @Test(arguments: [
        "<a/>", "<?xml version=\"1.0\"?>\n<a b=\"c\">d&amp;&#x41;<!-- e --><![CDATA[<]]></a>", "<a xmlns:b='urn:c'><b:d/></a>",
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://127.0.0.1:1/none.dtd\"><plist/>", "<a>ü😀</a>",
        String(repeating: "<a>", count: 256) + String(repeating: "</a>", count: 256), "<a " + (0..<500).map { "b\($0)='c'" }.joined(separator: " ") + "/>",
    ]) func `XML that is well-formed comes as it is`(document: String) throws {
        #expect(try Self.text(Array(document.utf8), "application/xml", isXML: true).get() == document)
    }

    private static let laughs =
        "<!DOCTYPE a [<!ENTITY a \"ha\">" + (1...9).map { "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">" }.joined() + "]><a>&a9;</a>"

    @Test(arguments: [
        ("", "no element"), ("<a>", "no element"), ("<a></b>", "mismatched"), ("<a/><b/>", "junk"), ("words", "syntax"), ("<a b='1' b='2'/>", "duplicate"),
        ("<a>&b;</a>", "undefined"), (laughs, "declares"), ("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>", "declares"),
        ("<!DOCTYPE a [<!ENTITY % b SYSTEM \"http://127.0.0.1:1/x\"> %b;]><a/>", "declares"), ("<a>\u{1}</a>", "invalid token"),
        (String(repeating: "<a>", count: 257), "deeper than 256"), (String(repeating: "<a>", count: 300_000), "deeper than 256"),
        ("<a b=\"" + String(repeating: "x", count: 1 << 19), "unclosed"),
    ]) func `XML that is broken, or declares things, is an error that says where`(document: String, words: String) throws {
        guard case .failure(let error) = Self.text(Array(document.utf8), "text/xml", isXML: true) else { throw TestFailure("taken") }
        #expect(error.name == .textInvalid && error.message.contains(words), "\(error)")
    }

    @Test func `XML says itself what it is written in, unless its server does`() throws {
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xfc] + Array("</a>".utf8)
        #expect(try Self.text(latin, nil, isXML: true).get().hasSuffix("<a>ü</a>"))
        guard case .failure(let error) = Self.text(latin, "text/xml; charset=utf-8", isXML: true) else { throw TestFailure("taken") }
        #expect(error.details["charset"] == "utf-8")
        let wide = Array("<?xml version='1.0' encoding='utf-16'?><a/>".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(try Self.text(wide, nil, isXML: true).get().hasSuffix("<a/>"))
    }

    @Test @Loop func `a text is stored as UTF-8, by whichever charset it came`() async throws {
        let h = try await WorkerHarness()
        let text = try await h.submit(["url": "data:text/plain;charset=iso-8859-1,gr%FCn", "as": "text"])
        try await h.runOne()
        let made = try await h.result(text)["renditions"]?[0]
        #expect(made?["contentType"] == "text/plain; charset=utf-8" && made?["validated"] == "text" && made?["bytes"] == 5)
        let key = try #require(made?["key"]?.string)
        let stored = try #require(await h.store.get(key))
        #expect(String(decoding: stored.bytes, as: UTF8.self) == "grün" && Digest.sha256Hex(stored.bytes) == made?["sha256"]?.string)
        let broken = try await h.submit(["url": "data:application/xml,%3Ca%3E", "as": "xml"])
        try await h.runOne()
        let failure = try await h.failure(broken)
        #expect(failure.name == .textInvalid && failure.phase == .decode)
        #expect(h.budget.used == 0)
    }

    @Test @Loop func `one download is text for one and bytes for another`() async throws {
        let h = try await WorkerHarness()
        let url = JSON.string(h.url("/json?type=text/plain;charset=utf-16&text=%01%02"))
        let text = try await h.submit(["url": url, "as": "text"])
        let bytes = try await h.submit(["url": url, "as": "bytes"])
        try await h.runOne()
        #expect(try await h.result(text)["renditions"]?[0]?["bytes"] == 2)
        #expect(try await h.result(bytes)["renditions"]?[0]?["validated"] == nil)
        #expect(try await h.counts()["total"]?.int == 1)
    }
}

extension ParserFuzzTests {
    @Test func `text and XML survive whatever they are given`() {
        FuzzTarget(
            "text and xml",
            ["<?xml version='1.0' encoding='ISO-8859-1'?><a b='c'>&amp;<![CDATA[d]]></a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "\u{feff}text"]
        ) { bytes in
            let kinds = ["text/xml; charset=" + String(decoding: bytes.prefix(12), as: UTF8.self), "text/plain; charset=gb18030", nil]
            return try kinds.map { type in
                do throws(TintypeError) {
                    let text = try TextReader().text(of: bytes, isXML: type?.hasPrefix("text/p") != true, type: type, mostBytes: 1 << 16)
                    guard String(validating: text, as: UTF8.self) != nil else { throw TintypeError(.internalError, .decode, "not UTF-8") }
                    return "fine"
                } catch {
                    guard error.name != .internalError else { throw BrokenRule("text is UTF-8") }
                    return "\(error.details["cause"]?.string ?? "").prefix(12))"
                }
            }.description
        }.run()
    }
}
