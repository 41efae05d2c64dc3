import TintypeCore

/// Events: one type for all of them, and the members of each.
extension SwiftClient {
    private func tag(_ event: ClientModel.Record) -> String { event.tag?.value ?? "" }

    var events: String {
        var lines = ["/// Something that happened to a receipt.", "public enum ImageEvent: ProtocolValue {"]
        for event in model.events {
            lines += SwiftText.comment(event.summary, indent: 4) + ["    case \(SwiftText.escaped(tag(event)))(\(event.name))"]
        }
        lines += [
            "    /// The connection was lost here, and the receipt was taken up again: events from between are not known.",
            "    case gap(Gap)", "    /// An event that this version does not know.", "    case other(JSON)", "",
            "    public init(json: JSON) throws(AnswerFault) {", "        self = switch json[\"type\"]?.stringValue {",
        ]
        lines += model.events.map { "        case \"\(tag($0))\": .\(tag($0))(try \($0.name)(json: json))" }
        lines += [
            "        case \"gap\": .gap(try Gap(json: json))", "        default: .other(json)", "        }", "    }", "",
            "    public func json(withSecrets: Bool) -> JSON {", "        switch self {",
        ]
        lines += model.events.map { "        case .\(tag($0))(let event): event.json(withSecrets: withSecrets)" }
        lines += ["        case .gap(let gap): gap.json(withSecrets: withSecrets)", "        case .other(let json): json", "        }", "    }", ""]
        lines += [
            "    /// The members of all events; nil for a gap and for an event that this version does not know.", "    public var facts: Facts? {",
            "        switch self {",
        ]
        lines += model.events.map { "        case .\(tag($0))(let event): event.facts" }
        lines += [
            "        case .gap, .other: nil", "        }", "    }", "", "    /// Whether it is the last event of its receipt.",
            "    public var isTerminal: Bool {",
        ]
        let (last, passing) = (model.events.filter(\.isTerminal).map(tag), model.events.filter { !$0.isTerminal }.map(tag) + ["gap", "other"])
        lines += ["        switch self {", "        case \(last.map { ".\($0)" }.joined(separator: ", ")): true"]
        lines += SwiftText.list("        case ", passing.map { ".\($0)" }, ": false", indent: 0) + ["        }", "    }", "}", ""]
        let facts = ClientModel.Record(name: "ImageEvent.Facts", summary: "The members of all events.", members: model.common, use: .result)
        return lines.joined(separator: "\n") + "\n" + record(facts) + "\n\n" + accessors
    }

    /// The members of all events, by their own names.
    private var accessors: String {
        var lines = ["extension ImageEvent {", "    /// The members of one type of event.", "    public protocol Part: Record {"]
        lines += ["        /// The members of all events.", "        var facts: Facts { get }", "    }", "}", "", "extension ImageEvent.Part {"]
        for member in model.common {
            lines += SwiftText.comment(member.summary, indent: 4)
            let type = types.type(member, of: "ImageEvent.Facts") + (member.isRequired ? "" : "?")
            lines.append("    public var \(SwiftText.member(member.name)): \(type) { facts.\(SwiftText.member(member.name)) }")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    func event(_ event: ClientModel.Record) -> String {
        nested("ImageEvent." + event.name) { name in
            var lines = SwiftText.comment(event.summary) + ["public struct \(name): Part {", "    public let facts: Facts"]
            let names = event.members.map(\.name)
            if let result = model.results.first(where: { !names.isEmpty && $0.members.map(\.name) == names }) {
                // The members are those of a result.
                let part = tag(event)
                lines += ["    /// \(result.summary)", "    public let \(part): \(result.name)", ""]
                lines += [
                    "    public init(facts: Facts, \(part): \(result.name)) {", "        self.facts = facts", "        self.\(part) = \(part)", "    }", "",
                ]
                lines += [
                    "    public init(json: JSON) throws(AnswerFault) {", "        facts = try Facts(json: json)",
                    "        \(part) = try \(result.name)(json: json)",
                ]
                lines += ["    }", "", "    public func write(to members: inout MemberWriter) {", "        members.add(\"type\", \"\(tag(event))\")"]
                return lines + ["        members.add(membersOf: facts)", "        members.add(membersOf: \(part))", "    }", "}"]
            }
            var parameters = ["facts: Facts"]
            for member in event.members {
                let type = type(member, of: event)
                lines += SwiftText.comment(SwiftText.meaning(member), indent: 4)
                lines.append("    public let \(SwiftText.member(member.name)): \(type)\(member.isRequired ? "" : "?")")
                parameters.append("\(SwiftText.member(member.name)): \(type)" + (member.isRequired ? "" : "? = nil"))
            }
            lines += [""] + SwiftText.list("public init(", parameters, ") {", indent: 4) + ["        self.facts = facts"]
            lines += event.members.map { "        self.\(SwiftText.member($0.name)) = \(SwiftText.member($0.name))" } + ["    }", ""]
            lines += ["    public init(json: JSON) throws(AnswerFault) {", "        facts = try Facts(json: json)"]
            if !event.members.isEmpty { lines.append("        var members = try MemberReader(json)") }
            lines += event.members.map { "        \(SwiftText.member($0.name)) = \(Self.read($0))" }
            lines += ["    }", "", "    public func write(to members: inout MemberWriter) {", "        members.add(\"type\", \"\(tag(event))\")"]
            lines += ["        members.add(membersOf: facts)"] + event.members.map { "        \(Self.write($0, SwiftText.member($0.name)))" }
            return lines + ["    }", "}"]
        }
    }
}
