import TintypeCore
import TintypeImages

/// A Markdown list of parameters: name, accepted values, default, purpose. Members of an object follow their object, by their path.
struct ParameterList: Sendable {
    /// Objects with a section of their own. The list links to the section in place of their members.
    let objects: [SharedObject]
    /// Types with a line of their own. The list links to the line in place of the type's words.
    let values: [SharedValue]

    /// A parameter without its name. Neighbors that agree in it share a line.
    private struct Item: Equatable {
        var values: String
        var summary: String
        var members: [String]
    }

    /// - Parameter path: the object that the members belong to; empty for the parameters of a method.
    func lines(_ members: [ParameterDescription], at path: String = "") -> [String] {
        var items: [(names: [String], item: Item)] = []
        for member in members {
            let name = ParameterType.join(path, member.name)
            let item = item(member, called: name)
            if item.members.isEmpty, items.last?.item == item {
                items[items.count - 1].names.append("`\(name)`")
            } else {
                items.append((["`\(name)`"], item))
            }
        }
        return items.flatMap { names, item in
            ["- \(names.joined(separator: ", ")) (\(item.values)): \(item.summary.sentences(indentedBy: "  "))"] + item.members
        }
    }

    private func item(_ member: ParameterDescription, called name: String) -> Item {
        let (words, inner) = words(for: member.type, called: name)
        let fallback = member.isRequired ? ", required" : member.defaultValue.map { ", default `\($0.text)`" } ?? ""
        return Item(values: words + fallback, summary: member.summary, members: inner)
    }

    private func words(for type: ParameterType, called name: String) -> (words: String, lines: [String]) {
        switch type {
        case .object(let members) where !members.isEmpty:
            if let shared = shared(members) { return (shared.link, []) }
            return ("object", lines(members, at: name))
        case .array(.object(let members), let count):
            if let shared = shared(members) { return ("array of \(ParameterType.range(count)): \(shared.link)", []) }
            return ("array of \(ParameterType.range(count)): object", lines(members, at: name + "[]"))
        case .boolean, .string, .pattern, .integer, .number, .choice, .array, .object, .map, .variants, .union, .null, .any:
            return (type.notation(naming: values), [])
        }
    }

    private func shared(_ members: [ParameterDescription]) -> SharedObject? { objects.first { $0.isMade(of: members) } }
}

extension String {
    /// A paragraph with a line for each sentence, so that a change shows as one line.
    func sentences(indentedBy margin: String = "") -> String { replacing(/([.?!]) (?=[A-Z`])/) { "\($0.output.1)\n\(margin)" } }
}
