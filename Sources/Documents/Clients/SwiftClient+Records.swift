import TintypeCore

/// Records: options and operations, which callers make, and results, which the service makes.
extension SwiftClient {
    func record(_ record: ClientModel.Record) -> String {
        let isGiven = record.use == .operation || record.use == .options
        return nested(types.name(record.name)) { name in
            var lines = SwiftText.comment(record.summary) + ["public struct \(name): Record {"]
            for member in record.members { lines += property(member, of: record, isGiven: isGiven) }
            lines += initializer(record, isGiven: isGiven)
            return lines + coding(record) + ["}"]
        }
    }

    func type(_ member: ClientModel.Member, of record: ClientModel.Record) -> String { types.type(member, of: record.name) }

    private func property(_ member: ClientModel.Member, of record: ClientModel.Record, isGiven: Bool) -> [String] {
        let name = SwiftText.escaped(SwiftText.member(member.name))
        let named = type(member, of: record)
        let type = named + (member.isRequired ? "" : "?")
        // Records within records would make each copy of the outer one long.
        let boxed = !member.isRequired && isRecord(named) ? "@Boxed " : ""
        return SwiftText.comment(SwiftText.meaning(member), indent: 4) + [
            "    \(boxed)public \(isGiven ? "var" : boxed.isEmpty ? "let" : "private(set) var") \(name): \(type)"
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

    private func initializer(_ record: ClientModel.Record, isGiven: Bool) -> [String] {
        guard !record.members.isEmpty else { return ["    public init() {}"] }
        let order =
            isGiven ? parameters(record) : record.members.map { "\(SwiftText.member($0.name)): \(type($0, of: record))" + ($0.isRequired ? "" : "? = nil") }
        let sets = record.members.map { member in
            let name = SwiftText.member(member.name)
            return "        self.\(name) = \(SwiftText.escaped(name))"
        }
        let comment = isGiven ? ["    /// Members that are nil are left to the service."] : []
        return [""] + comment + SwiftText.list("public init(", order, ") {", indent: 4) + sets + ["    }"]
    }

    /// Functions that return a request with another value of one member.
    var building: String {
        var lines = ["extension ImageRequest {"]
        for member in model.request?.members ?? [] {
            let name = SwiftText.member(member.name)
            lines += SwiftText.comment(SwiftText.meaning(member), indent: 4)
            lines += ["    public func \(name)(_ \(name): \(types.type(member, of: "Request"))?) -> ImageRequest {", "        var request = self"]
            lines += ["        request.\(name) = \(SwiftText.escaped(name))", "        return request", "    }", ""]
        }
        return (lines.dropLast() + ["}"]).joined(separator: "\n")
    }

    // MARK: JSON

    private func coding(_ record: ClientModel.Record) -> [String] {
        let reader = record.members.isEmpty ? "_ = try JSONObject(json: json)" : "var members = try MemberReader(json)"
        var lines = ["", "    public init(json: JSON) throws(AnswerFault) {", "        \(reader)"]
        lines += record.members.map { "        \(SwiftText.escaped(SwiftText.member($0.name))) = \(Self.read($0))" }
        lines += ["    }", "", "    public func write(to members: inout MemberWriter) {"]
        if let tag = record.tag { lines.append("        members.add(\"\(tag.member)\", \"\(tag.value)\")") }
        return lines + record.members.map { "        \(Self.write($0, SwiftText.escaped(SwiftText.member($0.name))))" } + ["    }"]
    }

    static func read(_ member: ClientModel.Member) -> String {
        "try members.\(member.isRequired ? "require" : "read")\(member.kind == .bytes ? "Bytes" : "")(\"\(member.name)\")"
    }

    static func write(_ member: ClientModel.Member, _ value: String) -> String {
        let secret = member.isSecret ? ", isSecret: true" : ""
        return member.kind == .bytes ? "members.add(\"\(member.name)\", bytes: \(value)\(secret))" : "members.add(\"\(member.name)\", \(value)\(secret))"
    }
}
