import TintypeImages

/// An object that several methods take. A reference page describes such an object once, in a section of its name.
struct SharedObject: Sendable {
    let name: String
    let summary: String
    let members: [ParameterDescription]

    init(_ name: String, _ summary: String, _ members: [ParameterDescription]) {
        (self.name, self.summary, self.members) = (name, summary, members)
    }

    /// A Markdown link to the section.
    var link: String { "[\(name)](#\(name.lowercased()))" }

    /// Whether an object has these members and no others.
    func isMade(of other: [ParameterDescription]) -> Bool { other.map(\.name) == members.map(\.name) }

    /// Splits the parameters of a method that takes this object's members beside its own.
    /// - Returns: the method's own parameters, and the names of those that mean the same here.
    func split(_ parameters: [ParameterDescription]) -> (own: [ParameterDescription], shared: [String]) {
        var (own, shared): ([ParameterDescription], [String]) = ([], [])
        for parameter in parameters {
            if members.contains(where: { $0.means(parameter) }) {
                shared.append(parameter.name)
            } else {
                own.append(parameter)
            }
        }
        return (own, shared)
    }
}

extension ParameterDescription {
    /// Whether a reference page may show one of both for the other.
    func means(_ other: ParameterDescription) -> Bool { name == other.name && summary == other.summary }
}
