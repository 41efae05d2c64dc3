import TintypeCore

/// The types, methods and errors of the client for Swift: `clients/swift/Sources/TintypeClient/Generated/Generated.swift`.
struct SwiftClient: Sendable {
    let model: ClientModel
    let types: SwiftTypes

    init(_ model: ClientModel) { (self.model, types) = (model, SwiftTypes(model)) }

    func text() -> String {
        var parts = [
            Self.head, Self.mark("Errors"), errors, words(SwiftTypes.Words(name: "Phase", values: Phase.allCases.map(\.rawValue), summary: Self.phase)),
        ]
        let operations = model.parameters.filter { $0.use == .operation }
        let options = model.parameters.filter { $0.use != .operation && !types.inlined.contains($0.name) }
        // A type stands before those that are nested in it.
        let outer = options.filter { !types.name($0.name).contains(".") }
        parts += [Self.mark("Operations"), operation(operations)] + operations.map { record($0) } + [makers(operations)]
        parts +=
            [Self.mark("Options")] + outer.reversed().map { record($0) } + [building] + options.filter { types.name($0.name).contains(".") }.map { record($0) }
        parts += [Self.mark("Results")] + (model.results + model.answers).map { record($0) }
        parts += [Self.mark("Events"), events] + model.events.map(event)
        parts += [Self.mark("Choices")] + types.words.map(words) + types.unions.map(union)
        parts += [Self.mark("JSON")] + (operations + options + model.results + model.answers + [facts]).map { coding($0, as: types.name($0.name)) }
        parts += model.events.map { coding(event: $0) } + [Self.mark("Methods"), methods]
        return Self.joined(parts).joined(separator: "\n\n") + "\n"
    }

    /// The parts, with neighbors of one type in one extension of the type.
    private static func joined(_ parts: [String]) -> [String] {
        var joined: [String] = []
        var last: Substring = ""
        for part in parts {
            let head = part.prefix { $0 != "\n" }
            if head.hasPrefix("extension "), head == last {
                joined[joined.count - 1] = joined[joined.count - 1].dropLast(2) + "\n" + part.dropFirst(head.count)
            } else {
                joined.append(part)
            }
            last = head
        }
        return joined
    }

    private static let head = """
        // The types, methods and errors of Tintype, made from the descriptions that validate requests.
        // `tintype docs clients --language swift` writes this file: change the descriptions, not the file.
        // swift-format-ignore-file
        """
    private static let phase = "The phase of a request in which something happened."

    private static func mark(_ title: String) -> String { "// MARK: - \(title)" }

    /// The lines of a type, in the type that it is nested in.
    func nested(_ name: String, _ lines: (_ name: String) -> [String]) -> String {
        let parts = name.split(separator: ".").map(String.init)
        guard parts.count > 1 else { return lines(name).map { $0.replacing("\(name).", with: "") }.joined(separator: "\n") }
        // A type that is nested in the same one needs no prefix.
        let inner = SwiftText.indented(lines(parts[1]).map { $0.replacing("\(parts[0]).", with: "") })
        return (["extension \(parts[0]) {"] + inner + ["}"]).joined(separator: "\n")
    }

    // MARK: Words

    private var errors: String {
        let names = ErrorName.allCases
        let rows = names.map { ".\($0.rawValue): (\($0.code), \($0.isRetryable))" }
        let table = TextLayout.list("private static let facts: [ErrorName: (code: Int, isRetryable: Bool)] = [", rows, "]", indent: 4)
        let extra = """

                /// The code of JSON-RPC; nil for a name that this version does not know.
                public var code: Int? { Self.facts[self]?.code }
                /// Whether the same request may succeed soon, unless the error itself says otherwise.
                public var isRetryable: Bool { Self.facts[self]?.isRetryable == true }

                /// The name with a code; nil for an unknown one.
                public init?(code: Int) {
                    guard let name = Self.allCases.first(where: { $0.code == code }) else { return nil }
                    self = name
                }

            """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let summary = SwiftTypes.Words(name: "ErrorName", values: names.map(\.rawValue), summary: "The name of an error.")
        let meanings = Dictionary(uniqueKeysWithValues: names.map { ($0.rawValue, ClientNames.capital($0.meaning) + ".") })
        return words(summary, meanings: meanings, extra: extra + table)
    }

    private func words(_ one: SwiftTypes.Words) -> String { words(one, meanings: [:], extra: []) }

    private func words(_ one: SwiftTypes.Words, meanings: [String: String], extra: [String]) -> String {
        nested(one.name) { name in
            let cases = one.values.map { (word: $0, name: SwiftText.word($0)) }
            var lines = SwiftText.comment(one.summary) + ["public enum \(name): Word {"]
            if meanings.isEmpty {
                lines += TextLayout.filled("case", cases.map { SwiftText.escaped($0.name) }, indent: 4)
            } else {
                for one in cases { lines += SwiftText.comment(meanings[one.word] ?? "", indent: 4) + ["    case \(SwiftText.escaped(one.name))"] }
            }
            lines += ["    /// A word that this version does not know.", "    case other(String)", ""]
            lines += TextLayout.list("public static let allCases: [\(name)] = [", cases.map { ".\($0.name)" }, "]", indent: 4)
            lines += ["    public var rawValue: String {", "        switch self {"]
            lines += TextLayout.filled("", cases.map { "case .\($0.name): \(SwiftText.literal($0.word))" }, separator: ";", indent: 8)
            lines += ["        case .other(let word): word", "        }", "    }"]
            return lines + extra + ["}"]
        }
    }
}
