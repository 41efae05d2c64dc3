import TintypeCore

/// Values that may have one of several types.
extension SwiftClient {
    func union(_ union: SwiftTypes.Union) -> String {
        nested(union.name) { name in
            let literals = union.cases.flatMap(Self.literals)
            let kinds = ["Alternatives"] + literals.map(\.name)
            var lines = SwiftText.comment(union.summary) + TextLayout.list("public enum \(name): ", kinds, " {", indent: 0)
            let words = union.cases.compactMap { one in if case .word(let word) = one { word } else { nil } }
            precondition(words.isEmpty || !literals.contains { $0.name.contains("String") }, "\(name) has words among all texts")
            if !words.isEmpty { lines += TextLayout.filled("case", words.map { SwiftText.escaped(SwiftText.word($0)) }, indent: 4) }
            for one in union.cases { lines += declaration(one) }
            lines += ["    /// A value that this version does not know.", "    case other(JSON)", ""]
            if !words.isEmpty {
                let rows = words.map { "\(SwiftText.literal($0)): .\(SwiftText.word($0))" }
                lines += TextLayout.list("public static let words: KeyValuePairs<String, \(name)> = [", rows, "]", indent: 4) + [""]
            }
            lines += reading(union) + [""] + writing(union)
            for literal in literals { lines += ["", "    \(literal.text)"] }
            return lines + ["}"]
        }
    }

    // MARK: Cases

    private func name(_ one: SwiftTypes.Union.Case) -> String {
        switch one {
        case .word(let word): SwiftText.word(word)
        case .plain(let name, _), .record(let name, _): name
        }
    }

    private func declaration(_ one: SwiftTypes.Union.Case) -> [String] {
        let name = SwiftText.escaped(name(one))
        switch one {
        case .word: return []
        case .plain(_, let kind): return ["    case \(name)(\(types.type(kind)))"]
        case .record(_, let record):
            let payload = record.members.map { member in
                let label = isUnlabeled(member, of: record) ? "" : SwiftText.member(member.name) + ": "
                return label + type(member, of: record) + (member.isRequired ? "" : "? = nil")
            }
            let meaning = record.members.map { "`\($0.name)`: \($0.meaning)" }.joined(separator: " ")
            return SwiftText.comment(meaning, indent: 4) + ["    case \(name)(\(payload.joined(separator: ", ")))"]
        }
    }

    /// Whether the name of the case, or the place before all others, says what the member is.
    private func isUnlabeled(_ member: ClientModel.Member, of record: ClientModel.Record) -> Bool {
        let required = record.members.filter(\.isRequired)
        return member.isRequired && (required.count == 1 || name(.record(name: caseName(record), record)) == member.name)
    }

    private func caseName(_ record: ClientModel.Record) -> String {
        for union in types.unions {
            for one in union.cases { if case .record(let name, let other) = one, other.name == record.name { return name } }
        }
        return record.name
    }

    // MARK: JSON

    private func reading(_ union: SwiftTypes.Union) -> [String] {
        var lines = ["    public init(json: JSON) throws(AnswerFault) {", "        switch json {"]
        for one in union.cases {
            guard case .plain(let name, let kind) = one else { continue }
            lines.append("        case \(Self.patterns(kind).joined(separator: ", ")): self = .\(name)(try \(types.type(kind))(json: json))")
        }
        let records = union.cases.compactMap { one in if case .record(let name, let record) = one { (name: name, record: record) } else { nil } }
        if !records.isEmpty {
            lines += ["        case .object:", "            var members = try MemberReader(json)"]
            for (index, one) in records.enumerated() {
                let required = one.record.members.filter(\.isRequired).map { "json[\"\($0.name)\"] != nil" }
                let condition = required.isEmpty ? index == 0 ? "" : " else" : (index == 0 ? "if " : " else if ") + required.joined(separator: ", ")
                let given = one.record.members.map { member in
                    (isUnlabeled(member, of: one.record) ? "" : SwiftText.member(member.name) + ": ")
                        + "try members.\(member.isRequired ? "require" : "read")(\"\(member.name)\")"
                }
                let sets = "self = .\(SwiftText.escaped(one.name))(\(given.joined(separator: ", ")))"
                if condition.isEmpty {
                    lines.append("            \(sets)")
                } else if index == 0 {
                    lines += ["            \(condition) {", "                \(sets)"]
                } else {
                    lines += ["            }\(condition) {", "                \(sets)"]
                }
            }
            if records.contains(where: { $0.record.members.contains(where: \.isRequired) }) {
                lines += ["            } else {", "                self = .other(json)", "            }"]
            }
        }
        return lines + ["        default: self = .of(word: json)", "        }", "    }"]
    }

    /// The cases of JSON that an alternative takes.
    private static func patterns(_ kind: ClientModel.Kind) -> [String] {
        switch kind {
        case .boolean: [".bool"]
        case .integer, .number: [".integer", ".number"]
        case .text, .bytes, .choice: [".string"]
        case .list: [".array"]
        case .map, .named: [".object"]
        case .json, .null, .either: [".null"]
        }
    }

    private func writing(_ union: SwiftTypes.Union) -> [String] {
        var lines = ["    public func json(withSecrets: Bool) -> JSON {", "        switch self {"]
        var rest: [String] = []
        for one in union.cases {
            switch one {
            case .word: rest = ["        default: word"]
            case .plain(let name, _): lines.append("        case .\(name)(let value): value.json(withSecrets: withSecrets)")
            case .record(let name, let record):
                let names = record.members.map { SwiftText.escaped(SwiftText.member($0.name)) }
                let members = zip(record.members, names).map { "\"\($0.name)\": \($1)" }
                let secret = record.members.contains(where: \.isSecret) ? ", areSecret: true" : ""
                lines.append("        case .\(SwiftText.escaped(name))(\(names.map { "let \($0)" }.joined(separator: ", "))):")
                lines += TextLayout.list("JSON([", members, "], withSecrets: withSecrets\(secret))", indent: 12)
            }
        }
        return lines + ["        case .other(let json): json"] + rest + ["        }", "    }"]
    }

    // MARK: Literals

    private static func literals(_ one: SwiftTypes.Union.Case) -> [(name: String, text: String)] {
        guard case .plain(let name, let kind) = one else { return [] }
        func literal(_ word: String, _ label: String, _ type: String) -> (name: String, text: String) {
            ("ExpressibleBy\(word)Literal", "public init(\(label)Literal value: \(type)) { self = .\(name)(value) }")
        }
        switch kind {
        case .boolean: return [literal("Boolean", "boolean", "Bool")]
        case .integer: return [literal("Integer", "integer", "Int")]
        case .number:
            return [
                literal("Float", "float", "Double"),
                ("ExpressibleByIntegerLiteral", "public init(integerLiteral value: Int) { self = .number(Double(value)) }"),
            ]
        case .text: return [literal("String", "string", "String")]
        case .list(.text): return [("ExpressibleByArrayLiteral", "public init(arrayLiteral elements: String...) { self = .list(elements) }")]
        case .list(.integer): return [("ExpressibleByArrayLiteral", "public init(arrayLiteral elements: Int...) { self = .list(elements) }")]
        case .list, .map, .json, .null, .bytes, .choice, .named, .either: return []
        }
    }
}
