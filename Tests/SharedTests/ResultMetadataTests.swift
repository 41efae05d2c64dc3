import Testing
import TintypeCore
import TintypeImages

/// The metadata of results: allowed names and texts, and their forms as JSON and headers.
struct ResultMetadataTests {
    private static let many = "{" + (1...17).map { "\"n\($0)\":\"\"" }.joined(separator: ",") + "}"
    private static let long = String(repeating: "x", count: 1000)

    @Test(
        arguments: [
            (#"{"a":"b"}"#, nil), (#"{"photo-id-7":"Zoë\r\n"}"#, nil), ("{}", nil), ("null", nil), (#"{"a":"\#(long)"}"#, nil),
            (#"{"A":"b"}"#, "metadata.A"), (#"{"":"b"}"#, "metadata."), (#"{"a b":"c"}"#, "metadata.(a name of 3 bytes)"), (#"{"a:b":"c"}"#, "metadata.a:b"),
            (#"{"a\r\nx":"c"}"#, "metadata.(a name of 4 bytes)"), (#"{"é":"c"}"#, "metadata.(a name of 2 bytes)"), (#"{"a":1}"#, "metadata.a"),
            (#"{"a":{"b":"c"}}"#, "metadata.a"),
            (#"{"a":"\#(long)","b":"\#(long)"}"#, "metadata"), (#"["a"]"#, "metadata"),
            (#"{"\#(long)":"b"}"#, "metadata.(a name of 1000 bytes)"),
            (many, "metadata"),
        ] as [(String, String?)])
    func `what a request may bring`(text: String, path: String?) throws {
        let request = try JSON(parsing: #"{"url":"http://a.test/x","metadata":\#(text)}"#)
        do throws(TintypeError) {
            let metadata = try ImageRequest(request).metadata
            #expect(path == nil)
            #expect(metadata?.json ?? [:] == request["metadata"] ?? [:] || request["metadata"] == .null)
        } catch {
            #expect(error.name == .invalidParams && error.details["path"]?.string == path, "\(error)")
        }
    }

    @Test func `metadata is part of no key, and travels with the work`() throws {
        func rendition(_ more: String) throws -> Rendition { try ImageRequest(JSON(parsing: #"{"url":"http://a.test/x"\#(more)}"#)).renditions[0] }
        let (plain, told) = (try rendition(""), try rendition(#","metadata":{"version":"7"}"#))
        #expect(told.canonical == plain.canonical && told.digest(source: "s") == plain.digest(source: "s"))
        #expect(plain.queued == plain.canonical)
        let arrived = try Rendition(canonical: JSON(parsing: told.queued.text))
        #expect(arrived.metadata?.json == ["version": "7"])
        let probe = try ImageRequest(JSON(parsing: #"{"url":"http://a.test/x","describe":["phash"],"metadata":{"a":"b"}}"#)).renditions
        #expect(probe.map { $0.metadata == nil } == [false, true], "a description is no result of its own")
    }

    @Test func `no text of it is a header's end, and none is lost`() throws {
        let texts = ["plain", "two words", " ", "", "100%", "%0d%0a", "a\r\nSet-Cookie: x=y", "Zoë \u{1F4F7}", "\u{0}", "\u{7f}", "quote\"\\"]
        var object = JSONObject()
        for (number, text) in texts.enumerated() { object["n\(number)"] = .string(text) }
        let metadata = try #require(try ResultMetadata(.object(object), at: "metadata"))
        for (name, value) in metadata.headers {
            #expect(name.hasPrefix(ResultMetadata.prefix) && value.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "\(name): \(value)")
        }
        let read = try ResultMetadata.json(of: metadata.headers.map { (name: String($0.0.dropFirst(ResultMetadata.prefix.count)).uppercased(), value: $0.1) })
        #expect(read == .object(object))
    }

    @Test(arguments: [[("a", "%zz")], [("a", "%ff")], [("a", "1"), ("A", "2")]]) func `headers without valid text are refused`(headers: [(String, String)]) {
        #expect(throws: TintypeError.self) { try ResultMetadata.json(of: headers.map { (name: $0.0, value: $0.1) }) }
    }

    @Test func `metadata comes after the members that scripts search`() {
        var info = RenditionInfo(key: "k", contentType: "image/png", bytes: 1, sha256: "00", stored: [.results], isApplied: true)
        info.metadata = ResultMetadata(kept: ["sha256": "ff", "version": "9"])
        #expect(info.json.object?.keys.last == "metadata")
        #expect(ImageResult.Rendition(json: info.json).metadata == info.metadata)
        for broken: JSON in [["a": 1], ["A": "b"], [:], "text", ["a": ["b"]]] { #expect(ResultMetadata(kept: broken) == nil) }
    }
}
