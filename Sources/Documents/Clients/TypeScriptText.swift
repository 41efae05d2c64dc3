import TintypeCore

/// How TypeScript spells names, types and comments.
enum TypeScriptText {
    /// Records whose names in the model are those of other things in browsers, or of classes of the client.
    private static let names = [
        "Request": "ImageRequest", "Rendition": "RenditionOptions", "Fetch": "FetchOptions", "Cache": "CacheOptions", "Decode": "DecodeOptions",
        "Output": "OutputOptions",
    ]

    /// The name of a record or choice.
    /// - Parameter operations: the names of the operations. A function has the short name of each.
    static func name(_ name: String, operations: [String]) -> String { operations.contains(name) ? name + "Operation" : names[name] ?? name }

    /// The type of a value, as it is on the wire.
    static func type(_ kind: ClientModel.Kind, operations: [String]) -> String {
        switch kind {
        case .boolean: "boolean"
        case .text, .bytes: "string"
        case .integer, .number: "number"
        case .json: "Json"
        case .null: "null"
        case .choice(let values): values.map { "\"\($0)\"" }.joined(separator: " | ")
        case .named(let name): Self.name(name, operations: operations)
        case .list(let kind): list(type(kind, operations: operations))
        case .map(let kind): "Readonly<Record<string, \(type(kind, operations: operations))>>"
        case .either(let kinds): each(kinds.map { type($0, operations: operations) }).joined(separator: " | ")
        }
    }

    private static func list(_ type: String) -> String {
        type.contains(" | ") || type.hasPrefix("readonly ") ? "readonly (\(type))[]" : "readonly \(type)[]"
    }

    private static func each(_ types: [String]) -> [String] {
        var seen: [String] = []
        for type in types where !seen.contains(type) { seen.append(type) }
        return seen
    }

    static func comment(_ text: String, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let lines = TextLayout.sentences(text.replacing("*/", with: "* /"), columns: TextLayout.columns - indent - 7)
        guard lines.count > 1 else { return ["\(margin)/** \(lines.first ?? "") */"] }
        return ["\(margin)/**"] + lines.map { "\(margin) * \($0)" } + ["\(margin) */"]
    }
}
