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
            "        case .gap(let gap): gap.json(withSecrets: withSecrets)", "        case .other(let json): json",
            "        default: part?.json(withSecrets: withSecrets) ?? .null", "        }", "    }", "",
            "    /// The members of all events; nil for a gap and for an event that this version does not know.",
            "    public var facts: Facts? { part?.facts }", "", "    private var part: (any Part)? {", "        switch self {",
        ]
        lines += model.events.map { "        case .\(tag($0))(let event): event" }
        lines += [
            "        case .gap, .other: nil", "        }", "    }", "", "    /// Whether it is the last event of its receipt.",
            "    public var isTerminal: Bool {",
        ]
        let (last, passing) = (model.events.filter(\.isTerminal).map(tag), model.events.filter { !$0.isTerminal }.map(tag) + ["gap", "other"])
        lines += ["        switch self {", "        case \(last.map { ".\($0)" }.joined(separator: ", ")): true"]
        lines += TextLayout.filled("case", passing.map { ".\($0)" }, indent: 8)
        lines[lines.count - 1] += ": false"
        lines += ["        }", "    }", "}", ""]
        return lines.joined(separator: "\n") + "\n" + record(facts) + "\n\n" + accessors
    }

    var facts: ClientModel.Record {
        ClientModel.Record(name: "ImageEvent.Facts", summary: "The members of all events.", members: model.common, use: .result)
    }

    /// The members of all events, by their own names.
    private var accessors: String {
        var lines = ["extension ImageEvent {", "    /// The members of one type of event.", "    public protocol Part: Record {"]
        lines += ["        /// The members of all events.", "        var facts: Facts { get }", "    }", "}", "", "extension ImageEvent.Part {"]
        lines.append("    public var beside: (any Record)? { facts }")
        for member in model.common {
            lines += SwiftText.comment(member.summary, indent: 4)
            let type = types.type(member, of: "ImageEvent.Facts") + (member.isRequired ? "" : "?")
            lines.append("    public var \(SwiftText.member(member.name)): \(type) { facts.\(SwiftText.member(member.name)) }")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// The result whose members an event has, if it has no other ones.
    private func result(of event: ClientModel.Record) -> ClientModel.Record? {
        let names = event.members.map(\.name)
        return names.isEmpty ? nil : model.results.first { $0.members.map(\.name) == names }
    }

    func event(_ event: ClientModel.Record) -> String {
        nested("ImageEvent." + event.name) { name in
            var lines = SwiftText.comment(event.summary) + ["public struct \(name): Part {", "    public let facts: Facts"]
            if let result = result(of: event) { return lines + ["    /// \(result.summary)", "    public let \(tag(event)): \(result.name)", "}"] }
            for member in event.members { lines += property(member, of: event, isGiven: false) }
            return lines + ["}"]
        }
    }

    func coding(event: ClientModel.Record) -> String {
        let name = "ImageEvent." + event.name
        guard let result = result(of: event) else { return coding(event, as: name) }
        return coding(
            event, as: name, reads: ["facts: ImageEvent.Facts(&members)", "\(tag(event)): \(result.name)(&members)"],
            writes: ["    public var members: Members { \(tag(event)).members }"])
    }
}
