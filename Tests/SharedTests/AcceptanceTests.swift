import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeImages
import TintypeStores

/// The rules by which a request accepts responses. Pure.
@Suite(.tags(.optimized)) struct AcceptanceTests {
    @Test(arguments: [
        ("image/png", "image/png", true), ("image/*", "IMAGE/WebP; q=1", true), ("*/*", "anything", true), ("image/png", "image/pngx", false),
        ("image/*", "imagex/png", false), ("Text/HTML", "text/html;charset=utf-8", true), ("image/*", "nonsense", false),
    ])
    func `A range holds the types it names`(range: String, type: String, holds: Bool) throws {
        #expect(try #require(MediaRange(range)).contains(type) == holds)
    }

    @Test(arguments: ["", "image", "image/", "/png", "*/png", "a/b/c", "im age/p\u{e9}g"])
    func `A text that is no media type is refused`(text: String) { #expect(MediaRange(text) == nil) }

    @Test(arguments: [
        (#""string""#, #""a""#, nil), (#""number""#, "1.5", nil), (#""integer""#, "2.0", nil),
        (#""integer""#, "1.5", "the value is a number, expected integer"),
        (#""boolean""#, "null", nil), (#""null""#, "1", "the value is a number, expected null"), (#""any""#, "{}", nil),
        (#"{"a":"string"}"#, #"{"a":"x","b":1}"#, nil), (#"{"a":"string"}"#, "{}", "a is missing"), (#"{"a":"string"}"#, #"{"a":null}"#, nil),
        (#"{"a":{"b":["number"]}}"#, #"{"a":{"b":[1,"x"]}}"#, "a.b[1] is a string, expected number"), ("[]", "[1,{}]", nil),
        ("[]", "{}", "the value is an object, expected array"), ("{}", "[]", "the value is an array, expected object"),
        (#"[{"id":"integer"}]"#, #"[{"id":1},{}]"#, "[1].id is missing"),
    ])
    func `A shape says what does not fit, and where`(shape: String, value: String, wrong: String?) throws {
        #expect(try JSONShape(JSON(parsing: shape), at: "").mismatch(in: JSON(parsing: value)) == wrong)
    }

    @Test(arguments: ["1", #""text""#, #"{"a":3}"#, #"["string","string"]"#, "null"])
    func `JSON that is no shape is refused`(text: String) throws {
        let json = try JSON(parsing: text)
        #expect(throws: TintypeError.self) { try JSONShape(json, at: "fetch.jsonShape") }
    }

    @Test(arguments: ErrorName.allCases) func `Another request may accept an answer whose status or type this one refuses`(name: ErrorName) {
        let isOfAnswer = [.httpStatus, .contentType, .authFailed].contains(name)
        #expect(Acceptance.isRefusal(TintypeError(name, .download, "", retryable: false)) == isOfAnswer)
        #expect(!Acceptance.isRefusal(TintypeError(name, .download, "", retryable: true)))
        let long = TintypeError(name, .download, "", retryable: false, details: ["limit": "maxBytes"])
        #expect(Acceptance.isRefusal(long) == (isOfAnswer || name == .limitExceeded))
    }

    @Test func `The widest of several acceptances accepts what any of them accepts`() throws {
        let one = try Acceptance(["acceptableTypes": ["image/*"], "maxBytes": 5], at: "")
        let two = try Acceptance(["acceptableStatus": ["404"], "acceptableTypes": ["text/html"], "maxBytes": 9], at: "")
        let both = Acceptance.maxGenerous([one, two])
        #expect(both.maxBytes == 9 && both.takes(status: 200) && both.takes(status: 404) && !both.takes(status: 500))
        #expect(both.takes(type: "image/png") && both.takes(type: "text/html") && !both.takes(type: "text/plain"))
        #expect(both.takes(type: nil) && Acceptance.maxGenerous([one, Acceptance()]).takes(type: "text/plain"))
    }
}
