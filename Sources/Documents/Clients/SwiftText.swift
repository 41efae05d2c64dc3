import TintypeCore

/// How Swift spells names, literals and comments.
enum SwiftText {
    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]

    /// Members whose name on the wire would mislead in Swift: `as` names an output there, and every value has a `json` and a `description`.
    private static let members = ["as": "kind", "private": "isPrivate", "json": "document", "description": "traits"]

    /// Words that are no names. `.none` would be an absent value where a word is optional, and so would not be sent.
    private static let words = ["none": "nothing", "4:2:0": "chroma420", "4:4:4": "chroma444"]

    /// The name of a member.
    static func member(_ wire: String) -> String { members[wire] ?? wire }
    /// The name where it is declared or used by itself.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// The name of a case for a word.
    static func word(_ wire: String) -> String { words[wire] ?? (wire == wire.uppercased() ? wire.lowercased() : wire) }

    /// `queue.list` becomes `queueList`.
    static func method(_ wire: String) -> String {
        let parts = wire.split(separator: ".").map(String.init)
        return (parts.prefix(1) + parts.dropFirst().map(ClientNames.capital)).joined()
    }

    static func literal(_ text: String) -> String { "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }

    // MARK: Layout

    /// A comment; sentences that are too long are cut between words.
    static func comment(_ text: String, indent: Int = 0, continued: String = "") -> [String] {
        let margin = String(repeating: " ", count: indent) + "/// "
        let columns = TextLayout.columns - margin.count - continued.count
        var lines: [String] = []
        for (index, sentence) in TextLayout.sentences(text, columns: columns).enumerated() {
            var line = index == 0 ? "" : continued
            for word in sentence.split(separator: " ") {
                if line.count + word.count >= columns {
                    lines.append(line)
                    line = continued
                }
                line += (line.isEmpty || line == continued ? "" : " ") + word
            }
            lines.append(line)
        }
        return lines.map { margin + $0 }
    }

    static func indented(_ lines: [String], by indent: Int = 4) -> [String] {
        lines.map { $0.isEmpty ? "" : String(repeating: " ", count: indent) + $0 }
    }
}
