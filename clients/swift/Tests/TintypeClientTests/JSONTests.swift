import Testing
import TintypeClient

@Suite struct JSONTests {
    @Test(
        arguments: [
            ("null", JSON.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-17", -17), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9223372036854775808)), ("1.5", 1.5), ("-0.25", -0.25),
            ("1e3", .number(1000)),
            ("2.5E-3", 0.0025), ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)), ("5e-324", .number(.leastNonzeroMagnitude)),
            ("123456789012345678901234567890", .number(1.2345678901234568e29)), ("0.1", 0.1), ("3.141592653589793", 3.141592653589793), ("\"\"", ""),
            ("[]", []), ("{}", [:]), ("[1,[2,{\"a\":3}]]", [1, [2, ["a": 3]]]), ("{\"b\" : 1 , \"a\":\n[true]}", ["a": [true], "b": 1]),
            (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\ud83d\ude00""#, "é😀"), (#""\ud83d""#, "\u{FFFD}"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"),
            ("\"Grüße 😀\"", "Grüße 😀"),
        ] as [(String, JSON)])
    func pure_eachValueIsRead(_ text: String, _ value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(
        arguments: [
            ("", 0), ("nul", 3), ("01", 2), ("-", 1), ("1.", 2), ("1e", 2), ("[1,]", 3), ("{\"a\"}", 4), ("{a:1}", 1), ("\"a", 2), ("\"\\x\"", 3),
            ("\"\\u12g4\"", 5),
            ("1 2", 2), ("\"a\nb\"", 2), ("[", 1), (String(repeating: "[", count: 129), 128), ("NaN", 0), ("+1", 0),
        ] as [(String, Int)])
    func pure_whatIsNotJSONIsRefusedAtItsPlace(_ text: String, _ offset: Int) {
        #expect { try JSON(parsing: text) } throws: { ($0 as? JSONFault)?.offset == offset }
    }

    @Test func pure_membersMayStayTexts() throws {
        let text = Array(#"{"id":1,"a": {"a": 1.0, "n":18446744073709551615} ,"b":[]}"#.utf8)
        let value = try text.withUnsafeBufferPointer { try JSON(parsing: $0, keeping: ["a", "c"]) }
        #expect(value == ["id": 1, "a": #" {"a": 1.0, "n":18446744073709551615}"#, "b": []])
    }

    @Test func pure_bytesThatAreNotTextBecomeReplacementCharacters() throws {
        #expect(try JSON(parsing: [0x22, 0x61, 0xFF, 0x22]) == "a\u{FFFD}")
    }

    @Test(
        arguments: [
            JSON.null, true, 0, 9, 10, -1, .integer(.min), 0.1, .number(1e300), "a\"b\\c\n\u{1}é", [1, [], [:]], ["a": ["b": [nil, 2.5]], "c": "d"],
        ] as [JSON])
    func pure_whatIsWrittenIsReadAgain(_ value: JSON) throws {
        #expect(try JSON(parsing: value.description) == value)
    }

    @Test func pure_theTextIsShortAndInOrder() {
        let value: JSON = ["url": "https://example.org/a b.jpg", "n": [1, 2.5, nil], "control": "\u{1F}\n"]
        #expect(value.description == #"{"url":"https://example.org/a b.jpg","n":[1,2.5,null],"control":"\u001f\n"}"#)
        #expect(JSON.number(.infinity).description == "null")
    }

    @Test func pure_membersAreFoundSetAndRemoved() {
        var members: JSONObject = ["a": 1, "b": 2]
        members["a"] = nil
        members["c"] = 3
        members["b"] = "two"
        #expect(members == ["c": 3, "b": "two"])
        #expect(members != ["c": 3])
        #expect(Set([members]) == [["c": 3, "b": "two"]])
        #expect(JSON.object(members)["b"]?.stringValue == "two")
        #expect(JSON.array([1, 2])[1] == 2)
        #expect(JSON.array([1, 2])[2] == nil)
    }

    @Test func pure_numbersAreReadAsTheyAreWanted() {
        #expect(JSON.number(3).intValue == 3)
        #expect(JSON.number(3.5).intValue == nil)
        #expect(JSON.integer(3).doubleValue == 3)
        #expect(JSON.string("3").intValue == nil)
    }
}
