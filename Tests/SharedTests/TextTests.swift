import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The text options of a request.
@Suite(.tags(.optimized)) struct TextTests {
    private func step(_ members: String) throws -> Rendition {
        try ImageRequest(JSON(parsing: #"{"url":"http://a.test/1","transform":[{"op":"text",\#(members)}]}"#)).renditions[0]
    }

    @Test(arguments: [
        (#""size":20"#, "text"), (#""text":"""#, "text"), (#""text":"a\u0000b""#, "text"), (#""text":"a\u001bb""#, "text"), (#""text":"a\u0085b""#, "text"),
        (#""text":"a","size":3"#, "size"), (#""text":"a","font":"""#, "font"), (#""text":"a","color":"greenish""#, "color"),
        (#""text":"a","gravity":"attention""#, "gravity"), (#""text":"a","align":"justify""#, "align"), (#""text":"a","valign":"top""#, "valign"),
        (#""text":"a","width":0"#, "width"),
        (#""text":"a","markup":true"#, "markup"), (#""text":"a","opacity":2"#, "opacity"),
    ])
    func `an error names the wrong member`(members: String, name: String) throws {
        let error = try #require(throws: TintypeError.self) { _ = try step(members) }
        #expect(error.name == .invalidParams && error.details["path"]?.string == "transform[0].\(name)", "\(error)")
    }

    @Test func `a thousand characters are accepted, and one more is not, whatever they look like`() throws {
        for character in ["a", "\u{301}", "\u{1f600}"] {
            let most = String(repeating: character, count: 1000)
            _ = try step(#""text":"\#(most)""#)
            let error = try #require(throws: TintypeError.self) { _ = try step(#""text":"\#(most)\#(character)""#) }
            #expect(error.details["path"]?.string == "transform[0].text")
        }
    }

    @Test(arguments: [
        (#""text":"a\nb""#, #""text":"a\r\nb","size":32,"font":"SANS","color":"black","gravity":"center","opacity":1,"align":"left","tile":false"#),
        (#""text":"a","x":5"#, #""text":"a","x":5,"y":0,"gravity":"topLeft""#),
        (#""text":"a","angle":-90"#, #""text":"a","angle":270,"padding":4,"valign":"line""#),
        (#""text":"a","color":"red""#, ##""text":"a","color":"#f00","background":"transparent","spacing":0"##),
    ])
    func `two spellings are equal, and the value is read back as written`(one: String, other: String) throws {
        let (a, b) = try (step(one), step(other))
        #expect(a.canonical == b.canonical, "\(a.canonical.text) \(b.canonical.text)")
        #expect(a.digest(source: "s") == b.digest(source: "s"))
        #expect(try Rendition(canonical: a.canonical).canonical == a.canonical)
        #expect(try Rendition(canonical: b.canonical).operations == a.operations || a.operations != b.operations)
    }

    @Test func `an option that changes the picture changes the key`() throws {
        let changes = [
            #""font":"serif""#, #""size":33"#, #""bold":true"#, #""italic":true"#, #""color":"red""#, #""gravity":"top""#, #""y":1"#, #""opacity":0.5"#,
            #""width":0.5"#, #""align":"right""#, #""valign":"ink""#, #""spacing":1"#, #""background":"red""#, #""angle":1"#, #""tile":true"#,
            #""tile":true,"padding":2"#,
            #""tile":{"gapX":2}"#, #""tile":{"gapY":2}"#,
        ]
        let keys = try Set((changes + [#""size":32"#]).map { try step(#""text":"a",\#($0)"#).digest(source: "s") })
        #expect(keys.count == changes.count + 1)
        #expect(try step(#""text":"a","opacity":0"#).canonical["transform"] == nil)
    }
}
