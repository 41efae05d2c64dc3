import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The other pictures of a request.
@Suite(.tags(.optimized)) struct LayerTests {
    private func request(_ transform: String, rules: Rules = .none) throws -> ImageRequest {
        try ImageRequest(JSON(parsing: #"{"url":"http://a.test/1","transform":\#(transform)}"#), rules: rules)
    }

    @Test(arguments: [
        (#"[{"op":"composite"}]"#, "transform[0].url"), (#"[{"op":"composite","url":"http://b.test/","gravity":"attention"}]"#, "transform[0].gravity"),
        (#"[{"op":"composite","url":"http://b.test/","gravity":"top","x":1}]"#, "transform[0].gravity"),
        (#"[{"op":"composite","url":"http://b.test/","blend":"multply"}]"#, "transform[0].blend"),
        (#"[{"op":"mask"}]"#, "transform[0].shape"), (#"[{"op":"mask","shape":"circle","url":"http://b.test/"}]"#, "transform[0].shape"),
    ])
    func `an error names the wrong member`(transform: String, path: String) throws {
        let error = try #require(throws: TintypeError.self) { _ = try request(transform) }
        #expect(error.name == .invalidParams && error.details["path"]?.string == path, "\(error)")
    }

    @Test func `a URL that cannot be fetched is refused, as a source's is`() throws {
        #expect(try #require(throws: TintypeError.self) { _ = try request(#"[{"op":"composite","url":"logo.png"}]"#) }.name == .invalidURL)
        #expect(try #require(throws: TintypeError.self) { _ = try request(#"[{"op":"mask","url":"ftp://b.test/"}]"#) }.name == .denied)
        let many = "[" + (0...Layer.most).map { #"{"op":"composite","url":"http://b.test/\#($0)"}"# }.joined(separator: ",") + "]"
        #expect(try #require(throws: TintypeError.self) { _ = try request(many) }.details["path"]?.string == "transform")
    }

    @Test func `the value is read back as written, and two spellings are equal`() throws {
        let plain = try request(#"[{"op":"composite","url":"http://b.test/x","gravity":"center","opacity":1,"tile":false}]"#).renditions[0]
        #expect(try plain.canonical == request(#"[{"op":"composite","url":"http://b.test/x"}]"#).renditions[0].canonical)
        #expect(try Rendition(canonical: plain.canonical).layers == plain.layers)
        #expect(try request(#"[{"op":"composite","url":"http://b.test/x","opacity":0}]"#).renditions[0].canonical["transform"] == nil)
        let several = try request(
            #"[{"op":"mask","url":"http://b.test/m"},{"op":"composite","url":"http://b.test/x"},{"op":"blur","sigma":2,"mask":"http://b.test/m"}]"#)
        #expect(several.renditions[0].layers.map(\.source.url) == ["http://b.test/m", "http://b.test/x"])
    }

    @Test func `gaps of tiles are part of the key, and none are the same as no object`() throws {
        func step(_ tile: String) throws -> JSON { try request(#"[{"op":"composite","url":"http://b.test/x","tile":\#(tile)}]"#).renditions[0].canonical }
        for none in [#"{}"#, #"{"gapX":0,"gapY":0.0}"#] { #expect(try step(none) == step("true"), "\(none)") }
        let tiles = ["false", "true", #"{"gapX":5}"#, #"{"gapY":5}"#, #"{"gapX":5,"gapY":5}"#, #"{"gapX":0.5,"gapY":16384}"#]
        #expect(try Set(tiles.map { try step($0).text }).count == tiles.count)
        for tile in tiles { #expect(try Rendition(canonical: step(tile)).canonical == step(tile), "\(tile)") }
        for wrong in [#"{"gapX":-1}"#, #"{"gapY":16385}"#, #"{"z":1}"#, #"{"x":1}"#, "5", #"{"gapX":"5"}"#] {
            #expect(throws: TintypeError.self, "\(wrong)") { _ = try step(wrong) }
        }
    }

    @Test func `rules of the operator apply to other pictures too`() throws {
        let rules = try Rules(
            text: #"{"rules":[{"hosts":["evil.test"],"access":"deny"},{"hosts":["b.test"],"headers":{"X-Key":"sesame"}}]}"#, path: "r")
        let denied = try #require(throws: TintypeError.self) { _ = try request(#"[{"op":"composite","url":"http://evil.test/"}]"#, rules: rules) }
        #expect(denied.name == .denied)
        let allowed = try request(#"[{"op":"composite","url":"http://b.test/x"}]"#, rules: rules)
        #expect(allowed.renditions[0].layers[0].source.fetch.headers.map(\.value) == ["sesame"])
        #expect(try Rendition(canonical: allowed.renditions[0].canonical).layers == allowed.renditions[0].layers)
        // A repeated request is recognized, even after the rules have changed.
        #expect(try allowed.fingerprint == request(#"[{"op":"composite","url":"http://b.test/x"}]"#).fingerprint)
    }

    @Test func `a part of the URL that a rule drops is no part of another picture's key either`() throws {
        let rules = try Rules(text: #"{"rules":[{"hosts":["b.test"],"key":{"drop":["sig","expires"]}}]}"#, path: "r")
        for step in [#""op":"composite","url":"#, #""op":"mask","url":"#, #""op":"blur","sigma":2,"mask":"#] {
            func key(_ url: String) throws -> String {
                try request("[{\(step)\"\(url)\"}]", rules: rules).renditions[0].digest(source: "s")
            }
            #expect(try key("http://b.test/x?sig=1&expires=2&v=3") == key("http://b.test/x?v=3&sig=9&expires=7"), "\(step)")
            #expect(try key("http://b.test/x?sig=1&v=3") != key("http://b.test/x?sig=1&v=4"), "\(step)")
            #expect(try key("http://c.test/x?sig=1") != key("http://c.test/x?sig=2"), "\(step)")
        }
        // The fetch has the requested URL.
        let asked = try request(#"[{"op":"composite","url":"http://b.test/x?sig=1"}]"#, rules: rules).renditions[0]
        #expect(try Rendition(canonical: asked.canonical).layers.map(\.source.url) == ["http://b.test/x?sig=1"])
        #expect(try Rendition(canonical: asked.canonical).digest(source: "s") == asked.digest(source: "s"))
    }
}
