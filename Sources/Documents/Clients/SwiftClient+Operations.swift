import TintypeCore

/// Operations: one type for all of them, and the functions that make transforms.
extension SwiftClient {
    private func lowered(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    func operation(_ operations: [ClientModel.Record]) -> String {
        func names(_ of: (_ tag: String, _ name: String, _ record: ClientModel.Record) -> String) -> [String] {
            operations.map { of($0.tag?.value ?? "", SwiftText.escaped(lowered($0.name)), $0) }
        }
        var lines = SwiftText.comment("One step that changes pixels. Make it with the functions of ``ImageTransform``.")
        lines += ["public indirect enum ImageOperation: ProtocolValue {"]
        for record in operations {
            lines += SwiftText.comment(record.summary.sentences().split(separator: "\n").first.map(String.init) ?? "", indent: 4)
            lines.append("    case \(SwiftText.escaped(lowered(record.name)))(\(record.name))")
        }
        lines += ["    /// An operation that this version does not know.", "    case other(JSON)", ""]
        lines += ["    public init(json: JSON) throws(AnswerFault) {", "        let name = json[\"op\"]?.stringValue", "        self = switch name {"]
        lines += names { tag, name, record in "        case \"\(tag)\": .\(name)(try \(record.name)(json: json))" }
        lines += ["        default: .other(json)", "        }", "    }", "", "    public func json(withSecrets: Bool) -> JSON {", "        switch self {"]
        lines += names { _, name, _ in "        case .\(name)(let operation): operation.json(withSecrets: withSecrets)" }
        return (lines + ["        case .other(let json): json", "        }", "    }", "}"]).joined(separator: "\n")
    }

    /// Functions of a transform: each makes one of a single operation, or appends the operation.
    func makers(_ operations: [ClientModel.Record]) -> String {
        var lines = ["extension ImageTransform {"]
        for record in operations {
            let name = SwiftText.escaped(lowered(record.name))
            let (members, unlabeled) = arguments(record)
            let given = members.enumerated().map { index, member in
                let name = SwiftText.member(member.name)
                return (index < unlabeled ? "" : "\(name): ") + SwiftText.escaped(name)
            }
            func made(_ maker: String) -> [String] {
                TextLayout.list("\(maker)(.\(name)(ImageOperation.\(record.name)(", given, ")))", indent: 8) + ["    }", ""]
            }
            lines += SwiftText.comment(record.summary, indent: 4)
            if !members.isEmpty { lines.append("    ///") }
            for member in members {
                let meaning = "- Parameter \(SwiftText.member(member.name)): \(member.meaning)"
                lines += SwiftText.comment(meaning, indent: 4, continued: "  ")
            }
            lines += TextLayout.list("public static func \(name)(", parameters(record), ") -> ImageTransform {", indent: 4)
            lines += made("ImageTransform") + ["    /// Appends the operation that the static function of the same name makes."]
            lines += TextLayout.list("public func \(name)(", parameters(record), ") -> ImageTransform {", indent: 4)
            lines += made("appending")
        }
        return (lines.dropLast() + ["}"]).joined(separator: "\n")
    }
}
