import TestSupport
import Testing

@testable import Documents

/// How sentences and lists of generated files are broken into lines.
@Suite(.tags(.optimized)) struct TextLayoutTests {
    @Test(arguments: [
        ("", []), ("One. Two.", ["One. Two."]), ("The width. 1 to 9. Default: `1`.", ["The width. 1 to 9. Default: `1`."]),
        ("A first sentence that is long. Two. Three. Four.", ["A first sentence that is long.", "Two. Three. Four."]),
        ("A first sentence that is long. The second one is too. Three.", ["A first sentence that is long.", "The second one is too. Three."]),
        ("How. `in`: inside. `out`: outside. Default: `in`.", ["How.", "`in`: inside.", "`out`: outside.", "Default: `in`."]),
        ("A sentence that is longer than a line is left as it is.", ["A sentence that is longer than a line is left as it is."]),
    ])
    func `sentences share a line, but for the first one and for words`(text: String, lines: [String]) {
        #expect(TextLayout.sentences(text, columns: 32) == lines)
    }

    @Test func `a list fills its lines`() {
        let items = (0..<60).map { "item\($0)" }
        let lines = TextLayout.filled("case", items, indent: 4)
        #expect(lines[0].hasPrefix("    case item0, item1, ") && lines[1].hasPrefix("        item"))
        #expect(lines.count == 4 && lines.allSatisfy { $0.count <= TextLayout.columns })
        #expect(lines.joined().split { $0 == " " || $0 == "," }.dropFirst().map(String.init) == items)
        #expect(TextLayout.filled("", ["a", "b"], separator: ";", indent: 2) == ["  a; b"])
    }
}
