import Testing
import TintypeCore

/// The rules for flags, the same for every program.
@Suite struct FlagParserTests {
    /// A row: a command line, and its items.
    struct Row: Sendable, CustomTestStringConvertible {
        let line: String
        let items: [FlagParser.Item]
        var testDescription: String { line }

        init(_ line: String, _ items: FlagParser.Item...) { (self.line, self.items) = (line, items) }

        var arguments: [String] { line.split(separator: " ").map { $0 == "''" ? "" : String($0) } }
    }

    static let parser = FlagParser(
        [
            .init("output", short: "o"), .init("quiet", short: "q", isSwitch: true), .init("header", repeats: true),
            .init("help", isSwitch: true, repeats: true),
        ],
        words: 1)

    static let rows = [
        Row(""), Row("u", .word("u")), Row("-", .word("-")), Row("''", .word("")),
        // A value comes after its flag, or after an equals sign.
        Row("--output f", .flag("output", "f")), Row("--output=f", .flag("output", "f")), Row("-o f", .flag("output", "f")), Row("-o=f", .flag("output", "f")),
        Row("--output=", .flag("output", "")), Row("--output=a=b", .flag("output", "a=b")), Row("--output ''", .flag("output", "")),
        // The value may look like anything.
        Row("--output --quiet", .flag("output", "--quiet")), Row("--output -- u", .flag("output", "--"), .word("u")), Row("--output -5", .flag("output", "-5")),
        Row("--output", .mistake(.missingValue("output"))), Row("u -o", .word("u"), .mistake(.missingValue("output"))),
        // A switch takes no word as its value.
        Row("--quiet u", .flag("quiet", "true"), .word("u")), Row("-q", .flag("quiet", "true")), Row("--quiet=false", .flag("quiet", "false")),
        Row("--quiet=maybe", .flag("quiet", "maybe")),
        // Given twice.
        Row("-o a --output=b", .flag("output", "a"), .mistake(.repeated("output")), .flag("output", "b")),
        Row("-o a -o", .flag("output", "a"), .mistake(.repeated("output")), .mistake(.missingValue("output"))),
        Row("-q -q", .flag("quiet", "true"), .mistake(.repeated("quiet")), .flag("quiet", "true")),
        Row("--header a --header b", .flag("header", "a"), .flag("header", "b")), Row("--help --help", .flag("help", "true"), .flag("help", "true")),
        // The nearest name. The next word is the value of the unknown flag, unless the program needs the word.
        Row("u --outptu f", .word("u"), .mistake(.unknown("--outptu", nearest: "--output"))),
        Row("--outptu f u", .mistake(.unknown("--outptu", nearest: "--output")), .word("u")),
        Row("--outptu u", .mistake(.unknown("--outptu", nearest: "--output")), .word("u")),
        Row("--outptu=f u", .mistake(.unknown("--outptu=f", nearest: "--output")), .word("u")),
        Row("u --outptu -q", .word("u"), .mistake(.unknown("--outptu", nearest: "--output")), .flag("quiet", "true")),
        Row("-x u", .mistake(.unknown("-x", nearest: nil)), .word("u")), Row("--output-folder=f", .mistake(.unknown("--output-folder=f", nearest: nil))),
        Row("--=f", .mistake(.unknown("--=f", nearest: nil))),
        // After two dashes, all arguments are words.
        Row("-q -- -o --help --", .flag("quiet", "true"), .end, .word("-o"), .word("--help"), .word("--")), Row("--", .end),
    ]

    @Test(arguments: rows) func `a command line is split in order`(row: Row) {
        #expect(Self.parser.items(row.arguments) == row.items)
    }

    @Test(
        arguments: [
            (.flag("a", "b"), nil), (.word("w"), "unexpected argument \"w\""), (.end, "unexpected argument \"--\""),
            (.mistake(.unknown("--hlp=1", nearest: "--help")), "unknown flag --hlp; did you mean --help?"),
            (.mistake(.unknown("--x", nearest: nil)), "unknown flag --x"),
            (.mistake(.unknown("-x=1", nearest: nil)), "unexpected argument \"-x=1\""), (.mistake(.repeated("a")), "--a is given twice"),
            (.mistake(.missingValue("a")), "--a needs a value"), (.word("redis://u:hunter2@h"), "unexpected argument \"redis://h\""),
        ] as [(FlagParser.Item, String?)])
    func `a mistake has the usual message`(item: FlagParser.Item, words: String?) {
        #expect(item.mistake == words)
    }
}
