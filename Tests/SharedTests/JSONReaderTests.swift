import Foundation
import TintypeCore
import TestSupport
import Testing

/// Valid and invalid JSON, after the cases of JSONTestSuite.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct JSONReaderTests {
    @Test(
        arguments: [
            ("null", JSON.null), (" true\n", true), ("\t[ ]\r\n", .array([])), ("{ }", [:]), ("\"\"", ""),
            ("0", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1.0", .double(1)), ("0.5", 0.5), ("-0.25", -0.25), ("1e3", .double(1000)),
            ("1E+2", .double(100)), ("25e-1", 2.5), ("0e0", .double(0)), ("1e-400", .double(0)),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00""#, "😀"),
            (#""\u0000""#, "\0"), ("\"\u{7f}é€😀\u{10FFFF}\"", "\u{7f}é€😀\u{10FFFF}"), ("[1,[2,{\"a\":[]}]]", [1, [2, ["a": .array([])]]]),
            (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]), (#"{"":0}"#, ["": 0]), (#"{"\u0061":1}"#, ["a": 1]),
        ] as [(String, JSON)])
    func `A valid text has its value`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
        #expect(try JSON(parsing: value.text) == JSON(parsing: value.bytes()[...]))
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("[", 1), ("{", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("{\"a\"", 4), ("{\"a\":}", 5),
        ("{\"a\":1,}", 7), ("{a:1}", 1), ("{1:1}", 1), ("{\"a\" 1}", 5), ("{'a':1}", 1), ("nul", 3), ("nulL", 3), ("True", 0), ("1 2", 2), ("[]]", 2),
        ("01", 1), ("-", 1), ("-01", 2), ("+1", 0), (".5", 0), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("0x1", 1), ("NaN", 0), ("-Infinity", 1),
        ("1e400", 0), ("\"", 1), ("\"a", 2), ("\"\\", 2), (#""\x""#, 2), (#""\u12""#, 5), (#""\u123g""#, 6), ("\"a\nb\"", 2), ("\"\t\"", 1), ("\"\0\"", 1),
        ("// x", 0), ("[1]/**/", 3), ("\u{FEFF}1", 0), ("\u{A0}1", 0), ("\u{c}1", 0),
    ])
    func `An invalid text is refused at its first wrong byte`(text: String, offset: Int) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
        do throws(JSONError) {
            _ = try JSON(parsing: text)
        } catch {
            #expect(error.offset == offset, "\(text.debugDescription): \(error)")
        }
    }

    @Test(arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800\ud800""#, #""\ud800x""#, #""\udc00\ud800""#])
    func `Half a surrogate pair is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test(
        arguments: [
            ([0x80], 0), ([0xC0, 0xAF], 0), ([0xC1, 0x81], 0), ([0xE0, 0x80, 0xAF], 0), ([0xED, 0xA0, 0x80], 0), ([0xF0, 0x80, 0x80, 0x80], 0),
            ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0), ([0xE2, 0x82], 0), ([0x61, 0xC3, 0xA9, 0x80], 3),
            ([0x5C, 0x6E, 0xC3, 0xA9, 0xFE, 0x61], 4),
        ] as [([UInt8], Int)])
    func `Bytes that are not UTF-8 are refused at their place`(bytes: [UInt8], offset: Int) {
        do throws(JSONError) {
            _ = try JSON(parsing: [0x22] + bytes + [0x22])
            Issue.record("accepted \(bytes)")
        } catch {
            #expect(error.offset == offset + 1, "\(bytes): \(error)")
        }
    }

    @Test(arguments: [
        #"{"json":{ "a" :[1.0,{"x":"}]\"\\"}],"a":[]}}"#, #"{"json":18446744073709551615}"#, #"{"json":[]}"#, #"{"json":"a\"b"}"#,
        #"{"r":[{"json":{"json":1.50}},{"b":2}],"json":null}"#,
    ])
    func `Bodies are kept as they were written`(text: String) throws {
        #expect(try JSON(parsing: text, keeping: .bodies).text == text)
    }

    @Test(arguments: [#"{"json":[}"#, #"{"json":["]}"#, #"{"json":[["#, #"{"json":}"#, #"{"json":tru}"#, #"{"json":[]]}"#, #"{"json":{"\"#])
    func `A body without an end is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: text, keeping: .bodies) }
    }

    @Test func `A body counts with its levels`() throws {
        let text = #"{"json":"# + String(repeating: "[", count: 63) + String(repeating: "]", count: 63) + "}"
        #expect(try JSON(parsing: text, keeping: .bodies).text == text)
        #expect(throws: JSONError.self) { try JSON(parsing: "[\(text)]", keeping: .bodies) }
    }

    @Test func `Numbers are kept as they were written`() throws {
        let text = "[18446744073709551615,1.0,1e2,7,-0.50]"
        let kept = try JSON(parsing: text, keeping: .numbers)
        #expect(kept.text == text && kept[3] == 7)
    }

    @Test func `Sixty-four levels are read and sixty-five are not`() throws {
        func nested(_ levels: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let fit = 64 / open.filter { $0 == "[" || $0 == "{" }.count
            _ = try JSON(parsing: nested(fit, open, close))
            #expect(throws: JSONError.self) { try JSON(parsing: "[" + nested(fit, open, close) + "]") }
        }
        #expect(throws: JSONError.self) { try JSON(parsing: String(repeating: "[", count: 1_000_000)) }
        _ = try JSON(parsing: "[[],[],{}]".utf8, maxDepth: 2)
    }

    @Test func `Every prefix of a valid text is refused, without a read beyond its end`() throws {
        let text = Array(#"{"a":[1,-2.5e3,"é\ud83d\ude00",true,null,{"b":false}]}"#.utf8)
        _ = try JSON(parsing: text)
        for count in 0..<text.count {
            #expect(throws: JSONError.self, "\(count) bytes") { try JSON(parsing: text[..<count]) }
        }
    }

    @Test func `A written text is read back the same`() throws {
        var random = Dice(7)
        for _ in 0..<2000 {
            let value = JSON.random(&random, depth: 5)
            let bytes = value.bytes()
            #expect(!bytes.contains(10) && !bytes.contains(13))
            #expect(try JSON(parsing: bytes) == value.normalized, "\(value.text)")
            let foreign = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            let theirs = try JSONSerialization.data(withJSONObject: foreign, options: .fragmentsAllowed)
            #expect(try JSON(parsing: [UInt8](theirs)).canonicalBytes() == value.canonicalBytes(), "\(value.text)")
        }
    }

    @Test func `Damaged texts end in a value or an error`() throws {
        var random = Dice(11)
        var refused = 0
        for _ in 0..<3000 {
            var bytes = JSON.random(&random, depth: 4).bytes()
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            do throws(JSONError) {
                _ = try JSON(parsing: bytes)
            } catch {
                refused += 1
                #expect((0...bytes.count).contains(error.offset))
            }
        }
        #expect(refused > 500)
    }
}

extension JSON {
    fileprivate static func random(_ random: inout Dice, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .int(Int64.random(in: -(1 << 50)...(1 << 50), using: &random))
        case 3: return .double(Double.random(in: -1000...1000, using: &random) / 7)
        case 4: return .string(word(&random))
        case 5, 6: return .array((0..<Int.random(in: 0..<5, using: &random)).map { _ in JSON.random(&random, depth: depth - 1) })
        default:
            return .object(JSONObject((0..<Int.random(in: 0..<5, using: &random)).map { ("\($0)" + word(&random), JSON.random(&random, depth: depth - 1)) }))
        }
    }

    private static func word(_ random: inout Dice) -> String {
        let scalars: [Unicode.Scalar] = ["a", "Z", "\"", "\\", "/", "\n", "\r", "\u{1}", "\u{7f}", "é", "€", "😀", "\u{2028}", " "]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<12, using: &random) { text.append(scalars.randomElement(using: &random)!) }
        return String(text)
    }

    /// Whole doubles come back as integers.
    fileprivate var normalized: JSON {
        switch self {
        case .double(let value): Int64(exactly: value).map { .int($0) } ?? self
        case .array(let values): .array(values.map(\.normalized))
        case .object(let object): .object(JSONObject(object.members.map { ($0.key, $0.value.normalized) }))
        default: self
        }
    }
}
