import TestSupport
import Testing
import TintypeCore

/// One decoder in three modes: the treatment of escapes, and of percent signs without an escape.
@Suite(.tags(.optimized)) struct PercentTextTests {
    /// A row: the text and the decoded texts. `strict` is nil if the text is unreadable.
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let lenient: String
        let form: String
        let strict: String?
        var testDescription: String { text }

        init(_ text: String, _ lenient: String, form: String? = nil, strict: String?) {
            (self.text, self.lenient, self.form, self.strict) = (text, lenient, form ?? lenient, strict)
        }
    }

    static let rows = [
        Row("", "", strict: ""), Row("plain", "plain", strict: "plain"), Row("%41%2b%c3%a9", "A+é", strict: "A+é"), Row("%2F%2f", "//", strict: "//"),
        Row("a+b", "a+b", form: "a b", strict: "a+b"), Row("a%2Bb", "a+b", strict: "a+b"), Row("é", "é", strict: "é"),
        Row("%25", "%", strict: "%"), Row("%2541", "%41", strict: "%41"), Row("a%00b", "a\0b", strict: "a\0b"),
        Row("%", "%", strict: nil), Row("%4", "%4", strict: nil), Row("a%", "a%", strict: nil), Row("%g1%%41", "%g1%A", strict: nil),
        Row("%+f", "%+f", form: "% f", strict: nil), Row("%-0", "%-0", strict: nil), Row("% 1", "% 1", strict: nil), Row("%é", "%é", strict: nil),
    ]

    @Test(arguments: rows) func `an escape is two hexadecimal digits in each mode`(row: Row) {
        #expect(PercentText.decoded(row.text) == row.lenient)
        #expect(PercentText.decoded(form: row.text.utf8) == row.form)
        #expect(PercentText.bytes(of: row.text.utf8) == row.strict.map { Array($0.utf8) })
    }

    @Test func `the unreserved characters of RFC 3986 stay when a text is encoded, and all others are escaped`() {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        #expect(PercentText.encoded(unreserved) == unreserved)
        for byte in UInt8(0x20)...0x7f {
            let text = String(decoding: [byte], as: UTF8.self)
            #expect((PercentText.encoded(text) == text) == unreserved.contains(text), "\(byte)")
        }
    }

    @Test func `bytes need not be UTF-8`() {
        #expect(PercentText.bytes(of: "%ff%00".utf8) == [0xff, 0])
        #expect(PercentText.decoded("%ff") == "\u{FFFD}")
    }

    @Test(arguments: [("%41%2F%2e", "A%2F."), ("%2541", "%2541"), ("%zz", "%zz")]) func `other bytes keep their escapes`(
        text: String, decoded: String
    ) {
        #expect(PercentText.decoded(text) { $0 == UInt8(ascii: "A") || $0 == UInt8(ascii: ".") } == decoded)
    }

    @Test(arguments: ["", "plain", "a b&c=d", "100%", "é/?#", "+", "\0"]) func `every mode decodes encoded text`(text: String) {
        let encoded = PercentText.encoded(text)
        #expect(PercentText.decoded(encoded) == text && PercentText.decoded(form: encoded.utf8) == text)
        #expect(PercentText.bytes(of: encoded.utf8) == Array(text.utf8))
    }
}
