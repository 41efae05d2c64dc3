import TintypeImages

/// An object that the service answers: its name, its meaning and its members.
struct ResultDescription: Sendable {
    let name: String
    let summary: String
    let members: [ParameterDescription]

    init(_ name: String, _ summary: String, _ members: [ParameterDescription]) { (self.name, self.summary, self.members) = (name, summary, members) }
}

struct EventDescription: Sendable {
    /// The type on the wire.
    let type: String
    /// The name in client libraries.
    let name: String
    let summary: String
    /// The members beside those of all events.
    let members: [ParameterDescription]
    let isTerminal: Bool

    init(_ type: String, _ name: String, _ summary: String, _ members: [ParameterDescription] = [], isTerminal: Bool = false) {
        (self.type, self.name, self.summary, self.members, self.isTerminal) = (type, name, summary, members, isTerminal)
    }
}

extension ParameterType {
    /// Bytes in base64, in a result.
    static let base64 = pattern(expectation: "base64") { _ in true }
    static let real = number(-.infinity ... .infinity)
    static let whole = integer(.min ... .max)
}
