import TintypeCore
import TestSupport
import Testing

@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct JSONValueTests {
    @Test(
        arguments: [
            (JSON.null, "null"), (true, "true"), (0, "0"), (.int(.min), "-9223372036854775808"), (.double(3), "3"), (.double(-0.0), "0"), (0.1, "0.1"),
            (.double(.infinity), "null"), (.double(.nan), "null"), (.double(1e300), "1e+300"), ("a\"\\\n\u{1}\u{1f}é", #""a\"\\\n\u0001\u001fé""#),
            (.array([]), "[]"), ([1, [2], [:]], "[1,[2],{}]"), (["b": 1, "a": [nil]], #"{"b":1,"a":[null]}"#),
        ] as [(JSON, String)])
    func `A value has one compact text`(value: JSON, text: String) { #expect(value.text == text) }

    @Test func `The canonical text does not depend on the order of members or the spelling of numbers`() throws {
        let one = try JSON(parsing: #"{"b":{"y":1.0,"x":[{"q":1,"p":2}]},"a":100}"#)
        let other = try JSON(parsing: #" {"a":1e2,"b":{"x":[{"p":2.0,"q":1}],"y":1}}"#)
        #expect(one.canonicalBytes() == other.canonicalBytes())
        #expect(String(decoding: one.canonicalBytes(), as: UTF8.self) == #"{"a":100,"b":{"x":[{"p":2,"q":1}],"y":1}}"#)
        #expect(try JSON(parsing: "[1,2]").canonicalBytes() != JSON(parsing: "[2,1]").canonicalBytes())
    }

    @Test func `Objects are equal and hash alike in any order`() {
        let one: JSON = ["a": 1, "b": [2], "c": ["d": nil]]
        let other: JSON = ["c": ["d": nil], "b": [2], "a": 1]
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        #expect(one != ["a": 1, "b": [2], "c": [:]])
        #expect(one != ["a": 1, "b": [2], "d": ["d": nil]])
    }

    @Test(arguments: [3, 24, 25, 60]) func `Members are found, changed and removed in objects of any size`(size: Int) {
        var object = JSONObject()
        for number in 0..<size { object["k\(number)"] = JSON(number) }
        object["k1"] = "changed"
        object["k0"] = nil
        object["none"] = nil
        #expect(object.count == size - 1)
        #expect(object["k0"] == nil)
        #expect(object["k1"] == "changed")
        #expect(object["k\(size - 1)"] == JSON(size - 1))
        #expect(object.keys == (1..<size).map { "k\($0)" })
        object["k0"] = 0
        #expect(object.keys.last == "k0")
        #expect(object.merging(["k1": 1, "new": 2]).keys == object.keys + ["new"])
    }

    @Test func `An object of half a million members is read in linear time`() throws {
        var text = Array("{".utf8)
        for number in 0..<500_000 { text += Array("\"\(number)\":0,".utf8) }
        text += Array("\"0\":1}".utf8)
        let object = try #require(try JSON(parsing: text).object)
        #expect(object.count == 500_000)
        #expect(object["0"] == 1)
    }

    @Test func `Accessors give nil for other types`() {
        #expect(JSON.double(3).int == 3 && JSON.double(3.5).int == nil && JSON.double(1e300).int == nil)
        #expect(JSON.int(3).double == 3 && JSON.string("3").int == nil && JSON.bool(true).int == nil)
        let value: JSON = ["a": [1, "x"]]
        #expect(value["a"]?[1] == "x" && value["a"]?[2] == nil && value["a"]?[-1] == nil && value["b"] == nil && JSON.null["a"] == nil)
    }

    /// The same letter for a reader, two names in JSON: in objects with few members and with many.
    @Test(arguments: [0, 30]) func `names are compared as bytes`(others: Int) throws {
        let rest = (0..<others).map { ",\"m\($0)\":0" }.joined()
        let object = try #require(try JSON(parsing: "{\"\u{e9}\":1,\"e\u{301}\":2\(rest)}").object)
        let turned = try #require(try JSON(parsing: "{\"e\u{301}\":2\(rest),\"\u{e9}\":1}").object)
        #expect(object.count == others + 2 && object["\u{e9}"] == 1 && object["e\u{301}"] == 2)
        #expect(object == turned && object.hashValue == turned.hashValue)
        #expect(JSON.object(object).canonicalBytes() == JSON.object(turned).canonicalBytes())
    }
}
