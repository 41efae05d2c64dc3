import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The animation options of a request.
@Suite(.tags(.optimized)) struct AnimateTests {
    private func made(_ transform: String, rules: Rules = .none) throws -> Rendition {
        try ImageRequest(JSON(parsing: #"{"url":"http://a.test/1","transform":[\#(transform)]}"#), rules: rules).renditions[0]
    }

    private func step(_ members: String) throws -> Rendition { try made(#"{"op":"animate",\#(members)}"#) }

    private static let three = #""urls":["http://b.test/1","http://b.test/2"]"#

    @Test(arguments: [
        (#""delay":100"#, "urls"), (#""urls":[]"#, "urls"), (three + #","columns":2"#, "urls"), (#""urls":["http://b.test/1",7]"#, "urls[1]"),
        (#""columns":0"#, "columns"), (#""columns":2,"rows":2,"count":5"#, "count"), (three + #","count":2"#, "count"),
        (three + #","delay":[100,200]"#, "delay"), (three + #","delay":[100,200,5]"#, "delay[2]"), (three + #","delay":1"#, "delay"),
        (#""columns":2,"rows":2,"count":3,"delay":[50,60,70,80]"#, "delay"), (three + #","loop":-1"#, "loop"), (three + #","fit":"inside""#, "fit"),
        (three + #","frames":3"#, "frames"),
    ])
    func `an error names the wrong member`(members: String, name: String) throws {
        let error = try #require(throws: TintypeError.self) { _ = try step(members) }
        #expect(error.name == .invalidParams && error.details["path"]?.string == "transform[0].\(name)", "\(error)")
    }

    @Test func `a URL that cannot be fetched is refused, and so are too many`() throws {
        #expect(try #require(throws: TintypeError.self) { _ = try step(#""urls":["logo.png"]"#) }.name == .invalidURL)
        #expect(try #require(throws: TintypeError.self) { _ = try step(#""urls":["ftp://b.test/"]"#) }.name == .denied)
        func urls(_ count: Int) -> String { #""urls":["# + (0..<count).map { #""http://b.test/\#($0)""# }.joined(separator: ",") + "]" }
        #expect(try step(urls(Animate.maxPictures)).layers.count == Animate.maxPictures)
        #expect(try #require(throws: TintypeError.self) { _ = try step(urls(Animate.maxPictures + 1)) }.details["path"]?.string == "transform[0].urls")
        let twice = try #require(throws: TintypeError.self) { _ = try made(#"{"op":"animate","columns":2},{"op":"animate","columns":2}"#) }
        #expect(twice.details["path"]?.string == "transform")
    }

    @Test(arguments: [
        (three, three + #","delay":100,"loop":0,"fit":"contain","background":"transparent""#), (three + #","delay":[70,70,70]"#, three + #","delay":70"#),
        (#""columns":3"#, #""columns":3,"rows":1,"count":3,"fit":"cover""#), (three + #","fit":"cover""#, three + #","fit":"cover","background":"red""#),
    ])
    func `two spellings are equal, and the value is read back as written`(one: String, other: String) throws {
        let (a, b) = try (step(one), step(other))
        #expect(a.canonical == b.canonical, "\(a.canonical.text) \(b.canonical.text)")
        #expect(try Rendition(canonical: a.canonical).operations == a.operations)
        #expect(try Rendition(canonical: a.canonical).layers == a.layers)
    }

    @Test func `an option that changes the picture changes the key`() throws {
        let all = [
            Self.three, Self.three + #","delay":[100,100,110]"#, Self.three + #","loop":1"#, Self.three + #","fit":"fill""#,
            Self.three + #","background":"red""#,
            #""urls":["http://b.test/2","http://b.test/1"]"#, #""columns":2"#, #""rows":2"#, #""columns":2,"rows":2,"count":3"#, #""columns":2,"rows":2"#,
        ]
        #expect(try Set(all.map { try step($0).digest(source: "s") }).count == all.count)
    }

    @Test func `rules of the operator apply to its pictures too`() throws {
        let rules = try Rules(
            text: #"{"rules":[{"hosts":["evil.test"],"access":"deny"},{"hosts":["b.test"],"headers":{"X-Key":"sesame"}}]}"#, path: "r")
        let denied = try #require(throws: TintypeError.self) {
            _ = try made(#"{"op":"animate","urls":["http://b.test/1","http://evil.test/"]}"#, rules: rules)
        }
        #expect(denied.name == .denied)
        let allowed = try made(#"{"op":"animate",\#(Self.three)}"#, rules: rules)
        #expect(allowed.layers.map { $0.source.fetch.headers.map(\.value) } == [["sesame"], ["sesame"]])
        #expect(try Rendition(canonical: allowed.canonical).layers == allowed.layers)
    }
}
