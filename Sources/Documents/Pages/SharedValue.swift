import TintypeImages

/// A type that many parameters have. A reference page describes such a type once, in a line of its name.
struct SharedValue: Sendable {
    let name: String
    let type: ParameterType
    /// The meaning, after the accepted values.
    let meaning: String

    init(_ name: String, _ type: ParameterType, _ meaning: String = "") { (self.name, self.type, self.meaning) = (name, type, meaning) }

    /// A Markdown link to the section with these lines.
    var link: String { "[\(name)](#values)" }

    /// The line: the name, and the type without the name that its words may begin with.
    /// - Parameter others: types with lines of their own.
    func line(naming others: [SharedValue]) -> String {
        let words = type.notation(naming: others.filter { $0.name != name })
        return "- `\(name)`: \(words.split(separator: ": ", maxSplits: 1).last.map { String($0) } ?? words)\(meaning)."
    }

    /// The names of a choice; empty for another type.
    var names: [String] { if case .choice(let names) = type { names } else { [] } }
}
