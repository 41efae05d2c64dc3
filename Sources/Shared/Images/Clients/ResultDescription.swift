/// An object that the service answers: its name, its meaning and its members.
package struct ResultDescription: Sendable {
    package let name: String
    package let summary: String
    package let members: [ParameterDescription]

    init(_ name: String, _ summary: String, _ members: [ParameterDescription]) { (self.name, self.summary, self.members) = (name, summary, members) }
}

/// An event of a receipt.
package struct EventDescription: Sendable {
    /// The type on the wire.
    package let type: String
    /// The name in client libraries.
    package let name: String
    package let summary: String
    /// The members beside those of all events.
    package let members: [ParameterDescription]
    package let isTerminal: Bool

    init(_ type: String, _ name: String, _ summary: String, _ members: [ParameterDescription] = [], isTerminal: Bool = false) {
        (self.type, self.name, self.summary, self.members, self.isTerminal) = (type, name, summary, members, isTerminal)
    }
}

extension ParameterType {
    /// Bytes in base64, in a result.
    static let base64 = pattern(expectation: "base64") { _ in true }
    /// Any number.
    static let real = number(-.infinity ... .infinity)
    /// Any integer.
    static let whole = integer(.min ... .max)
}
