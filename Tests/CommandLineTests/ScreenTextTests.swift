import Console
import TestSupport
import Testing

@testable import TintypeTop

/// Text of others on the screen.
@Suite(.tags(.optimized)) struct ScreenTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("Größe", "Größe"), ("日本", "日本"), ("a\u{1b}[2Jb", "a\\u001b[2Jb"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u{9b}31m", "\\u009b31m"), ("\u{7f}", "\\u007f"), ("a\u{202e}b", "a\\u202eb"), ("a\u{200b}b", "a\\u200bb"), ("\u{2028}", "\\u2028"),
        ("\u{feff}", "\\ufeff"), ("\u{e000}", "\\ue000"), ("\u{e0041}", "\\u{e0041}"), ("a\u{a0}b\u{3000}c", "a b c"),
        // Marks: two stay on a letter, and none stands alone at the beginning.
        ("e\u{301}", "e\u{301}"), ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}"), ("\u{301}a", "\\u0301a"), ("❤\u{fe0f}", "❤"),
    ])
    func `only what a terminal draws is left`(text: String, shown: String) {
        #expect(ScreenText.harmless(text).unicodeScalars.elementsEqual(shown.unicodeScalars), "\(ScreenText.harmless(text))")
        #expect(ScreenText.harmless(shown) == shown)
    }

    @Test(arguments: [
        ("abc", 3), ("", 0), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("🙂", 2), ("▁█·", 3), ("…", 1), ("→", 1), ("\u{20000}", 2),
    ])
    func `wide characters take two columns and marks none`(text: String, columns: Int) { #expect(ScreenText.columns(text) == columns) }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 6, "日本語"),
        ("e\u{301}e\u{301}e", 2, "e\u{301}…"),
    ])
    func `a text that does not fit ends in a sign`(text: String, most: Int, shown: String) {
        #expect(ScreenText.clipped(text, to: most) == shown)
        #expect(ScreenText.columns(ScreenText.padded(text, to: most)) == most)
        #expect(ScreenText.columns(ScreenText.padded(text, to: most, right: true)) == most)
    }

    @Test(arguments: [0, 1, 3, 4, 5, 6, 7, 8, 20]) func `a line is cut at any column, and a chosen one fills its row`(most: Int) {
        var line = ScreenLine("ab")
        line.append("日本", .good)
        line.append("cd", .bad)
        let cut = line.clipped(to: most)
        #expect(cut.columns <= most && cut.columns >= min(most, 8) - 1, "\(cut)")
        #expect(cut.text == (most >= 8 ? "ab日本cd" : cut.text) && (most >= 8 || most == 0 || cut.text.hasSuffix("…")), "\(cut)")
        #expect(line.chosen(most).columns == most && line.chosen(most).spans.allSatisfy { $0.style.isReversed })
    }

    @Test(arguments: [
        (["TERM": "xterm-256color"], ScreenColors.palette), (["TERM": "xterm"], .sixteen), (["TERM": "xterm", "COLORTERM": "truecolor"], .full),
        (["TERM": "tmux-256color", "COLORTERM": "24bit"], .full), (["TERM": "xterm-256color", "NO_COLOR": "1"], .none),
        (["TERM": "xterm-256color", "NO_COLOR": ""], .palette), (["TERM": "dumb", "COLORTERM": "truecolor"], .none), ([:], .none),
    ])
    func `the environment decides the colors`(environment: [String: String], colors: ScreenColors) {
        #expect(ScreenColors(environment: environment) == colors)
    }

    @Test(arguments: [
        (ScreenColors.none, "\u{1b}[0;1m"), (.sixteen, "\u{1b}[0;1;31m"), (.palette, "\u{1b}[0;1;38;5;167m"), (.full, "\u{1b}[0;1;38;2;222;84;84m"),
    ])
    func `a look is set with the terminal's own colors`(colors: ScreenColors, sequence: String) {
        #expect(colors.sequence(ScreenStyle(color: .bad, isBold: true)) == sequence)
        #expect(colors.sequence(.chosen) == "\u{1b}[0;7m")
    }

    @Test func `only rows that differ are sent`() {
        let size = ScreenSize(columns: 5, rows: 3)
        let first = Frame(size, [ScreenLine("one"), ScreenLine("two")])
        let reset = "\u{1b}[0m"
        #expect(
            first.changes(from: nil, .none)
                == "\(reset)\u{1b}[2J\u{1b}[1;1H\(reset)one\(reset)\u{1b}[K\u{1b}[2;1H\(reset)two\(reset)\u{1b}[K\(reset)")
        #expect(first.changes(from: first, .none) == "")
        let second = Frame(size, [ScreenLine("one"), ScreenLine("three", .good)])
        // A full row is not erased behind its end.
        #expect(second.changes(from: first, .sixteen) == "\u{1b}[2;1H\u{1b}[0;32mthree\(reset)")
        #expect(first.changes(from: second, .none) == "\u{1b}[2;1H\(reset)two\(reset)\u{1b}[K\(reset)")
        let other = Frame(ScreenSize(columns: 6, rows: 3), [ScreenLine("one")])
        #expect(other.changes(from: first, .none).contains("\u{1b}[2J"), "another size is drawn anew")
        #expect(Frame(size, (0..<9).map { ScreenLine("line \($0) is long") }).lines.map(\.text) == ["line…", "line…", "line…"])
    }

    @Test(arguments: [
        ([0.0], "    "), ([1], "   █"), ([1, 2, 4, 8], "▁▂▄█"), ([0, 0.001, 100], "  ▁█"), ([5, 9, 9, 9, 9], "████"), ([.nan, .infinity, 1, 1], "  ██"),
    ])
    func `a sparkline shows the latest values`(values: [Double], line: String) { #expect(Chart.sparkline(values, columns: 4) == line) }

    @Test(arguments: [(0.0, "····"), (1, "████"), (0.5, "██··"), (0.001, "▏···"), (0.3125, "█▎··"), (9, "████"), (-1, "····"), (.nan, "····")])
    func `a bar shows a part in eighths`(part: Double, bar: String) { #expect(Chart.bar(part, columns: 4) == bar) }

    @Test(arguments: [(0.0, "0"), (0.25, "0.25"), (1, "1.00"), (12.4, "12"), (1234, "1234"), (56_789, "56k"), (3e7, "30M"), (.infinity, "-"), (.nan, "-")])
    func `rates have few digits`(rate: Double, text: String) { #expect(HumanNumber.rate(rate) == text) }

    @Test(arguments: [(0.0, "0 ms"), (0.25, "250 ms"), (75, "75 s"), (600, "10 min"), (7300, "2 h"), (400_000, "4 d"), (-5, "0 ms"), (.nan, "-"), (1e300, "-")])
    func `ages have one unit`(seconds: Double, text: String) { #expect(HumanNumber.age(seconds) == text) }
}
