import TintypeCore

/// A Markdown table of parameters: name, accepted values, default, purpose. Members of an object follow their object, by their path.
struct ParameterTable: Sendable {
    /// Objects with a section of their own. The table links to the section in place of their members.
    let objects: [SharedObject]

    static let header = ["| parameter | takes | default | what |", "|---|---|---|---|"]

    /// - Parameter path: the object that the members belong to; empty for the parameters of a method.
    func rows(_ members: [ParameterDescription], at path: String = "") -> [String] {
        members.flatMap { member -> [String] in
            let name = ParameterType.join(path, member.name)
            let (values, inner) = values(of: member, called: name)
            let fallback = member.isRequired ? "required" : member.defaultValue.map { "`\($0.text)`" } ?? ""
            let cells = ["`\(name)`", values, fallback, member.summary].map {
                $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
            }
            return ["| \(cells.joined(separator: " | ")) |"] + inner
        }
    }

    private func values(of member: ParameterDescription, called name: String) -> (words: String, rows: [String]) {
        switch member.type {
        case .object(let members) where !members.isEmpty:
            if let shared = shared(members) { return ("an object: \(shared.link)", []) }
            return ("an object", rows(members, at: name))
        case .array(.object(let members), let count):
            if let shared = shared(members) { return ("\(Self.span(count)) objects: \(shared.link)", []) }
            return ("\(Self.span(count)) objects", rows(members, at: name + "[]"))
        case .array(.variants(let tag, _), let count): return ("\(Self.span(count)) [operations](#operations), each named by `\(tag)`", [])
        case .boolean, .string, .pattern, .integer, .number, .choice, .array, .object, .map, .variants, .union, .null, .any:
            return (member.type.expectation, [])
        }
    }

    private func shared(_ members: [ParameterDescription]) -> SharedObject? { objects.first { $0.isMade(of: members) } }

    private static func span(_ count: ClosedRange<Int>) -> String { "\(count.lowerBound) to \(count.upperBound)" }
}
