import TintypeCore

/// Records: options and operations, which callers make, and results, which the service makes.
extension SwiftClient {
    func record(_ record: ClientModel.Record) -> String {
        let isGiven = record.use == .operation || record.use == .options
        return nested(types.name(record.name)) { name in
            var lines = SwiftText.comment(record.summary) + ["public struct \(name): Record {"]
            for member in record.members { lines += property(member, of: record, isGiven: isGiven) }
            if isGiven { lines += initializer(record) }
            return lines + ["}"]
        }
    }

    func type(_ member: ClientModel.Member, of record: ClientModel.Record) -> String { types.type(member, of: record.name) }

    func property(_ member: ClientModel.Member, of record: ClientModel.Record, isGiven: Bool) -> [String] {
        let name = SwiftText.escaped(SwiftText.member(member.name))
        let named = type(member, of: record)
        let type = named + (member.isRequired ? "" : "?")
        // Records within records would make each copy of the outer one long.
        let boxed = !member.isRequired && isRecord(named) ? "@Boxed " : ""
        return SwiftText.comment(member.meaning, indent: 4) + [
            "    \(boxed)public \(isGiven ? "var" : member.isRequired ? "let" : "private(set) var") \(name): \(type)"
        ]
    }

    private func isRecord(_ type: String) -> Bool {
        (model.parameters + model.results + model.answers).contains { types.name($0.name) == type && !types.inlined.contains($0.name) }
    }

    // MARK: Initializers

    /// The members in the order of the initializer, and how many of them have no label.
    func arguments(_ record: ClientModel.Record) -> (members: [ClientModel.Member], unlabeled: Int) {
        var leading = record.members.filter { $0.isRequired || record.leading.contains($0.name) }
        if record.use == .options { leading = record.leading.compactMap { name in record.members.first { $0.name == name } } }
        var unlabeled = 0
        if record.use == .operation {
            leading = record.members.filter(\.isRequired)
            if leading.isEmpty, record.members.prefix(2).map(\.name) == ["width", "height"] { leading = Array(record.members.prefix(2)) }
            unlabeled = leading.count
        } else if ["Request", "Rendition", "Output"].contains(record.name) {
            unlabeled = 1
        }
        let names = leading.map(\.name)
        return (leading + record.members.filter { !names.contains($0.name) }, unlabeled)
    }

    /// The parameters of a function that takes all members of a record.
    func parameters(_ record: ClientModel.Record) -> [String] {
        let (members, unlabeled) = arguments(record)
        return members.enumerated().map { index, member in
            let name = SwiftText.member(member.name)
            return (index < unlabeled ? "_ " : "") + "\(name): \(type(member, of: record))" + (member.isRequired ? "" : "? = nil")
        }
    }

    /// The initializer of what callers make. That of the compiler serves results, which the service makes.
    private func initializer(_ record: ClientModel.Record) -> [String] {
        guard !record.members.isEmpty else { return ["    public init() {}"] }
        let sets = record.members.map { member in
            let name = SwiftText.member(member.name)
            return "self.\(name) = \(SwiftText.escaped(name))"
        }
        let head = ["", "    /// Members that are nil are left to the service."] + TextLayout.list("public init(", parameters(record), ") {", indent: 4)
        return head + TextLayout.filled("", sets, separator: ";", indent: 8) + ["    }"]
    }

    /// Functions that return a request with another value of one member.
    var building: String {
        var lines = ["extension ImageRequest {"]
        for member in model.request?.members ?? [] {
            let name = SwiftText.member(member.name)
            lines += SwiftText.comment(member.meaning, indent: 4)
            let type = types.type(member, of: "Request")
            lines.append("    public func \(name)(_ \(name): \(type)?) -> ImageRequest { with { $0.\(name) = \(SwiftText.escaped(name)) } }")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    // MARK: JSON

    /// Reading and writing. They stand in an extension, so that the compiler still makes an initializer for results.
    func coding(_ record: ClientModel.Record, as name: String) -> String {
        let isGiven = record.use == .operation || record.use == .options
        let (members, unlabeled) = isGiven ? arguments(record) : (record.members, 0)
        var given = members.enumerated().map { index, member in
            let read = "members.\(member.isRequired ? "require" : "read")(\"\(member.name)\")"
            return index < unlabeled ? read : "\(SwiftText.member(member.name)): \(read)"
        }
        if record.use == .event { given.insert("facts: ImageEvent.Facts(&members)", at: 0) }
        let written = record.members.map { "\"\($0.name)\": \(SwiftText.escaped(SwiftText.member($0.name)))" }
        let writes = TextLayout.list("public var members: Members { [", written.isEmpty ? [":"] : written, "] }", indent: 4)
        return coding(record, as: name, reads: given, writes: writes)
    }

    func coding(_ record: ClientModel.Record, as name: String, reads: [String], writes: [String]) -> String {
        var lines = ["extension \(name) {"]
        if let tag = record.tag { lines.append("    public static var tag: Members { [\"\(tag.member)\": \"\(tag.value)\"] }") }
        let secrets = record.members.filter(\.isSecret).map { "\"\($0.name)\"" }
        if !secrets.isEmpty { lines.append("    public static let secrets: Set = [\(secrets.joined(separator: ", "))]") }
        let head = "public init(_ members: inout MemberReader) throws(AnswerFault) {"
        let call = "\(reads.isEmpty ? "" : "try ")self.init("
        let line = "    \(head) \(call)\(reads.joined(separator: ", "))) }"
        lines += line.count <= 160 ? [line] : ["    \(head)"] + TextLayout.list(call, reads, ")", indent: 8) + ["    }"]
        return (lines + writes + ["}"]).joined(separator: "\n")
    }
}
