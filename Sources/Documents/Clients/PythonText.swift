import TintypeCore

/// How Python spells names, types and docstrings.
enum PythonText {
    private static let keywords: Set<String> = [
        "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
        "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ]

    /// `finalURL` becomes `final_url`, and `from` becomes `from_`.
    static func name(_ wire: String) -> String {
        let name = words(wire).joined(separator: "_").lowercased()
        return keywords.contains(name) ? name + "_" : name
    }

    /// The name on the wire that the client makes of one of Python, as `_record.py` does: `max_bytes` becomes `maxBytes`.
    static func wire(_ name: String) -> String {
        let words = name.split(separator: "_").map(String.init)
        return words[0] + words.dropFirst().map(ClientNames.capital).joined()
    }

    /// `finalURL` becomes `FINAL_URL`.
    static func constant(_ wire: String) -> String { words(wire).joined(separator: "_").uppercased() }

    /// Cuts a name before each capital that begins a word.
    private static func words(_ name: String) -> [String] {
        let letters = Array(name.replacing(".", with: "_"))
        var words = [""]
        for (index, letter) in letters.enumerated() {
            let before = index > 0 ? letters[index - 1] : "_"
            let after = index + 1 < letters.count ? letters[index + 1] : "_"
            let begins = letter.isUppercase && (before.isLowercase || before.isNumber || before.isUppercase && after.isLowercase)
            if begins { words.append(String(letter)) } else { words[words.count - 1].append(letter) }
        }
        return words
    }

    /// The type of a value.
    /// - Parameter isGiven: whether callers make it. They may give any sequence, and get tuples.
    static func type(_ kind: ClientModel.Kind, isGiven: Bool) -> String {
        switch kind {
        case .boolean: "bool"
        case .text: "str"
        case .integer: "int"
        case .number: "float"
        case .bytes: "Bytes"
        case .json: "Any"
        case .null: "None"
        case .choice(let values): "Literal[\(values.map { "\"\($0)\"" }.joined(separator: ", "))]"
        case .named(let name): name
        case .list(let kind): isGiven ? "Sequence[\(type(kind, isGiven: true))]" : "tuple[\(type(kind, isGiven: false)), ...]"
        case .map(let kind): "Mapping[str, \(type(kind, isGiven: isGiven))]"
        case .either(let kinds): either(kinds.map { type($0, isGiven: isGiven) })
        }
    }

    /// The same types, each once. A float may be an int in Python.
    private static func either(_ types: [String]) -> String {
        var seen: [String] = []
        for type in types where !seen.contains(type) && !(type == "int" && types.contains("float")) { seen.append(type) }
        return seen.joined(separator: " | ")
    }

    /// The type of a member that may be absent.
    static func optional(_ kind: ClientModel.Kind, isGiven: Bool) -> String {
        let type = type(kind, isGiven: isGiven)
        return kind == .json ? type : type + " | None"
    }

    /// Returns the lines of a docstring.
    static func docstring(_ text: String, indent: Int) -> [String] {
        let lines = TextLayout.sentences(text, columns: TextLayout.columns - indent - 6)
        let margin = String(repeating: " ", count: indent)
        guard lines.count > 1 else { return ["\(margin)\"\"\"\(text)\"\"\""] }
        return ["\(margin)\"\"\"\(lines[0])"] + lines.dropFirst().map { margin + $0 } + [margin + "\"\"\""]
    }
}
